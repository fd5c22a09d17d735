// The sections, fields and lists of the KYC and KYB forms, in the order in which they are shown.
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
import type {CustomerType} from '../service/customers/customer-store.ts'
import {type Field, createFields, orderFields, type List, type Node, type FieldOptions, type Section} from './fields.ts'

const fieldNames = {
  identity: ['legalFirstName', 'legalMiddleName', 'legalLastName', 'dateOfBirth', 'nationality', 'phoneNumber'],
  nationalId: ['nationalIdType', 'nationalIdNumber', 'nationalIdIssuingCountry'],
  role: ['email', 'title', 'ownershipPercentage', 'isControlPerson', 'isSigner', 'isDirector'],
  address: ['countryCode', 'streetLine1', 'streetLine2', 'city', 'stateRegionProvince', 'postalCode', 'locale'],
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

const nationalIdHint = 'Optional. Fill in all three fields or none.'
const documentsHint =
  'We need one government-issued photo ID. It must be valid and legible. Show the whole document, and do not photograph a screen.'

const createSection = (title: string, nodes: readonly Node[], hint?: string): Section => ({
  is: 'section',
  title,
  hint,
  nodes,
})

const pickFields = (fields: Readonly<Record<string, Field>>, names: readonly string[]) =>
  names.flatMap((name) => fields[name] ?? [])

const omitFields = (fields: Readonly<Record<string, Field>>, ...others: (readonly string[])[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !others.flat().includes(name)))

const createAddressFields = (path: string, placed: FieldOptions = {}) =>
  orderFields(createFields(address, path, addressLabels, placed), fieldNames.address)

const createDocumentFields = (path: string): Field[] =>
  orderFields(createFields(document, path, documentLabels), fieldNames.document)

const createDocumentList = (path: string): List => ({
  is: 'list',
  path: `${path}.documents`,
  title: 'Documents',
  hint: documentsHint,
  item: 'Document',
  createNodes: createDocumentFields,
})

function createKycNodes(path: string): Node[] {
  const fields = createFields(kycData, path, kycLabels, {isOwn: true})
  return [
    createSection('About you', pickFields(fields, fieldNames.identity)),
    createSection('Your address', createAddressFields(`${path}.address`, {isOwn: true})),
    createSection('National ID', pickFields(fields, fieldNames.nationalId), nationalIdHint),
    createDocumentList(path),
    createSection('Work and money', Object.values(omitFields(fields, fieldNames.identity, fieldNames.nationalId))),
  ]
}

function createPersonNodes(path: string): Node[] {
  const fields = createFields(associatedPerson, path, personLabels)
  const rest = omitFields(fields, fieldNames.identity, fieldNames.nationalId)
  return [
    ...pickFields(fields, fieldNames.identity),
    createSection('Role in the business', orderFields(rest, fieldNames.role)),
    createSection('Address', createAddressFields(`${path}.address`)),
    createSection('National ID', pickFields(fields, fieldNames.nationalId), nationalIdHint),
    createDocumentList(path),
  ]
}

function createKybNodes(path: string): Node[] {
  const fields = createFields(kybData, path, kybLabels)
  const registration = ['businessRegistrationNumber']
  return [
    createSection('The business', [
      ...Object.values(createFields(businessInfo, `${path}.businessInfo`, businessInfoLabels)),
      ...pickFields(fields, registration),
    ]),
    createSection('Registered address', createAddressFields(`${path}.businessRegisteredAddress`)),
    createSection(
      'Operating address',
      createAddressFields(`${path}.businessOperatingAddress`, {isRequired: false}),
      'Only if it differs from the registered address.',
    ),
    createSection('Money and purpose', pickFields(fields, fieldNames.money)),
    createSection('Compliance', Object.values(omitFields(fields, fieldNames.money, registration))),
    {
      is: 'list',
      path: `${path}.associatedPersons`,
      title: 'People',
      hint: 'Owners, directors and signers: at least one person. Their shares must not add up to more than 100 percent.',
      item: 'Person',
      createNodes: createPersonNodes,
    },
    {
      is: 'list',
      path: `${path}.businessDocuments`,
      title: 'Business documents',
      hint: 'At least one, such as the articles of incorporation.',
      item: 'Business document',
      createNodes: (itemPath) => Object.values(createFields(businessDocument, itemPath, businessDocumentLabels)),
    },
  ]
}

// The field of the request body that carries the data.
export const dataFields = {INDIVIDUAL: 'kycData', BUSINESS: 'kybData'} as const

export const createVerificationNodes = (customerType: CustomerType): Node[] =>
  customerType === 'INDIVIDUAL' ? createKycNodes(dataFields.INDIVIDUAL) : createKybNodes(dataFields.BUSINESS)
