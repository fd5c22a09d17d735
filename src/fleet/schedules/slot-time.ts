// The time up to which slots have come. A wrong clock would pay slots before their time, or mark them as missed, so slots are handed
// out only if the clocks of the database, of this machine and of the service agree.
import {SvcError} from '../../errors.ts'
import {describeClockDifference, isClockTrusted} from '../../payments/controls/objections.ts'
import type {ServerClock} from '../../payments/protocol/service.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {readDatabaseTime} from './schedule.ts'

// The service's clock, as its replies tell it.
export interface ServiceTime {
  clock: Pick<ServerClock, 'earliest' | 'observedAheadMs'>
  // Whether there is a recent reply, and whether a recent one told the service's time.
  isRecent: () => boolean
  isTold: () => boolean
  // A cheap request, for its reply.
  ask: () => Promise<unknown>
}

// A reply that is older says nothing about clocks that were changed since.
const replyAgeMaxMs = 60_000

// Must be given every reply of the service.
export function watchReplies(now = () => performance.now()) {
  let repliedMs = Number.NEGATIVE_INFINITY
  let toldMs = Number.NEGATIVE_INFINITY
  return {
    observe({headers}: {headers: {get: (name: string) => string | null}}): void {
      repliedMs = now()
      if (headers.get('date') !== null) toldMs = repliedMs
    },
    isRecent: () => now() - repliedMs < replyAgeMaxMs,
    isTold: () => now() - toldMs < replyAgeMaxMs,
  }
}

const clocksDiffer = (difference: string) =>
  new SvcError({
    error: 'CLOCK_DIFFERS',
    kind: 'limit',
    message: `No slot is handed out: ${difference}, so a slot may be paid before its time, or left out`,
    hint: 'Set the clocks right; the slots that have come are handed out then',
  })

export const isClockError = (error: unknown): error is SvcError =>
  error instanceof SvcError && error.error === 'CLOCK_DIFFERS'

// Undefined if the service does not tell its time now. A refusal tells it too.
async function readServiceTime({clock, isRecent, isTold, ask}: ServiceTime): Promise<number | undefined> {
  if (!isRecent()) {
    try {
      await ask()
    } catch (error) {
      if (!isRecent()) throw error
    }
  }
  return isTold() && clock.observedAheadMs() !== undefined ? clock.earliest() : undefined
}

function rejectDifference(one: [name: string, ms: number], other: [name: string, ms: number]): void {
  const aheadMs = one[1] - other[1]
  if (!isClockTrusted(aheadMs)) throw clocksDiffer(describeClockDifference(one[0], aheadMs, other[0]))
}

// Throws if the clocks differ. The earliest of them counts, so that nothing is paid for a slot in the service's future. The clock of
// the embedded sandbox may be moved, and is not asked.
export async function readSlotTime(database: PostgresDatabase, service: ServiceTime | undefined): Promise<Date> {
  const serviceMs = service && (await readServiceTime(service))
  const databaseMs = (await readDatabaseTime(database)).getTime()
  const machineMs = Date.now()
  rejectDifference(['the clock of the database', databaseMs], ['that of this machine', machineMs])
  if (serviceMs !== undefined) {
    rejectDifference(['the clock of this machine', machineMs], ['that of the service', serviceMs])
    rejectDifference(['the clock of the database', databaseMs], ['that of the service', serviceMs])
  }
  return new Date(Math.min(databaseMs, serviceMs ?? machineMs))
}
