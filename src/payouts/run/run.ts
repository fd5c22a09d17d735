// Opens the run of a payout file, and pays its rows, several at a time and each once under its own key, until all have ended or the run
// is stopped.
import type {SvcError} from '../../errors.ts'
import {JournalUnusable} from '../../payments/journal/journal.ts'
import {
  type OpenPaymentContext,
  type PaymentContextSettings,
  openPaymentContext,
} from '../../payments/pay/open-context.ts'
import {concurrencyDefault} from '../../payments/pay/throttle.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {unsettledStates} from '../../payments/protocol/payment.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import {type ReadAccounts, completeRows, createAccountReader} from '../file/complete-rows.ts'
import {type FileProblem, describeLines} from '../file/records.ts'
import type {PayoutRow} from '../file/rows.ts'
import {CustomerLists} from './customer-lists.ts'
import {forEachConcurrently} from './for-each-concurrently.ts'
import {type FailureBudget, Halt, createFailureBudget, waitForRetryAfter} from './halt.ts'
import {type JournalState, readJournalState} from './journal-state.ts'
import {type RowPayer, payRow, sendUnlessEnding} from './pay-row.ts'
import {type PayoutResult, readPaymentsByKey, tellOutcome, toBaseResult} from './result.ts'

// How long one row may wait for another process, or to be settled, while the other rows go on.
const rowWaitMaxMs = 60_000

export interface Run {
  context: PaymentContext
  serviceId: string
  rows: readonly PayoutRow[]
  journalState: JournalState
  halt: Halt
  failureBudget: FailureBudget
  concurrency: number
  // The run stops after this many failed rows.
  stopAfter?: number | undefined
}

export interface OpenRun extends Run {
  context: OpenPaymentContext
  readAccounts: ReadAccounts
  // Rows whose accounts do not decide their route. They are not among `rows`.
  routeProblems: FileProblem[]
}

// `waits` lets a row whose outcome is unknown wait until it is settled.
interface RunSettings extends Pick<PaymentContextSettings, 'connect' | 'controls' | 'waits'> {
  traits: ServiceTraits
  rows: readonly PayoutRow[]
  concurrency?: number | undefined
  'stop-after'?: number | undefined
  // Told if it cannot be opened and an earlier run may have paid.
  alert?: (text: string) => void
}

export async function openRun(settings: RunSettings): Promise<OpenRun> {
  const {traits, rows: written, concurrency = concurrencyDefault, 'stop-after': stopAfter, connect, controls} = settings
  const {serviceId} = traits
  const halt = new Halt()
  const failureBudget = createFailureBudget(halt)
  const context = await openPaymentContext({
    controls,
    traits,
    waits: settings.waits,
    waitForRetry: waitForRetryAfter(halt),
    connect: (onReply) =>
      connect((reply) => {
        onReply(reply)
        failureBudget.observe(reply)
      }),
  })
  const readAccounts = createAccountReader(context.client)
  try {
    const file = {context, serviceId, rows: written, readAccounts, concurrency}
    const {rows, problems: routeProblems} = await completeRows(file)
    const journalState = await readJournalState(context.journal, serviceId, rows)
    return {
      context,
      serviceId,
      rows,
      journalState,
      readAccounts,
      routeProblems,
      halt,
      failureBudget,
      concurrency,
      stopAfter,
    }
  } catch (error) {
    if (settings.alert) await alertUnsettledRows({context, serviceId, rows: written}, settings.alert)
    await context.close()
    throw error
  }
}

// For a run that ends before its first row: names the rows that an earlier run may have paid.
export async function alertUnsettledRows(
  {context, serviceId, rows}: Pick<Run, 'context' | 'serviceId' | 'rows'>,
  alert: (text: string) => void,
): Promise<void> {
  const keys = rows.map(({key}) => key)
  const recorded = await readPaymentsByKey(context.journal, serviceId, keys).catch(() => undefined)
  const unsettled = rows.filter(({key}) => {
    const state = recorded?.get(key)?.payment.state
    return state !== undefined && unsettledStates.includes(state)
  })
  if (unsettled.length === 0) return
  const [were, them] = unsettled.length === 1 ? ['was', 'it'] : ['were', 'them']
  alert(
    `Whether ${describeLines(unsettled)} ${were} paid by an earlier run is not known, and this run has not tried to settle ${them}`,
  )
}

const chooseJournalReason = (error: unknown) =>
  error instanceof JournalUnusable && error.problem === 'busy' ? 'busyJournal' : 'journal'

// Stops the run on errors that would also fail every other row.
function haltOn(error: SvcError, halt: Halt): void {
  if (error.kind === 'unauthenticated') halt.stop('credential')
  else if (error instanceof JournalUnusable) halt.stop(chooseJournalReason(error))
  else if (error.cause instanceof JournalUnusable) halt.stop(chooseJournalReason(error.cause))
  else if (error.kind === 'bug') halt.stop('fault')
}

// What an earlier run made would stop every later run.
const hasJustEndedBadly = ({state, madeBefore}: PayoutResult) => state === 'ENDED_BADLY' && !madeBefore

export interface RowEvents extends Pick<RowPayer, 'findObjection'> {
  onBegin?: (row: PayoutRow) => void
  onEnd: (result: PayoutResult, failure?: SvcError) => void
}

export async function payRows(run: Run, {onBegin, onEnd, findObjection}: RowEvents): Promise<void> {
  const {context, serviceId, rows, journalState, halt, failureBudget, concurrency, stopAfter} = run
  const service = sendUnlessEnding(failureBudget.wrap(context.service), halt)
  const payer: RowPayer = {
    context: {...context, service},
    serviceId,
    lists: new CustomerLists({...context, service}),
    halt,
    rowWaitMs: rowWaitMaxMs,
    findObjection,
  }
  let failures = 0
  const untried: PayoutRow[] = []
  await forEachConcurrently(rows, concurrency, async (row) => {
    if (halt.reason !== undefined) {
      untried.push(row)
      return
    }
    onBegin?.(row)
    const {result, failure} = await payRow(payer, row, journalState.known.get(row.key))
    onEnd(result, failure)
    if (failure) haltOn(failure, halt)
    else if (!hasJustEndedBadly(result)) return
    failures++
    if (stopAfter !== undefined && failures >= stopAfter) halt.stop('failures')
  })
  for (const result of await reportRows(run, untried)) onEnd(result)
}

// What the journal has of rows now. If it cannot be read, what it had before the run. What is not known of a row was not tried by this
// run.
export async function reportRows(
  {context, serviceId, journalState}: Pick<Run, 'context' | 'serviceId' | 'journalState'>,
  rows: readonly PayoutRow[],
  findHeard: (key: string) => PayoutResult | undefined = () => undefined,
  wasMadeBefore = true,
): Promise<PayoutResult[]> {
  const keys = rows.map(({key}) => key)
  const recorded = await readPaymentsByKey(context.journal, serviceId, keys, context.owner).catch((error: unknown) => {
    if (error instanceof JournalUnusable) return undefined
    throw error
  })
  return rows.map((row) => {
    const known = journalState.known.get(row.key)
    const payment = recorded ? recorded.get(row.key) : known && {payment: known}
    return tellOutcome(row, payment, findHeard(row.key) ?? toBaseResult(row, 'NOT_TRIED'), wasMadeBefore)
  })
}
