// The questions about a person's documents.
import {toIsoDate, subtractMonths} from '../../values/time.ts'
import {limits} from '../../contract/limits.ts'
import {document} from '../../contract/verification-data.ts'
import {type FieldPrompt, buildQuestions, wordDate} from './build-questions.ts'
import {getValue} from '../../values/body-paths.ts'
import type {Answers, Question} from '../../cli/wizard/steps.ts'

export const imageHint = 'JPG, PNG or PDF, 100 KB to 10 MB, at least 200x200 pixels; Tab completes a path'

const documentFields = {
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
} as const satisfies Record<keyof (typeof document)['shape'], FieldPrompt>

// A passport has no back. Cards need an image of it; for other documents it is optional (docs/assumptions.md, C14).
const subtypesWithoutBack: ReadonlySet<unknown> = new Set([undefined, 'PASSPORT'])
const cardPattern = /NATIONAL_ID|LICEN[CS]E|PERMIT|CARD/i

function buildBackQuestions(question: Question, subtype: unknown): Question[] {
  if (subtypesWithoutBack.has(subtype)) return []
  return [{...question, isRequired: typeof subtype === 'string' && cardPattern.test(subtype)}]
}

const checkStillValid = (today: string, issued: unknown) => (value: unknown) => {
  if (typeof value !== 'string') return undefined
  if (value < today) return 'It has expired: only a valid document is accepted, so use a newer one'
  return typeof issued === 'string' && value <= issued
    ? `It is not after the day of issue, ${issued}: check both`
    : undefined
}

const checkRecent = (today: string) => (value: unknown) =>
  typeof value === 'string' && value < subtractMonths(today, limits.proofOfAddressAgeMonthsMax)
    ? `It is older than ${limits.proofOfAddressAgeMonthsMax} months: take a newer bill, statement or letter`
    : undefined

// Dates that could be on a document, as examples for its questions.
const listExampleDates = (today: string) => ({
  bill: subtractMonths(today, 1),
  issued: subtractMonths(today, 24),
  expires: subtractMonths(today, -60),
})

// The questions depend on the type of the document.
export function buildDocumentQuestions({body}: Answers, path: string, today = toIsoDate(Date.now())): Question[] {
  const questions = buildQuestions(document, path, documentFields)
  const {type, subtype, issuanceDate} = questions
  const issued = getValue(body, `${path}.issuanceDate`)
  const examples = listExampleDates(today)
  // Most documents are issued by the holder's own country.
  const nationality = getValue(body, `${path.replace(/\.documents\[\d+\]$/, '')}.nationality`)
  if (getValue(body, `${path}.type`) === 'PROOF_OF_ADDRESS') {
    const billDate = {...issuanceDate, ...wordDate(examples.bill), check: checkRecent(today)}
    return [type, billDate, questions.proofOfAddressImage, questions.description]
  }
  return [
    type,
    // The document that most people have.
    {...subtype, suggestion: 'PASSPORT'},
    {...questions.countryCode, ...(typeof nationality === 'string' && {suggestion: nationality})},
    questions.documentIdNumber,
    {...issuanceDate, ...wordDate(examples.issued)},
    {...questions.expirationDate, ...wordDate(examples.expires), check: checkStillValid(today, issued)},
    questions.frontIdImage,
    ...buildBackQuestions(questions.backIdImage, getValue(body, `${path}.subtype`)),
    questions.description,
  ]
}
