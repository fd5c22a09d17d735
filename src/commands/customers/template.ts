// Prints a file to fill in, with every field of a customer and of its verification data.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {listFields, templateResult, templateView} from '../../cli/template/render-template.ts'
import {customerTypes} from '../../contract/vocabulary.ts'
import {buildCustomerTemplate, renderCustomerTemplate} from '../../customers/template.ts'

export default class CustomersTemplate extends SvcCommand {
  static override view = templateView
  static override summary = 'Print a KYC or KYB file to fill in'
  static override description =
    'Every field has a comment with its meaning, its format, and whether it is needed. What stays blank is not sent. --json lists the fields for programs.'
  static override examples = [
    {
      description: 'Write the file of a person, with just what verification needs',
      command: 'svc customers template --type INDIVIDUAL --minimal > kyc.yaml',
    },
    {
      description: 'Write the file of a business, with every field',
      command: 'svc customers template --type BUSINESS > kyb.yaml',
    },
  ]
  static override flags = {
    type: Flags.option({summary: 'Customer type', options: customerTypes})(),
    minimal: Flags.boolean({summary: 'Only what verification needs'}),
  }

  async run() {
    const {flags} = await this.parse(CustomersTemplate)
    this.requireAll([!flags.type && !this.isInteractive && '--type'])
    const type = flags.type ?? (await askType())
    const nodes = buildCustomerTemplate(type, flags.minimal)
    return templateResult(listFields(nodes), renderCustomerTemplate(type, nodes))
  }
}

async function askType() {
  const [{pick}, {typeChoices, typeQuestion}] = await Promise.all([
    import('../../cli/prompts/ask.ts'),
    import('../../customers/wizard/creation-steps.ts'),
  ])
  return pick(typeQuestion, typeChoices)
}
