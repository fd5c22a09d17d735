// Lists automation rules. The interface has no paging for them.
import * as Flags from '@oclif/core/flags'
import {withPartyNames} from '../../accounts/name-columns.ts'
import {SvcCommand} from '../../cli/command.ts'
import {listEnumValues} from '../../contract/enum-values.ts'
import {filterFlags, buildFilter} from '../../cli/output/filters.ts'
import {customerFlag} from '../../cli/flags/shared.ts'
import {resolveRuleScope} from '../../rules/find-rule.ts'
import {readRulePayee, ruleView} from '../../rules/view.ts'

const filters = {
  type: {field: 'trigger.type', values: listEnumValues('AutomationRule', 'trigger', 'type')},
  since: {field: 'createdAt'},
} as const

export default class RulesList extends SvcCommand {
  static override view = ruleView
  static override summary = 'List automation rules'
  static override description = `The service returns all rules at once, without pages, and filters by --customer and --from. svc itself filters by --type and --since.`
  static override examples = [
    {description: 'List all rules', command: 'svc rules list'},
    {
      description: 'List the scheduled rules of a customer',
      command: 'svc rules list --customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c --type TIME_BASED',
    },
  ]
  static override flags = {
    customer: customerFlag('Only rules of this customer'),
    from: Flags.string({summary: 'Only rules that pay from this payment account', helpValue: 'ACCOUNT'}),
    ...filterFlags(filters),
  }

  async run() {
    const {flags} = await this.parse(RulesList)
    const finder = this.finder()
    const query = await resolveRuleScope(finder, flags)
    const client = await finder.connect()
    const source = this.nameSource()
    const view = withPartyNames(ruleView, {...source, readPayee: readRulePayee, hasPayees: this.showsPayees})
    const filter = buildFilter(filters, flags)
    return this.list(client.rules.list, query, {all: true}, 'automationRules', view, filter)
  }
}
