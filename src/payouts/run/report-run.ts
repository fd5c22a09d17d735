// What a run says in the end: one exit code and one sentence for all rows, and who is notified.
import {type ErrorKind, SvcError} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import {isAboutBalance} from '../../payments/protocol/errors.ts'
import {notifyDrainedWallet, notifyBadEnding} from '../../payments/context/notify-payments.ts'
import {svc} from '../../values/text.ts'
import type {PayoutRow} from '../file/rows.ts'
import {type StopReason, stopReasons} from './halt.ts'
import {type PayoutResult, isUnderWay, listUnreadable} from './result.ts'
import {
  type RowCounts,
  countStates,
  describeCounts,
  failedStates,
  hasTransaction,
  isIn,
  openStates,
  sumCounts,
} from './row-states.ts'

export const hasFailed = ({state}: PayoutResult) => isIn(state, 'failed', 'unknown')

const hasSucceeded = ({state}: PayoutResult) => isIn(state, 'made', 'ready')

// Nothing was sent for a row that could not be looked for, so what kept it from that decides about the exit code.
const mayHaveSent = ({state, error}: PayoutResult) => state === 'UNKNOWN' && error?.error !== listUnreadable

const kindsBySignal: Partial<Record<StopReason, ErrorKind>> = {SIGINT: 'interrupted', SIGTERM: 'terminated'}

interface RunOutcome {
  results: readonly PayoutResult[]
  // Of rows, in the order in which they came.
  failures: readonly SvcError[]
  reason?: StopReason | undefined
  isDryRun?: boolean
  // With --wait, rows that were made but have not ended are pending.
  isAwaited?: boolean
  // The clock of a sandbox can be moved.
  isSandbox?: boolean | undefined
}

// Unknown outcomes come first, then partial success, then pending rows. If nothing was made, the first failure decides, unless
// another process may be making a row now. A transaction that ended badly was made all the same.
function chooseKind({results, failures, reason}: RunOutcome): ErrorKind {
  const signalled = reason && kindsBySignal[reason]
  if (signalled !== undefined) return signalled
  if (results.some(mayHaveSent)) return 'unknownOutcome'
  const failed = results.some(hasFailed)
  if (failed && results.some((row) => hasSucceeded(row) || row.state === 'ENDED_BADLY')) return 'partial'
  if (!failed) return 'pending'
  return results.some(({state}) => state === 'IN_PROGRESS') ? 'unknownOutcome' : (failures[0]?.kind ?? 'partial')
}

const errorCodes: Partial<Record<ErrorKind, string>> = {
  unknownOutcome: 'OUTCOME_UNKNOWN',
  partial: 'PARTLY_DONE',
  pending: 'PENDING',
  interrupted: 'INTERRUPTED',
  terminated: 'TERMINATED',
}

const otherKeysHint =
  'Keys of the file were paid with other content. Give them other keys: until then, a run pays none of its rows'
const newKeysHint = 'To pay again what ended badly, give those rows new keys'

// What is unknown says from when on another run can settle it.
function chooseHint({results, failures, isDryRun, isSandbox}: RunOutcome, kind: ErrorKind): string | undefined {
  if (isDryRun) return 'Nothing was paid'
  if (results.every(hasSucceeded)) {
    const moveClock = isSandbox ? '. In the sandbox, `svc sandbox clock until-idle` moves time' : ''
    return `Run it again with --wait to follow them to their end; nothing is paid twice${moveClock}`
  }
  const own = failures.find((failure) => failure.kind === kind)
  if ((kind === 'unauthenticated' || kind === 'unknownOutcome') && own?.hint) return own.hint
  return results.every((row) => hasSucceeded(row) || row.state === 'ENDED_BADLY')
    ? newKeysHint
    : 'Run it again to continue with the rows that are left; nothing is paid twice'
}

export function buildRunError(outcome: RunOutcome): SvcError | undefined {
  const {reason, isDryRun, isAwaited, failures} = outcome
  // For a dry run, an outcome that was unknown before is not a failure.
  const isNew = ({state}: PayoutResult) => state !== 'UNKNOWN' && state !== 'IN_PROGRESS'
  const results = isDryRun ? outcome.results.filter(isNew) : outcome.results
  const underWay = isAwaited ? results.filter(isUnderWay).length : 0
  if (results.every(hasSucceeded) && underWay === 0) return undefined
  const kind = chooseKind({...outcome, results})
  const because = reason ? `; the run stopped because ${stopReasons[reason]}` : ''
  const [first] = failures
  return new SvcError({
    error: errorCodes[kind] ?? first?.error ?? 'PARTLY_DONE',
    kind,
    message: `${describeCounts(countStates(results), underWay > 0 ? ` (${underWay} not ended yet)` : '')}${because}`,
    hint: chooseHint(outcome, kind),
    ...(kind === first?.kind && first.statusCode !== undefined && {statusCode: first.statusCode}),
    cause: first,
  })
}

// The rows of a file or a batch as they were counted, and what to do about them.
export interface CountedRows {
  name: string
  counts: RowCounts
  // How what is unknown becomes known, how rows that failed are tried again, and how the others are
  // paid.
  settle: string
  retry: string
  goOn: string
  // The code of what keeps the rows of a paused batch from being paid, such as a missing approval.
  refusal?: string | undefined
}

// The advice on a file. Its run refuses all rows if one has a key that was paid with other content,
// and leaves those that another process is paying.
export function describeFile(file: string, slot: string | undefined, results: readonly PayoutResult[]) {
  const args = slot === undefined ? [file] : [file, '--slot', slot]
  const again = svc`payouts run ${args}`
  const clashes = results.filter(({error}) => error?.error === 'KEY_USED')
  const otherKeys = clashes.length > 0 ? otherKeysHint : undefined
  const unsettled = clashes.find(({state}) => state === 'UNKNOWN')
  const canRetry = results.some(({state}) => isIn(state, 'failed', 'open') && !hasTransaction(state))
  const retry = canRetry ? `Run the file again, which tries again what was not made: ${again}` : newKeysHint
  const isPaying = results.some(({state}) => state === 'IN_PROGRESS')
  return {
    name: file,
    settle: unsettled
      ? `Settle what the key was sent for before: ${svc`journal settle ${unsettled.key}`}`
      : (otherKeys ?? `Run the file again to settle them: ${again}`),
    retry: otherKeys ?? retry,
    goOn: isPaying
      ? `Another process is paying: wait, and look again with ${svc`payouts status ${args}`}`
      : `Pay what is left: ${again}`,
  }
}

// Why rows end a command with another code than 0: unknown outcomes before rows that failed, before
// rows that may not be paid, before rows that are still to be paid.
const rowProblems: ReadonlyArray<{
  kind: ErrorKind
  sentence: string
  has: (rows: CountedRows) => boolean
  hint: (rows: CountedRows) => string
}> = [
  {
    kind: 'unknownOutcome',
    sentence: 'The outcome of some rows is unknown',
    has: ({counts}) => sumCounts(counts, ['UNKNOWN']) > 0,
    hint: ({settle}) => `${settle}; nothing is paid twice`,
  },
  {
    // The sentence does not say "not paid": the service may have made what it refused, and another
    // batch may have paid what failed here.
    kind: 'partial',
    sentence: 'Not all rows ended well',
    has: ({counts}) => sumCounts(counts, [...failedStates, 'CANCELLED']) > 0,
    hint: ({retry}) => retry,
  },
  {
    kind: 'limit',
    sentence: 'Some rows may not be paid',
    has: ({counts, refusal}) => refusal !== undefined && sumCounts(counts, openStates) > 0,
    hint: ({goOn}) => goOn,
  },
  {
    kind: 'pending',
    sentence: 'Not all rows have ended',
    has: ({counts}) => sumCounts(counts, openStates) > 0,
    hint: ({goOn}) => goOn,
  },
]

// The error with which `svc payouts status` and a worker end. Undefined if every row was made.
export function buildRowsError(all: readonly CountedRows[]): SvcError | undefined {
  for (const {kind, sentence, has, hint} of rowProblems) {
    const own = all.filter(has)
    const [first] = own
    if (!first) continue
    const described = own.map(({name, counts}) => `${name}: ${describeCounts(counts)}`).join('; ')
    const error = errorCodes[kind] ?? first.refusal ?? ''
    return new SvcError({error, kind, message: `${sentence} (${described})`, hint: hint(first)})
  }
  return undefined
}

// Tells a person about one row that has ended. False if it is one of those that are told together.
export function notifyRow(notifier: Notifier, row: Pick<PayoutRow, 'key' | 'content'>, result: PayoutResult): boolean {
  const {state, status = '', transaction, error} = result
  if (state === 'ENDED_BADLY') notifyBadEnding(notifier, {...row, status, transactionId: transaction})
  if (error && isAboutBalance(error.error)) notifyDrainedWallet(notifier, row, error.error)
  return state !== 'STOPPED'
}

const keysShownMax = 10

// Rows that were stopped for one reason, which is told once for a batch: a limit may stop all of its rows.
export function notifyStopped(notifier: Notifier, rows: readonly PayoutResult[], batch?: string): void {
  const {error, message: reason} = rows[0]?.error ?? {error: 'LIMIT_REACHED', message: undefined}
  const keys = rows.map(({key}) => key).toSorted()
  const detail = {batch, rows: keys.length, keys: keys.slice(0, keysShownMax), error, reason, exitCode: 10}
  notifier.add({event: 'payouts.stopped', facts: batch === undefined ? [error, ...keys] : [batch, error], detail})
}

// Stopped rows are told together, by the code of what stopped them, since one cause often stops many.
export function notifyRows(
  notifier: Notifier | undefined,
  rows: readonly PayoutRow[],
  results: readonly PayoutResult[],
): void {
  if (!notifier) return
  const rowsByKey = new Map(rows.map((row) => [row.key, row]))
  const stopped = results.filter((result) => {
    const row = rowsByKey.get(result.key)
    return row && !notifyRow(notifier, row, result)
  })
  for (const group of Map.groupBy(stopped, ({error}) => error?.error).values()) notifyStopped(notifier, group)
}
