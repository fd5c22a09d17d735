// Carries out checks one after the other, and makes a row of whatever comes of each, failures included.
import type {Client} from '../client/client.ts'
import {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import type {TransportOptions} from '../transport.ts'
import type {Drift} from './drift.ts'

// A warning works today and wants a hand all the same; so healthy is only what is ok or has nothing to be checked
// (docs/assumptions.md, D1).
export type Outcome = 'ok' | 'warning' | 'failed' | 'skipped'

export interface Verdict {
  outcome: Outcome
  found: string
  next?: string | undefined
  drift?: readonly Drift[]
}

export interface CheckRow extends Verdict {
  check: string
}

// What the checks share: how svc was called, and what the earlier ones learned for the later ones.
export interface Patient {
  // The profile that was named with --profile or SVC_PROFILE.
  named: string | undefined
  connect: (caller: Caller, more: Partial<TransportOptions>) => Promise<Client>
  // The whole wait, where it has a limit.
  timeoutMs?: number | undefined
  rows: CheckRow[]
  caller?: Caller
  client?: Client
  probe?: Probe
  customers?: ReadonlyArray<Record<string, unknown>>
  // The path at which the single read of the customer that is looked at answers.
  customerPath?: string
}

// The first request: when it left and came back, and what came of it.
export interface Probe {
  sentAtMs: number
  endedAtMs: number
  elapsedMs: number
  date?: string | null
  failure?: SvcError
}

export interface Check {
  name: string
  // What must have gone well for this check to mean anything.
  after?: readonly string[]
  // Undefined where the check has no meaning for this caller, and so no row.
  examine: (patient: Patient) => Verdict | undefined | Promise<Verdict | undefined>
}

export const ok = (found: string): Verdict => ({outcome: 'ok', found})
export const warning = (found: string, next: string): Verdict => ({outcome: 'warning', found, next})
export const failed = (found: string, next?: string): Verdict => ({outcome: 'failed', found, next})
export const skipped = (found: string): Verdict => ({outcome: 'skipped', found})

// What a check throws is what it found.
function verdictOf(error: unknown): Verdict {
  if (error instanceof SvcError) return failed(error.message, error.hint)
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return failed(`svc could not carry out this check (${what})`, 'Report it to whoever makes svc')
}

const isInTheWay = ({rows}: Patient, name: string) => {
  const outcome = rows.find(({check}) => check === name)?.outcome
  return outcome === 'failed' || outcome === 'skipped'
}

export async function examine(checks: readonly Check[], patient: Patient, onCheck: (name: string) => void) {
  for (const {name, after = [], examine: look} of checks) {
    const blocker = after.find((earlier) => isInTheWay(patient, earlier))
    onCheck(name)
    const verdict = blocker ? skipped(`Cannot be checked while ${blocker} is not well`) : await lookedAt(look, patient)
    if (verdict) patient.rows.push(rowOf(name, verdict))
  }
  return patient.rows
}

async function lookedAt(look: Check['examine'], patient: Patient): Promise<Verdict | undefined> {
  try {
    return await look(patient)
  } catch (error) {
    return verdictOf(error)
  }
}

const rowOf = (check: string, {outcome, found, next, drift}: Verdict): CheckRow => ({
  check,
  outcome,
  found,
  ...(next && {next}),
  ...(drift && {drift}),
})

export const isHealthy = (rows: readonly CheckRow[]) =>
  rows.every(({outcome}) => outcome === 'ok' || outcome === 'skipped')

// How doctor ends once the rows are printed, where they are not all well.
export function unhealthy(rows: readonly CheckRow[]): SvcError | undefined {
  if (isHealthy(rows)) return undefined
  const names = rows.filter(({outcome}) => outcome === 'failed' || outcome === 'warning').map(({check}) => check)
  return new SvcError({
    error: 'UNHEALTHY',
    kind: 'finding',
    message: `${names.length} of ${rows.length} checks found something: ${names.join(', ')}`,
    hint: 'Each says what to do next',
  })
}
