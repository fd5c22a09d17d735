// What a wizard asks: questions about the fields of a body. An answer that only decides what else is asked, such as how many
// owners there are, has a name that begins with `$` in the same body, and is not sent.
import type {Problem} from '../../contract/problems.ts'
import type {Body} from '../../values/body-paths.ts'
import {isRecord} from '../../values/records.ts'
import type {Choice} from './choices.ts'

export interface Question {
  // Such as kycData.address.city, kybData.associatedPersons[0].email or kycData.$documents.
  path: string
  label: string
  // Printed once before the questions that share it, such as "Person 2 of 3, address".
  heading?: string | undefined
  // The rule for the answer, shown beside the field.
  hint?: string | undefined
  kind: 'text' | 'yes-no' | 'one-of' | 'several'
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
  // Another answer has decided it, so it is only shown in the review.
  isSettled?: boolean | undefined
  // The likely answer, filled in if there is none yet.
  suggestion?: unknown
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
  // Whether a flag, a file or a draft has answered it, where that takes more than a valid value.
  isAnswered?: ((body: Body) => boolean | Promise<boolean>) | undefined
  // Updates other fields that depend on the answer. It may throw `AskAgain`.
  afterAnswer?: ((body: Body, before: Body) => Body | Promise<Body>) | undefined
}

// Thrown when a well-formed answer cannot be used, such as a customer without an account. The message is printed and the
// question is asked again.
export class AskAgain extends Error {}

// Keeps the answers while they are given, so that the wizard can go on later.
export interface Draft {
  // Called before each question and before the review, with the paths of the questions that were dealt with.
  save(body: Body, passed: ReadonlySet<string>): void
  // How to go on with the answers, as a sentence. Undefined if none are kept.
  describe(): string | undefined
}

export interface Form {
  // The questions for the answers so far: an answer may add questions or remove some.
  questions: (body: Body) => Question[]
  // Lists all problems in a body. A question shows those at its own path.
  validate: (body: Body) => readonly Problem[]
  // Adds what follows from the answers, before they are validated and sent.
  complete?: ((body: Body) => Body) | undefined
  // Left out by wizards that are short.
  draft?: Draft | undefined
}

export interface ReviewedForm extends Form {
  // Masks the personal data in a body. Left out if there is none.
  mask?: ((body: Body) => Body) | undefined
  // What the service is known to refuse, at the path of the question to go back to. Asked only about answers that are valid.
  findRefusals?: ((body: Body) => readonly Problem[]) | undefined
  // The choice that sends the answers, such as "Send it for verification".
  sendLabel: string
  // Remarks printed below the answers, before they are sent.
  remarks?: ((body: Body) => string[]) | undefined
}

// The answers as they are sent.
export function completeBody(answers: Body, {complete}: Pick<Form, 'complete'>): Body {
  return omitUnsent(complete ? complete(answers) : answers) as Body
}

export const isUnsent = (path: string) => /(^|\.)\$/.test(path)

function omitUnsent(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitUnsent)
  if (!isRecord(value)) return value
  const sent = Object.entries(value).filter(([name]) => !isUnsent(name))
  return Object.fromEntries(sent.map(([name, inner]) => [name, omitUnsent(inner)]))
}
