// Runs checks one after the other. Each becomes a row, also if it throws.
import type {Client} from '../client/client.ts'
import {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import type {TransportOptions} from '../transport.ts'

// A warning still works but needs attention, so only ok and skipped count as healthy (docs/assumptions.md, D1).
export type Outcome = 'ok' | 'warning' | 'failed' | 'skipped'

export interface CheckResult {
  outcome: Outcome
  found: string
  next?: string | undefined
}

export interface CheckRow extends CheckResult {
  check: string
}

// What the checks share: how svc was called, and what earlier checks found for later ones.
export interface CheckContext {
  // The profile that was named with --profile or SVC_PROFILE.
  profileName: string | undefined
  connect: (caller: Caller, more: Partial<TransportOptions>) => Promise<Client>
  // The value of --timeout.
  timeoutMs?: number | undefined
  rows: CheckRow[]
  caller?: Caller
  firstRequest?: FirstRequest
}

// The first request: when it was sent and answered, and its outcome.
export interface FirstRequest {
  sentAtMs: number
  endedAtMs: number
  date?: string | null
  failure?: SvcError
}

export interface Check {
  name: string
  // Checks that must not have failed for this one to make sense.
  after?: readonly string[]
  // Returns undefined if the check does not apply to this caller; then there is no row.
  run: (context: CheckContext) => CheckResult | undefined | Promise<CheckResult | undefined>
}

export const ok = (found: string): CheckResult => ({outcome: 'ok', found})
export const warning = (found: string, next: string): CheckResult => ({outcome: 'warning', found, next})
export const failed = (found: string, next?: string): CheckResult => ({outcome: 'failed', found, next})
export const skipped = (found: string): CheckResult => ({outcome: 'skipped', found})

export async function runChecks(checks: readonly Check[], context: CheckContext, onCheck: (name: string) => void) {
  const {rows} = context
  const isBlocking = (name: string) =>
    rows.some(({check, outcome}) => check === name && (outcome === 'failed' || outcome === 'skipped'))
  for (const {name, after = [], run} of checks) {
    onCheck(name)
    const blocker = after.find(isBlocking)
    const result = blocker ? skipped(`Cannot be checked while ${blocker} is not ok`) : await runCheck(run, context)
    if (result) rows.push({check: name, ...result})
  }
  return rows
}

// An error that a check throws is its result.
async function runCheck(run: Check['run'], context: CheckContext): Promise<CheckResult | undefined> {
  try {
    return await run(context)
  } catch (error) {
    if (error instanceof SvcError) return failed(error.message, error.hint)
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    return failed(`svc could not run this check (${what})`, 'Report it as a bug in svc')
  }
}

export const isHealthy = (rows: readonly CheckRow[]) =>
  rows.every(({outcome}) => outcome === 'ok' || outcome === 'skipped')

// The error with which doctor ends after it has printed the rows, if some are not ok.
export function createUnhealthyError(rows: readonly CheckRow[]): SvcError | undefined {
  if (isHealthy(rows)) return undefined
  const names = rows.filter(({outcome}) => outcome === 'failed' || outcome === 'warning').map(({check}) => check)
  return new SvcError({
    error: 'UNHEALTHY',
    kind: 'finding',
    message: `${names.length} of ${rows.length} checks found a problem: ${names.join(', ')}`,
    hint: 'Each row says what to do next',
  })
}
