// What a wizard is: the steps it asks, the checks it makes, and how its answers are reviewed.
import type {Problem} from '../../contract/problems.ts'
import type {Answers, Step} from './steps.ts'

// Keeps the answers while they are given, so that the wizard can go on later.
export interface Draft {
  // Called before each question with the answers so far and the key of the question, which is absent at the review.
  save(answers: Answers, at?: string): void
  // How to go on with the answers, as a sentence. Undefined if none are kept.
  describe(): string | undefined
}

export interface Wizard {
  // The steps for the answers so far: an answer may add steps or remove some.
  steps: (answers: Answers) => Step[]
  // Lists all problems in a body. A question shows those at its own path.
  validate: (body: Answers['body']) => readonly Problem[]
  // Left out by wizards that are short.
  draft?: Draft | undefined
}

export interface Objection {
  // A sentence.
  message: string
  step?: Step | undefined
}

export interface ReviewedWizard extends Wizard {
  // Masks the personal data in a body. Left out if there is none.
  mask?: ((body: Answers['body']) => Answers['body']) | undefined
  // What the service is known to refuse, with the question to go back to. Asked only about answers that are valid.
  objections?: ((answers: Answers) => Objection[]) | undefined
  // The choice that sends the answers, such as "Send it for verification".
  sendLabel: string
  // Remarks printed below the answers, before they are sent.
  remarks?: ((answers: Answers) => string[]) | undefined
  // Lines printed instead of one line per answer.
  summary?: ((answers: Answers) => string[]) | undefined
}
