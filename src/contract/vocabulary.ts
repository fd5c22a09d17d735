// The words and limits of the interface, apart from the schemas, so that naming one does not load zod.

// The interface does not say whether KB and MB count in thousands or in 1024s. These limits are the wider reading of each, so
// that only what both readings reject is rejected (docs/assumptions.md, C17).
export const kilobyte = 1000
export const megabyte = 1024 * 1024

export const limits = {
  pageSizeDefault: 10,
  pageSizeMin: 1,
  pageSizeMax: 100,
  requestBytesMax: 100 * megabyte,
  quoteLifetimeSeconds: 300,
  streetLineLengthMin: 4,
  streetLineLengthMax: 100,
  documentBytesMin: 100 * kilobyte,
  documentBytesMax: 10 * megabyte,
  documentPixelsMin: 200,
  proofOfAddressAgeMonthsMax: 3,
  percentageMin: 0,
  percentageMax: 100,
  verificationTypicalMinutes: 10,
  manualReviewBusinessDaysMax: 3,
} as const

export const quoteLifetimeMs = limits.quoteLifetimeSeconds * 1000

// The only fields of an automation rule that PUT can change.
export const ruleFieldsChangeable = [
  'transactionTemplate.destination',
  'transactionTemplate.developerFee',
  'transactionTemplate.amount',
] as const

// The field that belongs to each type of trigger of a rule, and to no other.
export const triggerFields = {THRESHOLD_BASED: 'thresholdAmount', TIME_BASED: 'cronSchedule'} as const

// An amount in a request: a decimal number without sign or exponent.
export const amountPattern = /^\d{1,30}(\.\d{1,30})?$/

// What is said of a date that is none, by the schemas and by the checks that do without them.
export const dateMessage = 'must be an ISO 8601 date, YYYY-MM-DD'

// The name of the service's only event, which the interface spells in two ways.
export const customerUpdatedName = 'customer.updated'
export const customerUpdatedAlsoWritten = ['customer.update'] as const

export const fiatMethods = ['ACH', 'WIRE', 'SEPA', 'CA_INTERAC', 'IN_NEFT_RTGS_IMPS'] as const
// Each moves one currency.
export const currencyByMethod: Readonly<Record<(typeof fiatMethods)[number], string>> = {
  ACH: 'USD',
  WIRE: 'USD',
  SEPA: 'EUR',
  CA_INTERAC: 'CAD',
  IN_NEFT_RTGS_IMPS: 'INR',
}
export const cryptoMethods = ['ARBITRUM', 'BASE', 'ETHEREUM', 'OPTIMISM', 'POLYGON', 'SOLANA'] as const

export const accountTypes = [
  'EXTERNAL_BANK_ACCOUNT',
  'SVC_AUTO_FIAT_ACCOUNT',
  'EXTERNAL_CRYPTO_WALLET',
  'SVC_CRYPTO_WALLET',
] as const

export const developerFeeTypes = ['USD', 'SOURCE_CURRENCY'] as const

export const customerTypes = ['INDIVIDUAL', 'BUSINESS'] as const

export const customerStatuses = [
  'CREATED',
  'UNDER_REVIEW',
  'NEEDS_ADDITIONAL_INFORMATION',
  'ACTIVE',
  'REJECTED',
  'DEACTIVATED',
] as const

export type CustomerStatus = (typeof customerStatuses)[number]

// The service rejects PATCH in every other status with PATCH_NOT_ALLOWED.
export const patchableStatuses: readonly CustomerStatus[] = ['CREATED', 'NEEDS_ADDITIONAL_INFORMATION']

// Only customers in these statuses have verification issues.
export const statusesWithIssues: readonly CustomerStatus[] = [
  'NEEDS_ADDITIONAL_INFORMATION',
  'UNDER_REVIEW',
  'REJECTED',
]

// Verification cannot approve a person without these fields of the KYC data, although the interface does not call them required.
export const kycFieldsRequiredByFlow = [
  'legalFirstName',
  'legalLastName',
  'phoneNumber',
  'dateOfBirth',
  'address',
  'nationality',
] as const

// The fields of fiat transfer instructions, with the labels that banks use, in the order in which a sender needs them.
export const fiatInstructionLabels = {
  transferPaymentMethod: 'Method',
  transferBankBeneficiaryName: 'Pay to (beneficiary)',
  transferBankName: 'Bank',
  transferBankAddress: 'Bank address',
  transferBankAccountNumber: 'Account number',
  transferRoutingNumber: 'Routing number (ABA)',
  transferIban: 'IBAN',
  transferBicSwift: 'BIC/SWIFT',
  transferIfscCode: 'IFSC code',
  transferSortCode: 'Sort code',
  transferBsbNumber: 'BSB number',
  transferTransitNumber: 'Transit number',
  transferBankCode: 'Bank code',
  transferBranchCode: 'Branch code',
  transferRoutingCode: 'Routing code',
  transferClearingCode: 'Clearing code',
  transferClabeNumber: 'CLABE number',
  transferCnapsCode: 'CNAPS code',
  transferNubanCode: 'NUBAN',
  transferPixCode: 'Pix code',
  transferPaymentLink: 'Pay at',
  transferMessage: 'Reference (must be given)',
} as const

export type FiatInstructionField = keyof typeof fiatInstructionLabels

export const fiatInstructionFields = Object.keys(fiatInstructionLabels) as FiatInstructionField[]

export const accountTypeLabels: Readonly<Record<string, string>> = {
  EXTERNAL_BANK_ACCOUNT: 'Bank account',
  EXTERNAL_CRYPTO_WALLET: 'External wallet',
  SVC_CRYPTO_WALLET: 'Service wallet',
  SVC_AUTO_FIAT_ACCOUNT: 'Automatic fiat account',
}
