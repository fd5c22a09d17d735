// Deletes an automation rule and prints it.
import {getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {
  buildRuleQuestion,
  describeDeletedRule,
  describeLostReply,
  describeRuleWrite,
} from '../../rules/describe-rule.ts'
import {deleteRule} from '../../rules/writes.ts'
import {yesFlag} from '../../cli/flags/body-flags.ts'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import {checkRuleReference, findRule, ruleArgs} from '../../rules/find-rule.ts'
import {removedResult} from '../../cli/output/result.ts'
import {ruleView} from '../../rules/view.ts'

export default class RulesDelete extends SvcCommand {
  static override view = ruleView
  static override exits = getExitCodes('usage', 'notFound', 'unknownOutcome')
  static override summary = 'Delete an automation rule'
  static override description = `This cannot be undone, so svc asks for confirmation in a terminal. Scripts need --yes on a live profile only.
With -o yaml or --json it prints the rule that was deleted. If you save it to a file, \`svc rules create -f\` creates it again.`
  static override examples = [
    {description: 'Delete a rule, with confirmation', command: 'svc rules delete rule_5f2c0e9d71a84b36c2d9e0f1'},
    {
      description: 'Delete a rule from a script, and keep a copy',
      command: 'svc rules delete rule_5f2c0e9d71a84b36c2d9e0f1 --yes -o yaml > deleted.yaml',
    },
  ]
  static override args = ruleArgs
  static override flags = {yes: yesFlag}

  async run() {
    const {args, flags} = await this.parse(RulesDelete)
    const reference = toArgumentReference('rule', args.id)
    checkRuleReference(reference, this.finder())
    const caller = await this.writer(toWriteRequest(args.id ?? '{ruleId}'), flags.yes)
    const finder = this.finder(caller)
    const {ruleId, rule: before} = await findRule(finder, reference)
    const write = toWriteRequest(ruleId)
    const client = await finder.connect()
    const ask = {
      describe: () => describeRuleWrite(caller, client, 'Delete a rule permanently', before),
      question: buildRuleQuestion('Delete', caller, before),
    }
    const deleted = await this.write(caller, write, {yes: flags.yes, ask}, () =>
      deleteRule(client, ruleId, before, {onLostReply: (lost) => this.notice(describeLostReply(lost))}),
    )
    return this.finishWrite(removedResult(deleted, ruleView, describeDeletedRule(deleted)))
  }
}

const toWriteRequest = (ruleId: string) => ({
  method: 'DELETE',
  path: `/automation-rules/${encodeURIComponent(ruleId)}`,
})
