// One operation on the sandbox: what is due runs first, then the work itself, whole or not at all.
import {now} from './time/clock.ts'
import {runDue} from './time/queue.ts'
import {tasks} from './tasks.ts'
import type {House, Turn} from './turn.ts'

// What is due is kept even if the work is refused afterwards: time passed all the same.
export function operate<T>(house: House, work: (turn: Turn) => T): T {
  runDue(house, tasks)
  return house.database.transact(() => work({...house, now: now(house.database)}))
}

// What is due, and nothing else.
export const runDueTasks = (house: House) => runDue(house, tasks)

// Moves the clock, and lets happen what falls due on the way.
export function moveClock(house: House, move: (turn: Turn) => void) {
  operate(house, move)
  runDue(house, tasks)
}
