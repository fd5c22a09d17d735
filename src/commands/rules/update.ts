// Changes the destination, the amount or the developer fee of an automation rule.
import {SvcCommand} from '../../cli/command.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {rejectRulesOverLimit} from '../../rules/rule-controls.ts'
import {toDryRunResult} from '../../cli/body/reject-problems.ts'
import {
  describeDifference,
  mergeRuleChange,
  readRuleChange,
  rejectOtherRule,
  resolveDestination,
} from '../../rules/rule-body.ts'
import {buildRuleQuestion, describeLostReply, describeNextStep, describeRuleWrite} from '../../rules/describe-rule.ts'
import {updateRule} from '../../rules/writes.ts'
import {amountFlag, checkedBodyFlags, developerFeeFlags, routeFlags, yesFlag} from '../../cli/flags/body-flags.ts'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import {checkRuleReference, findRule, ruleArgs} from '../../rules/find-rule.ts'
import {itemResult} from '../../cli/output/result.ts'
import {ruleView} from '../../rules/view.ts'

const {to, 'to-currency': toCurrency, 'to-method': toMethod} = routeFlags

const changeFlags = {
  to,
  'to-currency': toCurrency,
  'to-method': toMethod,
  amount: {...amountFlag('Amount to move, in the source currency'), exclusive: ['percent']},
  percent: amountFlag('Percentage of the balance to move, up to 100', 'PERCENT'),
  ...developerFeeFlags,
}

export default class RulesUpdate extends SvcCommand {
  static override view = ruleView
  static override exits = getExitCodes('usage', 'refused', 'notFound', 'unknownOutcome', 'limit')
  static override summary = 'Change an automation rule'
  static override description = `The service can change the destination, the amount and the developer fee of a rule, and nothing else.
svc reads the rule, applies your changes and sends the whole rule. Fields you do not name stay as they are.
--developer-fee 0 removes the fee. A file may be the output of \`svc rules get\`.`
  static override examples = [
    {description: 'Change the amount', command: 'svc rules update rule_5f2c0e9d71a84b36c2d9e0f1 --amount 250.00'},
    {
      description: 'Change the bank account and remove the developer fee',
      command:
        'svc rules update rule_5f2c0e9d71a84b36c2d9e0f1 --to 861c3341-c5aa-48c7-a8e2-f2bb23581ca9 --to-currency EUR --to-method SEPA --developer-fee 0',
    },
  ]
  static override args = ruleArgs
  static override flags = {
    ...changeFlags,
    ...checkedBodyFlags,
    yes: yesFlag,
  }

  async run() {
    const {args, flags} = await this.parse(RulesUpdate)
    const reference = toArgumentReference('rule', args.id)
    checkRuleReference(reference, this.finder())
    const changeFlagNames = [...Object.keys(changeFlags), 'file', 'set']
    if (!changeFlagNames.some((name) => name in flags)) {
      throw badUsage(
        'There is nothing to change',
        `Give one of ${changeFlagNames.map((name) => `--${name}`).join(', ')}`,
      )
    }
    const given = await readRuleChange(flags)
    const caller = await this.writer(flags['dry-run'] ? undefined : toWriteRequest(args.id ?? '{ruleId}'), flags.yes)
    const finder = this.finder(caller)
    const {ruleId, rule} = await findRule(finder, reference)
    rejectOtherRule(given, ruleId)
    const write = toWriteRequest(ruleId)
    const change = await resolveDestination(finder, rule, given, flags)
    const {configuration, differences} = await mergeRuleChange(rule, change, this.warningPolicy(flags))
    if (differences.length === 0) {
      this.notice('The rule already has these values; nothing was sent.')
      return flags['dry-run'] ? undefined : this.finishWrite(itemResult(rule, ruleView))
    }
    if (flags['dry-run']) return toDryRunResult({...write, body: {id: ruleId, ...configuration}})
    rejectRulesOverLimit(caller, [configuration])
    const changes = differences.map(describeDifference)
    const describe = async () => {
      const reader = await this.client(caller, {timeoutMs: undefined})
      return describeRuleWrite(caller, reader, 'Change a rule', {...configuration, id: ruleId}, changes)
    }
    const ask = {describe, question: buildRuleQuestion('Change', caller, rule)}
    const updated = await this.write(caller, write, {yes: flags.yes, ask}, async () =>
      updateRule(await finder.connect(), ruleId, configuration, {
        onLostReply: (lost) => this.notice(describeLostReply(lost)),
      }),
    )
    return this.finishWrite(itemResult(updated, ruleView), describeNextStep(updated))
  }
}

const toWriteRequest = (ruleId: string) => ({
  method: 'PUT',
  path: `/automation-rules/${encodeURIComponent(ruleId)}`,
  checksLimits: true,
})
