// Opens the run of a payout file: its connections, its rows as they are paid, and what the journal has of them.
import {JournalUnusable} from '../../payments/journal/journal.ts'
import {
  type OpenPaymentContext,
  type PaymentContextSettings,
  openPaymentContext,
} from '../../payments/context/open-context.ts'
import {concurrencyDefault} from './for-each-concurrently.ts'
import {unsettledStates} from '../../payments/protocol/payment.ts'
import {countNoun} from '../../values/text.ts'
import {completeRows} from '../file/complete-rows.ts'
import {type FileProblem, describeLines} from '../file/records.ts'
import {type PayoutFile, type PayoutRow, rejectFile} from '../file/rows.ts'
import {type FailureBudget, Halt, createFailureBudget, endListsAfter, waitForRetryAfter} from './halt.ts'
import {type PayoutResult, type RecordedPayment, readPayments, tellOutcome} from './result.ts'
import {hasTransaction} from './row-states.ts'

export interface OpenRun {
  context: OpenPaymentContext
  serviceId: string
  // Those that can be paid, and what is wrong with the others.
  rows: readonly PayoutRow[]
  problems: FileProblem[]
  // What the journal had of the rows when the run was opened, by key, and what that says of each row.
  known: ReadonlyMap<string, RecordedPayment>
  told: ReadonlyMap<string, PayoutResult>
  halt: Halt
  failureBudget: FailureBudget
  concurrency: number
}

// `waits` lets a row whose outcome is unknown wait until it is settled.
export interface RunSettings extends Pick<PaymentContextSettings, 'traits' | 'connect' | 'controls' | 'waits'> {
  written: PayoutFile
  concurrency?: number | undefined
  // Told if it cannot be opened and an earlier run may have paid.
  alert?: (text: string) => void
}

export async function openRun(settings: RunSettings): Promise<OpenRun> {
  const {traits, written, concurrency = concurrencyDefault, connect, controls, waits} = settings
  const {serviceId} = traits
  const halt = new Halt()
  const failureBudget = createFailureBudget(halt)
  const opened = await openPaymentContext({
    controls,
    traits,
    waits,
    waitForRetry: waitForRetryAfter(halt),
    connect: (onReply) =>
      connect((reply) => {
        onReply(reply)
        failureBudget.observe(reply)
      }),
  })
  const context = {...opened, service: endListsAfter(halt, opened.service)}
  try {
    const known = await readPayments(context.journal, serviceId, written.rows)
    const completed = await completeRows(context, serviceId, written.rows, concurrency).catch((error: unknown) => {
      if (settings.alert) alertUnsettled({rows: written.rows, known}, settings.alert)
      // What is wrong with the file is known without the service.
      rejectFile(written.file, written.problems)
      throw error
    })
    const {rows} = completed
    const problems = [...written.problems, ...completed.problems]
    const told = new Map(rows.map((row) => [row.key, tellOutcome(row, known.get(row.key))]))
    return {context, serviceId, rows, problems, known, told, halt, failureBudget, concurrency}
  } catch (error) {
    await context.close()
    throw error
  }
}

// For a run that ends before its first row: names the rows that an earlier run may have paid.
export function alertUnsettled({rows, known}: Pick<OpenRun, 'rows' | 'known'>, alert: (text: string) => void): void {
  const unsettled = rows.filter(({key}) => {
    const state = known.get(key)?.payment.state
    return state !== undefined && unsettledStates.includes(state)
  })
  if (unsettled.length === 0) return
  const [were, them] = unsettled.length === 1 ? ['was', 'it'] : ['were', 'them']
  alert(
    `Whether ${describeLines(unsettled)} ${were} paid by an earlier run is not known, and this run has not tried to settle ${them}`,
  )
}

// Whether a row is still to be paid: no transaction exists or may exist for it.
export const isOpen = ({state}: PayoutResult): boolean =>
  !hasTransaction(state) && state !== 'UNKNOWN' && state !== 'IN_PROGRESS'

const changesShownMax = 50

// Says which rows have other content than before, under which nothing can have been made, and how it differs.
export function describeChangedRows({told}: OpenRun, isDryRun: boolean): string[] {
  const changed = [...told.values()].filter(({changes}) => changes)
  if (changed.length === 0) return []
  const more = changed.length - changesShownMax
  return [
    `${countNoun(changed.length, 'row')} had other content in an earlier run, which paid nothing for it; ${isDryRun ? 'a run would pay' : 'svc pays'} what the file has now`,
    ...changed
      .slice(0, changesShownMax)
      .map(({line, key, changes = []}) => `  line ${line}, ${key}: ${changes.join('; ')}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ]
}

// What the journal has of rows now. If it cannot be read, what it had before the run.
export async function reportRows(
  {context, serviceId, known}: OpenRun,
  rows: readonly PayoutRow[],
  heard: ReadonlyMap<string, PayoutResult> = new Map(),
): Promise<PayoutResult[]> {
  const recorded = await readPayments(context.journal, serviceId, rows, context.owner).catch((error: unknown) => {
    if (error instanceof JournalUnusable) return known
    throw error
  })
  return rows.map((row) => tellOutcome(row, recorded.get(row.key), heard.get(row.key)))
}
