// The virtual clock: it runs at wall speed from an offset, or stands still at an instant; all of it is in the database.
import {ControlError} from '../control-error.ts'
import type {Database} from '../store/database.ts'

interface ClockRow {
  offsetMs: number
  frozenAt: number | null
}

export interface ClockStatus {
  now: string
  frozen: boolean
  // How far the virtual clock is ahead of the wall at this moment.
  offsetMs: number
}

// Beyond these, ISO 8601 needs more than four digits for the year and clients stop reading it.
const instantMin = Date.UTC(1970, 0, 1)
const instantMax = Date.UTC(9999, 11, 31)

const readClock = (database: Database) => database.one<ClockRow>('select offsetMs, frozenAt from sandbox') as ClockRow

export function readNow(database: Database): number {
  const {offsetMs, frozenAt} = readClock(database)
  return frozenAt ?? Date.now() + offsetMs
}

export function toClockInstant(date: Date): number {
  const instant = date.getTime()
  if (instant >= instantMin && instant <= instantMax) return instant
  throw new ControlError('The clock of the sandbox shows instants from the year 1970 to the year 9999')
}

// Forward only: what has happened cannot unhappen. Only another copy of the database goes back.
export function advanceClock(database: Database, ms: number) {
  if (!Number.isSafeInteger(ms) || ms < 0) {
    throw new ControlError('The clock is advanced by a whole number of milliseconds, and never back')
  }
  toClockInstant(new Date(readNow(database) + ms))
  database.run('update sandbox set offsetMs = offsetMs + ?, frozenAt = frozenAt + ?', ms, ms)
}

export function freezeClock(database: Database, at?: Date) {
  const current = readNow(database)
  const instant = at ? toClockInstant(at) : current
  if (instant < current) throw new ControlError('The clock never goes back: freeze it now, or at a later instant')
  database.run('update sandbox set frozenAt = ?', instant)
}

// A frozen clock goes on from where it stands; one that runs is left alone.
export function runClock(database: Database) {
  const {frozenAt} = readClock(database)
  if (frozenAt === null) return
  database.run('update sandbox set offsetMs = ?, frozenAt = null', frozenAt - Date.now())
}

export function readClockStatus(database: Database): ClockStatus {
  const {offsetMs, frozenAt} = readClock(database)
  const wall = Date.now()
  return {
    now: new Date(frozenAt ?? wall + offsetMs).toISOString(),
    frozen: frozenAt !== null,
    offsetMs: frozenAt === null ? offsetMs : frozenAt - wall,
  }
}

// Replies carry whole seconds, as the interface writes its timestamps.
export const toTimestamp = (instant: number) => new Date(instant).toISOString().replace(/\.\d+Z$/, 'Z')
