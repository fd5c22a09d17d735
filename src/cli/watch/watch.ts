// Follows one thing: reads it, tells of each change, and goes on until it has come to its end or the time is up.
import {SvcError} from '../../errors.ts'
import {durationText} from '../flags/durations.ts'
import {type Result, itemResult} from '../output/result.ts'
import type {Item} from '../output/values.ts'
import {type Followed, isBehind, stateOf, statusOf} from './watched.ts'
import {behindMsMax, longerPause, nextPause, pauseFirstMs} from './pace.ts'
import {type Audience, type Telling, nameOf, telling} from './reporter.ts'
import {Trouble} from './failure-tolerance.ts'

// How long the whole wait may take: --timeout, and when that is up on the clock of performance.now().
export interface TimeLimit {
  timeoutMs: number
  deadlineMs: number
}

interface Followup {
  item: Item
  ending?: SvcError | undefined
}

// The client's own limit of the same wait may cut a read off a moment earlier.
const clockSlackMs = 50

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const leftOf = (limit: TimeLimit | undefined) =>
  limit === undefined ? Number.POSITIVE_INFINITY : limit.deadlineMs - performance.now()

const isTimeUp = (limit: TimeLimit | undefined, error: unknown) =>
  error instanceof SvcError && error.kind === 'unreachable' && leftOf(limit) < clockSlackMs

// Its last state, and how that ends the command. As JSON lines every state is out already, and only the ending is left.
export async function follow(followed: Followed, audience: Audience, limit?: TimeLimit): Promise<Result> {
  const tell = telling(followed, audience)
  try {
    const {item, ending} = await toTheEnd(followed, tell, new Trouble(audience.notice), limit)
    if (audience.format !== 'jsonl') return itemResult(item, followed.kind.view, ending)
    if (ending) throw ending
    return undefined
  } finally {
    tell.end()
  }
}

async function toTheEnd(followed: Followed, tell: Telling, trouble: Trouble, limit?: TimeLimit): Promise<Followup> {
  let item = followed.answer ?? (await firstRead(followed, limit))
  let isSure = followed.answer === undefined
  let pauseMs = pauseFirstMs
  const behindUntilMs = performance.now() + behindMsMax
  await tell.first(item)
  for (;;) {
    const state = stateOf(followed.kind, item)
    if (state && 'ends' in state && state.ends === 'well') return {item}
    if (state && 'ends' in state && isSure) return {item, ending: endedBadly(followed, item)}
    const {forMs, thenLook} = nextPause(pauseMs, leftOf(limit))
    tell.pauses(forMs)
    await pause(forMs)
    if (!thenLook) return {item, ending: stillPending(followed, item, limit)}
    tell.looks()
    try {
      const seen = await followed.read()
      trouble.isOver()
      if (isBehind(followed, seen) && performance.now() < behindUntilMs) {
        pauseMs = longerPause(pauseMs)
        continue
      }
      isSure = true
      pauseMs = (await tell.next(item, seen)) ? pauseFirstMs : longerPause(pauseMs)
      item = seen
    } catch (error) {
      if (isTimeUp(limit, error)) return {item, ending: stillPending(followed, item, limit)}
      trouble.bear(error)
      pauseMs = longerPause(pauseMs)
    }
  }
}

// Whoever cannot be reached at the beginning is not waited for: the address may be wrong.
async function firstRead(followed: Followed, limit?: TimeLimit): Promise<Item> {
  try {
    return await followed.read()
  } catch (error) {
    if (isTimeUp(limit, error))
      throw pending(`${nameOf(followed)} could not be read before --timeout ran out`, followed)
    throw error
  }
}

const pending = (message: string, {kind, id}: Followed) =>
  new SvcError({
    error: 'PENDING',
    kind: 'pending',
    message,
    hint: `Go on with \`${kind.goOn(id)}\``,
  })

function stillPending(followed: Followed, item: Item, limit?: TimeLimit): SvcError {
  const state = stateOf(followed.kind, item)
  const waits = state && 'waitsFor' in state ? `: ${state.waitsFor}` : ''
  const after = limit ? ` after ${durationText(limit.timeoutMs)}` : ''
  return pending(`${nameOf(followed)} is still ${statusOf(followed.kind, item)}${after}${waits}`, followed)
}

function endedBadly(followed: Followed, item: Item): SvcError {
  const {kind, id} = followed
  const state = stateOf(kind, item)
  const {why, next} = state && 'next' in state ? state : {}
  return new SvcError({
    error: `${kind.view.one.toUpperCase()}_${statusOf(kind, item)}`,
    kind: 'endedBadly',
    message: `${nameOf(followed)} is ${statusOf(kind, item)}${why ? `: ${why}` : ''}`,
    hint: next?.(id),
  })
}
