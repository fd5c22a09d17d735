// The one table of labels and hints: every form, wizard, template and page that names a field of a body takes them from here.
import type {z} from 'zod'
import {
  address,
  associatedPerson,
  businessDocument,
  businessInfo,
  customerCreate,
  document,
  kybData,
  kycData,
} from './customers.ts'
import {developerFee, quoteCreate} from './quotes.ts'
import {ruleCreate} from './rules.ts'

export interface Label {
  label: string
  // What a wizard asks, where the label alone is no question.
  question?: string
  // Advice that goes beyond the contract's own format rule.
  hint?: string
  // Advice for who writes a file. A form says it once for a group of fields.
  fileHint?: string
  // The HTML autocomplete value, for fields about the person who fills in the form.
  autocomplete?: string
  // Verification asks again for a submission that has this part but not this field.
  isNeededForApproval?: boolean
  // Few people have it, so a wizard asks for it only if they say that they do.
  isRare?: boolean
  // The part that has the field needs it, although the part itself may be left out.
  isNeededInPart?: boolean
  // svc finds it out where it can, although the service requires it.
  isFoundOut?: boolean
  // The field that calls for this one. It is asked for only where that one has a value, other than a no.
  follows?: string
  // A number of an ID: a terminal shows only its last characters while it is typed, and none afterwards.
  isHidden?: boolean
  // Another number that identifies somebody: a review shows only its last characters.
  isMasked?: boolean
  // Only this kind of document has the field.
  only?: 'GOVERNMENT_ID' | 'PROOF_OF_ADDRESS'
}

type LabelsByField<T extends {shape: object}> = Record<keyof T['shape'], Label>

const nationalId = {fileHint: 'Give all three fields of a national ID, or none', isNeededInPart: true} as const

const person = {
  legalFirstName: {label: 'First name, as on the ID', autocomplete: 'given-name', isNeededForApproval: true},
  legalMiddleName: {label: 'Middle name', autocomplete: 'additional-name', isRare: true},
  legalLastName: {label: 'Last name, as on the ID', autocomplete: 'family-name', isNeededForApproval: true},
  dateOfBirth: {label: 'Date of birth', hint: 'At least 18 years ago', autocomplete: 'bday', isNeededForApproval: true},
  nationality: {label: 'Nationality', isNeededForApproval: true},
  phoneNumber: {
    label: 'Phone number',
    hint: 'With its country code',
    autocomplete: 'tel',
    isNeededForApproval: true,
    isMasked: true,
  },
  nationalIdType: {label: 'Kind of national ID', ...nationalId},
  nationalIdNumber: {label: 'Number of the national ID', ...nationalId, isHidden: true},
  nationalIdIssuingCountry: {label: 'Country that issued the national ID', ...nationalId},
  address: {label: 'Home address', isNeededForApproval: true},
} satisfies Record<string, Label>

const documents: Label = {
  label: 'Documents',
  fileHint: 'At least one government-issued photo ID; the list replaces an earlier one',
  isNeededForApproval: true,
}

const kycLabels: LabelsByField<typeof kycData> = {
  ...person,
  employmentStatus: {label: 'Employment', isRare: true},
  mostRecentOccupation: {label: 'Occupation, as a code or a title', hint: 'A code has six digits', isRare: true},
  sourceOfFunds: {label: 'Where the money comes from', isRare: true},
  accountPurpose: {label: 'What the account is for', isRare: true},
  accountPurposeOther: {label: 'Another purpose, in words', isRare: true},
  expectedMonthlyPaymentsUsd: {label: 'Payments expected in a month, in USD', isRare: true},
  isIntermediary: {label: 'Acting on behalf of others?', isRare: true},
  documents,
}

const personLabels: LabelsByField<typeof associatedPerson> = {
  ...person,
  email: {label: 'Email address', hint: 'Such as ada@example.com', isRare: true},
  title: {label: 'Title in the business', hint: 'Such as Managing director', isRare: true},
  ownershipPercentage: {label: 'Share of the business in per cent'},
  isControlPerson: {label: 'Does this person control the business?', isRare: true},
  isSigner: {label: 'May this person sign for the business?', isRare: true},
  isDirector: {label: 'Is this person a director?', isRare: true},
  documents,
}

const addressLabels: LabelsByField<typeof address> = {
  countryCode: {label: 'Country', autocomplete: 'country', isNeededForApproval: true},
  streetLine1: {label: 'Street and number', autocomplete: 'address-line1', isNeededForApproval: true},
  streetLine2: {label: 'Flat, floor or building', autocomplete: 'address-line2', isRare: true},
  city: {label: 'City', autocomplete: 'address-level2', isNeededForApproval: true},
  stateRegionProvince: {
    label: 'State, region or province',
    hint: 'For the US the code of the state, such as CA',
    autocomplete: 'address-level1',
  },
  postalCode: {label: 'Postal code', hint: 'In the format of the country', autocomplete: 'postal-code'},
  locale: {label: 'Language of the address', hint: 'A tag such as en-GB'},
}

const documentLabels: LabelsByField<typeof document> = {
  type: {label: 'Kind of document', isNeededForApproval: true},
  subtype: {label: 'Which document', isNeededForApproval: true, only: 'GOVERNMENT_ID'},
  countryCode: {label: 'Country that issued it', isNeededForApproval: true, only: 'GOVERNMENT_ID'},
  documentIdNumber: {label: 'Number on the document', isNeededForApproval: true, isHidden: true, only: 'GOVERNMENT_ID'},
  issuanceDate: {
    label: 'Issued on',
    hint: 'A proof of address must be issued within the last 3 months',
    isNeededForApproval: true,
  },
  expirationDate: {
    label: 'Valid until',
    hint: 'It must not have expired',
    isNeededForApproval: true,
    only: 'GOVERNMENT_ID',
  },
  frontIdImage: {label: 'Image of the front', isNeededForApproval: true, only: 'GOVERNMENT_ID'},
  backIdImage: {
    label: 'Image of the back',
    hint: 'Not needed for a passport',
    follows: 'subtype',
    only: 'GOVERNMENT_ID',
  },
  proofOfAddressImage: {
    label: 'Image of the proof of address',
    hint: 'A utility bill, bank statement or government letter',
    isNeededForApproval: true,
    only: 'PROOF_OF_ADDRESS',
  },
  description: {label: 'Notes about the document', isRare: true},
}

const businessInfoLabels: LabelsByField<typeof businessInfo> = {
  legalBusinessName: {label: 'Legal name of the business', autocomplete: 'organization', isNeededForApproval: true},
  dbaName: {label: 'Name it does business as', isRare: true},
  businessType: {label: 'Legal form'},
  businessIndustries: {label: 'Industry code', isRare: true},
  businessDescription: {label: 'What the business does', isRare: true},
  website: {label: 'Website', hint: 'Such as https://example.com', isRare: true},
  otherLinks: {label: 'Other links or handles', hint: 'One per line', isRare: true},
  formationDate: {label: 'Founded on'},
  registrationCountry: {label: 'Country of registration'},
  isDao: {label: 'Is it a DAO?', hint: 'A decentralized autonomous organization', isRare: true},
}

const businessDocumentLabels: LabelsByField<typeof businessDocument> = {
  // The contract leaves it open.
  type: {label: 'Kind of business document', isNeededInPart: true},
  description: {label: 'Notes about the document', isRare: true},
  documentImage: {label: 'Image of the document', isNeededForApproval: true},
}

const kybLabels: LabelsByField<typeof kybData> = {
  businessInfo: {label: 'The business', isNeededForApproval: true},
  businessRegisteredAddress: {label: 'Registered address', isNeededForApproval: true},
  businessOperatingAddress: {label: 'Operating address', fileHint: 'Only if it differs from the registered address'},
  businessRegistrationNumber: {label: 'Registration number', isMasked: true},
  sourceOfFunds: {label: 'Where the money comes from', isRare: true},
  sourceOfFundsDescription: {label: 'Where the money comes from, in words', isRare: true},
  accountPurpose: {label: 'What the account is for', isRare: true},
  accountPurposeOther: {label: 'Another purpose, in words', isRare: true},
  expectedMonthlyVolumeUsd: {label: 'Volume expected in a month, in USD', isRare: true},
  estimatedAnnualRevenueUsd: {label: 'Revenue in a year, in USD', isRare: true},
  conductsMoneyServices: {label: 'Does the business conduct money services?', isRare: true},
  conductsMoneyServicesDescription: {label: 'Which money services', follows: 'conductsMoneyServices'},
  conductsMoneyServicesThroughSvc: {
    label: 'Does it conduct them through this service?',
    follows: 'conductsMoneyServices',
  },
  operatesInProhibitedCountries: {label: 'Does it operate in prohibited countries?', isRare: true},
  complianceScreeningDescription: {label: 'How it screens for compliance', isRare: true},
  highRiskActivities: {label: 'High-risk activities', isRare: true},
  highRiskActivitiesExplanation: {label: 'High-risk activities, explained', follows: 'highRiskActivities'},
  associatedPersons: {
    label: 'Owners, directors and signers',
    fileHint: 'At least one person; the list replaces an earlier one',
    isNeededForApproval: true,
  },
  businessDocuments: {
    label: 'Documents of the business',
    fileHint: 'At least one, such as the articles of incorporation; the list replaces an earlier one',
    isNeededForApproval: true,
  },
}

const customerLabels: LabelsByField<typeof customerCreate> = {
  customerType: {label: 'A person or a business?'},
  email: {label: 'Email address'},
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
  sourcePaymentAccountId: {
    label: 'Payment account to pay from',
    question: 'From which payment account?',
    hint: listedBy,
  },
  sourceCurrency: {label: 'Currency to pay in', question: 'Currency that leaves the account', ...currency},
  sourcePaymentMethod: {label: 'Payment method of the source', question: 'Method by which it leaves', ...method},
  sourceAmount: {label: 'Amount to pay, in the source currency', fileHint: 'Not if receive is given'},
}

const destinationLabels: LabelsByField<typeof quoteDestination> = {
  destinationPaymentAccountId: {
    label: 'Payment account to pay to',
    question: 'To which payment account?',
    hint: 'One of the same customer, as `svc accounts list` shows it',
  },
  destinationPaymentMethod: {
    label: 'Payment method of the destination',
    question: 'Method by which it arrives',
    ...method,
  },
  destinationCurrency: {label: 'Currency to receive', question: 'Currency that arrives in the account', ...currency},
}

const developerFeeLabels: LabelsByField<typeof developerFee> = {
  developerFeeType: {label: 'Currency of your fee', question: 'In which currency is the fee?'},
  developerFeeAmount: {label: 'Your own fee', question: 'Developer fee', hint: 'The service deducts it for you'},
}

const customerId: Label = {
  label: 'Customer who pays',
  question: 'Which customer?',
  hint: 'As `svc customers list` shows it',
}

const quoteLabels: LabelsByField<typeof quoteCreate> = {
  customerId,
  source: {label: 'Where the money comes from'},
  destination: {label: 'Where the money goes'},
  developerFee: {label: 'Your own fee'},
  guaranteeQuote: {
    label: 'Guarantee the exact amount that arrives?',
    question: 'Guarantee the received amount? (yes: exactly what is quoted)',
  },
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
  trigger: {label: 'When the rule fires', question: 'When does it fire?'},
}

const templateLabels: LabelsByField<typeof template> = {
  source: {label: 'Where the money comes from'},
  destination: {label: 'Where the money goes'},
  amount: {label: 'How much it pays', question: 'How much does it move each time?'},
  developerFee: {label: 'Your own fee'},
}

// The fields of a bank account that its owner gives, whatever its rail needs.
export const bankAccountLabels: Readonly<Record<string, Label>> = {
  bankAccountOwnerName: {
    label: 'Account holder',
    hint: 'As registered with the bank; needed if the account belongs to someone else',
  },
  bankAccountOwnerEmail: {
    label: 'Account holder’s email address',
    hint: 'Such as ada@example.com; needed if the account belongs to someone else',
  },
  bankName: {label: 'Bank'},
  bankAccountType: {label: 'Type of account'},
  routingNumber: {label: 'Routing number', hint: 'Nine digits, such as 021000021'},
  bankAccountNumber: {label: 'Account number', hint: '4 to 34 digits or letters'},
  iban: {label: 'IBAN', hint: 'Such as DE89 3704 0044 0532 0130 00'},
  bicSwift: {label: 'BIC', hint: '8 or 11 characters, such as COBADEFFXXX'},
  bankCode: {label: 'Institution number', hint: 'Three digits'},
  transitNumber: {label: 'Transit number', hint: 'Five digits'},
  ifscCode: {label: 'IFSC', hint: '11 characters, such as HDFC0000001'},
  isThirdParty: {label: 'Does the account belong to someone else?'},
  nickname: {label: 'Nickname', hint: 'A name by which you recognize this account'},
}

// The fields of a payment that only svc uses.
export const planLabels = {
  key: {
    label: 'Unique, permanent name of this payment',
    hint: 'One key is paid at most once, however often it is run',
    isNeededForApproval: true,
  },
  maxFee: {
    label: 'Stop if all fees together exceed this',
    hint: 'An amount in the source currency such as 2.50, or a percentage such as 1.5%',
  },
  minRate: {label: 'Stop if the exchange rate is lower'},
  minReceived: {label: 'Stop if the amount received would be lower'},
  receive: {
    label: 'Amount that is to arrive, instead of the amount to pay',
    hint: 'In the currency to receive; svc asks for quotes to find how much to send',
  },
  maxSend: {label: 'Stop if more would be sent', hint: 'In the source currency; only with receive'},
} as const satisfies Record<string, Label>

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
    {
      type: {label: 'A percentage of the balance'},
      value: {label: 'Percentage of the balance', hint: 'More than 0 and up to 100'},
    },
  ],
  [
    schedule,
    {
      type: {label: 'On a schedule'},
      cronSchedule: {
        label: 'Times in UTC',
        question: 'Schedule',
        hint: 'Minute, hour, day, month, weekday, in quotes, such as "0 9 * * 1-5"',
      },
    },
  ],
  [
    threshold,
    {
      type: {label: 'When the balance reaches an amount'},
      thresholdAmount: {label: 'Balance at which it fires, in the source currency'},
    },
  ],
])

// Empty for an object without labels; its fields then go by their names.
export const findLabels = (object: z.ZodObject): Readonly<Record<string, Label>> => labelsByObject.get(object) ?? {}
