// The questions of the documents of a person: which kind, its details, its images.
import {dayOf, monthsBefore} from '../../validation/dates.ts'
import {limits} from '../../contract/limits.ts'
import {document} from '../../contract/verification-data.ts'
import {type Asked, questionsOf} from './fields.ts'
import {valueAt} from '../../cli/wizard/paths.ts'
import {type Answers, type Question, type Step, placed} from '../../cli/wizard/questions.ts'

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

// A passport says everything on one page; cards have a back that is wanted too. Of others it may be given
// (docs/assumptions.md, C14).
const oneSided: ReadonlySet<unknown> = new Set([undefined, 'PASSPORT'])
const cards = /NATIONAL_ID|LICEN[CS]E|PERMIT|CARD/i

function backQuestions(question: Question, subtype: unknown): Question[] {
  if (oneSided.has(subtype)) return []
  return [{...question, isRequired: typeof subtype === 'string' && cards.test(subtype)}]
}

const stillValid = (today: string, issued: unknown) => (value: unknown) => {
  if (typeof value !== 'string') return undefined
  if (value < today) return 'It has expired: only a document that is still valid is accepted, so give a newer one'
  return typeof issued === 'string' && value <= issued
    ? `It is not after the day of issue, ${issued}: check both`
    : undefined
}

const recent = (today: string) => (value: unknown) =>
  typeof value === 'string' && value < monthsBefore(today, limits.proofOfAddressAgeMonthsMax)
    ? `It is older than ${limits.proofOfAddressAgeMonthsMax} months: take a newer bill, statement or letter`
    : undefined

// Which questions a document needs depends on what it is.
export function documentQuestions({body}: Answers, path: string, today = dayOf(Date.now())): Question[] {
  const questions = questionsOf(document, path, asked)
  const {type, subtype, issuanceDate} = questions
  const issued = valueAt(body, `${path}.issuanceDate`)
  // A paper is most likely of the country that its holder comes from.
  const home = valueAt(body, `${path.replace(/\.documents\[\d+\]$/, '')}.nationality`)
  if (valueAt(body, `${path}.type`) === 'PROOF_OF_ADDRESS') {
    return [type, {...issuanceDate, check: recent(today)}, questions.proofOfAddressImage, questions.description]
  }
  return [
    type,
    subtype,
    {...questions.countryCode, ...(typeof home === 'string' && {offered: home})},
    questions.documentIdNumber,
    issuanceDate,
    {...questions.expirationDate, check: stillValid(today, issued)},
    questions.frontIdImage,
    ...backQuestions(questions.backIdImage, valueAt(body, `${path}.subtype`)),
    questions.description,
  ]
}

interface Words {
  first: string
  more: string
  // One of them, as a heading: "Person".
  one: string
}

// As many of something as there are: a fork before each, and its questions after a yes.
export function oneAfterAnother(
  {body, forks}: Answers,
  list: string,
  {first, more, one}: Words,
  questions: (path: string) => Step[],
): Step[] {
  const steps: Step[] = []
  for (let index = 0; ; index++) {
    const path = `${list}[${index}]`
    const name = `${one} ${index + 1}`
    const isSaid = valueAt(body, path) !== undefined
    const label = isSaid ? `Keep ${name.toLowerCase()}?` : index === 0 ? first : more
    steps.push({fork: path, label, offered: index === 0, isSaid})
    if (!(forks[path] ?? isSaid)) return steps
    steps.push(...questions(path).map((step) => placed(step, name)))
  }
}
