// Sends what a conversation built. What the service refuses made nothing, so it is told, changed and sent again.
import {Declined, SvcError} from '../../errors.ts'
import type {Body} from '../body/assignments.ts'
import type {Answers} from './questions.ts'
import {type Reviewed, reviewed} from './review.ts'

export type Send<T> = (body: Body) => Promise<T>

const isRefused = (error: unknown): error is SvcError => error instanceof SvcError && error.kind === 'refused'

export async function sentOrChanged<T>(start: Answers, conversation: Reviewed, send: Send<T>): Promise<T> {
  for (let answers = start; ;) {
    try {
      return await send(answers.body)
    } catch (error) {
      if (error instanceof Declined) answers = await reviewed(answers, conversation)
      else if (isRefused(error)) answers = await changed(answers, conversation, `${error.message}.`)
      else throw error
    }
  }
}

// The reason stands below all that was answered, where it is seen.
function changed(start: Answers, conversation: Reviewed, reason: string): Promise<Answers> {
  const remarks = (answers: Answers) => [...(conversation.remarks?.(answers) ?? []), reason]
  return afterRefusal(() => reviewed(start, {...conversation, remarks}))
}

// Whoever leaves now has sent something, though nothing came of it.
export async function afterRefusal<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw error instanceof SvcError && error.kind === 'interrupted' ? stopped() : error
  }
}

const stopped = () => new SvcError({error: 'INTERRUPTED', kind: 'interrupted', message: 'Stopped; nothing was made'})
