// Pays the rows of a file, several at a time and each once under its own key, until all have ended or the run is stopped.
import {SvcError} from '../../errors.ts'
import {JournalUnusable} from '../../payments/journal/journal.ts'
import type {PaymentContext} from '../../payments/protocol/context.ts'
import {unsettledStates} from '../../payments/protocol/payment.ts'
import {
  type OpenPaymentContext,
  type PaymentContextSettings,
  openPaymentContext,
} from '../../payments/pay/open-context.ts'
import {concurrencyDefault} from '../../payments/pay/throttle.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import {type ReadAccounts, completeRows, createAccountReader} from '../file/complete-rows.ts'
import type {FileProblem} from '../file/records.ts'
import type {PayoutRow} from '../file/rows.ts'
import {createServiceLists} from './customer-lists.ts'
import {type FailureBudget, Halt, createFailureBudget, waitForRetryAfter} from './halt.ts'
import {type ChangedRow, type JournalState, getKnownPayment, isOpen, readJournalState} from './journal-state.ts'
import {type RowPayer, processRow, sendUnlessEnding} from './pay-row.ts'
import {type PayoutResult, describeLines, toBaseResult} from './result.ts'
import {type RecordedPayment, readPaymentsByKey, tellOutcome} from './row-outcome.ts'

// How long one row may wait for another process, or to be settled, while the other rows go on.
const rowWaitMaxMs = 60_000

export interface Batch {
  context: PaymentContext
  serviceId: string
  rows: readonly PayoutRow[]
  journalState: JournalState
  halt: Halt
  failureBudget: FailureBudget
  concurrency: number
  // The run stops after this many failed rows.
  stopAfter?: number | undefined
  // What speaks against paying a row, besides what was checked for the whole file.
  findObjection?: RowPayer['findObjection']
  onBegin?: (row: PayoutRow) => void
  onChanged?: (row: ChangedRow) => void
  onEnd: (result: PayoutResult, failure?: SvcError) => void
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

export async function runBatch(batch: Batch): Promise<void> {
  const {context, serviceId, rows, journalState, halt, failureBudget, stopAfter, onEnd} = batch
  const service = sendUnlessEnding(failureBudget.wrap(context.service), halt)
  const serviceLists = createServiceLists({...context, service}, serviceId, rows, journalState)
  const batchContext: PaymentContext = {
    ...context,
    service,
    readListed: ({key, content}, freshFrom) => serviceLists.find({key, customerId: content.customerId}, freshFrom),
  }
  const payer: RowPayer = {
    context: batchContext,
    serviceId,
    halt,
    rowWaitMs: rowWaitMaxMs,
    findIfReadable: ({key, content}) => serviceLists.findIfReadable({key, customerId: content.customerId}),
    findObjection: batch.findObjection,
    onChanged: (row, changes) => batch.onChanged?.({...row, changes}),
  }
  let failures = 0
  let next = 0
  const workOn = async (row: PayoutRow) => {
    batch.onBegin?.(row)
    const {result, failure} = await processRow(payer, row, journalState.known.get(row.key))
    onEnd(result, failure)
    if (failure) haltOn(failure, halt)
    else if (!hasJustEndedBadly(result)) return
    failures++
    if (stopAfter !== undefined && failures >= stopAfter) halt.stop('failures')
  }
  await runInPlaces(batch.concurrency, () => {
    const row = halt.reason === undefined ? rows[next] : undefined
    if (!row) return undefined
    next += 1
    return workOn(row)
  })
  const untried = rows.slice(next)
  for (const result of await reportRows(batch, untried)) onEnd(result)
}

// Begins with as many as there are places for, and with another one whenever one has ended. Ends when `begin` has no more.
function runInPlaces(places: number, begin: () => Promise<void> | undefined): Promise<void> {
  let running = 0
  return new Promise((resolve, reject) => {
    const goOn = () => {
      while (running < places) {
        const work = begin()
        if (!work) break
        running += 1
        const end = () => {
          running -= 1
          return goOn()
        }
        work.then(end, reject)
      }
      if (running === 0) resolve()
    }
    goOn()
  })
}

// What the journal has of rows now. If it cannot be read, what it had before the run. What is not known of a row was not tried by this run.
export async function reportRows(
  {context, serviceId, journalState}: Pick<Batch, 'context' | 'serviceId' | 'journalState'>,
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
    const known = recorded ? undefined : getKnownPayment(row, journalState)
    const payment = recorded ? recorded.get(row.key) : known && {payment: known}
    return tellOutcome(row, payment, findHeard(row.key) ?? toBaseResult(row, 'NOT_TRIED'), wasMadeBefore)
  })
}

// For a run that ends before its first row: names the rows that an earlier run may have paid.
async function describeUnsettledRows(
  {journal}: Pick<PaymentContext, 'journal'>,
  serviceId: string,
  rows: readonly PayoutRow[],
): Promise<string | undefined> {
  const keys = rows.map(({key}) => key)
  const recorded = await readPaymentsByKey(journal, serviceId, keys).catch(() => new Map<string, RecordedPayment>())
  const unsettled = rows.filter(({key}) => {
    const state = recorded.get(key)?.payment.state
    return state !== undefined && unsettledStates.includes(state)
  })
  if (unsettled.length === 0) return undefined
  const [were, them] = unsettled.length === 1 ? ['was', 'it'] : ['were', 'them']
  return `Whether ${describeLines(unsettled)} ${were} paid by an earlier run is not known, and this run has not tried to settle ${them}`
}

// Prepares the run of a payout file: its payment context, what the journal has about its rows, and its failure budget.
export type OpenBatch = Omit<Batch, 'onBegin' | 'onEnd' | 'context'> & {
  context: OpenPaymentContext
  readAccounts: ReadAccounts
  // Rows whose accounts do not decide their route. They are not among `rows`.
  routeProblems: FileProblem[]
}

interface BatchSettings extends Pick<PaymentContextSettings, 'connect' | 'controls'> {
  traits: ServiceTraits
  rows: readonly PayoutRow[]
  concurrency?: number | undefined
  'stop-after'?: number | undefined
  // Told if it cannot be opened and an earlier run may have paid.
  alert?: (text: string) => void
}

export async function openBatch(settings: BatchSettings): Promise<OpenBatch> {
  const {traits, rows, concurrency = concurrencyDefault, 'stop-after': stopAfter, connect, controls} = settings
  const {serviceId} = traits
  const halt = new Halt()
  const failureBudget = createFailureBudget(halt)
  const context = await openPaymentContext({
    controls,
    traits,
    waitForRetry: waitForRetryAfter(halt),
    connect: (onReply) =>
      connect((reply) => {
        onReply(reply)
        failureBudget.observe(reply)
      }),
  })
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await context.close()
  }
  const readAccounts = createAccountReader(context.client)
  try {
    const file = {context, serviceId, rows, readAccounts, concurrency}
    const {rows: completed, problems: routeProblems} = await completeRows(file)
    const journalState = await readJournalState(context.journal, serviceId, completed)
    return {
      context: {...context, close},
      readAccounts,
      serviceId,
      rows: completed,
      routeProblems,
      journalState,
      halt,
      failureBudget,
      concurrency,
      stopAfter,
    }
  } catch (error) {
    if (settings.alert) await alertUnsettledRows({context, serviceId, rows}, settings.alert)
    await close()
    throw error
  }
}

// An error before the first row is about this run. Earlier ones may have paid.
export async function alertUnsettledRows(
  {context, serviceId, rows}: Pick<Batch, 'context' | 'serviceId' | 'rows'>,
  alert: (text: string) => void,
): Promise<void> {
  const unsettled = await describeUnsettledRows(context, serviceId, rows)
  if (unsettled !== undefined) alert(unsettled)
}

// From so many rows on, reading the list again for each of them takes a noticeable time.
const rowsManyMin = 500

// Says why a long file takes longer than it has to, and what helps.
export function describeSlowness({context, rows, journalState}: OpenBatch): string | undefined {
  const open = rows.filter((row) => isOpen(row, journalState)).length
  if (context.areKeysHonoured || open < rowsManyMin) return undefined
  return `The service is not known to honour idempotency keys, so each of ${open} rows is looked for in its list before it is sent. If it honours them, \`svc profiles set NAME --resend yes\` saves that.`
}
