// Shows one automation rule.
import {getExitCodes} from '../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {parseId} from '../../cli/flags/shared.ts'
import {itemResult} from '../../cli/output/result.ts'
import {ruleView} from '../../rules/view.ts'

export default class RulesGet extends SvcCommand {
  static override view = ruleView
  static override exits = getExitCodes('notFound')
  static override summary = 'Show an automation rule'
  static override examples = [
    {description: 'Show a rule', command: 'svc rules get rule_5f2c0e9d71a84b36c2d9e0f1'},
    {
      description: 'Save a rule to a file, to edit it for `svc rules update -f`',
      command: 'svc rules get rule_5f2c0e9d71a84b36c2d9e0f1 -o yaml > rule.yaml',
    },
  ]
  static override args = {
    id: Args.string({description: 'ID of the rule', required: true}),
  }

  async run() {
    const {args} = await this.parse(RulesGet)
    const ruleId = parseId(args.id, 'The rule id')
    const client = await this.client()
    return itemResult(await client.rules.get({ruleId}), ruleView)
  }
}
