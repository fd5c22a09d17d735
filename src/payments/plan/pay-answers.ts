// Pays what a person answered. The answers are kept until the payment is made.
import type {Keeper} from '../../cli/wizard/keep-answers.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import type {Plan} from './plan.ts'

export interface CompletedPlan {
  plan: Plan
  // The quote of these answers. Absent if the service could not be reached.
  quote?: LooseQuote | undefined
  keeper?: Keeper | undefined
  // Asks the last question again, with the answers so far. Absent if nothing was asked.
  askAgain?: (() => Promise<CompletedPlan>) | undefined
}

// Thrown by the question about the price if the person goes back.
export class BackToQuestions extends Error {}

export interface AnsweredPayment<T> {
  pay: (completed: CompletedPlan) => Promise<T>
  // A dry run makes nothing, so the answers stay.
  isDryRun: boolean
  notice: (text: string) => void
}

export async function payAnswers<T>(start: CompletedPlan, {pay, isDryRun, notice}: AnsweredPayment<T>): Promise<T> {
  const release = ({keeper}: CompletedPlan) => {
    const hint = keeper?.describeContinuation()
    if (hint !== undefined) notice(`${hint}.`)
    keeper?.release()
  }
  for (let completed = start; ;) {
    try {
      const result = await pay(completed)
      if (isDryRun) release(completed)
      else completed.keeper?.discard()
      return result
    } catch (error) {
      if (error instanceof BackToQuestions && completed.askAgain) completed = await completed.askAgain()
      else {
        release(completed)
        throw error
      }
    }
  }
}
