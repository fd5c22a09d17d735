// Labels for the fields of the bodies that create customers, quotes and rules, and the labels of every object of a body.
import type {z} from 'zod'
import {customerCreate} from './customers.ts'
import {
  addressLabels,
  businessDocumentLabels,
  businessInfoLabels,
  documentLabels,
  kybLabels,
  kycLabels,
  type Label,
  type LabelsByField,
  personLabels,
} from './labels.ts'
import {developerFee, quoteCreate} from './quotes.ts'
import {ruleCreate} from './rules.ts'
import {
  address,
  associatedPerson,
  businessDocument,
  businessInfo,
  document,
  kybData,
  kycData,
} from './verification-data.ts'

const customerLabels: LabelsByField<typeof customerCreate> = {
  customerType: {label: 'Type of the customer'},
  email: {label: 'Email address of the customer'},
  firstName: {label: 'First name', hint: 'The name that the service shows'},
  lastName: {label: 'Last name'},
  businessName: {label: 'Name of the business', hint: 'The name that the service shows'},
  kycData: {
    label: 'Identity data of the person',
    fileHint: 'It is locked while it is reviewed',
    isNeededForApproval: true,
  },
  kybData: {
    label: 'Data of the business and of the people behind it',
    fileHint: 'It is locked while it is reviewed',
    isNeededForApproval: true,
  },
}

const label = 'A label such as USDC or USD'
const currency = {hint: `${label}; only if the account has several`, isFoundOut: true} as const
const method = {hint: 'Only if the accounts leave a choice', isFoundOut: true} as const
const listedBy = 'As `svc accounts list` shows it'

const quoteSource = quoteCreate.shape.source
const quoteDestination = quoteCreate.shape.destination

const quoteSourceLabels: LabelsByField<typeof quoteSource> = {
  sourcePaymentAccountId: {label: 'Payment account to pay from', hint: listedBy},
  sourceCurrency: {label: 'Currency to pay in', ...currency},
  sourcePaymentMethod: {label: 'Payment method of the source', ...method},
  sourceAmount: {label: 'Amount to pay, in the source currency'},
}

const destinationLabels: LabelsByField<typeof quoteDestination> = {
  destinationPaymentAccountId: {
    label: 'Payment account to pay to',
    hint: 'One of the same customer, as `svc accounts list` shows it',
  },
  destinationPaymentMethod: {label: 'Payment method of the destination', ...method},
  destinationCurrency: {label: 'Currency to receive', ...currency},
}

const developerFeeLabels: LabelsByField<typeof developerFee> = {
  developerFeeType: {label: 'Currency of your fee'},
  developerFeeAmount: {label: 'Your own fee', hint: 'The service deducts it for you'},
}

const customerId: Label = {label: 'Customer who pays', hint: 'As `svc customers list` shows it'}

const quoteLabels: LabelsByField<typeof quoteCreate> = {
  customerId,
  source: {label: 'Where the money comes from'},
  destination: {label: 'Where the money goes'},
  developerFee: {label: 'Your own fee'},
  guaranteeQuote: {label: 'Guarantee the exact amount that arrives?'},
}

const template = ruleCreate.shape.transactionTemplate
const ruleSource = template.shape.source
const ruleDestination = template.shape.destination

const ruleSourceLabels: LabelsByField<typeof ruleSource> = {
  sourcePaymentAccountId: {label: 'Wallet to pay from', hint: 'A service-managed crypto wallet'},
  sourcePaymentMethod: {label: 'Network of the wallet'},
  sourceCurrency: {label: 'Currency to pay in', hint: label},
}

// `svc rules apply` compares a file with the service, so it needs all of the route.
const ruleDestinationLabels: LabelsByField<typeof ruleDestination> = {
  destinationPaymentAccountId: destinationLabels.destinationPaymentAccountId,
  destinationPaymentMethod: {label: 'Payment method of the destination'},
  destinationCurrency: {label: 'Currency to receive', hint: label},
}

const ruleLabels: LabelsByField<typeof ruleCreate> = {
  name: {label: 'Name of the rule', hint: '`svc rules apply` matches rules by customer and name'},
  customerId: {...customerId, label: 'Customer whose money moves'},
  transactionTemplate: {label: 'The payment that the rule makes'},
  trigger: {label: 'When the rule fires'},
}

const templateLabels: LabelsByField<typeof template> = {
  source: {label: 'Where the money comes from'},
  destination: {label: 'Where the money goes'},
  amount: {label: 'How much it pays'},
  developerFee: {label: 'Your own fee'},
}

const [flatAmount, shareOfBalance] = template.shape.amount.options
const [threshold, schedule] = ruleCreate.shape.trigger.options

// The labels of each object that a body can contain.
const labelsByObject = new Map<z.ZodObject, Readonly<Record<string, Label>>>([
  [customerCreate, customerLabels],
  [kycData, kycLabels],
  [kybData, kybLabels],
  [businessInfo, businessInfoLabels],
  [associatedPerson, personLabels],
  [address, addressLabels],
  [document, documentLabels],
  [businessDocument, businessDocumentLabels],
  [quoteCreate, quoteLabels],
  [quoteSource, quoteSourceLabels],
  [quoteDestination, destinationLabels],
  [developerFee, developerFeeLabels],
  [ruleCreate, ruleLabels],
  [template, templateLabels],
  [ruleSource, ruleSourceLabels],
  [ruleDestination, ruleDestinationLabels],
  [flatAmount, {type: {label: 'A fixed amount'}, value: {label: 'Amount, in the source currency'}}],
  [
    shareOfBalance,
    {type: {label: 'A share of the balance'}, value: {label: 'Percentage of the balance', hint: 'From 0 to 100'}},
  ],
  [
    schedule,
    {
      type: {label: 'At certain times'},
      cronSchedule: {
        label: 'Times in UTC',
        hint: 'Minute, hour, day, month, weekday, in quotes, such as "0 9 * * 1-5"',
      },
    },
  ],
  [
    threshold,
    {
      type: {label: 'When the balance is high enough'},
      thresholdAmount: {label: 'Balance at which it fires, in the source currency'},
    },
  ],
])

// Empty for an object without labels; its fields then go by their names.
export const findLabels = (object: z.ZodObject): Readonly<Record<string, Label>> => labelsByObject.get(object) ?? {}
