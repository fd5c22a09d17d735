// The questions of the documents of a person: which kind, its details, its images.
import {toIsoDate, subtractMonths} from '../../validation/dates.ts'
import {limits} from '../../contract/limits.ts'
import {document} from '../../contract/verification-data.ts'
import {type FieldPrompt, buildQuestions} from './build-questions.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {type Answers, type Question, type Step, addHeading} from '../../cli/wizard/steps.ts'

const imageHint = 'JPG, PNG or PDF, 100 KB to 10 MB, at least 200x200 pixels; Tab completes a path'

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

// A passport says everything on one page; cards have a back that is wanted too. Of others it may be given
// (docs/assumptions.md, C14).
const oneSided: ReadonlySet<unknown> = new Set([undefined, 'PASSPORT'])
const cards = /NATIONAL_ID|LICEN[CS]E|PERMIT|CARD/i

function buildBackQuestions(question: Question, subtype: unknown): Question[] {
  if (oneSided.has(subtype)) return []
  return [{...question, isRequired: typeof subtype === 'string' && cards.test(subtype)}]
}

const checkStillValid = (today: string, issued: unknown) => (value: unknown) => {
  if (typeof value !== 'string') return undefined
  if (value < today) return 'It has expired: only a document that is still valid is accepted, so give a newer one'
  return typeof issued === 'string' && value <= issued
    ? `It is not after the day of issue, ${issued}: check both`
    : undefined
}

const checkRecent = (today: string) => (value: unknown) =>
  typeof value === 'string' && value < subtractMonths(today, limits.proofOfAddressAgeMonthsMax)
    ? `It is older than ${limits.proofOfAddressAgeMonthsMax} months: take a newer bill, statement or letter`
    : undefined

// Which questions a document needs depends on what it is.
export function buildDocumentQuestions({body}: Answers, path: string, today = toIsoDate(Date.now())): Question[] {
  const questions = buildQuestions(document, path, documentFields)
  const {type, subtype, issuanceDate} = questions
  const issued = getValue(body, `${path}.issuanceDate`)
  // A paper is most likely of the country that its holder comes from.
  const home = getValue(body, `${path.replace(/\.documents\[\d+\]$/, '')}.nationality`)
  if (getValue(body, `${path}.type`) === 'PROOF_OF_ADDRESS') {
    return [type, {...issuanceDate, check: checkRecent(today)}, questions.proofOfAddressImage, questions.description]
  }
  return [
    type,
    subtype,
    {...questions.countryCode, ...(typeof home === 'string' && {suggestion: home})},
    questions.documentIdNumber,
    issuanceDate,
    {...questions.expirationDate, check: checkStillValid(today, issued)},
    questions.frontIdImage,
    ...buildBackQuestions(questions.backIdImage, getValue(body, `${path}.subtype`)),
    questions.description,
  ]
}

interface ListLabels {
  first: string
  more: string
  // One of them, as a heading: "Person".
  one: string
}

// As many of something as there are: a fork before each, and its questions after a yes.
export function buildListSteps(
  {body, forks}: Answers,
  list: string,
  {first, more, one}: ListLabels,
  questions: (path: string) => Step[],
): Step[] {
  const steps: Step[] = []
  for (let index = 0; ; index++) {
    const path = `${list}[${index}]`
    const name = `${one} ${index + 1}`
    const isSaid = getValue(body, path) !== undefined
    const label = isSaid ? `Keep ${name.toLowerCase()}?` : index === 0 ? first : more
    steps.push({fork: path, label, suggestion: index === 0, isPresent: isSaid})
    if (!(forks[path] ?? isSaid)) return steps
    steps.push(...questions(path).map((step) => addHeading(step, name)))
  }
}
