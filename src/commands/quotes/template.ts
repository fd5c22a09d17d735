// Prints a file to fill in, for `svc quotes create`.
import {SvcCommand} from '../../cli/command.ts'
import {quoteCreate} from '../../contract/quotes.ts'
import {buildTemplateNodes} from '../../forms/template-nodes.ts'
import {listFields, renderTemplate, templateResult, templateView} from '../../cli/template/render-template.ts'

export default class QuotesTemplate extends SvcCommand {
  static override view = templateView
  static override summary = 'Print a quote file to fill in'
  static override description =
    'Every field has a comment with its meaning, its format, and whether it is needed. What stays blank is not sent. --json lists the fields for programs.'
  static override examples = [
    {description: 'Write the file', command: 'svc quotes template > quote.yaml'},
    {description: 'Request the quote', command: 'svc quotes create -f quote.yaml'},
  ]

  async run() {
    await this.parse(QuotesTemplate)
    const nodes = buildTemplateNodes(quoteCreate)
    const sentences = ['The price of a payment. Request it with `svc quotes create -f FILE`.']
    return templateResult(listFields(nodes), renderTemplate(nodes, {sentences}))
  }
}
