// Sends what a conversation built. What the service refuses made nothing, so it is told, changed and sent again.
import {Declined, SvcError} from '../../errors.ts'
import type {Body} from '../body/assignments.ts'
import type {Answers} from './steps.ts'
import {type ReviewedWizard, reviewAnswers} from './review.ts'

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

// The reason stands below all that was answered, where it is seen.
function reviseAnswers(start: Answers, wizard: ReviewedWizard, reason: string): Promise<Answers> {
  const remarks = (answers: Answers) => [...(wizard.remarks?.(answers) ?? []), reason]
  return interruptAfterRejection(() => reviewAnswers(start, {...wizard, remarks}))
}

// Whoever leaves now has sent something, though nothing came of it.
export async function interruptAfterRejection<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw error instanceof SvcError && error.kind === 'interrupted' ? stoppedAfterRejection() : error
  }
}

const stoppedAfterRejection = () =>
  new SvcError({error: 'INTERRUPTED', kind: 'interrupted', message: 'Stopped; nothing was made'})
