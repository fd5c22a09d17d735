// Validates a submission of verification data beyond the contract, and reports every problem at once.
import {postcodeValidator} from 'postcode-validator'
import type {z} from 'zod'
import type {kybData, kycData} from '../contract/customers.ts'
import type {Problem} from '../contract/problems.ts'
import {joinPath} from '../contract/shape.ts'
import {getCountryName, isSubdivision, validateCountry} from './countries.ts'
import {validateDocumentImage} from './documents.ts'
import {validateEmail, validatePhoneNumber} from './identifiers.ts'
import {isContainer, isRecord, lookUp, readText} from './records.ts'
import {validatePastDate} from './time.ts'

export interface Submissions {
  kycData: z.infer<typeof kycData>
  kybData: z.infer<typeof kybData>
}

interface Part {
  path: string
  fields: Readonly<Record<string, unknown>>
  // The country of the part, which may come from an earlier submission.
  country: string
}

// The data and every object in it. A list replaces the earlier one, so earlier data does not apply to what is in it.
function listParts(value: unknown, path: string, earlier?: unknown): Part[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => listParts(item, `${path}[${index}]`))
  if (!isRecord(value)) return []
  const before = isRecord(earlier) ? earlier : {}
  const inner = Object.entries(value).flatMap(([field, each]) => listParts(each, joinPath(path, field), before[field]))
  return [{path, fields: value, country: readText(value['countryCode'] ?? before['countryCode'])}, ...inner]
}

// By the name of a field, wherever it is. A request may leave any field out, so absent values are not checked.
const checks: Readonly<Record<string, (path: string, value: string, today: string) => Problem | undefined>> = {
  phoneNumber: validatePhoneNumber,
  email: validateEmail,
  dateOfBirth: validatePastDate,
  formationDate: validatePastDate,
  issuanceDate: validatePastDate,
  countryCode: validateCountry,
  nationality: validateCountry,
  nationalIdIssuingCountry: validateCountry,
  registrationCountry: validateCountry,
  frontIdImage: validateDocumentImage,
  backIdImage: validateDocumentImage,
  proofOfAddressImage: validateDocumentImage,
  documentImage: validateDocumentImage,
}

function validatePart({path, fields, country}: Part, today: string, earlierFiles: ReadonlySet<string>): Problem[] {
  const found = Object.entries(fields).map(([field, value]) => {
    const at = joinPath(path, field)
    if (typeof value !== 'string' || earlierFiles.has(value)) return undefined
    if (field !== 'postalCode') return lookUp(checks, field)?.(at, value, today)
    return country === '' || validateCountry(at, country) ? undefined : validatePostalCode(at, country, value)
  })
  return found.filter((problem) => problem !== undefined)
}

export function* listFiles(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.startsWith('data:')) yield value
  if (isContainer(value)) for (const inner of Object.values(value)) yield* listFiles(inner)
}

// `earlier` is what was submitted before. It completes the data, and is not validated again, nor is
// a file of it that is sent once more.
export function validateVerificationData(
  data: object,
  kind: keyof Submissions,
  today: string,
  earlier?: object,
): Problem[] {
  const earlierFiles = new Set(listFiles(earlier))
  return listParts(data, kind, earlier).flatMap((part) => validatePart(part, today, earlierFiles))
}

export interface AddressMismatch {
  code: 'DATABASE_CHECK_FAILED_ON_SUBDIVISION' | 'DATABASE_CHECK_FAILED_ON_POSTAL_CODE'
  path: string
}

// Finds states and postal codes that do not belong to the country of their address. A service finds these by lookup, during
// verification, so they are verification issues and not problems of the request.
export const findAddressMismatches = (data: object): AddressMismatch[] =>
  listParts(data, '').flatMap(({path, fields, country}) => {
    const {stateRegionProvince: state, postalCode} = fields
    const found: AddressMismatch[] = []
    if (country !== '' && typeof state === 'string' && !isSubdivision(country, state))
      found.push({code: 'DATABASE_CHECK_FAILED_ON_SUBDIVISION', path: joinPath(path, 'stateRegionProvince')})
    if (country !== '' && typeof postalCode === 'string' && !isPostalCode(country, postalCode))
      found.push({code: 'DATABASE_CHECK_FAILED_ON_POSTAL_CODE', path: joinPath(path, 'postalCode')})
    return found
  })

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
