// Judges a whole submission of verification data by every check, and names everything that is wrong in it at once.
import type {z} from 'zod'
import type {Problem} from '../contract/problems.ts'
import type {address, document, kybData, kycData} from '../contract/verification-data.ts'
import {countryProblem, isSubdivision} from './country.ts'
import {pastDateProblem} from './dates.ts'
import {documentImageProblem} from './document-image.ts'
import {phoneProblem} from './phone.ts'
import {postalCodeProblem} from './postal-code.ts'

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

type Found = (Problem | undefined)[]

// A check is asked only about a value that is there: what is missing is no matter of a request.
const given = (value: string | undefined, check: (value: string) => Problem | undefined) =>
  value === undefined ? undefined : check(value)

// Part of an address may be sent, so the country of its postal code may be one that was sent earlier.
function inAddress(path: string, sent: Address | undefined, earlier: Address | undefined): Found {
  if (!sent) return []
  const problem = countryCodeProblem(`${path}.countryCode`, sent.countryCode)
  const country = sent.countryCode ?? earlier?.countryCode
  if (problem || country === undefined) return [problem]
  return [given(sent.postalCode, (code) => postalCodeProblem(`${path}.postalCode`, country, code))]
}

const countryCodeProblem = (path: string, code: string | undefined) => given(code, (each) => countryProblem(path, each))

const imageFields = ['frontIdImage', 'backIdImage', 'proofOfAddressImage'] as const

const inDocument = (path: string, document: Document, today: string): Found => [
  countryCodeProblem(`${path}.countryCode`, document.countryCode),
  given(document.issuanceDate, (day) => pastDateProblem(`${path}.issuanceDate`, day, today)),
  ...imageFields.map((field) => given(document[field], (uri) => documentImageProblem(`${path}.${field}`, uri))),
]

const inPerson = (path: string, person: Person, today: string, earlier?: Person): Found => [
  given(person.phoneNumber, (number) => phoneProblem(`${path}.phoneNumber`, number)),
  given(person.dateOfBirth, (day) => pastDateProblem(`${path}.dateOfBirth`, day, today)),
  ...inAddress(`${path}.address`, person.address, earlier?.address),
  countryCodeProblem(`${path}.nationality`, person.nationality),
  countryCodeProblem(`${path}.nationalIdIssuingCountry`, person.nationalIdIssuingCountry),
  ...(person.documents ?? []).flatMap((each, index) => inDocument(`${path}.documents[${index}]`, each, today)),
]

const businessAddresses = ['businessRegisteredAddress', 'businessOperatingAddress'] as const

const inBusiness = (path: string, data: KybData, today: string, earlier?: KybData): Found => [
  countryCodeProblem(`${path}.businessInfo.registrationCountry`, data.businessInfo?.registrationCountry),
  given(data.businessInfo?.formationDate, (day) => pastDateProblem(`${path}.businessInfo.formationDate`, day, today)),
  ...businessAddresses.flatMap((field) => inAddress(`${path}.${field}`, data[field], earlier?.[field])),
  // A list takes the place of an earlier one, so that nothing earlier bears on a person in it.
  ...(data.associatedPersons ?? []).flatMap((each, index) =>
    inPerson(`${path}.associatedPersons[${index}]`, each, today),
  ),
  ...(data.businessDocuments ?? []).map(({documentImage}, index) =>
    given(documentImage, (uri) => documentImageProblem(`${path}.businessDocuments[${index}].documentImage`, uri)),
  ),
]

// What is wrong with the data that is sent; what was sent earlier only helps to judge it, and is not judged again.
export function problemsInVerificationData<K extends keyof Submissions>(
  data: Submissions[K],
  kind: K,
  today: string,
  earlier?: Submissions[K],
): Problem[] {
  const found =
    kind === 'kycData'
      ? inPerson(kind, data as KycData, today, earlier as KycData)
      : inBusiness(kind, data, today, earlier)
  return found.filter((problem) => problem !== undefined)
}

// Every address of a submission, with its path.
function addressesIn(data: KycData & KybData): [path: string, address: Address | undefined][] {
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

export interface Mismatch {
  code: 'DATABASE_CHECK_FAILED_ON_SUBDIVISION' | 'DATABASE_CHECK_FAILED_ON_POSTAL_CODE'
  path: string
}

// What does not belong to the country of its address: a state that is none of it, or the postal code of the country before.
// These are no mistakes of form: a service finds them by looking them up, and so they are for the verification to say.
export const mismatchesIn = (data: KycData | KybData): Mismatch[] =>
  addressesIn(data as KycData & KybData).flatMap(([path, address]): Mismatch[] => {
    const {countryCode, stateRegionProvince, postalCode} = address ?? {}
    if (countryCode === undefined) return []
    const isState = stateRegionProvince === undefined || isSubdivision(countryCode, stateRegionProvince)
    const postal = given(postalCode, (code) => postalCodeProblem(`${path}.postalCode`, countryCode, code))
    return [
      ...(isState
        ? []
        : [{code: 'DATABASE_CHECK_FAILED_ON_SUBDIVISION', path: `${path}.stateRegionProvince`} as const]),
      ...(postal ? [{code: 'DATABASE_CHECK_FAILED_ON_POSTAL_CODE', path: postal.path} as const] : []),
    ]
  })
