// What a probe works with: the service, its clock, the state on disk, the limits, and how long it may take.
import type {Client} from '../client/client.ts'
import {SvcError} from '../errors.ts'
import type {Journal} from '../payments/journal/journal.ts'
import type {ServerClock, Service} from '../payments/protocol/service.ts'
import type {PaymentContext} from '../payments/protocol/context.ts'
import type {ProbeState, Subject, TryName} from './probe-state.ts'

// The clock of this machine. Tests replace it, so that nobody waits for a quote to expire.
export interface ProbeTime {
  now: () => number
  sleep: (ms: number) => Promise<void>
}

export interface ProbeContext {
  client: Client
  service: Service
  clock: ServerClock
  time: ProbeTime
  state: ProbeState
  // Durable when it returns.
  save: () => void
  journal: Pick<Journal, 'reserve' | 'cancelReservation'>
  controls: PaymentContext['controls']
  // Leaves out what needs minutes of waiting.
  isQuick: boolean
  // When --timeout ends, on the clock of this machine.
  endsAt: number
  // The tries of this run. Each is made at most once per run.
  tried: Set<TryName>
  // Why tries of this run could not be made, by subject.
  obstacles: Partial<Record<Subject, string>>
  // Says what is being done and, while waiting, until when.
  report: (words: string, untilMs?: number) => void
  // The moments at which tests interrupt a run.
  checkpoint: (name: Checkpoint) => void
}

export type Checkpoint = 'armed' | 'answered' | 'recorded' | 'listed'

// Not a failure: the state is on disk, and the next run continues.
class ProbePaused extends SvcError {
  constructor() {
    super({
      error: 'PENDING',
      kind: 'pending',
      effect: 'done',
      message: 'The probe is not complete: --timeout ran out',
      hint: 'Run `svc probe` again to continue where it stopped',
    })
  }
}

// Ends the run here if less time than this is left. The next run continues it.
export function requireTime({time, endsAt}: ProbeContext, neededMs = 0): void {
  if (time.now() + neededMs >= endsAt) throw new ProbePaused()
}
