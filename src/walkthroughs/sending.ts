// Sends what a conversation built. What the service refuses made nothing, so it is told, changed and sent again.
import {SvcError, exitCodes} from '../errors.ts'
import type {Body} from '../terminal/assignments.ts'
import type {Answers} from './questions.ts'
import {type Reviewed, reviewed} from './review.ts'
import {say} from './say.ts'

export type Send<T> = (body: Body) => Promise<T>

const isRefused = (error: unknown): error is SvcError =>
  error instanceof SvcError && error.exitCode === exitCodes.refused

export async function sentOrChanged<T>(start: Answers, conversation: Reviewed, send: Send<T>): Promise<T> {
  for (let answers = start; ;) {
    try {
      return await send(answers.body)
    } catch (error) {
      if (!isRefused(error)) throw error
      say(`${error.message}.`)
      answers = await changed(answers, conversation)
    }
  }
}

const changed = (answers: Answers, conversation: Reviewed): Promise<Answers> =>
  afterRefusal(() => reviewed(answers, conversation))

// Whoever leaves now has sent something, though nothing came of it.
export async function afterRefusal<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw error instanceof SvcError && error.exitCode === exitCodes.interrupted ? stopped() : error
  }
}

const stopped = () =>
  new SvcError({error: 'INTERRUPTED', exitCode: exitCodes.interrupted, message: 'Stopped; nothing was made'})
