// Turns the fields of a form into questions: the kind of a field decides how it is asked, and how what is typed is read.
import type {z} from 'zod'
import {date} from '../../contract/scalars.ts'
import {limits} from '../../contract/vocabulary.ts'
import {type Field, createFields, imageRule, listMembers} from '../../forms/fields.ts'
import {countryChoices} from '../../values/countries.ts'
import {lowerFirst, codeToWords} from '../../values/text.ts'
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

const pad = (text: string) => text.padStart(2, '0')

// Accepts 1990.4.23, 1990/04/23 and 19900423. Only the order with the year first is unambiguous.
export const parseDate = (text: string) =>
  text
    .replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
    .replace(/^(\d{4})[-./ ](\d{1,2})[-./ ](\d{1,2})$/, (_, year: string, month: string, day: string) =>
      [year, pad(month), pad(day)].join('-'),
    )

// A day long ago, such as that of a birth.
const exampleDate = '1990-04-23'

// The example must be an answer to the question: a day to come for the end of a document.
export const explainDate = (label: string, typed: string, example = exampleDate): string | undefined =>
  date.safeParse(parseDate(typed)).success
    ? undefined
    : `${label} is a day of the calendar: write year, month and day, such as ${example}`

// Accepts a percentage with its sign. A comma may separate thousands, so it is not taken for the decimal point.
export const parseNumber = (text: string) => {
  const plain = text.replace(/\s*%$/, '')
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : text
}

export const explainNumber = (label: string, typed: string): string | undefined =>
  typeof parseNumber(typed) === 'number' ? undefined : `${label} is a number: write digits, such as 25 or 33.3`
