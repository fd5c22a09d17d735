// Sends the answers of a wizard. If the service rejects them, nothing was created, so they are reviewed and sent again.
import {Declined, SvcError, interrupted} from '../../errors.ts'
import type {Body} from '../body/assignments.ts'
import {reviewAnswers} from './review.ts'
import type {Answers} from './steps.ts'
import type {ReviewedWizard} from './wizard.ts'

export type Send<T> = (body: Body) => Promise<T>

const isRejected = (error: unknown): error is SvcError => error instanceof SvcError && error.kind === 'refused'

export async function sendOrRevise<T>(start: Answers, wizard: ReviewedWizard, send: Send<T>): Promise<T> {
  for (let answers = start; ;) {
    try {
      return await send(answers.body)
    } catch (error) {
      if (error instanceof Declined) answers = await reviewAnswers(answers, wizard)
      else if (isRejected(error)) answers = await reviseAnswers(answers, wizard, `${error.message}.`)
      else throw error
    }
  }
}

// Shows the service's reason below the answers.
function reviseAnswers(start: Answers, wizard: ReviewedWizard, reason: string): Promise<Answers> {
  const remarks = (answers: Answers) => [...(wizard.remarks?.(answers) ?? []), reason]
  return interruptAfterRejection(() => reviewAnswers(start, {...wizard, remarks}))
}

// Quitting after a rejection must not report that nothing was sent.
export async function interruptAfterRejection<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw error instanceof SvcError && error.kind === 'interrupted'
      ? interrupted('Stopped; nothing was created or changed')
      : error
  }
}
