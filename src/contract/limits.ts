// Every number the interface fixes, named with its unit, the most significant word first; and what it lets change of a rule.

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

// What PUT can change of an automation rule; the rest of a rule is fixed for its life.
export const ruleFieldsChangeable = [
  'transactionTemplate.destination',
  'transactionTemplate.developerFee',
  'transactionTemplate.amount',
] as const
