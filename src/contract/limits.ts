// The limits of the interface, each with its unit, and the fields of a rule that can change.

const kilobyte = 1024
const megabyte = 1024 * kilobyte

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

// The only fields of an automation rule that PUT can change.
export const ruleFieldsChangeable = [
  'transactionTemplate.destination',
  'transactionTemplate.developerFee',
  'transactionTemplate.amount',
] as const
