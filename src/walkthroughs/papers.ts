// The questions of the documents of a person: which kind, its details, its images.
import {dayOf, monthsBefore} from '../checks/dates.ts'
import {limits} from '../contract/limits.ts'
import {document} from '../contract/verification-data.ts'
import {type Asked, questionsOf} from './fields.ts'
import {valueAt} from './places.ts'
import type {Answers, Question, Step} from './questions.ts'

const imageHint = 'JPG, PNG or PDF, 100 KB to 10 MB, at least 200x200 pixels; Tab completes a path'

const asked = {
  type: {label: 'Kind of document', isRequired: true},
  subtype: {label: 'Which document', isRequired: true},
  countryCode: {label: 'Country that issued it', isRequired: true},
  documentIdNumber: {label: 'Number on the document', isRequired: true, isHidden: true},
  issuanceDate: {label: 'Issued on', isRequired: true},
  expirationDate: {label: 'Valid until', isRequired: true},
  frontIdImage: {label: 'Image of the front', hint: imageHint, isRequired: true},
  backIdImage: {label: 'Image of the back', hint: imageHint},
  proofOfAddressImage: {label: 'Image of the proof of address', hint: imageHint, isRequired: true},
  description: {label: 'Notes about the document'},
} as const satisfies Record<keyof (typeof document)['shape'], Asked>

// A passport says everything on one page; the others have a back that is wanted too.
const isTwoSided = (subtype: unknown) => subtype !== undefined && subtype !== 'PASSPORT'

const stillValid = (today: string) => (value: unknown) =>
  typeof value === 'string' && value < today
    ? 'It has expired: only a document that is still valid is accepted'
    : undefined

const recent = (today: string) => (value: unknown) =>
  typeof value === 'string' && value < monthsBefore(today, limits.proofOfAddressAgeMonthsMax)
    ? `It is older than ${limits.proofOfAddressAgeMonthsMax} months: take a newer bill, statement or letter`
    : undefined

// Which questions a document needs depends on what it is.
export function documentQuestions({body}: Answers, path: string, today = dayOf(Date.now())): Question[] {
  const questions = questionsOf(document, path, asked)
  const {type, subtype, issuanceDate} = questions
  if (valueAt(body, `${path}.type`) === 'PROOF_OF_ADDRESS') {
    return [type, {...issuanceDate, check: recent(today)}, questions.proofOfAddressImage, questions.description]
  }
  return [
    type,
    subtype,
    questions.countryCode,
    questions.documentIdNumber,
    issuanceDate,
    {...questions.expirationDate, check: stillValid(today)},
    questions.frontIdImage,
    ...(isTwoSided(valueAt(body, `${path}.subtype`)) ? [{...questions.backIdImage, isRequired: true}] : []),
    questions.description,
  ]
}

// As many of something as there are: a fork before each, and its questions after a yes.
export function oneAfterAnother(
  answers: Answers,
  list: string,
  {first, more}: {first: string; more: string},
  questions: (path: string) => Step[],
): Step[] {
  const steps: Step[] = []
  for (let index = 0; ; index++) {
    const path = `${list}[${index}]`
    const isThere = valueAt(answers.body, path) !== undefined
    steps.push({fork: path, label: index === 0 ? first : more, offered: index === 0 || isThere})
    if (!(answers.forks[path] ?? isThere)) return steps
    steps.push(...questions(path))
  }
}
