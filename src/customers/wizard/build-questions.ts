// Builds questions from the contract: the schema of a field decides how it is asked and what can be chosen.
import type {z} from 'zod'
import {type JsonSchema, createSchemaCollector} from '../../contract/json-schema.ts'
import {countryChoices} from '../../values/countries.ts'
import type {Question} from '../../cli/wizard/steps.ts'
import {date} from '../../contract/scalars.ts'
import {documentPrompt} from './ask-document.ts'

// How a field is presented to the user.
export interface FieldPrompt {
  label: string
  hint?: string
  isRequired?: boolean
  isHidden?: boolean
  isMasked?: boolean
}

const countryPattern = '^[A-Z]{2}$'
const dataUriPattern = /data:/

const toChoices = (values: readonly unknown[]) => values.map((value) => ({name: String(value), value: String(value)}))

// How a question for a date says what to write, with a date that could be its answer.
export const wordDate = (example: string): Pick<Question, 'hint' | 'explainText'> => ({
  hint: `year-month-day, such as ${example}`,
  explainText: (label, typed) => explainDate(label, typed, example),
})

type QuestionKind = Omit<Question, 'path' | 'label' | 'isRequired'>

function getQuestionKind(schema: JsonSchema): QuestionKind {
  const {type, pattern, format} = schema
  const values = (schema['enum'] ?? schema['x-values-seen']) as readonly unknown[] | undefined
  if (type === 'boolean') return {kind: 'yes-no'}
  if (pattern === countryPattern) return {kind: 'one-of', choices: countryChoices, hasNoDefault: true}
  if (values) return {kind: 'one-of', choices: toChoices(values), allowsOther: schema['enum'] === undefined}
  if (typeof pattern === 'string' && dataUriPattern.test(pattern))
    return {kind: 'text', isFile: true, ...documentPrompt}
  if (format === 'date') {
    return {kind: 'text', ...wordDate(exampleDate), parse: parseDate}
  }
  return type === 'number' ? {kind: 'text', parse: parseNumber, explainText: explainNumber} : {kind: 'text'}
}

function buildQuestion(schema: JsonSchema, path: string, prompt: FieldPrompt): Question {
  const kind = getQuestionKind(schema)
  return {
    ...kind,
    path,
    label: prompt.label,
    hint: prompt.hint ?? kind.hint,
    isRequired: prompt.isRequired ?? false,
    isHidden: prompt.isHidden,
    isMasked: prompt.isMasked,
  }
}

// The questions are built again after every answer, the schemas only once.
const fieldsByObject = new WeakMap<z.ZodObject, Record<string, JsonSchema>>()

// Returns the schema of each field of an object, with references resolved.
function getFields(object: z.ZodObject): Record<string, JsonSchema> {
  const cached = fieldsByObject.get(object)
  if (cached) return cached
  const schemas = createSchemaCollector('')
  const reference = schemas.add(object)
  const schema = schemas.definitions[String(reference['$ref'])] ?? reference
  const fields = (schema['properties'] ?? {}) as Record<string, JsonSchema>
  fieldsByObject.set(object, fields)
  return fields
}

// Builds a question for each field that has a prompt, in the order of the prompts.
export function buildQuestions<Name extends string>(
  object: z.ZodObject,
  path: string,
  prompts: Readonly<Record<Name, FieldPrompt>>,
): Record<Name, Question> {
  const fields = getFields(object)
  const questions = Object.entries<FieldPrompt>(prompts).map(([name, prompt]) => [
    name,
    buildQuestion(fields[name] ?? {}, path ? `${path}.${name}` : name, prompt),
  ])
  return Object.fromEntries(questions) as Record<Name, Question>
}

// Says what is wrong with a date or a number in the words of its question, and how to write it.
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
