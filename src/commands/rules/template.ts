// Prints a file to fill in, for `svc rules create` and `svc rules apply`.
import {SvcCommand} from '../../cli/command.ts'
import {listFields, templateResult, templateView} from '../../cli/template/render-template.ts'
import {buildRuleTemplate, renderRuleTemplate} from '../../rules/rule-file.ts'

export default class RulesTemplate extends SvcCommand {
  static override view = templateView
  static override summary = 'Print a rule file to fill in'
  static override description =
    'Every field has a comment with its meaning, its format, and whether it is needed. What stays blank is not sent. --json lists the fields for programs.'
  static override examples = [
    {description: 'Write the file', command: 'svc rules template > rule.yaml'},
    {description: 'Create the rule', command: 'svc rules create -f rule.yaml'},
  ]

  async run() {
    await this.parse(RulesTemplate)
    const nodes = buildRuleTemplate()
    return templateResult(listFields(nodes), renderRuleTemplate(nodes))
  }
}
