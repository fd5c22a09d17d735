// The virtual clock. It runs at real speed with an offset, or is frozen at an instant. Its state is in the database.
import {ControlError} from '../operations/control-error.ts'
import type {Result} from '../../sandbox-results.ts'
import type {Database} from '../store/database.ts'

interface ClockRow {
  offsetMs: number
  frozenAt: number | null
}

// Outside this range a timestamp needs more than four digits for the year, which many clients cannot read.
const instantMin = Date.UTC(1970, 0, 1)
const instantMax = Date.UTC(9999, 11, 31)

const readClock = (database: Database) => database.only<ClockRow>('select offsetMs, frozenAt from sandbox')

export function readNow(database: Database): number {
  const {offsetMs, frozenAt} = readClock(database)
  return frozenAt ?? Date.now() + offsetMs
}

export function toClockInstant(date: Date): number {
  const instant = date.getTime()
  if (instant >= instantMin && instant <= instantMax) return instant
  throw new ControlError('The clock of the sandbox must stay between the years 1970 and 9999')
}

// Forward only, because tasks that have run cannot be undone. Restoring a snapshot goes back.
export function checkAdvance(database: Database, ms: number): void {
  if (!Number.isSafeInteger(ms) || ms < 0) {
    throw new ControlError('The clock advances by a whole number of milliseconds, and never goes back')
  }
  toClockInstant(new Date(readNow(database) + ms))
}

export const advanceClock = (database: Database, ms: number): void =>
  database.run('update sandbox set offsetMs = offsetMs + ?, frozenAt = frozenAt + ?', ms, ms)

// Freezes the clock now, and returns how far it has to advance from there.
export function freezeClock(database: Database, at?: Date): number {
  const current = readNow(database)
  const instant = at ? toClockInstant(at) : current
  if (instant < current) throw new ControlError('The clock never goes back: freeze it now, or at a later instant')
  database.run('update sandbox set frozenAt = ?', current)
  return instant - current
}

// A frozen clock continues from its instant; a running one is not changed.
export function runClock(database: Database) {
  const {frozenAt} = readClock(database)
  if (frozenAt === null) return
  database.run('update sandbox set offsetMs = ?, frozenAt = null', frozenAt - Date.now())
}

// A running clock, as in a new sandbox.
export const showRealTime = (database: Database): void => database.run('update sandbox set offsetMs = 0')

export function readClockStatus(database: Database): Result<'Clock'> {
  const {offsetMs, frozenAt} = readClock(database)
  const realNow = Date.now()
  return {
    now: new Date(frozenAt ?? realNow + offsetMs).toISOString(),
    frozen: frozenAt !== null,
    offsetMs: frozenAt === null ? offsetMs : frozenAt - realNow,
  }
}

// Timestamps in replies have whole seconds, as in the interface.
export const toTimestamp = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}Z`
