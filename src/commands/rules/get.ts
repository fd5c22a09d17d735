// Shows one automation rule.
import {getExitCodes} from '../../errors.ts'
import {createNameAdder} from '../../accounts/name-columns.ts'
import {SvcCommand} from '../../cli/command.ts'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import {findRule, ruleArgs} from '../../rules/find-rule.ts'
import {itemResult} from '../../cli/output/result.ts'
import {createRuleRecordView} from '../../rules/describe-rule.ts'
import {readRulePayee, ruleView} from '../../rules/view.ts'
import {readServiceState} from '../../transport.ts'

export default class RulesGet extends SvcCommand {
  static override view = ruleView
  static override exits = getExitCodes('notFound')
  static override summary = 'Show an automation rule, and when it fires next'
  static override examples = [
    {description: 'Show a rule', command: 'svc rules get rule_5f2c0e9d71a84b36c2d9e0f1'},
    {
      description: 'Save a rule to a file, to edit it for `svc rules update -f`',
      command: 'svc rules get rule_5f2c0e9d71a84b36c2d9e0f1 -o yaml > rule.yaml',
    },
  ]
  static override args = ruleArgs

  async run() {
    const {args} = await this.parse(RulesGet)
    const caller = await this.caller()
    const {rule} = await findRule(this.finder(caller), toArgumentReference('rule', args.id))
    const addNames = createNameAdder(this.nameSource(caller))
    const {nowMs} = await readServiceState(caller)
    return itemResult(rule, addNames(createRuleRecordView(nowMs), readRulePayee))
  }
}
