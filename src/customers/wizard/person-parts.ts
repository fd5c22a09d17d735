// The parts of a KYC submission, and of a person behind a business: identity, address, occupation and documents.
import {Big} from 'big.js'
import {normalizePhoneNumber} from '../../values/identifiers.ts'
import {limits} from '../../contract/limits.ts'
import {associatedPerson, kycData} from '../../contract/verification-data.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {buildAddressQuestions} from './address-questions.ts'
import {type FieldPrompt, buildQuestions} from './build-questions.ts'
import {buildDocumentQuestions} from './document-questions.ts'
import {buildListSteps} from './list-steps.ts'
import type {Answers, Part, Question, Step} from '../../cli/wizard/steps.ts'

const identityFields = {
  legalFirstName: {label: 'First name, as on the ID', isRequired: true},
  legalMiddleName: {label: 'Middle name'},
  legalLastName: {label: 'Last name, as on the ID', isRequired: true},
  dateOfBirth: {label: 'Date of birth', isRequired: true},
  nationality: {label: 'Nationality', isRequired: true},
  phoneNumber: {
    label: 'Phone number',
    hint: 'with its country code, such as +1 555 123 4567',
    isRequired: true,
    isMasked: true,
  },
} as const satisfies Record<string, FieldPrompt>

const nationalIdFields = {
  nationalIdType: {label: 'Kind of national ID', isRequired: true},
  nationalIdNumber: {label: 'Number of the national ID', isRequired: true, isHidden: true},
  nationalIdIssuingCountry: {label: 'Country that issued the national ID', isRequired: true},
} as const satisfies Record<string, FieldPrompt>

const occupationFields = {
  employmentStatus: {label: 'Employment'},
  mostRecentOccupation: {label: 'Occupation, as a code or a title'},
  sourceOfFunds: {label: 'Where the money comes from'},
  accountPurpose: {label: 'What the account is for'},
  accountPurposeOther: {label: 'Another purpose, in words'},
  expectedMonthlyPaymentsUsd: {label: 'Payments expected in a month, in USD'},
  isIntermediary: {label: 'Does the customer act on behalf of others?'},
} as const satisfies Record<string, FieldPrompt>

const roleFields = {
  email: {label: 'Email address'},
  title: {label: 'Title in the business'},
  ownershipPercentage: {label: 'Share of the business in per cent', hint: 'from 0 to 100'},
  isControlPerson: {label: 'Does this person control the business?'},
  isSigner: {label: 'May this person sign for the business?'},
  isDirector: {label: 'Is this person a director?'},
} as const satisfies Record<string, FieldPrompt>

const kycPath = 'kycData'

const sections = {identity: 'Identity', occupation: 'Work and money', role: 'Role in the business'}

// The three fields of a national ID are given together or not at all.
function buildNationalIdSteps({body, forks}: Answers, path: string): Step[] {
  const fork = `${path}.nationalId`
  const {nationalIdIssuingCountry: country, ...others} = buildQuestions(kycData, path, nationalIdFields)
  const isPresent = Object.keys(nationalIdFields).some((field) => getValue(body, `${path}.${field}`) !== undefined)
  const nationality = getValue(body, `${path}.nationality`)
  const questions: Question[] = [
    ...Object.values(others),
    {...country, ...(typeof nationality === 'string' && {suggestion: nationality})},
  ]
  return [
    {fork, label: 'Add a national ID or tax number?', suggestion: true, isPresent},
    ...((forks[fork] ?? isPresent) ? questions : []),
  ]
}

function buildIdentityParts(path: string): Part[] {
  return Object.entries(buildQuestions(kycData, path, identityFields)).map(([name, question]) => ({
    name,
    label: question.label,
    section: sections.identity,
    steps: ({body}) => [
      name === 'phoneNumber' ? parseWithHomeCountry(question, body, path) : suggestStatedName(question, body, path),
    ],
  }))
}

// Suggests the names that were given for the customer, since those on the ID are most likely the same.
function suggestStatedName(question: Question, body: Body, path: string): Question {
  const {firstName, lastName} = body
  const names: Record<string, unknown> = {
    [`${kycPath}.legalFirstName`]: firstName,
    [`${kycPath}.legalLastName`]: lastName,
  }
  const suggestion = path === kycPath ? names[question.path] : undefined
  return typeof suggestion === 'string' ? {...question, suggestion} : question
}

// A number without a country code is read as one of the country of residence, or else of the nationality.
function parseWithHomeCountry(question: Question, body: Body, path: string): Question {
  const country = getValue(body, `${path}.address.countryCode`) ?? getValue(body, `${path}.nationality`)
  return {...question, parse: (text) => normalizePhoneNumber(text, typeof country === 'string' ? country : undefined)}
}

// The shares of all owners cannot exceed 100 per cent, so the hint says how much is left (docs/assumptions.md, C10).
function limitToRemainingShare(question: Question, body: Body, path: string): Question {
  const list = path.replace(/\[\d+\]$/, '')
  const persons = getValue(body, list)
  const own = getValue(body, path)
  const held = (Array.isArray(persons) ? (persons as Array<Body | undefined>) : [])
    .filter((person) => person !== own)
    .map((person) => person?.['ownershipPercentage'])
    .filter((share) => typeof share === 'number')
    .reduce((sum, share) => sum.plus(share), new Big(0))
  const left = new Big(limits.percentageMax).minus(held)
  if (held.eq(0)) return question
  return {
    ...question,
    hint: `from 0 to ${left.toFixed()}: the others hold ${held.toFixed()}`,
    check: (value) =>
      typeof value === 'number' && left.lt(value)
        ? `It is too much: the others hold ${held.toFixed()} of ${limits.percentageMax} per cent, so ${left.toFixed()} at most`
        : undefined,
  }
}

const buildParts = (questions: Readonly<Record<string, Question>>, section: string): Part[] =>
  Object.entries(questions).map(([name, question]) => ({name, label: question.label, section, steps: () => [question]}))

const buildRoleParts = (path: string): Part[] =>
  Object.entries(buildQuestions(associatedPerson, path, roleFields)).map(([name, question]) => ({
    name,
    label: question.label,
    section: sections.role,
    steps: ({body}) => [name === 'ownershipPercentage' ? limitToRemainingShare(question, body, path) : question],
  }))

const buildAddressPart = (path: string): Part => ({
  name: 'address',
  label: 'Address',
  section: 'Address',
  steps: ({body}) =>
    buildAddressQuestions(body, `${path}.address`, {likelyCountry: getValue(body, `${path}.nationality`)}),
})

const buildNationalIdPart = (path: string): Part => ({
  name: 'nationalId',
  fields: Object.keys(nationalIdFields),
  label: 'National ID',
  section: 'National ID',
  steps: (answers) => buildNationalIdSteps(answers, path),
})

// The service replaces a list as a whole, so all documents are one part.
const buildDocumentsPart = (path: string): Part => ({
  name: 'documents',
  label: 'Documents',
  section: 'Documents',
  steps: (answers) =>
    buildListSteps(
      answers,
      `${path}.documents`,
      {
        first: 'Add a document? One government-issued photo ID is needed',
        next: 'Add another document?',
        item: 'Document',
      },
      (documentPath) => buildDocumentQuestions(answers, documentPath),
    ),
})

export const buildKycParts = (path = kycPath): Part[] => [
  ...buildIdentityParts(path),
  buildAddressPart(path),
  buildNationalIdPart(path),
  ...buildParts(buildQuestions(kycData, path, occupationFields), sections.occupation),
  buildDocumentsPart(path),
]

// Each person is asked for what an individual has to give (docs/assumptions.md, C13).
export const buildAssociatedPersonParts = (path: string): Part[] => [
  ...buildIdentityParts(path),
  ...buildRoleParts(path),
  buildAddressPart(path),
  buildNationalIdPart(path),
  buildDocumentsPart(path),
]
