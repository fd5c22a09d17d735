// Verification data of invented people and businesses, with everything that a review asks for.
import {createSampleDocument} from '../../values/documents.ts'
import {demoAddresses} from '../seed/seed.ts'
import {isRecord} from '../../values/records.ts'

type Data = Record<string, unknown>

let image: string | undefined

const createImage = () => (image ??= `data:image/png;base64,${createSampleDocument().toString('base64')}`)

const createPerson = (firstName: string, lastName: string): Data => ({
  legalFirstName: firstName,
  legalLastName: lastName,
  // From a range that is reserved for fiction.
  phoneNumber: '+447700900123',
  dateOfBirth: '1988-03-14',
  address: demoAddresses.GB,
  nationality: 'GB',
  documents: [
    {
      type: 'GOVERNMENT_ID',
      subtype: 'PASSPORT',
      countryCode: 'GB',
      documentIdNumber: 'SPECIMEN1',
      issuanceDate: '2022-06-01',
      expirationDate: '2042-06-01',
      frontIdImage: createImage(),
    },
  ],
})

export const createCompleteKyc = (firstName = 'Ada', lastName = 'Lindqvist'): Data => createPerson(firstName, lastName)

export const createCompleteKyb = (businessName = 'Driftwood Books Ltd'): Data => ({
  businessInfo: {legalBusinessName: businessName, registrationCountry: 'GB'},
  businessRegisteredAddress: demoAddresses.GB,
  associatedPersons: [createPerson('Robin', 'Merriweath')],
  businessDocuments: [{type: 'ARTICLES_OF_INCORPORATION', documentImage: createImage()}],
})

// Fields override, also inside objects. A list replaces the whole list, and null leaves the field out.
export function overrideData(base: Data, changes: Data): Data {
  const merged: Data = {...base}
  for (const [key, value] of Object.entries(changes)) {
    const before = merged[key]
    if (value === null) delete merged[key]
    else merged[key] = isRecord(before) && isRecord(value) ? overrideData(before, value) : value
  }
  return merged
}

// A document in the file needs no image of its own: sample stands for one.
export function attachSamples(value: unknown, key = ''): unknown {
  if (value === 'sample' && key.endsWith('Image')) return createImage()
  if (Array.isArray(value)) return value.map((item) => attachSamples(item))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, attachSamples(item, name)]))
}
