// A move of the clock, which may take long. It stops between any two of its transactions, so that
// others are served meanwhile, and if it is never continued, the sandbox works, with the clock as
// far as it came.
import {setImmediate, setTimeout as sleep} from 'node:timers/promises'
import type {Result} from '../../sandbox-results.ts'

// Returns the time afterwards.
export type ClockMove = Generator<undefined, Result<'Clock'>>

export function finishAtOnce(move: ClockMove): Result<'Clock'> {
  for (;;) {
    const {done, value} = move.next()
    if (done) return value
  }
}

// Another process that waits for the database looks every 100 ms whether it is free.
const pauseMs = 120
const workMs = 300

export async function finishInSlices(move: ClockMove): Promise<Result<'Clock'>> {
  let pausedAt = performance.now()
  for (;;) {
    const {done, value} = move.next()
    if (done) return value
    if (performance.now() - pausedAt < workMs) {
      await setImmediate()
      continue
    }
    await sleep(pauseMs)
    pausedAt = performance.now()
  }
}
