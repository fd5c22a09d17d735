// What a question is: where its answer stands in the body, how it is asked, and what is wrong with an answer.
import type {Body} from '../body/assignments.ts'
import type {Choice} from './prompts.ts'

export interface Question {
  // Where the answer stands, such as kycData.address.city or kybData.associatedPersons[0].email.
  path: string
  label: string
  // What it belongs to, such as "Person 2, address": said once before the questions that belong to it.
  heading?: string | undefined
  // The rule, in plain words, that stands beside the field.
  hint?: string | undefined
  kind: 'text' | 'yes-no' | 'one-of' | 'document'
  // What may be left out is left out by answering nothing.
  isRequired: boolean
  // The answers to choose from. Where the list is open, any other may be typed.
  choices?: ReadonlyArray<Choice<string>> | undefined
  allowsOther?: boolean | undefined
  // Only the end of it is shown while it is typed, and nothing of it afterwards.
  isHidden?: boolean | undefined
  // The likely answer, filled in beforehand where there is none yet.
  suggestion?: string | undefined
  // What stands in the body for what was typed: a phone number in E.164, a number for digits.
  parse?: ((text: string) => unknown) | undefined
  // What is wrong with an answer beyond what a request is checked for: what verification would only send back.
  check?: ((value: unknown) => string | undefined) | undefined
  // The paths of answers that mean nothing any more when this one changes: the postal code of another country.
  clears?: readonly string[] | undefined
  // What a right answer means, said while it is typed: when a schedule fires, how far a balance is from a threshold.
  explain?: ((value: unknown, body: Body) => string | undefined) | undefined
  // Asks in its own way, where one prompt cannot: given the answer that is there, it returns the one to keep.
  ask?: ((present: unknown, body: Body) => Promise<unknown>) | undefined
  // What else of the body follows from the answer, or falls with the one before. It may throw `AskAgain`.
  afterAnswer?: ((body: Body, before: Body) => Body | Promise<Body>) | undefined
}

// An answer that is well formed and yet of no use, such as a customer without an account. Its message says why, and the
// question is asked again.
export class AskAgain extends Error {}

// A question of the conversation itself, such as whether there is another person: its answer stands in no body.
export interface Fork {
  // Where a no leaves nothing: what stands there is taken out.
  fork: string
  label: string
  heading?: string | undefined
  suggestion?: boolean
  // The body has what is asked about already, so that it needs no asking.
  isPresent?: boolean
}

export type Step = Question | Fork

export const isFork = (step: Step): step is Fork => 'fork' in step

// What a step is known by: no two of a conversation have the same.
export const getStepKey = (step: Step): string => (isFork(step) ? step.fork : step.path)

export interface Answers {
  body: Body
  // What was said at the forks, by name.
  forks: Record<string, boolean>
}

// A piece of what is submitted that can be given, or corrected, by itself.
export interface Part {
  // The field that it is, as the interface spells it; the three fields of a national ID go by one name.
  name: string
  // The fields that it holds, where they are several under another name.
  fields?: readonly string[]
  // How a person would call it.
  label: string
  // The heading under which it stands together with others.
  section?: string | undefined
  steps: (answers: Answers) => Step[]
}

// The same step as part of something larger: "Document 1" of "Person 2".
export const addHeading = (step: Step, outer: string | undefined): Step => {
  if (outer === undefined) return step
  const {heading: within} = step
  return {
    ...step,
    heading: within === undefined ? outer : `${outer}, ${within.charAt(0).toLowerCase()}${within.slice(1)}`,
  }
}

export const listSteps = (parts: readonly Part[], answers: Answers): Step[] =>
  parts.flatMap(({steps, section}) => steps(answers).map((step) => (step.heading ? step : addHeading(step, section))))
