// Questions made from the contract: what kind of answer a field takes, and from what it may be chosen.
import type {z} from 'zod'
import {countryChoices} from '../../validation/country.ts'
import {type JsonSchema, createSchemaCollector} from '../../contract/json-schema.ts'
import type {Question} from '../../cli/wizard/steps.ts'

// How a field is called when a person is asked for it, and the rule it follows.
export interface FieldPrompt {
  label: string
  hint?: string
  isRequired?: boolean
  isHidden?: boolean
}

const countryPattern = '^[A-Z]{2}$'
const dataUriPattern = /data:/

const toChoices = (values: readonly unknown[]) => values.map((value) => ({name: String(value), value: String(value)}))

// Dates as people write them with the year first; any other order could be read in two ways.
const parseDate = (text: string) =>
  text.replace(/^(\d{4})[-./](\d{1,2})[-./](\d{1,2})$/, (_, year: string, month: string, day: string) =>
    [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-'),
  )

const parseNumber = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text)

function toQuestionKind(schema: JsonSchema): Partial<Question> & Pick<Question, 'kind'> {
  const {type, pattern, format} = schema
  const values = (schema['enum'] ?? schema['x-values-seen']) as readonly unknown[] | undefined
  if (type === 'boolean') return {kind: 'yes-no'}
  if (pattern === countryPattern) return {kind: 'one-of', choices: countryChoices}
  if (values) return {kind: 'one-of', choices: toChoices(values), allowsOther: schema['enum'] === undefined}
  if (typeof pattern === 'string' && dataUriPattern.test(pattern)) return {kind: 'document'}
  if (format === 'date') return {kind: 'text', hint: 'year-month-day, such as 1990-04-23', parse: parseDate}
  return type === 'number' ? {kind: 'text', parse: parseNumber} : {kind: 'text'}
}

// Asked again at every step, and always the same.
const fieldsByObject = new WeakMap<z.ZodObject, Record<string, JsonSchema>>()

// The schema of each field of an object of the contract, with references followed.
function getFields(object: z.ZodObject): Record<string, JsonSchema> {
  const known = fieldsByObject.get(object)
  if (known) return known
  const schemas = createSchemaCollector('')
  const own = schemas.of(object)
  const whole = schemas.definitions[String(own['$ref'])] ?? own
  const fields = (whole['properties'] ?? {}) as Record<string, JsonSchema>
  fieldsByObject.set(object, fields)
  return fields
}

// One question for every field of an object that has a name for people, in the order in which they are named.
export function buildQuestions<Name extends string>(
  object: z.ZodObject,
  path: string,
  asked: Readonly<Record<Name, FieldPrompt>>,
): Record<Name, Question> {
  const fields = getFields(object)
  const questions = Object.entries<FieldPrompt>(asked).map(([name, {label, hint, isRequired = false, isHidden}]) => {
    const kind = toQuestionKind(fields[name] ?? {})
    return [
      name,
      {...kind, path: path ? `${path}.${name}` : name, label, hint: hint ?? kind.hint, isRequired, isHidden},
    ]
  })
  return Object.fromEntries(questions) as Record<Name, Question>
}
