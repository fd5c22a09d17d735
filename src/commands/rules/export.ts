// Exports rules as a file for `svc rules apply`.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {rejectCutList} from '../../client/paging.ts'
import {badUsage} from '../../errors.ts'
import {exportHeading, toExportedRules} from '../../rules/rule-file.ts'
import {customerFlag} from '../../cli/flags/shared.ts'
import {resolveRuleScope} from '../../rules/find-rule.ts'
import {toYaml} from '../../cli/output/formats.ts'
import {listResult} from '../../cli/output/result.ts'
import {ruleView} from '../../rules/view.ts'
import {svc} from '../../values/text.ts'

export default class RulesExport extends SvcCommand {
  static override summary = 'Export rules to a file for `svc rules apply`'
  static override description = `Prints YAML with every rule as it is sent to the service, with its id, always in the same order.
Keep the file in git, edit it, and apply it with \`svc rules apply -f FILE\`. --json prints the same as JSON.`
  static override examples = [
    {description: 'Export all rules to a file', command: 'svc rules export > rules.yaml'},
    {
      description: 'Export the rules of one customer',
      command: 'svc rules export --customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c > rules.yaml',
    },
  ]
  static override flags = {
    customer: customerFlag('Only rules of this customer'),
    from: Flags.string({summary: 'Only rules that pay from this account', helpValue: 'ACCOUNT'}),
  }

  async run() {
    const {flags} = await this.parse(RulesExport)
    if (this.format === 'csv' || this.columns) {
      throw badUsage(
        'A file of rules has no columns',
        `Take YAML or JSON, or ${svc`rules list -o csv`} for a spreadsheet`,
      )
    }
    const finder = this.finder()
    const scope = await resolveRuleScope(finder, flags)
    const client = await finder.connect()
    const list = await client.rules.list(scope)
    rejectCutList(list)
    const {automationRules} = list
    const render = async (rules: object[]) => exportHeading + (await toYaml({rules}))
    return listResult(toExportedRules(automationRules), 'rules', ruleView, {render})
  }
}
