// The controls of the clock.
import {ControlError} from '../operations/control-error.ts'
import {moveClock, runDueTasks} from '../service/operation.ts'
import type {SandboxEnvironment} from '../service/request-context.ts'
import {advanceClock, readClockStatus, freezeClock, readNow, runClock} from './clock.ts'
import {findNextDue} from './queue.ts'

// A sandbox that is not idle after this many steps creates new tasks forever, which is a bug.
const stepsMax = 1_000_000

export function createClockControls(environment: SandboxEnvironment) {
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
    advance: (ms: number) => moveAndReadStatus(() => advanceClock(database, ms)),
    // Advances to the next task. Without one, the clock does not move.
    toNext() {
      runDueTasks(environment)
      const due = findNextDue(database, 'everything')
      return due === undefined ? status() : advanceTo(due)
    },
    // Advances from task to task until only rules and webhook attempts are left, which would never end.
    untilIdle() {
      runDueTasks(environment)
      for (let step = 0; step < stepsMax; step++) {
        const due = findNextDue(database, 'foreground')
        if (due === undefined) return status()
        advanceTo(due)
      }
      throw new ControlError('The sandbox does not become idle: its tasks keep creating new ones')
    },
    freeze: (at?: Date) => moveAndReadStatus(() => freezeClock(database, at)),
    run: () => moveAndReadStatus(() => runClock(database)),
  }
}
