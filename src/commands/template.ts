// Prints a file to fill in: a customer, a payment, payouts or a rule.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../cli/command.ts'
import {type Result, itemResult} from '../cli/output/result.ts'
import {writeOut} from '../cli/output/streams.ts'
import {renderTemplate} from '../cli/template/render-template.ts'
import {customerCreate} from '../contract/customers.ts'
import {findLabels, planLabels} from '../contract/labels.ts'
import {quoteCreate} from '../contract/quotes.ts'
import {ruleCreate} from '../contract/rules.ts'
import {customerTypes} from '../contract/vocabulary.ts'
import {badUsage, getExitCodes} from '../errors.ts'
import {buildTemplateNodes} from '../forms/template-nodes.ts'
import {planFile} from '../payments/pay/plan-file.ts'
import {columns} from '../payouts/file/records.ts'

interface CustomerOptions {
  type: (typeof customerTypes)[number]
  minimal: boolean
}

const fieldsOfOtherType = {
  INDIVIDUAL: ['businessName', 'kybData'],
  BUSINESS: ['firstName', 'lastName', 'kycData'],
} as const

const customerTitles = {
  INDIVIDUAL: 'A person and the data that verifies who it is (KYC).',
  BUSINESS:
    'A business and the data that verifies it (KYB). Copy the item of associatedPersons for each further owner, director or signer.',
} as const

const renderCustomer = ({type, minimal}: CustomerOptions): string =>
  renderTemplate(
    buildTemplateNodes(customerCreate, {
      omitted: fieldsOfOtherType[type],
      presets: {customerType: type},
      isMinimal: minimal,
    }),
    [
      customerTitles[type],
      'Check it with `svc customers create -f FILE --dry-run`, send it with `svc customers create -f FILE`. Paths of documents are relative to this file.',
      '"Needed" is what the service requires, and what verification asks for again if it is missing.',
    ],
  )

function renderPayment(): string {
  const {key, ...limits} = planLabels
  return renderTemplate(buildTemplateNodes(planFile, {labels: {key, ...findLabels(quoteCreate), ...limits}}), [
    'A payment. Check the price and the limits with `svc pay -f FILE --dry-run`, pay with `svc pay -f FILE`.',
  ])
}

const renderRule = (): string =>
  renderTemplate(buildTemplateNodes(ruleCreate), [
    'An automation rule. Create it with `svc rules create -f FILE`, or keep it in git and use `svc rules apply -f FILE`.',
  ])

// A header, and a row to fill in.
function renderPayouts(): string {
  return `${columns.join(',')}\n${','.repeat(columns.length - 1)}\n`
}

const renderers = {customer: renderCustomer, payment: renderPayment, payouts: renderPayouts, rule: renderRule} as const

type Kind = keyof typeof renderers

const kinds = Object.keys(renderers) as Kind[]

export default class Template extends SvcCommand {
  static override exits = getExitCodes('usage')
  static override summary = 'Print a file to fill in: a customer, a payment, payouts or a rule'
  static override description =
    'In YAML every field has a comment with its meaning, its format, and whether it is needed; what stays blank is not sent. Payouts are CSV, a header and a row; `svc docs payouts` explains its columns.'
  static override examples = [
    {
      description: 'Write the file of a person, with just what verification needs',
      command: 'svc template customer --minimal > kyc.yaml',
    },
    {description: 'Write the file of a business', command: 'svc template customer --type BUSINESS > kyb.yaml'},
  ]
  static override args = {
    kind: Args.string({description: 'What the file is for', required: true, options: kinds}),
  }
  static override flags = {
    type: Flags.option({summary: 'Type of the customer (INDIVIDUAL)', options: customerTypes})(),
    minimal: Flags.boolean({summary: 'Only what a customer needs'}),
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(Template)
    const kind = args.kind as Kind
    if (kind !== 'customer' && (flags.type || flags.minimal))
      throw badUsage('--type and --minimal are for the file of a customer', 'Leave them out; nothing was written')
    const text = renderers[kind]({type: flags.type ?? 'INDIVIDUAL', minimal: flags.minimal})
    if (this.format !== 'table') return itemResult({kind, text})
    await writeOut(text)
    return undefined
  }
}
