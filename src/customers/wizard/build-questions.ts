// Builds questions from the contract: the schema of a field decides how it is asked and what can be chosen.
import type {z} from 'zod'
import {type JsonSchema, createSchemaCollector} from '../../contract/json-schema.ts'
import {countryChoices} from '../../values/countries.ts'
import type {Question} from '../../cli/wizard/steps.ts'
import {documentPrompt} from './ask-document.ts'
import {exampleDate, explainDate, explainNumber, parseDate, parseNumber} from './question-words.ts'

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
