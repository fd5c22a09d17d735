// The interface that every hosted form implements.
import type {z} from 'zod'
import type {Problem} from '../../contract/problems.ts'
import type {StoredIssue} from '../service/customers/customer-store.ts'
import type {RequestContext} from '../service/request-context.ts'
import type {Node} from '../../forms/fields.ts'

// Shown instead of the form when there is nothing to fill in.
export interface FormState {
  // The status in one or two words.
  state: string
  title: string
  // What the status means and what happens next.
  sentences: readonly string[]
  issues?: readonly StoredIssue[]
}

export interface OpenedForm {
  title: string
  intro: string
  submitLabel: string
  // The field of the body that carries the data, or empty. Every path starts with it.
  root: string
  nodes: readonly Node[]
  // Data that was submitted earlier or is already known.
  earlier: unknown
  // What verification found in the earlier data.
  issues: readonly StoredIssue[]
  // Validates the body before `accept` receives it.
  schema: z.ZodType
  // Problems beyond the schema, of the part of a body that matches it. `accept` finds them too.
  check?: (context: RequestContext, validPart: unknown) => Problem[]
  accept: (context: RequestContext, body: unknown) => void
}

// Returns undefined if no form has this token.
export type OpenHostedForm = (context: RequestContext, formToken: string) => OpenedForm | FormState | undefined

export const isFormState = (opened: OpenedForm | FormState): opened is FormState => 'state' in opened
