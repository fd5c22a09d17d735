// Validates requests against the contract's schemas, and reports every problem with its path and a message for people.
import type {z} from 'zod'
import {triggerFields} from './vocabulary.ts'

export type ProblemKind =
  // A required field is absent.
  | 'missing'
  // The interface has no such field.
  | 'unknownField'
  // The interface had this field once.
  | 'removedField'
  // Another JSON type than the schema has.
  | 'type'
  // Not one of the values that the interface lists.
  | 'value'
  // Text that is not well-formed, such as an amount with a comma.
  | 'format'
  // Too short, too long, too small or too large.
  | 'range'
  // A condition that the contract adds to the types, such as fields that belong together.
  | 'condition'

export interface Problem {
  path: string
  message: string
  // Checks that go beyond the contract leave it out.
  kind?: ProblemKind
  // Not a rule of the interface, so the caller may send it all the same (docs/assumptions.md, X1).
  isWarning?: boolean
  // The format is right, and only svc doubts the value: the sandbox takes it, as the interface asks for the format.
  isDoubt?: boolean
}

type Issue = z.core.$ZodIssue

const toPath = (keys: readonly PropertyKey[]) =>
  keys.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`)).join('')

function toUnknownFieldProblem(key: string, holderPath: readonly PropertyKey[]): Problem {
  const path = toPath([...holderPath, key])
  const [triggerType] = Object.entries(triggerFields).find(([, field]) => field === key) ?? []
  if (triggerType !== undefined && holderPath.at(-1) === 'trigger') {
    return {
      path,
      kind: 'condition',
      message: `belongs to a trigger of type ${triggerType}, and this one has another type`,
    }
  }
  const within = holderPath.at(-1) === 'kycData' ? 'kycData' : 'customer'
  const [, , instead] = removedFields.find(([holder, field]) => field === key && holder === within) ?? []
  return instead !== undefined
    ? {path, kind: 'removedField', message: instead}
    : {path, kind: 'unknownField', message: 'is not a field of the interface'}
}

// A discriminated union whose discriminator is absent or names none of the options.
function toDiscriminatorProblem(issue: Issue): Problem {
  const {options, input, path}: {options?: unknown; input?: unknown; path: PropertyKey[]} = issue
  const isMissing = typeof input === 'object' && input !== null && !Object.hasOwn(input, path.at(-1) ?? '')
  const allowed = Array.isArray(options) ? options.join(', ') : ''
  return isMissing
    ? {path: toPath(path), kind: 'missing', message: `is required: one of ${allowed}`}
    : {path: toPath(path), kind: 'value', message: `must be one of ${allowed}`}
}

const kindsByIssueCode: Partial<Record<Issue['code'], ProblemKind>> = {
  invalid_type: 'type',
  invalid_value: 'value',
  invalid_format: 'format',
  too_small: 'range',
  too_big: 'range',
}

// zod uses this only where the schema brings no message of its own, which is more precise.
function toDefaultMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  return issue.code === 'invalid_type' ? `must be ${typeNames[issue.expected] ?? issue.expected}` : undefined
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function toProblems(issue: Issue): Problem[] {
  if (issue.code === 'invalid_union' && 'options' in issue) return [toDiscriminatorProblem(issue)]
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => toUnknownFieldProblem(key, issue.path))
  const path = toPath(issue.path)
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return [{path, kind: 'missing', message: 'is required'}]
  }
  return [{path, kind: kindsByIssueCode[issue.code] ?? 'condition', message: issue.message}]
}

// Lists every problem at once; an empty list means that the value may be sent.
export function findProblems(schema: z.ZodType, value: unknown): Problem[] {
  const {success, error} = schema.safeParse(value, {reportInput: true, error: toDefaultMessage})
  return success ? [] : error.issues.flatMap(toProblems)
}

export const toSentence = ({path, message}: Problem) => (path ? `${path} ${message}` : `the body ${message}`)

const effective = '14 November 2025'

// Fields that the interface has removed, by the object of a request that had them. Requests that use one are rejected with its
// replacement.
const removedFields: ReadonlyArray<readonly [within: 'customer' | 'kycData', field: string, instead: string]> = [
  ['customer', 'kycLink', `was removed on ${effective}: use verificationLink`],
  ['kycData', 'middleName', `was removed on ${effective}: use legalMiddleName`],
  [
    'kycData',
    'taxIdNumber',
    `was removed on ${effective}: use nationalIdNumber, with nationalIdType TIN and nationalIdIssuingCountry`,
  ],
  ['kycData', 'title', `was removed on ${effective} and has no replacement`],
]
