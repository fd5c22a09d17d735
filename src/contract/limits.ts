// The limits of the interface, each with its unit, and the fields of a rule that can change.

// The interface does not say whether KB and MB count in thousands or in 1024s. These limits are the wider reading of each, so
// that only what both readings reject is rejected (docs/assumptions.md, C17).
const kilobyte = 1000
const megabyte = 1024 * 1024

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
