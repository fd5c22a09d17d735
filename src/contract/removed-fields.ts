// What the interface's change log removed: refused by name in requests, with what takes its place.

interface RemovedField {
  field: string
  // The object that used to hold it: the key under which that object stands in a request.
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
  {field: 'title', within: 'kycData', instead: `was removed on ${effective} and nothing takes its place`},
]
