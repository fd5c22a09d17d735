// The steps of a wizard: questions, forks, checklists, counts, copies, and the parts that group them.
import type {Body} from '../../values/body-paths.ts'
import {lowerFirst} from '../../values/text.ts'
import type {Choice} from './choices.ts'

interface StepBase {
  label: string
  // Printed once before the steps that share it, such as "Person 2, address".
  heading?: string | undefined
  // Another step has answered it, so it is not asked. It can be changed in the review.
  isSettled?: boolean | undefined
}

export interface Question extends StepBase {
  // The path of the answer in the body, such as kycData.address.city or kybData.associatedPersons[0].email.
  path: string
  // The rule for the answer, shown beside the field.
  hint?: string | undefined
  kind: 'text' | 'yes-no' | 'one-of'
  // An optional question is skipped with an empty answer.
  isRequired: boolean
  choices?: ReadonlyArray<Choice<string>> | undefined
  // No choice is likely by itself, so Enter alone takes none of them.
  hasNoDefault?: boolean | undefined
  // Whether a value that is not among the choices may be typed.
  allowsOther?: boolean | undefined
  // For ID numbers: nothing of them is shown.
  isHidden?: boolean | undefined
  // For other numbers that identify somebody: the review shows their last characters, as those of ID numbers.
  isMasked?: boolean | undefined
  // The answer is the path of a file, shown by its name.
  isFile?: boolean | undefined
  // The likely answer, filled in if there is none yet.
  suggestion?: string | undefined
  // Converts the typed text to the value in the body: a phone number to E.164, digits to a number.
  parse?: ((text: string) => unknown) | undefined
  // What is shown in place of the accepted text; by default the value.
  format?: ((text: string) => string) | undefined
  // Says in the words of the question what is wrong with a text that cannot be converted.
  explainText?: ((label: string, text: string) => string | undefined) | undefined
  // A check beyond the contract: data that the service accepts but verification would send back.
  check?: ((value: unknown) => string | undefined) | undefined
  // What the person should know before giving this answer, which Enter pressed again gives all the same.
  warn?: ((value: unknown) => string | undefined) | undefined
  // Paths that are removed when this answer changes, such as the postal code when the country changes.
  clears?: readonly string[] | undefined
  // A prompt of its own, used instead of the one for its kind. It gets the current answer and returns the new one.
  ask?: ((current: unknown, body: Body, question: Question) => Promise<unknown>) | undefined
  // Whether an answer from a flag, a file or a draft can still be used, where that takes more than `check`.
  isUsable?: ((value: unknown) => Promise<boolean>) | undefined
  // Updates other fields that depend on the answer. It may throw `AskAgain`.
  afterAnswer?: ((body: Body, before: Body) => Body | Promise<Body>) | undefined
}

// Thrown when a well-formed answer cannot be used, such as a customer without an account. The message is printed and the
// question is asked again.
export class AskAgain extends Error {}

// A yes/no question that decides which questions follow, such as "Add another person?". Its answer is not in the body.
export interface Fork extends StepBase {
  // The path that a no removes from the body.
  fork: string
  suggestion?: boolean
  // Whether the body has a value at the path already. Then the fork is not asked.
  isPresent?: boolean
}

// One prompt for many yes/no questions, of which few apply: facts of the body, and forks.
export interface Checklist extends StepBase {
  // A name for the list, below which the body has nothing.
  checklist: string
  items: readonly ChecklistItem[]
}

export interface ChecklistItem {
  // What applies, such as "controls the business".
  name: string
  // The yes/no field that it answers.
  fact?: string
  // The fork that it answers, in place of a fact.
  fork?: string
  // What it says of the fork is a no: "has no document at hand".
  isNegated?: boolean
  // Whether the body has values behind the fork already.
  isPresent?: boolean
}

// Asks how many items a list has, in place of "add another?" after each.
export interface Count extends StepBase {
  // The path of the list.
  count: string
  // How many there are now.
  present: number
}

// Offers to take over a value that was given before, such as the address of the business for its owner.
export interface Copy extends StepBase {
  // The path of the value.
  copy: string
  // The choice that asks for the value.
  otherLabel: string
  sources: ReadonlyArray<{name: string; path: string}>
  // The path of the likely source.
  suggestion?: string | undefined
}

export type Step = Question | Fork | Checklist | Count | Copy

export const isQuestion = (step: Step): step is Question => 'path' in step
export const isFork = (step: Step): step is Fork => 'fork' in step
export const isChecklist = (step: Step): step is Checklist => 'checklist' in step
export const isCount = (step: Step): step is Count => 'count' in step
export const isCopy = (step: Step): step is Copy => 'copy' in step

// The fork that says whether a value was copied. It also is the key of the copy.
export const getCopyFork = (path: string) => `${path}.isCopied`

// The key of a step is unique within its wizard.
export function getStepKey(step: Step): string {
  if (isQuestion(step)) return step.path
  if (isFork(step)) return step.fork
  if (isCopy(step)) return getCopyFork(step.copy)
  return isCount(step) ? `${step.count}.count` : step.checklist
}

// The paths that a step can give a value.
export function listStepPaths(step: Step): string[] {
  if (isChecklist(step)) return step.items.flatMap(({fact}) => fact ?? [])
  return isQuestion(step) || isFork(step) ? [getStepKey(step)] : []
}

export interface Answers {
  body: Body
  // The answers to the forks, by their paths, and which checklists and copies were answered.
  forks: Record<string, boolean>
}

// A piece of the submitted data that can be given or corrected by itself.
export interface Part {
  // A field of the contract, or a name for several fields, such as nationalId.
  name: string
  // The fields that the name covers, if there are several.
  fields?: readonly string[]
  label: string
  // The heading that the part shares with others.
  section?: string | undefined
  // Said before the part is corrected, if it is sent as a whole.
  correctionNote?: string | undefined
  steps: (answers: Answers) => Step[]
}

// Nests the heading of a step in another one: "Document 1" becomes "Person 2, document 1".
export const addHeading = (step: Step, outer: string | undefined): Step => {
  const {heading} = step
  if (outer === undefined) return step
  if (heading === undefined) return {...step, heading: outer}
  return {...step, heading: `${outer}, ${lowerFirst(heading)}`}
}

export const listSteps = (parts: readonly Part[], answers: Answers): Step[] =>
  parts.flatMap(({steps, section}) => steps(answers).map((step) => (step.heading ? step : addHeading(step, section))))
