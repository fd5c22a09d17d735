// The questions about a person: who it is, where it lives, what it does, and its papers.
import {readPhoneNumber} from '../checks/phone.ts'
import {associatedPerson, kycData} from '../contract/verification-data.ts'
import type {Body} from '../terminal/assignments.ts'
import {addressQuestions} from './address.ts'
import {type Asked, questionsOf} from './fields.ts'
import {documentQuestions, oneAfterAnother} from './papers.ts'
import {valueAt} from './places.ts'
import type {Answers, Part, Question, Step} from './questions.ts'

const identity = {
  legalFirstName: {label: 'First name, as on the ID', isRequired: true},
  legalMiddleName: {label: 'Middle name'},
  legalLastName: {label: 'Last name, as on the ID', isRequired: true},
  dateOfBirth: {label: 'Date of birth', isRequired: true},
  nationality: {label: 'Nationality', isRequired: true},
  phoneNumber: {label: 'Phone number', hint: 'with its country code, such as +1 555 123 4567', isRequired: true},
} as const satisfies Record<string, Asked>

const nationalId = {
  nationalIdType: {label: 'Kind of national ID', isRequired: true},
  nationalIdNumber: {label: 'Number of the national ID', isRequired: true, isHidden: true},
  nationalIdIssuingCountry: {label: 'Country that issued the national ID', isRequired: true},
} as const satisfies Record<string, Asked>

const occupation = {
  employmentStatus: {label: 'Employment'},
  mostRecentOccupation: {label: 'Occupation, as a code or a title'},
  sourceOfFunds: {label: 'Where the money comes from'},
  accountPurpose: {label: 'What the account is for'},
  accountPurposeOther: {label: 'Another purpose, in words'},
  expectedMonthlyPaymentsUsd: {label: 'Payments expected in a month, in USD'},
  isIntermediary: {label: 'Does the customer act on behalf of others?'},
} as const satisfies Record<string, Asked>

const role = {
  email: {label: 'Email address'},
  title: {label: 'Title in the business'},
  ownershipPercentage: {label: 'Share of the business in per cent', hint: 'from 0 to 100'},
  isControlPerson: {label: 'Does this person control the business?'},
  isSigner: {label: 'May this person sign for the business?'},
  isDirector: {label: 'Is this person a director?'},
} as const satisfies Record<string, Asked>

// The three fields of a national ID go together or not at all.
function nationalIdSteps({body, forks}: Answers, path: string): Step[] {
  const fork = `${path}.nationalId`
  const isThere = valueAt(body, `${path}.nationalIdNumber`) !== undefined
  const questions = Object.values(questionsOf(kycData, path, nationalId))
  return [
    {fork, label: 'Is there a national ID or tax number to give?', offered: true},
    ...((forks[fork] ?? isThere) ? questions : []),
  ]
}

function identityParts(path: string): Part[] {
  return Object.entries(questionsOf(kycData, path, identity)).map(([name, question]) => ({
    name,
    label: question.label,
    steps: ({body}) => [name === 'phoneNumber' ? readAtHome(question, body, path) : question],
  }))
}

// Someone who leaves the country code out means the one of the country they live in or come from.
function readAtHome(question: Question, body: Body, path: string): Question {
  const country = valueAt(body, `${path}.address.countryCode`) ?? valueAt(body, `${path}.nationality`)
  return {...question, read: (text) => readPhoneNumber(text, typeof country === 'string' ? country : undefined)}
}

const plainParts = (questions: Readonly<Record<string, Question>>): Part[] =>
  Object.entries(questions).map(([name, question]) => ({name, label: question.label, steps: () => [question]}))

const addressPart = (path: string): Part => ({
  name: 'address',
  label: 'Address',
  steps: ({body}) => addressQuestions(body, `${path}.address`, {likely: valueAt(body, `${path}.nationality`)}),
})

const nationalIdPart = (path: string): Part => ({
  name: 'nationalId',
  fields: Object.keys(nationalId),
  label: 'National ID',
  steps: (answers) => nationalIdSteps(answers, path),
})

// A list replaces the one before it, so documents are given as a whole.
const documentsPart = (path: string): Part => ({
  name: 'documents',
  label: 'Documents',
  steps: (answers) =>
    oneAfterAnother(
      answers,
      `${path}.documents`,
      {first: 'Add a document? One government-issued photo ID is needed', more: 'Add another document?'},
      (each) => documentQuestions(answers, each),
    ),
})

export const kycParts = (path = 'kycData'): Part[] => [
  ...identityParts(path),
  addressPart(path),
  nationalIdPart(path),
  ...plainParts(questionsOf(kycData, path, occupation)),
  documentsPart(path),
]

export const associatedPersonParts = (path: string): Part[] => [
  ...identityParts(path),
  ...plainParts(questionsOf(associatedPerson, path, role)),
  addressPart(path),
  nationalIdPart(path),
  documentsPart(path),
]
