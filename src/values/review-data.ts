// Reviews well-formed verification data and reports what is missing, expired or inconsistent. The sandbox decides by it, and
// svc says it before anything is sent.
import {Big} from 'big.js'
import type {z} from 'zod'
import type {Customer, document, kybData, kycData, verificationIssue} from '../contract/customers.ts'
import {issueCodes} from '../contract/issue-codes.ts'
import {kycFieldsRequiredByFlow, limits} from '../contract/vocabulary.ts'
import {getValue} from './body-paths.ts'
import {calculateAge, subtractMonths} from './time.ts'
import {joinPath} from '../contract/shape.ts'

type Issue = z.infer<typeof verificationIssue>
type KycData = z.infer<typeof kycData>
type KybData = z.infer<typeof kybData>
type Document = z.infer<typeof document>
type AssociatedPerson = NonNullable<KybData['associatedPersons']>[number]
type Person = KycData | AssociatedPerson

export interface Finding {
  code: Issue['code']
  // The meaning of the code in the contract, unless given.
  message?: string
  // The item of a list that the finding is about, and the fields that it is about. Relative to the data.
  item?: string
  paths?: readonly string[]
}

export interface ReviewFinding extends Finding {
  // What is wrong with the fields, in words without advice. The meaning of the code, unless given.
  reason?: string
  // Every single field to correct, the index of its list included. Relative to the data.
  fields: readonly string[]
}

const adultYears = 18

// The interface shows two subtypes and says that more exist. These are assumed (docs/assumptions.md, V10).
const subtypesKnown = new Set([
  'NATIONAL_ID',
  'PASSPORT',
  'DRIVERS_LICENSE',
  'DRIVER_LICENSE',
  'DRIVING_LICENSE',
  'RESIDENCE_PERMIT',
])
const subtypesWithBack = new Set(['NATIONAL_ID'])

// Areas 000, 666 and 900 to 999, group 00 and serial 0000 are never issued.
const socialSecurityNumber = /^(?!000|666|9)\d{3}(-?)(?!00)\d{2}\1(?!0000)\d{4}$/

// The postal code is not among them, because not every country has postal codes.
const addressFieldsRequired = ['countryCode', 'streetLine1', 'city'] as const
const wholeAddress = /(^|\.)(address|businessRegisteredAddress)$/
const nameFields = new Set(['legalFirstName', 'legalLastName'])

const isName = (path: string) => nameFields.has(path.split('.').at(-1) ?? '')

const entryByCode = new Map(issueCodes.map((entry) => [entry.code, entry]))

export const getMeaning = (code: Issue['code']): string => entryByCode.get(code)?.meaning ?? code

export function describeCode(code: Issue['code']): string {
  const entry = entryByCode.get(code)
  return entry ? `${entry.meaning}. ${entry.resolution}.` : code
}

// The interface has only a message to say which item of a list is meant, so the message starts with the item's path.
const createFinding = (item: string, code: Issue['code'], fields: readonly string[]): ReviewFinding => ({
  code,
  message: item ? `${item}: ${describeCode(code)}` : describeCode(code),
  ...(item && {item}),
  fields,
})

const createContradiction = (
  item: string,
  fields: readonly string[],
  {reason, advice, holder}: {reason: string; advice: string; holder: string},
): ReviewFinding => ({
  code: 'INCONSISTENT_INFORMATION',
  message: `${item ? `${item}: ` : ''}${reason}. ${advice}.`,
  ...(item && {item}),
  paths: fields.map((field) => joinPath(item, field)),
  reason,
  fields: fields.map((field) => joinPath(holder, field)),
})

function findMissingInAddress(path: string, address: KycData['address']): string[] {
  if (!address) return [path]
  return addressFieldsRequired.filter((field) => address[field] === undefined).map((field) => `${path}.${field}`)
}

// One issue lists everything that is missing. Missing names are left out, because they have a code of their own.
function reportMissingFields(paths: readonly string[]): ReviewFinding[] {
  const missing = paths.filter((path) => !isName(path))
  if (missing.length === 0) return []
  return [
    {
      code: 'INVALID_PARAMETERS',
      message: `Missing: ${missing.join(', ')}. Provide them.`,
      reason: 'It is missing',
      paths: missing,
      fields: missing.flatMap((path) =>
        wholeAddress.test(path) ? addressFieldsRequired.map((field) => `${path}.${field}`) : [path],
      ),
    },
  ]
}

// The code is reported if the check finds fields of the document to correct.
type Check = readonly [code: Issue['code'], find: (document: Document, person: Person, today: string) => string[]]

const findMissing =
  (...fields: (keyof Document)[]) =>
  (document: Document) =>
    fields.filter((field) => document[field] === undefined)

const findWrong =
  (field: keyof Document, isWrong: (document: Document, person: Person, today: string) => boolean) =>
  (document: Document, person: Person, today: string) =>
    document[field] !== undefined && isWrong(document, person, today) ? [field] : []

function isFromAnotherCountry({countryCode = ''}: Document, person: Person): boolean {
  const expected = [person.nationality, person.nationalIdIssuingCountry].filter((country) => country !== undefined)
  return expected.length > 0 && !expected.includes(countryCode)
}

// Whether a document of this subtype is refused without an image of its back (docs/assumptions.md, C14).
export const needsBack = (subtype: unknown) => subtypesWithBack.has(String(subtype).toUpperCase())

const governmentIdChecks: readonly Check[] = [
  ['DOCUMENT_MISSING_FRONT', findMissing('frontIdImage')],
  ['DOCUMENT_MISSING_BACK', (document) => (needsBack(document.subtype) ? findMissing('backIdImage')(document) : [])],
  ['MISSING_ID_DETAILS', findMissing('subtype', 'countryCode')],
  ['UNRECOGNIZED_DOCUMENT', findWrong('subtype', ({subtype = ''}) => !subtypesKnown.has(subtype.toUpperCase()))],
  ['MISSING_DOCUMENT_NUMBER', findMissing('documentIdNumber')],
  ['MISSING_ISSUE_DATE', findMissing('issuanceDate')],
  ['MISSING_EXPIRY_DATE', findMissing('expirationDate')],
  ['DOCUMENT_EXPIRED', findWrong('expirationDate', ({expirationDate = ''}, _, today) => expirationDate < today)],
  ['ID_COUNTRY_MISMATCH', findWrong('countryCode', isFromAnotherCountry)],
]

const isTooOld = ({issuanceDate = ''}: Document, _: Person, today: string) =>
  issuanceDate < subtractMonths(today, limits.proofOfAddressAgeMonthsMax)

const proofOfAddressChecks: readonly Check[] = [
  ['MISSING_ISSUE_DATE', findMissing('issuanceDate')],
  ['ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY', findWrong('issuanceDate', isTooOld)],
]

// `item` is how messages name the document at the path: not at all, if it is the only one of a person.
function checkDocument(
  document: Document,
  person: Person,
  today: string,
  {path, item}: {path: string; item: string},
): ReviewFinding[] {
  const isProof = document.type === 'PROOF_OF_ADDRESS'
  const found = (isProof ? proofOfAddressChecks : governmentIdChecks).flatMap(([code, find]) => {
    const fields = find(document, person, today).map((field) => joinPath(path, field))
    return fields.length === 0 ? [] : [createFinding(item, code, fields)]
  })
  if (isProof) {
    const image = 'proofOfAddressImage'
    if (document[image] !== undefined) return found
    // The fields of the code are those of an ID, so the finding names the right one.
    const missing = createFinding(item, 'DOCUMENT_NOT_FOUND', [joinPath(path, image)])
    return [{...missing, paths: [joinPath(item, image)]}, ...found]
  }
  const {issuanceDate, expirationDate} = document
  const isBackwards = issuanceDate !== undefined && expirationDate !== undefined && expirationDate < issuanceDate
  const backwards = {reason: 'expirationDate is before issuanceDate', advice: 'Correct them', holder: path}
  return isBackwards ? [...found, createContradiction(item, ['expirationDate', 'issuanceDate'], backwards)] : found
}

function checkDocuments(person: Person, today: string, path: string): ReviewFinding[] {
  const documents = person.documents ?? []
  const hasId = documents.some(({type}) => type === 'GOVERNMENT_ID')
  return [
    ...(hasId ? [] : [createFinding(path, 'NO_GOVERNMENT_ID', [joinPath(path, 'documents')])]),
    ...documents.flatMap((document, index) => {
      if (document.type === undefined) return []
      const at = joinPath(path, `documents[${index}]`)
      return checkDocument(document, person, today, {path: at, item: documents.length > 1 || path ? at : ''})
    }),
  ]
}

function checkStatements(
  {dateOfBirth, nationalIdType, nationalIdNumber}: Person,
  today: string,
  path: string,
): ReviewFinding[] {
  const isMinor = dateOfBirth !== undefined && calculateAge(today, dateOfBirth) < adultYears
  const isNoSsn = nationalIdType?.toUpperCase() === 'SSN' && !socialSecurityNumber.test(nationalIdNumber ?? '')
  const tooYoung = {
    reason: `According to dateOfBirth, the person is younger than ${adultYears}`,
    advice: 'Correct the date if it is wrong: verification accepts adults only',
    holder: path,
  }
  return [
    ...(isMinor ? [createContradiction(path, ['dateOfBirth'], tooYoung)] : []),
    ...(isNoSsn
      ? [createFinding(path, 'DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER', [joinPath(path, 'nationalIdNumber')])]
      : []),
  ]
}

function findMissingInPerson(person: Person, path: string): string[] {
  const fields = kycFieldsRequiredByFlow.flatMap((field) => {
    if (field === 'address') return findMissingInAddress(joinPath(path, field), person.address)
    return person[field as keyof Person] === undefined ? [joinPath(path, field)] : []
  })
  const types = (person.documents ?? []).flatMap(({type}, index) =>
    type === undefined ? [joinPath(path, `documents[${index}].type`)] : [],
  )
  return [...fields, ...types]
}

function checkPerson(person: Person, today: string, path: string): ReviewFinding[] {
  const names = findMissingInPerson(person, path).filter(isName)
  return [
    ...(names.length > 0 ? [createFinding(path, 'MISSING_NAME', names)] : []),
    ...checkStatements(person, today, path),
    ...checkDocuments(person, today, path),
  ]
}

function checkBusinessDocuments({businessDocuments = []}: KybData): ReviewFinding[] {
  if (businessDocuments.length === 0) return [{code: 'DOCUMENT_NOT_FOUND', fields: ['businessDocuments']}]
  return businessDocuments.flatMap(({documentImage}, index) => {
    const item = `businessDocuments[${index}]`
    return documentImage === undefined ? [createFinding(item, 'DOCUMENT_NOT_FOUND', [`${item}.documentImage`])] : []
  })
}

const getPersonPath = (index: number) => `associatedPersons[${index}]`

const findMissingInBusiness = (data: KybData, persons: readonly AssociatedPerson[]): string[] => [
  ...(data.businessInfo?.legalBusinessName === undefined ? ['businessInfo.legalBusinessName'] : []),
  ...findMissingInAddress('businessRegisteredAddress', data.businessRegisteredAddress),
  ...(persons.length > 0 ? [] : ['associatedPersons']),
  ...persons.flatMap((person, index) => findMissingInPerson(person, getPersonPath(index))),
]

// Shares may be fractions, which floating-point numbers would not add up exactly.
export const sumShares = (persons: readonly unknown[]): Big =>
  persons
    .map((person) => getValue(person, 'ownershipPercentage'))
    .filter((share) => typeof share === 'number')
    .reduce((sum, share) => sum.plus(share), new Big(0))

function checkShares(persons: readonly AssociatedPerson[]): ReviewFinding[] {
  if (sumShares(persons).lte(limits.percentageMax)) return []
  const reason = `The shares in ownershipPercentage add up to more than ${limits.percentageMax}`
  return [{code: 'INCONSISTENT_DETAILS', message: `${reason}. Correct them.`, reason, fields: ['associatedPersons']}]
}

// The interface does not show which KYB fields are mandatory. These are assumed (docs/assumptions.md, V4).
function checkBusiness(data: KybData, today: string): ReviewFinding[] {
  const persons = data.associatedPersons ?? []
  return [
    ...reportMissingFields(findMissingInBusiness(data, persons)),
    ...checkShares(persons),
    ...checkBusinessDocuments(data),
    ...persons.flatMap((person, index) => checkPerson(person, today, getPersonPath(index))),
  ]
}

export const reviewData = (
  customerType: Customer['customerType'],
  data: KycData | KybData,
  today: string,
): ReviewFinding[] =>
  customerType === 'INDIVIDUAL'
    ? [...reportMissingFields(findMissingInPerson(data, '')), ...checkPerson(data, today, '')]
    : checkBusiness(data, today)
