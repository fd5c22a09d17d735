// Deletes an automation rule, and shows what it was.
import {getExitCodes} from '../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {ruleInWords, settlingNotice} from '../../rules/words.ts'
import {deleteSettled} from '../../rules/writes.ts'
import {yesFlag} from '../../cli/flags/body-flags.ts'
import {parseId} from '../../cli/flags/shared.ts'
import {itemResult} from '../../cli/output/result.ts'
import {ruleView} from '../../rules/view.ts'

export default class RulesDelete extends SvcCommand {
  static override view = ruleView
  static override exits = getExitCodes('usage', 'notFound', 'unknownOutcome')
  static override summary = 'Delete an automation rule'
  static override description = `It cannot be undone, so a person is asked, in the sandbox too. A script needs --yes only on live.
The deleted rule is printed. Kept in a file, \`svc rules create -f\` makes one like it.`
  static override examples = [
    {description: 'Delete a rule, after a question', command: 'svc rules delete rule_5f2c0e9d71a84b36c2d9e0f1'},
    {
      description: 'In a script, keeping what it was',
      command: 'svc rules delete rule_5f2c0e9d71a84b36c2d9e0f1 --yes -o yaml > deleted.yaml',
    },
  ]
  static override args = {
    id: Args.string({description: 'Id of the rule', required: true}),
  }
  static override flags = {yes: yesFlag}

  async run() {
    const {args, flags} = await this.parse(RulesDelete)
    const ruleId = parseId(args.id, 'The rule id')
    const write = {method: 'DELETE', path: `/automation-rules/${encodeURIComponent(ruleId)}`}
    const caller = await this.caller()
    this.refuseWrite(caller, write, flags.yes)
    const client = await this.client(caller)
    const before = await client.rules.get({ruleId})
    const words = `This deletes a rule for good:\n${ruleInWords(before)}`
    await this.guardWrite(caller, write, flags.yes, {words, always: true})
    const onSettling = () => this.notice(settlingNotice)
    return this.finishWrite(itemResult(await deleteSettled(client, ruleId, {before, onSettling}), ruleView))
  }
}
