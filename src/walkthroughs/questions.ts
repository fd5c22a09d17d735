// What a question is: where its answer stands in the body, how it is asked, and what is wrong with an answer.
import type {Body} from '../terminal/assignments.ts'

export interface Question {
  // Where the answer stands, such as kycData.address.city or kybData.associatedPersons[0].email.
  path: string
  label: string
  // The rule, in plain words, that stands beside the field.
  hint?: string | undefined
  kind: 'text' | 'yes-no' | 'one-of' | 'document'
  // What may be left out is left out by answering nothing.
  isRequired: boolean
  // The answers to choose from. Where the list is open, any other may be typed.
  choices?: ReadonlyArray<{name: string; value: string}> | undefined
  isOpen?: boolean | undefined
  // Only the end of it is shown while it is typed, and nothing of it afterwards.
  isHidden?: boolean | undefined
  // The likely answer, filled in beforehand where there is none yet.
  offered?: string | undefined
  // What stands in the body for what was typed: a phone number in E.164, a number for digits.
  read?: ((text: string) => unknown) | undefined
  // What is wrong with an answer beyond what a request is checked for: what verification would only send back.
  check?: ((value: unknown) => string | undefined) | undefined
}

// A question of the conversation itself, such as whether there is another person: its answer stands in no body.
export interface Fork {
  fork: string
  label: string
  offered?: boolean
}

export type Step = Question | Fork

export const isFork = (step: Step): step is Fork => 'fork' in step

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
  steps: (answers: Answers) => Step[]
}

export const stepsOf = (parts: readonly Part[], answers: Answers): Step[] => parts.flatMap(({steps}) => steps(answers))
