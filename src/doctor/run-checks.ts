// Carries out checks one after the other, and makes a row of whatever comes of each, failures included.
import type {Client} from '../client/client.ts'
import {SvcError} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import type {TransportOptions} from '../transport.ts'
import type {ShapeProblem} from '../contract/shape.ts'

// One way in which replies differ from the contract, with how often it occurred.
export interface Drift {
  // Without list positions, such as customers[].riskTier.
  path: string
  kind: ShapeProblem['kind']
  count: number
  // What is wrong, or the value of a coded field that is not known.
  detail: string
}

// A warning works today and wants a hand all the same; so healthy is only what is ok or has nothing to be checked
// (docs/assumptions.md, D1).
export type Outcome = 'ok' | 'warning' | 'failed' | 'skipped'

export interface CheckResult {
  outcome: Outcome
  found: string
  next?: string | undefined
  drift?: readonly Drift[]
}

export interface CheckRow extends CheckResult {
  check: string
}

// What the checks share: how svc was called, and what the earlier ones learned for the later ones.
export interface CheckContext {
  // The profile that was named with --profile or SVC_PROFILE.
  profileName: string | undefined
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
  run: (context: CheckContext) => CheckResult | undefined | Promise<CheckResult | undefined>
}

export const ok = (found: string): CheckResult => ({outcome: 'ok', found})
export const warning = (found: string, next: string): CheckResult => ({outcome: 'warning', found, next})
export const failed = (found: string, next?: string): CheckResult => ({outcome: 'failed', found, next})
export const skipped = (found: string): CheckResult => ({outcome: 'skipped', found})

// What a check throws is what it found.
function toFailedResult(error: unknown): CheckResult {
  if (error instanceof SvcError) return failed(error.message, error.hint)
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return failed(`svc could not carry out this check (${what})`, 'Report it to whoever makes svc')
}

const isBlocking = ({rows}: CheckContext, name: string) => {
  const outcome = rows.find(({check}) => check === name)?.outcome
  return outcome === 'failed' || outcome === 'skipped'
}

export async function runChecks(checks: readonly Check[], context: CheckContext, onCheck: (name: string) => void) {
  for (const {name, after = [], run} of checks) {
    const blocker = after.find((earlier) => isBlocking(context, earlier))
    onCheck(name)
    const result = blocker ? skipped(`Cannot be checked while ${blocker} is not well`) : await runCheck(run, context)
    if (result) context.rows.push(toRow(name, result))
  }
  return context.rows
}

async function runCheck(run: Check['run'], context: CheckContext): Promise<CheckResult | undefined> {
  try {
    return await run(context)
  } catch (error) {
    return toFailedResult(error)
  }
}

const toRow = (check: string, {outcome, found, next, drift}: CheckResult): CheckRow => ({
  check,
  outcome,
  found,
  ...(next && {next}),
  ...(drift && {drift}),
})

export const isHealthy = (rows: readonly CheckRow[]) =>
  rows.every(({outcome}) => outcome === 'ok' || outcome === 'skipped')

// How doctor ends once the rows are printed, where they are not all well.
export function createUnhealthyError(rows: readonly CheckRow[]): SvcError | undefined {
  if (isHealthy(rows)) return undefined
  const names = rows.filter(({outcome}) => outcome === 'failed' || outcome === 'warning').map(({check}) => check)
  return new SvcError({
    error: 'UNHEALTHY',
    kind: 'finding',
    message: `${names.length} of ${rows.length} checks found something: ${names.join(', ')}`,
    hint: 'Each says what to do next',
  })
}
