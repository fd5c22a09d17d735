// What a review finds in verification data that is well formed: what is missing, expired or does not fit together.
import type {z} from 'zod'
import {calculateAge, subtractMonths} from '../../validation/dates.ts'
import {issueCodes} from '../../contract/issue-codes.ts'
import {limits} from '../../contract/limits.ts'
import {type document, kycFieldsRequiredByFlow} from '../../contract/verification-data.ts'
import {toTimestamp} from '../time/clock.ts'
import type {CustomerType, Issue, KybData, KycData, VerificationData} from './customer-store.ts'

type Document = z.infer<typeof document>
type AssociatedPerson = NonNullable<KybData['associatedPersons']>[number]
type Person = KycData | AssociatedPerson

export interface Finding {
  code: Issue['code']
  // Without one, the contract says what the code means.
  message?: string
}

const adultYears = 18

// The interface shows two subtypes and says that there are more: these are assumed (docs/assumptions.md, V10).
const subtypesKnown = new Set([
  'NATIONAL_ID',
  'PASSPORT',
  'DRIVERS_LICENSE',
  'DRIVER_LICENSE',
  'DRIVING_LICENSE',
  'RESIDENCE_PERMIT',
])
const subtypesWithBack = new Set(['NATIONAL_ID'])

// Neither area 000, 666 or 900 and up, nor group 00, nor serial 0000 was ever issued.
const socialSecurityNumber = /^(?!000|666|9)\d{3}(-?)(?!00)\d{2}\1(?!0000)\d{4}$/

// Percentages are written with a fraction, whose sum in binary may be off by very little.
const percentageTolerance = 1e-6

// An address without these is no address. The postal code is left out: not every country has one.
const addressFieldsRequired = ['countryCode', 'streetLine1', 'city'] as const
const nameFields = new Set(['legalFirstName', 'legalLastName'])

const isName = (path: string) => nameFields.has(path.split('.').at(-1) ?? '')

const descriptionByCode = new Map(issueCodes.map(({code, meaning, resolution}) => [code, `${meaning}. ${resolution}.`]))

const describeCode = (code: Issue['code']) => descriptionByCode.get(code) ?? code

export const createIssue = (code: Issue['code'], detectedAt: number, message = describeCode(code)): Issue => ({
  code,
  message,
  timestamp: toTimestamp(detectedAt),
})

// Something in a list is named by its place in it, since nothing else says which one is meant.
const createFinding = (path: string, code: Issue['code'], message = describeCode(code)): Finding => ({
  code,
  message: path ? `${path}: ${message}` : message,
})

const joinPath = (path: string, field: string) => (path ? `${path}.${field}` : field)

function findMissingInAddress(path: string, address: KycData['address']): string[] {
  if (!address) return [path]
  return addressFieldsRequired.filter((field) => address[field] === undefined).map((field) => `${path}.${field}`)
}

// One issue names everything that is missing, except names, for which there is a code.
function reportMissingFields(paths: readonly string[]): Finding[] {
  const missing = paths.filter((path) => !isName(path))
  if (missing.length === 0) return []
  return [{code: 'INVALID_PARAMETERS', message: `Missing: ${missing.join(', ')}. Provide them.`}]
}

// Each with what it looks at; a code is raised where the answer is yes.
type Check<T> = readonly [code: Issue['code'], ask: (subject: T) => boolean]

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
  ['DOCUMENT_NOT_FOUND', ({document}) => document.proofOfAddressImage === undefined],
  ['MISSING_ISSUE_DATE', ({document}) => document.issuanceDate === undefined],
  [
    'ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY',
    ({document: {issuanceDate}, today}) =>
      issuanceDate !== undefined && issuanceDate < subtractMonths(today, limits.proofOfAddressAgeMonthsMax),
  ],
]

function runChecks<T>(checks: readonly Check<T>[], subject: T, path: string): Finding[] {
  return checks.filter(([, applies]) => applies(subject)).map(([code]) => createFinding(path, code))
}

function checkDocument(document: Document, person: Person, today: string, path: string): Finding[] {
  if (document.type === 'PROOF_OF_ADDRESS') return runChecks(proofOfAddressChecks, {document, today}, path)
  const {issuanceDate, expirationDate} = document
  const isBackwards = issuanceDate !== undefined && expirationDate !== undefined && expirationDate < issuanceDate
  return [
    ...runChecks(governmentIdChecks, {document, person, today}, path),
    ...(isBackwards
      ? [createFinding(path, 'INCONSISTENT_INFORMATION', 'expirationDate lies before issuanceDate. Correct them.')]
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
  const tooYoung = `By dateOfBirth the person is younger than ${adultYears}. Review the submission or contact support.`
  return [
    ...(isMinor ? [createFinding(path, 'INCONSISTENT_INFORMATION', tooYoung)] : []),
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

// Which KYB fields are mandatory is not shown: these are assumed (docs/assumptions.md, V4).
function checkBusiness(data: KybData, today: string): Finding[] {
  const persons = data.associatedPersons ?? []
  return [
    ...reportMissingFields(findMissingInBusiness(data, persons)),
    ...checkShares(persons),
    ...checkBusinessDocuments(data),
    ...persons.flatMap((person, index) => checkAssociatedPerson(person, today, getPersonPath(index))),
  ]
}

export const reviewData = (customerType: CustomerType, data: VerificationData, today: string): Finding[] =>
  customerType === 'INDIVIDUAL' ? checkIndividual(data, today) : checkBusiness(data, today)
