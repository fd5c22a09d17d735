// Validates a submission of verification data beyond the contract, and reports every problem at once.
import {postcodeValidator} from 'postcode-validator'
import type {z} from 'zod'
import type {Problem} from '../contract/problems.ts'
import type {address, document, kybData, kycData} from '../contract/customers.ts'
import {getCountryName, isSubdivision, validateCountry} from './countries.ts'
import {validatePastDate} from './time.ts'
import {validateDocumentImage} from './documents.ts'
import {lookUp} from './records.ts'
import {validatePhoneNumber} from './identifiers.ts'

type Address = z.infer<typeof address>
type Document = z.infer<typeof document>
type KycData = z.infer<typeof kycData>
type KybData = z.infer<typeof kybData>
type Person = Pick<
  KycData,
  'phoneNumber' | 'dateOfBirth' | 'address' | 'nationality' | 'nationalIdIssuingCountry' | 'documents'
>

export interface Submissions {
  kycData: KycData
  kybData: KybData
}

type Findings = (Problem | undefined)[]

// A request may leave any field out, so absent values are not checked.
const ifPresent = (value: string | undefined, check: (value: string) => Problem | undefined) =>
  value === undefined ? undefined : check(value)

// A request may carry part of an address, so the country may come from an earlier submission.
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
  // A list replaces the earlier one, so earlier data does not apply to the persons in it.
  ...(data.associatedPersons ?? []).flatMap((each, index) =>
    validatePerson(`${path}.associatedPersons[${index}]`, each, today),
  ),
  ...(data.businessDocuments ?? []).map(({documentImage}, index) =>
    ifPresent(documentImage, (uri) => validateDocumentImage(`${path}.businessDocuments[${index}].documentImage`, uri)),
  ),
]

// `earlier` is what was submitted before. It completes the data, and is not validated again.
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

function listAddresses(data: KycData & KybData): [path: string, address: Address | undefined][] {
  const persons = data.associatedPersons ?? []
  return [
    ['address', data.address],
    ...businessAddresses.map((field): [string, Address | undefined] => [field, data[field]]),
    // Of people who could not be read, the list has holes.
    ...Array.from(
      persons,
      (person: {address?: Address | undefined} | undefined, index): [string, Address | undefined] => [
        `associatedPersons[${index}].address`,
        person?.address,
      ],
    ),
  ]
}

export interface AddressMismatch {
  code: 'DATABASE_CHECK_FAILED_ON_SUBDIVISION' | 'DATABASE_CHECK_FAILED_ON_POSTAL_CODE'
  path: string
}

// Finds states and postal codes that do not belong to the country of their address. A service finds these by lookup, during
// verification, so they are verification issues and not problems of the request.
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

// Validates postal codes by country.

// Only where the format of a country is known for certain is another one rejected. Everywhere else the library is behind the
// post, or knows one of several formats (docs/assumptions.md, V9).
const countriesWithCertainFormat = new Set(
  [
    'AR AT AU BE BG BR CA CH CN CY CZ DE DK EE EG ES FI FR GB GR HR HU IE IN IS IT JP KR LI LT LU LV',
    'MC MX MY NL NO NZ PH PL PT RO RU SE SG SI SK TH TR UA US ZA',
  ].flatMap((line) => line.split(' ')),
)

// Formats that the library lacks, without blanks and dashes: most people in Argentina still use the old four-digit codes,
// dashes are often left out, and the armed forces and the former Girobank have British codes of their own.
const patternsBeside: Readonly<Record<string, RegExp>> = {
  AR: /^\d{4}$/,
  GB: /^(GIR0AA|BFPO\d{1,4})$/,
  JP: /^\d{7}$/,
  PL: /^\d{5}$/,
  PT: /^\d{7}$/,
  US: /^\d{9}$/,
}

// Examples for countries with recently changed or often mistyped codes.
const examples: Readonly<Record<string, string>> = {AR: '1425 or C1425ABC', EG: '11511', GB: 'SW1A 1AA', US: '62701'}

function isPostalCode(country: string, text: string): boolean {
  const code = text.trim().toUpperCase()
  if (code === '') return false
  if (!countriesWithCertainFormat.has(country)) return true
  // Blanks, dashes and the country in front, as in CH-8001, are a matter of taste.
  const bare = code.replaceAll(/[\s-]/g, '').replace(new RegExp(`^${country}(?=\\d)`), '')
  return (
    [code, bare].some((each) => postcodeValidator(each, country)) ||
    (lookUp(patternsBeside, country)?.test(bare) ?? false)
  )
}

// Does not check whether a postal code is required, since not every country has them.
export function validatePostalCode(path: string, country: string, code: string): Problem | undefined {
  if (isPostalCode(country, code)) return undefined
  const example = lookUp(examples, country)
  return {
    path,
    isWarning: true,
    message: `is not a postal code of ${getCountryName(country)}${example ? `, such as ${example}` : ''}`,
  }
}
