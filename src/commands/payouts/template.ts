// Prints a payout file to fill in, as CSV or YAML.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {listFields, templateResult, templateView} from '../../cli/template/render-template.ts'
import {buildColumnNodes, renderCsvTemplate, renderYamlTemplate, templateFormats} from '../../payouts/file/template.ts'

export default class PayoutsTemplate extends SvcCommand {
  static override view = templateView
  static override summary = 'Print a payout file to fill in'
  static override description =
    'CSV has a header and a row to fill in; YAML has a comment for every field, with its meaning, its format, and whether it is needed. --json lists the columns for programs.'
  static override examples = [
    {description: 'Write a file for a spreadsheet', command: 'svc payouts template > payouts.csv'},
    {description: 'Write a file with comments', command: 'svc payouts template --format yaml > payouts.yaml'},
    {description: 'Check the file', command: 'svc payouts run payouts.csv --dry-run'},
  ]
  static override flags = {
    format: Flags.option({summary: 'Format of the file (csv)', options: templateFormats})(),
  }

  async run() {
    const {flags} = await this.parse(PayoutsTemplate)
    const nodes = buildColumnNodes()
    if (flags.format === 'yaml') return templateResult(listFields(nodes), renderYamlTemplate(nodes))
    if (this.format === 'table') {
      const needed = nodes.filter(({isNeeded}) => isNeeded).map(({name}) => name)
      this.notice(`Needed: ${needed.join(', ')}. The meaning of each column: svc payouts template --format yaml`)
    }
    return templateResult(listFields(nodes), renderCsvTemplate())
  }
}
