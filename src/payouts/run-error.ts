// How a run ends where not every row was made: one exit code and one sentence for all of them.
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
  ['REJECTED', 'refused'],
  ['FAILED', 'failed'],
  ['UNKNOWN', 'unknown'],
  ['IN_PROGRESS', 'in the hands of another process'],
  ['NOT_TRIED', 'not tried'],
]

function describeCounts(results: readonly PayoutResult[]): string {
  const parts = stateLabels
    .map(([state, said]) => [results.filter((row) => row.state === state).length, said] as const)
    .filter(([count]) => count > 0)
    .map(([count, said]) => `${count} ${said}`)
  return `Of ${results.length} ${results.length === 1 ? 'row' : 'rows'}, ${parts.join(', ')}`
}

const reasons: Readonly<Record<StopReason, string>> = {
  SIGINT: 'it was interrupted',
  SIGTERM: 'it was told to stop',
  timeout: '--timeout ran out',
  failures: '--stop-after was reached',
  service: 'the service kept failing',
  credential: 'the credential was refused',
  journal: 'the journal cannot be used',
  fault: 'svc itself failed',
}

const kindsBySignal: Partial<Record<StopReason, ErrorKind>> = {SIGINT: 'interrupted', SIGTERM: 'terminated'}

// Unknown before partly, partly before pending. Where nothing was made, a run ends as its first failure did.
function chooseKind(results: readonly PayoutResult[], first: SvcError | undefined, reason?: StopReason): ErrorKind {
  const signalled = reason && kindsBySignal[reason]
  if (signalled !== undefined) return signalled
  if (results.some(({state}) => state === 'UNKNOWN')) return 'unknownOutcome'
  const failed = results.some(hasFailed)
  if (failed && results.some(hasSucceeded)) return 'partial'
  return failed ? (first?.kind ?? 'partial') : 'pending'
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
  first?: SvcError | undefined
  reason?: StopReason | undefined
  // Whether nobody sees the rows themselves.
  isQuiet?: boolean
  isRehearsal?: boolean
}

const rerunHint = 'Run it again: it goes on with the rows that are open, and pays nothing twice'

export function buildRunError({results: all, first, reason, isQuiet, isRehearsal}: RunOutcome): SvcError | undefined {
  // A rehearsal leaves unknown what was so before it, and finds nothing wrong with that.
  const results = isRehearsal ? all.filter(({state}) => state !== 'UNKNOWN') : all
  if (results.every(hasSucceeded)) return undefined
  const kind = chooseKind(results, first, reason)
  const because = reason ? `; the run was ended since ${reasons[reason]}` : ''
  const failed = results.filter(hasFailed)
  const problems = failed.slice(0, problemsMax).map(({line, error}) => `line ${line}: ${error?.message ?? ''}`)
  const isOwn = first !== undefined && kind === first.kind
  return new SvcError({
    error: errorCodes[kind] ?? first?.error ?? 'PARTLY_DONE',
    kind,
    message: `${describeCounts(results)}${because}`,
    hint: isRehearsal ? 'Nothing was paid' : isOwn && kind === 'unauthenticated' ? first.hint : rerunHint,
    ...(isOwn && first.statusCode !== undefined && {statusCode: first.statusCode}),
    ...(isQuiet && problems.length > 0 && {problems}),
    cause: first,
  })
}
