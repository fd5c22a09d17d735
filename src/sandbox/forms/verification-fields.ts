// What the forms of KYC and KYB ask for, in the order in which people are asked: sections, fields and lists.
import {
  addressLabels,
  businessDocumentLabels,
  businessInfoLabels,
  documentLabels,
  kybLabels,
  kycLabels,
  personLabels,
} from '../../contract/labels.ts'
import {
  address,
  associatedPerson,
  businessDocument,
  businessInfo,
  document,
  kybData,
  kycData,
} from '../../contract/verification-data.ts'
import type {CustomerType} from '../customers/customer-store.ts'
import {type Field, fieldsOf, inOrder, type List, type Node, type Placed, type Section} from './fields.ts'

const names = {
  identity: ['legalFirstName', 'legalMiddleName', 'legalLastName', 'dateOfBirth', 'nationality', 'phoneNumber'],
  nationalId: ['nationalIdType', 'nationalIdNumber', 'nationalIdIssuingCountry'],
  role: ['email', 'title', 'ownershipPercentage', 'isControlPerson', 'isSigner', 'isDirector'],
  address: ['countryCode', 'streetLine1', 'streetLine2', 'city', 'stateRegionProvince', 'postalCode', 'locale'],
  forId: ['subtype', 'countryCode', 'documentIdNumber', 'expirationDate', 'frontIdImage', 'backIdImage'],
  forProof: ['proofOfAddressImage'],
  document: ['type', 'subtype', 'countryCode', 'documentIdNumber', 'issuanceDate', 'expirationDate'],
  money: [
    'sourceOfFunds',
    'sourceOfFundsDescription',
    'accountPurpose',
    'accountPurposeOther',
    'expectedMonthlyVolumeUsd',
    'estimatedAnnualRevenueUsd',
  ],
}

const nationalIdHint = 'Optional. The three go together: all of them, or none.'
const documentsHint = 'One government-issued photo ID is needed: whole, legible, unexpired, and no picture of a screen.'

const section = (title: string, nodes: readonly Node[], hint?: string): Section => ({is: 'section', title, hint, nodes})

const picked = (fields: Readonly<Record<string, Field>>, wanted: readonly string[]) =>
  wanted.flatMap((name) => fields[name] ?? [])

const without = (fields: Readonly<Record<string, Field>>, ...others: (readonly string[])[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !others.flat().includes(name)))

const addressFields = (path: string, placed: Placed = {}) =>
  inOrder(fieldsOf(address, path, addressLabels, placed), names.address)

const onlyFor = (name: string): Field['only'] =>
  names.forId.includes(name) ? 'for-id' : names.forProof.includes(name) ? 'for-proof' : undefined

function documentFields(path: string): Field[] {
  const fields = Object.entries(fieldsOf(document, path, documentLabels))
  return inOrder(
    Object.fromEntries(fields.map(([name, field]) => [name, {...field, only: onlyFor(name)}])),
    names.document,
  )
}

const documents = (path: string): List => ({
  is: 'list',
  path: `${path}.documents`,
  title: 'Documents',
  hint: documentsHint,
  item: 'Document',
  nodesOf: documentFields,
})

function kycNodes(path: string): Node[] {
  const fields = fieldsOf(kycData, path, kycLabels, {isOwn: true})
  return [
    section('Who you are', picked(fields, names.identity)),
    section('Where you live', addressFields(`${path}.address`, {isOwn: true})),
    section('National ID', picked(fields, names.nationalId), nationalIdHint),
    documents(path),
    section('Work and money', Object.values(without(fields, names.identity, names.nationalId))),
  ]
}

function personNodes(path: string): Node[] {
  const fields = fieldsOf(associatedPerson, path, personLabels)
  const rest = without(fields, names.identity, names.nationalId)
  return [
    ...picked(fields, names.identity),
    section('Part in the business', inOrder(rest, names.role)),
    section('Address', addressFields(`${path}.address`)),
    section('National ID', picked(fields, names.nationalId), nationalIdHint),
    documents(path),
  ]
}

function kybNodes(path: string): Node[] {
  const fields = fieldsOf(kybData, path, kybLabels)
  const registration = ['businessRegistrationNumber']
  return [
    section('The business', [
      ...Object.values(fieldsOf(businessInfo, `${path}.businessInfo`, businessInfoLabels)),
      ...picked(fields, registration),
    ]),
    section('Registered address', addressFields(`${path}.businessRegisteredAddress`)),
    section(
      'Operating address',
      addressFields(`${path}.businessOperatingAddress`, {isWanted: false}),
      'Only if the business operates somewhere else.',
    ),
    section('Money and purpose', picked(fields, names.money)),
    section('Conduct', Object.values(without(fields, names.money, registration))),
    {
      is: 'list',
      path: `${path}.associatedPersons`,
      title: 'The people behind it',
      hint: 'Owners, directors and signers: at least one. Shares add up to 100 per cent at most.',
      item: 'Person',
      nodesOf: personNodes,
    },
    {
      is: 'list',
      path: `${path}.businessDocuments`,
      title: 'Documents of the business',
      hint: 'At least one, such as the articles of incorporation.',
      item: 'Business document',
      nodesOf: (itemPath) => Object.values(fieldsOf(businessDocument, itemPath, businessDocumentLabels)),
    },
  ]
}

// By the field of the body that carries the data.
export const dataFields = {INDIVIDUAL: 'kycData', BUSINESS: 'kybData'} as const

export const verificationNodes = (customerType: CustomerType): Node[] =>
  customerType === 'INDIVIDUAL' ? kycNodes(dataFields.INDIVIDUAL) : kybNodes(dataFields.BUSINESS)
