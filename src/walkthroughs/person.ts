// The questions about a person: who it is, where it lives, what it does, and its papers.
import {readPhoneNumber} from '../checks/phone.ts'
import {associatedPerson, kycData} from '../contract/verification-data.ts'
import {addressQuestions} from './address.ts'
import {type Asked, questionsOf} from './fields.ts'
import {documentQuestions, oneAfterAnother} from './papers.ts'
import {valueAt} from './places.ts'
import type {Answers, Question, Step} from './questions.ts'

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

function identityQuestions({body}: Answers, path: string): Question[] {
  const {phoneNumber, ...others} = questionsOf(kycData, path, identity)
  // Someone who leaves the country code out means the one they live in or come from.
  const country = valueAt(body, `${path}.address.countryCode`) ?? valueAt(body, `${path}.nationality`)
  const read = (text: string) => readPhoneNumber(text, country as string | undefined)
  return [...Object.values(others), {...phoneNumber, read}]
}

const documentSteps = (answers: Answers, path: string): Step[] =>
  oneAfterAnother(
    answers,
    `${path}.documents`,
    {first: 'Add a document? One government-issued photo ID is needed', more: 'Add another document?'},
    (each) => documentQuestions(answers, each),
  )

export const kycSteps = (answers: Answers, path = 'kycData'): Step[] => [
  ...identityQuestions(answers, path),
  ...addressQuestions(answers.body, `${path}.address`, {likely: valueAt(answers.body, `${path}.nationality`)}),
  ...nationalIdSteps(answers, path),
  ...Object.values(questionsOf(kycData, path, occupation)),
  ...documentSteps(answers, path),
]

export const associatedPersonSteps = (answers: Answers, path: string): Step[] => [
  ...identityQuestions(answers, path),
  ...Object.values(questionsOf(associatedPerson, path, role)),
  ...addressQuestions(answers.body, `${path}.address`, {likely: valueAt(answers.body, `${path}.nationality`)}),
  ...nationalIdSteps(answers, path),
  ...documentSteps(answers, path),
]
