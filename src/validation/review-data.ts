// Reviews well-formed verification data and reports what is missing, expired or inconsistent. The sandbox decides by it, and
// svc says it before anything is sent.
import type {z} from 'zod'
import type {Customer, verificationIssue} from '../contract/customers.ts'
import {issueCodes} from '../contract/issue-codes.ts'
import {limits} from '../contract/limits.ts'
import {kycFieldsRequiredByFlow} from '../contract/flow-fields.frozen.ts'
import type {document, kybData, kycData} from '../contract/verification-data.ts'
import {calculateAge, subtractMonths} from './dates.ts'

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

// Percentages may have fractions, whose binary sum can be slightly off.
const percentageTolerance = 1e-6

// The postal code is not among them, because not every country has postal codes.
const addressFieldsRequired = ['countryCode', 'streetLine1', 'city'] as const
const nameFields = new Set(['legalFirstName', 'legalLastName'])

const isName = (path: string) => nameFields.has(path.split('.').at(-1) ?? '')

const descriptionByCode = new Map(issueCodes.map(({code, meaning, resolution}) => [code, `${meaning}. ${resolution}.`]))

export const describeCode = (code: Issue['code']) => descriptionByCode.get(code) ?? code

// The interface has only a message to say which item of a list is meant, so the message starts with the item's path.
const createFinding = (
  item: string,
  code: Issue['code'],
  message = describeCode(code),
  fields: readonly string[] = [],
): Finding => ({
  code,
  message: item ? `${item}: ${message}` : message,
  ...(item && {item}),
  ...(fields.length > 0 && {paths: fields.map((field) => joinPath(item, field))}),
})

const joinPath = (path: string, field: string) => (path ? `${path}.${field}` : field)

function findMissingInAddress(path: string, address: KycData['address']): string[] {
  if (!address) return [path]
  return addressFieldsRequired.filter((field) => address[field] === undefined).map((field) => `${path}.${field}`)
}

// One issue lists everything that is missing. Missing names are left out, because they have a code of their own.
function reportMissingFields(paths: readonly string[]): Finding[] {
  const missing = paths.filter((path) => !isName(path))
  if (missing.length === 0) return []
  return [{code: 'INVALID_PARAMETERS', message: `Missing: ${missing.join(', ')}. Provide them.`, paths: missing}]
}

// The code is reported if the condition applies to the subject. Fields are given where those of the code do not fit.
type Check<T> = readonly [code: Issue['code'], applies: (subject: T) => boolean, fields?: readonly string[]]

interface GovernmentId {
  document: Document
  person: Person
  today: string
}

const isUnknownSubtype = ({document: {subtype}}: GovernmentId) =>
  subtype !== undefined && !subtypesKnown.has(subtype.toUpperCase())

function isFromAnotherCountry({document: {countryCode}, person}: GovernmentId): boolean {
  const expected = [person.nationality, person.nationalIdIssuingCountry].filter((country) => country !== undefined)
  return countryCode !== undefined && expected.length > 0 && !expected.includes(countryCode)
}

const governmentIdChecks: readonly Check<GovernmentId>[] = [
  ['DOCUMENT_MISSING_FRONT', ({document}) => document.frontIdImage === undefined],
  [
    'DOCUMENT_MISSING_BACK',
    ({document}) => subtypesWithBack.has(document.subtype?.toUpperCase() ?? '') && document.backIdImage === undefined,
  ],
  ['MISSING_ID_DETAILS', ({document}) => document.subtype === undefined || document.countryCode === undefined],
  ['UNRECOGNIZED_DOCUMENT', isUnknownSubtype],
  ['MISSING_DOCUMENT_NUMBER', ({document}) => document.documentIdNumber === undefined],
  ['MISSING_ISSUE_DATE', ({document}) => document.issuanceDate === undefined],
  ['MISSING_EXPIRY_DATE', ({document}) => document.expirationDate === undefined],
  ['DOCUMENT_EXPIRED', ({document, today}) => document.expirationDate !== undefined && document.expirationDate < today],
  ['ID_COUNTRY_MISMATCH', isFromAnotherCountry],
]

interface ProofOfAddress {
  document: Document
  today: string
}

const proofOfAddressChecks: readonly Check<ProofOfAddress>[] = [
  ['DOCUMENT_NOT_FOUND', ({document}) => document.proofOfAddressImage === undefined, ['proofOfAddressImage']],
  ['MISSING_ISSUE_DATE', ({document}) => document.issuanceDate === undefined],
  [
    'ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY',
    ({document: {issuanceDate}, today}) =>
      issuanceDate !== undefined && issuanceDate < subtractMonths(today, limits.proofOfAddressAgeMonthsMax),
  ],
]

function runChecks<T>(checks: readonly Check<T>[], subject: T, path: string): Finding[] {
  return checks
    .filter(([, applies]) => applies(subject))
    .map(([code, , fields]) => createFinding(path, code, undefined, fields))
}

function checkDocument(document: Document, person: Person, today: string, path: string): Finding[] {
  if (document.type === 'PROOF_OF_ADDRESS') return runChecks(proofOfAddressChecks, {document, today}, path)
  const {issuanceDate, expirationDate} = document
  const isBackwards = issuanceDate !== undefined && expirationDate !== undefined && expirationDate < issuanceDate
  return [
    ...runChecks(governmentIdChecks, {document, person, today}, path),
    ...(isBackwards
      ? [
          createFinding(path, 'INCONSISTENT_INFORMATION', 'expirationDate is before issuanceDate. Correct them.', [
            'expirationDate',
            'issuanceDate',
          ]),
        ]
      : []),
  ]
}

function checkDocuments(person: Person, today: string, path: string): Finding[] {
  const documents = person.documents ?? []
  const hasId = documents.some(({type}) => type === 'GOVERNMENT_ID')
  return [
    ...(hasId ? [] : [createFinding(path, 'NO_GOVERNMENT_ID')]),
    ...documents.flatMap((document, index) =>
      document.type === undefined
        ? []
        : checkDocument(
            document,
            person,
            today,
            documents.length > 1 || path ? joinPath(path, `documents[${index}]`) : '',
          ),
    ),
  ]
}

function checkStatements(
  {dateOfBirth, nationalIdType, nationalIdNumber}: Person,
  today: string,
  path: string,
): Finding[] {
  const isMinor = dateOfBirth !== undefined && calculateAge(today, dateOfBirth) < adultYears
  const isNoSsn = nationalIdType?.toUpperCase() === 'SSN' && !socialSecurityNumber.test(nationalIdNumber ?? '')
  const tooYoung = `According to dateOfBirth, the person is younger than ${adultYears}. Review the submission or contact support.`
  return [
    ...(isMinor ? [createFinding(path, 'INCONSISTENT_INFORMATION', tooYoung, ['dateOfBirth'])] : []),
    ...(isNoSsn ? [createFinding(path, 'DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER')] : []),
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

const reportMissingNames = (missing: readonly string[], path: string): Finding[] =>
  missing.some(isName) ? [createFinding(path, 'MISSING_NAME')] : []

function checkIndividual(person: KycData, today: string): Finding[] {
  const missing = findMissingInPerson(person, '')
  return [
    ...reportMissingNames(missing, ''),
    ...reportMissingFields(missing),
    ...checkStatements(person, today, ''),
    ...checkDocuments(person, today, ''),
  ]
}

const checkAssociatedPerson = (person: AssociatedPerson, today: string, path: string): Finding[] => [
  ...reportMissingNames(findMissingInPerson(person, path), path),
  ...checkStatements(person, today, path),
  ...checkDocuments(person, today, path),
]

function checkBusinessDocuments({businessDocuments = []}: KybData): Finding[] {
  if (businessDocuments.length === 0) return [{code: 'DOCUMENT_NOT_FOUND'}]
  return businessDocuments.flatMap(({documentImage}, index) =>
    documentImage === undefined ? [createFinding(`businessDocuments[${index}]`, 'DOCUMENT_NOT_FOUND')] : [],
  )
}

const getPersonPath = (index: number) => `associatedPersons[${index}]`

const findMissingInBusiness = (data: KybData, persons: readonly AssociatedPerson[]): string[] => [
  ...(data.businessInfo?.legalBusinessName === undefined ? ['businessInfo.legalBusinessName'] : []),
  ...findMissingInAddress('businessRegisteredAddress', data.businessRegisteredAddress),
  ...(persons.length > 0 ? [] : ['associatedPersons']),
  ...persons.flatMap((person, index) => findMissingInPerson(person, getPersonPath(index))),
]

function checkShares(persons: readonly AssociatedPerson[]): Finding[] {
  const owned = persons.reduce((sum, {ownershipPercentage = 0}) => sum + ownershipPercentage, 0)
  if (owned <= limits.percentageMax + percentageTolerance) return []
  const message = `The shares in ownershipPercentage add up to more than ${limits.percentageMax}. Correct them.`
  return [{code: 'INCONSISTENT_DETAILS', message}]
}

// The interface does not show which KYB fields are mandatory. These are assumed (docs/assumptions.md, V4).
function checkBusiness(data: KybData, today: string): Finding[] {
  const persons = data.associatedPersons ?? []
  return [
    ...reportMissingFields(findMissingInBusiness(data, persons)),
    ...checkShares(persons),
    ...checkBusinessDocuments(data),
    ...persons.flatMap((person, index) => checkAssociatedPerson(person, today, getPersonPath(index))),
  ]
}

export const reviewData = (customerType: Customer['customerType'], data: KycData | KybData, today: string): Finding[] =>
  customerType === 'INDIVIDUAL' ? checkIndividual(data, today) : checkBusiness(data, today)
