// Turns the fields of a form into questions: the kind of a field decides how it is asked, and how what is typed is read.
import type {z} from 'zod'
import {date} from '../../contract/scalars.ts'
import {limits} from '../../contract/vocabulary.ts'
import {type Field, createFields, imageRule, listMembers} from '../../forms/fields.ts'
import {countryChoices} from '../../values/countries.ts'
import {lowerFirst, codeToWords} from '../../values/text.ts'
import {isOneTypoAway} from '../help/find-nearest.ts'
import {parseList} from './ask-form.ts'
import type {Question} from './question.ts'

// How a question for a date says what to write, with a date that could be its answer.
export const wordDate = (example: string): Pick<Question, 'hint' | 'explainText'> => ({
  hint: `year-month-day, such as ${example}`,
  explainText: (label, typed) => explainDate(label, typed, example),
})

// People read words, and may type the code.
const toChoices = (values: readonly string[] = []) =>
  values.map((value) => ({name: codeToWords(value), value, keywords: [value]}))

type QuestionKind = Omit<Question, 'path' | 'label' | 'isRequired'>

export const amountHint = 'digits and a point, such as 120.50'

// A comma may separate thousands, so it is not taken for the decimal point.
export const explainAmount = (typed: string): string | undefined =>
  /^[\d.]*\d,\d[\d.,]*$/.test(typed) ? 'It is written with a point and no comma, such as 120.50' : undefined

// Where most people have their mail. Short domains are left out, since one letter makes another of them.
const mailDomains = [
  'gmail.com',
  'googlemail.com',
  'hotmail.com',
  'outlook.com',
  'yahoo.com',
  'icloud.com',
  'protonmail.com',
]
// One letter away from these, and real.
const similarDomains: ReadonlySet<string> = new Set(['mail.com', 'email.com', 'ymail.com', 'fmail.com'])

// A domain that is most likely mistyped is asked about where it is typed. Enter pressed again keeps it.
function suggestMailDomain(value: unknown): string | undefined {
  const [, name = '', domain = ''] = typeof value === 'string' ? (/^(.+)@([^@]+)$/.exec(value.trim()) ?? []) : []
  const typed = domain.toLowerCase()
  if (mailDomains.includes(typed) || similarDomains.has(typed)) return undefined
  const meant = mailDomains.find((each) => isOneTypoAway(typed, each))
  return meant && `Did you mean ${name}@${meant}?`
}

// `advice` is the hint of the label.
function getQuestionKind({kind, values, lengthMin}: Field, advice: string | undefined): QuestionKind {
  switch (kind) {
    case 'yes-no':
      return {kind: 'yes-no'}
    case 'country':
      return {kind: 'one-of', choices: countryChoices, hasNoDefault: true}
    case 'one-of':
    case 'coded':
      return {kind: 'one-of', choices: toChoices(values), allowsOther: kind === 'coded'}
    case 'several-coded':
      return {kind: 'several', choices: toChoices(values), allowsOther: true}
    case 'lines':
      return {kind: 'text', parse: parseList, hint: 'separated by commas'}
    case 'file':
      return {kind: 'text', isFile: true, hint: imageRule}
    case 'date':
      return {kind: 'text', ...wordDate(exampleDate), parse: parseDate}
    case 'number':
      return {
        kind: 'text',
        parse: parseNumber,
        explainText: explainNumber,
        hint: `from ${limits.percentageMin} to ${limits.percentageMax}`,
      }
    case 'amount':
      return {kind: 'text', hint: advice ?? amountHint, explainText: (_, typed) => explainAmount(typed)}
    case 'email':
      return {kind: 'text', hint: advice, warn: suggestMailDomain}
    case 'phone':
      return {kind: 'text', hint: 'with its country code, such as +1 555 123 4567'}
    default:
      return {kind: 'text', hint: lengthMin === undefined ? advice : `at least ${lengthMin} characters`}
  }
}

export function toQuestion(field: Field): Question {
  const {path, label, question = label, hint, isRequiredInPart: isRequired, isHidden, isMasked} = field
  const kind = getQuestionKind(field, hint === undefined ? undefined : lowerFirst(hint))
  return {hint: undefined, ...kind, path, label: question, isRequired, isHidden, isMasked}
}

// The question for one field of an object of the contract.
export function createQuestion(object: z.ZodObject, path: string, name: string): Question {
  const field = createFields(object, path).find((each) => each.name === name)
  if (!field) throw new Error(`The object has no field ${name}`)
  return toQuestion(field)
}

// The amounts of a route are in the currency that leaves it, which a question names.
export const nameCurrency = (question: Question, currency: string): Question => ({
  ...question,
  label: question.label.replace('the source currency', currency),
})

// Asks which of several objects is meant, by the field that tells them apart. Another answer removes the fields of the others.
export function createKindQuestion(object: z.ZodObject, name: string, path: string): Question {
  const {label, options = []} = listMembers(object).find((member) => member.name === name) ?? {label: {label: name}}
  const members = options.flatMap((option) => listMembers(option))
  const others = members.filter(({schema}) => schema.const === undefined)
  return {
    path: `${path}.type`,
    label: label.question ?? label.label,
    kind: 'one-of',
    isRequired: true,
    choices: members.flatMap(({schema, label: {label: choice}}) =>
      typeof schema.const === 'string' ? [{name: choice, value: schema.const}] : [],
    ),
    clears: [...new Set(others.map((member) => `${path}.${member.name}`))],
  }
}

const monthNames = new Intl.DateTimeFormat('en', {month: 'long', timeZone: 'UTC'})

const pad = (text: string) => text.padStart(2, '0')

const isDate = (text: string) => date.safeParse(text).success

// Accepts 1990.4.23, 1990/04/23 and 19900423. Only the order with the year first is unambiguous.
export const parseDate = (text: string) =>
  text
    .replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
    .replace(/^(\d{4})[-./ ](\d{1,2})[-./ ](\d{1,2})$/, (_, year: string, month: string, day: string) =>
      [year, pad(month), pad(day)].join('-'),
    )

// The dates that may be meant by one with the year last.
function listReadings(text: string): string[] {
  const [, first, second, year] = /^(\d{1,2})[-./ ](\d{1,2})[-./ ](\d{4})$/.exec(text) ?? []
  if (first === undefined || second === undefined || year === undefined) return []
  const readings = [`${year}-${pad(second)}-${pad(first)}`, `${year}-${pad(first)}-${pad(second)}`]
  return [...new Set(readings.filter(isDate))]
}

// A day that no month has, such as 30 February. Undefined if the text has another fault.
function describeMissingDay(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  if (Number(month) < 1 || Number(month) > 12) return `there is no month ${Number(month)}`
  return `${monthNames.format(new Date(Date.UTC(2000, Number(month) - 1)))} ${year} has no day ${Number(day)}`
}

// A day long ago, such as that of a birth.
const exampleDate = '1990-04-23'

// The example must be an answer to the question: a day to come for the end of a document.
export function explainDate(label: string, typed: string, example = exampleDate): string | undefined {
  const text = parseDate(typed)
  if (isDate(text)) return undefined
  const missing = describeMissingDay(text)
  if (missing !== undefined) return `${label} is not a date: ${missing}`
  const readings = listReadings(text)
  return readings.length > 0
    ? `${label} is written with the year first: ${readings.join(' or ')}`
    : `${label} is a date: write year, month and day, such as ${example}`
}

// Accepts a percentage with its sign. A comma may separate thousands, so it is not taken for the decimal point.
export const parseNumber = (text: string) => {
  const plain = text.replace(/\s*%$/, '')
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : text
}

export function explainNumber(label: string, typed: string): string | undefined {
  if (typeof parseNumber(typed) === 'number') return undefined
  const [, whole, decimals] = /^(\d+),(\d+)%?$/.exec(typed) ?? []
  return whole === undefined
    ? `${label} is a number: write digits, such as 25 or 33.3`
    : `${label} is written with a decimal point: ${whole}.${decimals}`
}
