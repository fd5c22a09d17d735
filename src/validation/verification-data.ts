// Judges a whole submission of verification data by every check, and names everything that is wrong in it at once.
import type {z} from 'zod'
import type {Problem} from '../contract/problems.ts'
import type {address, document, kybData, kycData} from '../contract/verification-data.ts'
import {validateCountry, isSubdivision} from './country.ts'
import {validatePastDate} from './dates.ts'
import {validateDocumentImage} from './document-image.ts'
import {validatePhoneNumber} from './phone.ts'
import {validatePostalCode} from './postal-code.ts'

type Address = z.infer<typeof address>
type Document = z.infer<typeof document>
type KycData = z.infer<typeof kycData>
type KybData = z.infer<typeof kybData>
type Person = Pick<
  KycData,
  'phoneNumber' | 'dateOfBirth' | 'address' | 'nationality' | 'nationalIdIssuingCountry' | 'documents'
>

// What a customer may submit, by the name of the field that carries it.
export interface Submissions {
  kycData: KycData
  kybData: KybData
}

type Findings = (Problem | undefined)[]

// A check is asked only about a value that is there: what is missing is no matter of a request.
const ifPresent = (value: string | undefined, check: (value: string) => Problem | undefined) =>
  value === undefined ? undefined : check(value)

// Part of an address may be sent, so the country of its postal code may be one that was sent earlier.
function validateAddress(path: string, sent: Address | undefined, earlier: Address | undefined): Findings {
  if (!sent) return []
  const problem = validateCountryIfPresent(`${path}.countryCode`, sent.countryCode)
  const country = sent.countryCode ?? earlier?.countryCode
  if (problem || country === undefined) return [problem]
  return [ifPresent(sent.postalCode, (code) => validatePostalCode(`${path}.postalCode`, country, code))]
}

const validateCountryIfPresent = (path: string, code: string | undefined) =>
  ifPresent(code, (each) => validateCountry(path, each))

const imageFields = ['frontIdImage', 'backIdImage', 'proofOfAddressImage'] as const

const validateDocument = (path: string, document: Document, today: string): Findings => [
  validateCountryIfPresent(`${path}.countryCode`, document.countryCode),
  ifPresent(document.issuanceDate, (day) => validatePastDate(`${path}.issuanceDate`, day, today)),
  ...imageFields.map((field) => ifPresent(document[field], (uri) => validateDocumentImage(`${path}.${field}`, uri))),
]

const validatePerson = (path: string, person: Person, today: string, earlier?: Person): Findings => [
  ifPresent(person.phoneNumber, (number) => validatePhoneNumber(`${path}.phoneNumber`, number)),
  ifPresent(person.dateOfBirth, (day) => validatePastDate(`${path}.dateOfBirth`, day, today)),
  ...validateAddress(`${path}.address`, person.address, earlier?.address),
  validateCountryIfPresent(`${path}.nationality`, person.nationality),
  validateCountryIfPresent(`${path}.nationalIdIssuingCountry`, person.nationalIdIssuingCountry),
  ...(person.documents ?? []).flatMap((each, index) => validateDocument(`${path}.documents[${index}]`, each, today)),
]

const businessAddresses = ['businessRegisteredAddress', 'businessOperatingAddress'] as const

const validateBusiness = (path: string, data: KybData, today: string, earlier?: KybData): Findings => [
  validateCountryIfPresent(`${path}.businessInfo.registrationCountry`, data.businessInfo?.registrationCountry),
  ifPresent(data.businessInfo?.formationDate, (day) =>
    validatePastDate(`${path}.businessInfo.formationDate`, day, today),
  ),
  ...businessAddresses.flatMap((field) => validateAddress(`${path}.${field}`, data[field], earlier?.[field])),
  // A list takes the place of an earlier one, so that nothing earlier bears on a person in it.
  ...(data.associatedPersons ?? []).flatMap((each, index) =>
    validatePerson(`${path}.associatedPersons[${index}]`, each, today),
  ),
  ...(data.businessDocuments ?? []).map(({documentImage}, index) =>
    ifPresent(documentImage, (uri) => validateDocumentImage(`${path}.businessDocuments[${index}].documentImage`, uri)),
  ),
]

// What is wrong with the data that is sent; what was sent earlier only helps to judge it, and is not judged again.
export function validateVerificationData<K extends keyof Submissions>(
  data: Submissions[K],
  kind: K,
  today: string,
  earlier?: Submissions[K],
): Problem[] {
  const found =
    kind === 'kycData'
      ? validatePerson(kind, data as KycData, today, earlier as KycData)
      : validateBusiness(kind, data, today, earlier)
  return found.filter((problem) => problem !== undefined)
}

// Every address of a submission, with its path.
function listAddresses(data: KycData & KybData): [path: string, address: Address | undefined][] {
  const persons = data.associatedPersons ?? []
  return [
    ['address', data.address],
    ...businessAddresses.map((field): [string, Address | undefined] => [field, data[field]]),
    ...persons.map((person, index): [string, Address | undefined] => [
      `associatedPersons[${index}].address`,
      person.address,
    ]),
  ]
}

export interface AddressMismatch {
  code: 'DATABASE_CHECK_FAILED_ON_SUBDIVISION' | 'DATABASE_CHECK_FAILED_ON_POSTAL_CODE'
  path: string
}

// What does not belong to the country of its address: a state that is none of it, or the postal code of the country before.
// These are no mistakes of form: a service finds them by looking them up, and so they are for the verification to say.
export const findAddressMismatches = (data: KycData | KybData): AddressMismatch[] =>
  listAddresses(data as KycData & KybData).flatMap(([path, address]): AddressMismatch[] => {
    const {countryCode, stateRegionProvince, postalCode} = address ?? {}
    if (countryCode === undefined) return []
    const isState = stateRegionProvince === undefined || isSubdivision(countryCode, stateRegionProvince)
    const postal = ifPresent(postalCode, (code) => validatePostalCode(`${path}.postalCode`, countryCode, code))
    return [
      ...(isState
        ? []
        : [{code: 'DATABASE_CHECK_FAILED_ON_SUBDIVISION', path: `${path}.stateRegionProvince`} as const]),
      ...(postal ? [{code: 'DATABASE_CHECK_FAILED_ON_POSTAL_CODE', path: postal.path} as const] : []),
    ]
  })
