// One operation on the sandbox: what is due runs first, then the work itself, whole or not at all.
import {now} from './time/clock.ts'
import {runDue, runDueWithin} from './time/queue.ts'
import {tasks} from './tasks.ts'
import type {House, Turn} from './request-context.ts'

// What is due is kept even if the work is refused afterwards: time passed all the same.
export function operate<T>(house: House, work: (turn: Turn) => T): T {
  runDue(house, tasks)
  return house.database.transact(() => work({...house, now: now(house.database)}))
}

interface Job {
  work: (turn: Turn) => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

// Operations that come at the same moment share one transaction, and so one wait for the disk; each is whole or undone by
// itself, and none is answered before all of them are kept.
export function operateTogether(house: House) {
  const {database} = house
  let waiting: Job[] = []
  const attempt = ({work}: Job) => {
    database.step(() => runDueWithin(house, tasks))
    try {
      return {value: database.step(() => work({...house, now: now(database)}))}
    } catch (error) {
      return {error}
    }
  }
  const carryOut = () => {
    const jobs = waiting
    waiting = []
    try {
      runDue(house, tasks)
      const outcomes = database.transact(() => jobs.map(attempt))
      for (const [index, outcome] of outcomes.entries()) {
        if ('error' in outcome) jobs[index]?.reject(outcome.error)
        else jobs[index]?.resolve(outcome.value)
      }
    } catch (error) {
      for (const {reject} of jobs) reject(error)
    }
  }
  return (work: Job['work']): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (waiting.push({work, resolve, reject}) === 1) setImmediate(carryOut)
    })
}

// What is due, and nothing else.
export const runDueTasks = (house: House) => runDue(house, tasks)

// Moves the clock, and lets happen what falls due on the way.
export function moveClock(house: House, move: (turn: Turn) => void) {
  operate(house, move)
  runDue(house, tasks)
}
