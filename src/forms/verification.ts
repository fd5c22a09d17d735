// What a person fills in for verification (KYC) or for that of a business (KYB): its parts, in the order in which they are given.
import {
  address,
  associatedPerson,
  businessDocument,
  businessInfo,
  document,
  kybData,
  kycData,
} from '../contract/customers.ts'
import {type Field, type FieldOptions, type List, type Node, type Section, createFields} from './fields.ts'

const fieldNames = {
  identity: ['legalFirstName', 'legalMiddleName', 'legalLastName', 'dateOfBirth', 'nationality', 'phoneNumber'],
  nationalId: ['nationalIdType', 'nationalIdNumber', 'nationalIdIssuingCountry'],
  money: [
    'businessRegistrationNumber',
    'sourceOfFunds',
    'sourceOfFundsDescription',
    'accountPurpose',
    'accountPurposeOther',
    'expectedMonthlyVolumeUsd',
    'estimatedAnnualRevenueUsd',
  ],
}

const pickFields = (fields: readonly Field[], names: readonly string[]) =>
  fields.filter(({name}) => names.includes(name))

const omitFields = (fields: readonly Field[], ...others: (readonly string[])[]) =>
  fields.filter(({name}) => !others.flat().includes(name))

const createSection = (
  path: string,
  name: string,
  title: string,
  nodes: readonly Node[],
  more: Pick<Section, 'hint' | 'isDivisible' | 'isOptional'> = {},
): Section => ({is: 'section', path: `${path}.${name}`, name, title, nodes, ...more})

const createAddress = (
  path: string,
  {name = 'address', title = 'Address', ...options}: FieldOptions & {name?: string; title?: string} = {},
  more?: Pick<Section, 'hint' | 'isOptional'>,
): Section => createSection(path, name, title, createFields(address, `${path}.${name}`, options), more)

const createList = (path: string, name: string, more: Omit<List, 'is' | 'path' | 'name'>): List => ({
  is: 'list',
  path: `${path}.${name}`,
  name,
  ...more,
})

const createIdentity = (path: string, fields: readonly Field[]): Section =>
  createSection(path, 'identity', 'Identity', pickFields(fields, fieldNames.identity), {isDivisible: true})

const createNationalId = (path: string, fields: readonly Field[]): Section =>
  createSection(path, 'nationalId', 'National ID', pickFields(fields, fieldNames.nationalId), {
    hint: 'Optional. Fill in all three fields or none.',
    isOptional: 'usual',
  })

const createDocuments = (path: string): List =>
  createList(path, 'documents', {
    title: 'Documents',
    hint: 'We need one government-issued photo ID. It must be valid and legible. Show the whole document, and do not photograph a screen.',
    item: 'Document',
    question: 'How many documents? One government-issued photo ID is needed',
    usualCount: 1,
    createNodes: (itemPath) => createFields(document, itemPath),
  })

function createKycNodes(path = 'kycData'): Node[] {
  const fields = createFields(kycData, path, {isOwn: true})
  const work = omitFields(fields, fieldNames.identity, fieldNames.nationalId)
  return [
    createIdentity(path, fields),
    createAddress(path, {isOwn: true}),
    createNationalId(path, fields),
    createSection(path, 'work', 'Work and money', work, {isDivisible: true}),
    createDocuments(path),
  ]
}

// An owner, director or signer is asked for what an individual has to give (docs/assumptions.md, C13).
function createPersonNodes(path: string): Node[] {
  const fields = createFields(associatedPerson, path)
  const role = omitFields(fields, fieldNames.identity, fieldNames.nationalId)
  return [
    createIdentity(path, fields),
    createSection(path, 'role', 'Role in the business', role, {isDivisible: true}),
    createAddress(path),
    createNationalId(path, fields),
    createDocuments(path),
  ]
}

const createPersons = (path: string): List =>
  createList(path, 'associatedPersons', {
    title: 'People behind the business',
    hint: 'Owners, directors and signers: at least one person. Their shares must not add up to more than 100 percent.',
    item: 'Person',
    question: 'How many owners, directors and signers?',
    createNodes: createPersonNodes,
  })

const createBusinessDocuments = (path: string): List =>
  createList(path, 'businessDocuments', {
    title: 'Documents of the business',
    hint: 'At least one, such as the articles of incorporation.',
    item: 'Business document',
    question: 'How many documents of the business?',
    usualCount: 1,
    createNodes: (itemPath) => createFields(businessDocument, itemPath),
  })

function createKybNodes(path = 'kybData'): Node[] {
  const fields = createFields(kybData, path)
  return [
    createSection(path, 'businessInfo', 'Business information', createFields(businessInfo, `${path}.businessInfo`)),
    createAddress(path, {name: 'businessRegisteredAddress', title: 'Registered address'}),
    createAddress(
      path,
      {name: 'businessOperatingAddress', title: 'Operating address', isRequired: false},
      {hint: 'Only if it differs from the registered address.', isOptional: 'rare'},
    ),
    createSection(path, 'money', 'Registration number, money and purpose', pickFields(fields, fieldNames.money)),
    createSection(path, 'conduct', 'Money services and high-risk activities', omitFields(fields, fieldNames.money)),
    createPersons(path),
    createBusinessDocuments(path),
  ]
}

// The field of the request body that carries the data.
export const dataFields = {INDIVIDUAL: 'kycData', BUSINESS: 'kybData'} as const

export const createVerificationNodes = (customerType: keyof typeof dataFields): Node[] =>
  customerType === 'INDIVIDUAL' ? createKycNodes() : createKybNodes()
