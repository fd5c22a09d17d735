// The error at the end of a run in which not every row was made: one exit code and one sentence for all rows.
import {type ErrorKind, SvcError} from '../errors.ts'
import type {StopReason} from './halt.ts'
import type {PayoutResult, RowState} from './result.ts'

const failedStates: ReadonlySet<RowState> = new Set(['STOPPED', 'REJECTED', 'FAILED', 'UNKNOWN'])

export const hasFailed = ({state}: PayoutResult) => failedStates.has(state)

const hasSucceeded = ({state}: PayoutResult) => state === 'CREATED' || state === 'READY'

const stateLabels: ReadonlyArray<readonly [RowState, string]> = [
  ['CREATED', 'made'],
  ['READY', 'ready'],
  ['STOPPED', 'stopped by a limit'],
  ['REJECTED', 'rejected'],
  ['FAILED', 'failed'],
  ['UNKNOWN', 'unknown'],
  ['IN_PROGRESS', 'in progress in another process'],
  ['NOT_TRIED', 'not tried'],
]

function describeCounts(results: readonly PayoutResult[]): string {
  const parts = stateLabels
    .map(([state, label]) => [results.filter((row) => row.state === state).length, label] as const)
    .filter(([count]) => count > 0)
    .map(([count, label]) => `${count} ${label}`)
  return `Of ${results.length} ${results.length === 1 ? 'row' : 'rows'}, ${parts.join(', ')}`
}

const reasons: Readonly<Record<StopReason, string>> = {
  SIGINT: 'it was interrupted',
  SIGTERM: 'it was terminated',
  timeout: '--timeout ran out',
  failures: '--stop-after was reached',
  service: 'the service kept failing',
  credential: 'the credential was rejected',
  journal: 'the journal cannot be used',
  fault: 'svc itself failed',
}

const kindsBySignal: Partial<Record<StopReason, ErrorKind>> = {SIGINT: 'interrupted', SIGTERM: 'terminated'}

// Unknown outcomes come first, then partial success, then pending rows. If nothing was made, the first failure decides.
function chooseKind(
  results: readonly PayoutResult[],
  firstFailure: SvcError | undefined,
  reason?: StopReason,
): ErrorKind {
  const signalled = reason && kindsBySignal[reason]
  if (signalled !== undefined) return signalled
  if (results.some(({state}) => state === 'UNKNOWN')) return 'unknownOutcome'
  const failed = results.some(hasFailed)
  if (failed && results.some(hasSucceeded)) return 'partial'
  return failed ? (firstFailure?.kind ?? 'partial') : 'pending'
}

const errorCodes: Partial<Record<ErrorKind, string>> = {
  unknownOutcome: 'OUTCOME_UNKNOWN',
  partial: 'PARTLY_DONE',
  pending: 'PENDING',
  interrupted: 'INTERRUPTED',
  terminated: 'TERMINATED',
}

const problemsMax = 10

export interface RunOutcome {
  results: readonly PayoutResult[]
  firstFailure?: SvcError | undefined
  reason?: StopReason | undefined
  // With --quiet the rows are not printed, so the error lists the failed ones.
  isQuiet?: boolean
  isRehearsal?: boolean
}

const rerunHint = 'Run it again to continue with the rows that are left; nothing is paid twice'

export function buildRunError({
  results: all,
  firstFailure,
  reason,
  isQuiet,
  isRehearsal,
}: RunOutcome): SvcError | undefined {
  // For a rehearsal, an outcome that was unknown before is not a failure.
  const results = isRehearsal ? all.filter(({state}) => state !== 'UNKNOWN') : all
  if (results.every(hasSucceeded)) return undefined
  const kind = chooseKind(results, firstFailure, reason)
  const because = reason ? `; the run stopped because ${reasons[reason]}` : ''
  const failed = results.filter(hasFailed)
  const problems = failed.slice(0, problemsMax).map(({line, error}) => `line ${line}: ${error?.message ?? ''}`)
  const isFirstKind = firstFailure !== undefined && kind === firstFailure.kind
  return new SvcError({
    error: errorCodes[kind] ?? firstFailure?.error ?? 'PARTLY_DONE',
    kind,
    message: `${describeCounts(results)}${because}`,
    hint: isRehearsal ? 'Nothing was paid' : isFirstKind && kind === 'unauthenticated' ? firstFailure.hint : rerunHint,
    ...(isFirstKind && firstFailure.statusCode !== undefined && {statusCode: firstFailure.statusCode}),
    ...(isQuiet && problems.length > 0 && {problems}),
    cause: firstFailure,
  })
}
