// The error at the end of a run in which not every row was made: one exit code and one sentence for all rows.
import {type ErrorKind, SvcError} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import {isAboutBalance} from '../../payments/protocol/errors.ts'
import {notifyDrained, notifyEnded} from '../../payments/pay/notify-payments.ts'
import {quoteForShell} from '../../values/text.ts'
import type {PayoutRow} from '../file/rows.ts'
import type {StopReason} from './halt.ts'
import {type PayoutResult, describeLines, isUnderWay} from './result.ts'
import {countStates, describeCounts, isIn} from './row-states.ts'

export const hasFailed = ({state}: PayoutResult) => isIn(state, 'failed', 'unknown')

const hasEndedBadly = ({state}: PayoutResult) => state === 'ENDED_BADLY'

const hasSucceeded = ({state}: PayoutResult) => isIn(state, 'made', 'ready')

const reasons: Readonly<Record<StopReason, string>> = {
  SIGINT: 'it was interrupted',
  SIGTERM: 'it was terminated',
  timeout: '--timeout ran out',
  failures: '--stop-after was reached',
  service: 'the service kept failing',
  credential: 'the credential was rejected',
  journal: 'the journal cannot be used',
  busyJournal: 'another process kept the journal busy',
  fault: 'svc itself failed',
}

const kindsBySignal: Partial<Record<StopReason, ErrorKind>> = {SIGINT: 'interrupted', SIGTERM: 'terminated'}

// Unknown outcomes come first, then partial success, then pending rows. If nothing was made, the first failure decides, unless
// another process may be making a row now. A transaction that ended badly was made all the same.
function chooseKind(
  results: readonly PayoutResult[],
  firstFailure: SvcError | undefined,
  reason?: StopReason,
): ErrorKind {
  const signalled = reason && kindsBySignal[reason]
  if (signalled !== undefined) return signalled
  if (results.some(({state}) => state === 'UNKNOWN')) return 'unknownOutcome'
  const failed = results.some(hasFailed)
  if (failed && results.some((row) => hasSucceeded(row) || hasEndedBadly(row))) return 'partial'
  if (!failed) return 'pending'
  return results.some(({state}) => state === 'IN_PROGRESS') ? 'unknownOutcome' : (firstFailure?.kind ?? 'partial')
}

const errorCodes: Partial<Record<ErrorKind, string>> = {
  unknownOutcome: 'OUTCOME_UNKNOWN',
  partial: 'PARTLY_DONE',
  pending: 'PENDING',
  interrupted: 'INTERRUPTED',
  terminated: 'TERMINATED',
}

const problemsMax = 10

interface RunOutcome {
  results: readonly PayoutResult[]
  firstFailure?: SvcError | undefined
  reason?: StopReason | undefined
  // With --quiet the rows are not printed, so the error lists the failed ones.
  isQuiet?: boolean
  isDryRun?: boolean
  // With --wait, rows that were made but have not ended are pending.
  isAwaited?: boolean
  // The clock of a sandbox can be moved.
  isSandbox?: boolean
}

const rerunHint = 'Run it again to continue with the rows that are left; nothing is paid twice'
const newKeyHint = 'To pay again what ended badly, give those rows new keys'
const otherRowsHint = 'other rows continue if you run it again'

const waitAgainHint = 'Run it again with --wait to follow them to their end; nothing is paid twice'
const clockHint = 'In the sandbox, `svc sandbox clock until-idle` moves time'

// The service answers with these if the row itself is wrong. The same row would be rejected again.
const contentStatuses: ReadonlySet<number | undefined> = new Set([400, 404])

const isRejectedForContent = ({state, error}: PayoutResult) =>
  state === 'REJECTED' && contentStatuses.has(error?.statusCode)

const describeCorrection = (rows: readonly PayoutResult[]) =>
  `Correct ${describeLines(rows)}, which the service rejected, and run it again; nothing is paid twice`

const lacksMoney = ({error}: PayoutResult) => error !== undefined && isAboutBalance(error.error)

const describeMissingMoney = (rows: readonly PayoutResult[]) =>
  `The wallet holds too little for ${describeLines(rows)}: add money first, then run it again; nothing is paid twice`

// A new run stops these again, unless the limit, the row or the price is another one by then.
const isOverLimit = ({state, error}: PayoutResult) => state === 'STOPPED' && error?.error === 'LIMIT_REACHED'

function describeOverLimit(rows: readonly PayoutResult[]): string {
  const [limits, fit] =
    rows.length === 1 ? ['limit that stopped it', 'it fits'] : ['limits that stopped them', 'they fit']
  return `Change ${describeLines(rows)} or the ${limits}, or run it again when ${fit}; nothing is paid twice`
}

function chooseHint({results, firstFailure, isDryRun, isSandbox}: RunOutcome, kind: ErrorKind): string | undefined {
  if (isDryRun) return 'Nothing was paid'
  if (results.every(hasSucceeded)) {
    return isSandbox ? `${waitAgainHint}. ${clockHint}` : waitAgainHint
  }
  if (kind === 'unauthenticated' && firstFailure?.kind === kind) return firstFailure.hint
  const wrong = results.filter(isRejectedForContent)
  const lacking = results.filter(lacksMoney)
  const overLimit = results.filter(isOverLimit)
  const badEndings = results.filter(hasEndedBadly)
  const isOver =
    results.filter(hasSucceeded).length + badEndings.length + wrong.length + overLimit.length === results.length
  const hints = [
    ...(wrong.length > 0 ? [describeCorrection(wrong)] : []),
    ...(lacking.length > 0 ? [describeMissingMoney(lacking)] : []),
    ...(overLimit.length > 0 && isOver ? [describeOverLimit(overLimit)] : []),
    ...(kind === 'partial' && badEndings.length > 0 ? [isOver ? newKeyHint : `${newKeyHint}; ${otherRowsHint}`] : []),
  ]
  return hints.length > 0 ? hints.join('. ') : rerunHint
}

export function buildRunError(outcome: RunOutcome): SvcError | undefined {
  const {results: all, firstFailure, reason, isQuiet, isDryRun, isAwaited} = outcome
  // For a dryRun, an outcome that was unknown before is not a failure.
  const results = isDryRun ? all.filter(({state}) => state !== 'UNKNOWN') : all
  const underWay = isAwaited ? results.filter(isUnderWay).length : 0
  if (results.every(hasSucceeded) && underWay === 0) return undefined
  const kind = chooseKind(results, firstFailure, reason)
  const because = reason ? `; the run stopped because ${reasons[reason]}` : ''
  const failed = results.filter(hasFailed)
  const problems = failed.slice(0, problemsMax).map(({line, error}) => `line ${line}: ${error?.message ?? ''}`)
  const isFirstKind = firstFailure !== undefined && kind === firstFailure.kind
  return new SvcError({
    error: errorCodes[kind] ?? firstFailure?.error ?? 'PARTLY_DONE',
    kind,
    message: `${describeCounts(countStates(results), underWay > 0 ? ` (${underWay} not ended yet)` : '')}${because}`,
    hint: chooseHint(outcome, kind),
    ...(isFirstKind && firstFailure.statusCode !== undefined && {statusCode: firstFailure.statusCode}),
    ...(isQuiet && problems.length > 0 && {problems}),
    cause: firstFailure,
  })
}

// What a person may do after a dry run, or after a run. Standard input cannot be read again.
export function describeNextSteps(file: string, results: readonly PayoutResult[], slot?: string): string[] {
  if (file === '-') return []
  const name = `${quoteForShell(file)}${slot === undefined ? '' : ` --slot ${slot}`}`
  if (results.some(({state}) => state === 'READY')) return [`To pay it: \`svc payouts run ${name}\``]
  const isFollowed = results.some(isUnderWay)
  return [
    `To see what became of every row: \`svc payouts status ${name} --rows\``,
    ...(isFollowed ? [`To see how far the payments are: \`svc payouts status ${name}\``] : []),
  ]
}

// Tells a person about rows that need one. Stopped rows are told together, since one cause often stops many.
const keysShownMax = 10

// Tells about one row that has ended. False if it is one of those that are told together.
export function notifyRow(notifier: Notifier, row: Pick<PayoutRow, 'key' | 'content'>, result: PayoutResult): boolean {
  const {state, status = '', transaction, error} = result
  if (state === 'ENDED_BADLY') notifyEnded(notifier, {...row, status, transactionId: transaction})
  if (error && isAboutBalance(error.error)) notifyDrained(notifier, row, error.error)
  return state !== 'STOPPED'
}

// The rows of a file that a limit or a possible duplicate stopped, by the code of what stopped them.
export function notifyRows(
  notifier: Notifier | undefined,
  rows: ReadonlyArray<Pick<PayoutRow, 'key' | 'content'>>,
  results: readonly PayoutResult[],
): void {
  if (!notifier) return
  const rowsByKey = new Map(rows.map((row) => [row.key, row]))
  const stopped = results.filter((result) => {
    const row = rowsByKey.get(result.key)
    return row && !notifyRow(notifier, row, result)
  })
  for (const [code = 'LIMIT_REACHED', group] of Map.groupBy(stopped, ({error}) => error?.error)) {
    const keys = group.map(({key}) => key).toSorted()
    notifier.add({
      event: 'payouts.stopped',
      facts: [code, ...keys],
      detail: {
        rows: keys.length,
        keys: keys.slice(0, keysShownMax),
        error: code,
        reason: group[0]?.error?.message,
        exitCode: 10,
      },
    })
  }
}
