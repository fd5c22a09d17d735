// What whoever runs the sandbox can do with its time.
import {ControlError} from '../control-error.ts'
import {moveClock, runDueTasks} from '../operation.ts'
import type {SandboxEnvironment} from '../request-context.ts'
import {type ClockStatus, advanceClock, readClockStatus, freezeClock, readNow, runClock} from './clock.ts'
import {findNextDue} from './queue.ts'

export interface ClockControls {
  status(): ClockStatus
  advance(ms: number): ClockStatus
  // To the instant of the next task; stays where it is if nothing waits.
  toNext(): ClockStatus
  // From task to task until nothing waits but rules and webhook attempts, which would never end.
  untilIdle(): ClockStatus
  freeze(at?: Date): ClockStatus
  run(): ClockStatus
}

// A sandbox that is not idle after so many steps makes itself new work for ever, which is a fault.
const stepsMax = 1_000_000

export function createClockControls(environment: SandboxEnvironment): ClockControls {
  const {database} = environment
  const status = () => readClockStatus(database)
  const moveAndReadStatus = (move: () => void) => {
    moveClock(environment, move)
    return status()
  }
  const advanceTo = (due: number) =>
    moveAndReadStatus(() => advanceClock(database, Math.max(0, Math.ceil(due - readNow(database)))))
  return {
    status,
    advance: (ms) => moveAndReadStatus(() => advanceClock(database, ms)),
    toNext() {
      runDueTasks(environment)
      const due = findNextDue(database, 'everything')
      return due === undefined ? status() : advanceTo(due)
    },
    untilIdle() {
      runDueTasks(environment)
      for (let step = 0; step < stepsMax; step++) {
        const due = findNextDue(database, 'foreground')
        if (due === undefined) return status()
        advanceTo(due)
      }
      throw new ControlError('The sandbox does not come to rest: something in it makes new work for ever')
    },
    freeze: (at) => moveAndReadStatus(() => freezeClock(database, at)),
    run: () => moveAndReadStatus(() => runClock(database)),
  }
}
