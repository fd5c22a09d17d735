// What a hosted form is, whatever it asks for: opened by a link, filled in, and handed over.
import type {z} from 'zod'
import type {StoredIssue} from '../customers/customer-store.ts'
import type {RequestContext} from '../request-context.ts'
import type {Node} from './fields.ts'

// Instead of the form, where there is nothing to fill in.
export interface FormState {
  // The status, in a word or two.
  state: string
  title: string
  // What it means, and what happens next.
  sentences: readonly string[]
  issues?: readonly StoredIssue[]
}

export interface OpenedForm {
  title: string
  intro: string
  submitLabel: string
  // Before every path: the field of the body that carries the data, or nothing.
  root: string
  nodes: readonly Node[]
  // What was handed over earlier, or is known already.
  earlier: unknown
  // What verification said about it.
  issues: readonly StoredIssue[]
  // Judges the body before anything else does.
  schema: z.ZodType
  accept: (context: RequestContext, body: unknown) => void
}

export interface HostedForm {
  // Of this token; undefined where there is none.
  open: (context: RequestContext, formToken: string) => OpenedForm | FormState | undefined
  // What the form asks for, whatever its state, so that a submission can be read before it is judged.
  nodes: (context: RequestContext, formToken: string) => readonly Node[]
}

export const isFormState = (opened: OpenedForm | FormState): opened is FormState => 'state' in opened
