// What is wrong with a request, as a list of paths and sentences that a person can act on.
import type {z} from 'zod'
import {removedFields} from './changes.ts'

export interface Problem {
  path: string
  message: string
}

type Issue = z.core.$ZodIssue

const pathOf = (keys: readonly PropertyKey[]) =>
  keys.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`)).join('')

export const notInInterface = 'is not a field of the interface'

function unknownFieldMessage(key: string, holder: PropertyKey | undefined): string {
  const within = holder === 'kycData' ? 'kycData' : 'customer'
  const removed = removedFields.find((entry) => entry.field === key && entry.within === within)
  return removed?.instead ?? notInInterface
}

// One of several forms, chosen by a field that names none of them.
function ofChoice(issue: Issue): Problem {
  const {options, input, path} = issue as {options?: unknown; input?: unknown; path: PropertyKey[]}
  const isMissing = typeof input === 'object' && input !== null && !Object.hasOwn(input, path.at(-1) ?? '')
  const allowed = Array.isArray(options) ? options.join(', ') : ''
  return {path: pathOf(path), message: isMissing ? `is required: one of ${allowed}` : `must be one of ${allowed}`}
}

function problemsOf(issue: Issue): Problem[] {
  if (issue.code === 'invalid_union' && 'options' in issue) return [ofChoice(issue)]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: pathOf([...issue.path, key]),
      message: unknownFieldMessage(key, issue.path.at(-1)),
    }))
  }
  const path = pathOf(issue.path)
  // A message that the schema brought along says more than one made from the type.
  if (!issue.message.startsWith('Invalid') && issue.input !== undefined) return [{path, message: issue.message}]
  if (issue.code === 'invalid_value') return [{path, message: `must be one of ${issue.values.join(', ')}`}]
  if (issue.code === 'invalid_type') {
    return [{path, message: issue.input === undefined ? 'is required' : `must be of type ${issue.expected}`}]
  }
  return [{path, message: issue.message}]
}

// Judges a value by a schema of the contract and lists every problem at once; none means that it may be sent.
export function problemsIn(schema: z.ZodType, value: unknown): Problem[] {
  const judged = schema.safeParse(value, {reportInput: true})
  return judged.success ? [] : judged.error.issues.flatMap(problemsOf)
}

export const sentenceOf = ({path, message}: Problem) => (path ? `${path} ${message}` : `the body ${message}`)
