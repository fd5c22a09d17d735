// Fields that the interface has removed. Requests that use one are rejected with its replacement.

interface RemovedField {
  field: string
  // The request object that had the field.
  within: 'customer' | 'kycData'
  instead: string
}

const effective = '14 November 2025'

export const removedFields: readonly RemovedField[] = [
  {field: 'kycLink', within: 'customer', instead: `was removed on ${effective}: use verificationLink`},
  {field: 'middleName', within: 'kycData', instead: `was removed on ${effective}: use legalMiddleName`},
  {
    field: 'taxIdNumber',
    within: 'kycData',
    instead: `was removed on ${effective}: use nationalIdNumber, with nationalIdType TIN and nationalIdIssuingCountry`,
  },
  {field: 'title', within: 'kycData', instead: `was removed on ${effective} and has no replacement`},
]
