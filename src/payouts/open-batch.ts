// Prepares the run of a payout file: its payment context, what the journal has about its rows, and its failure budget.
import {type OpenPaymentContext, type PaymentContextSettings, openPaymentContext} from '../payments/open-context.ts'
import type {ServiceTraits} from '../profiles/service-traits.ts'
import {createFailureBudget, waitForRetryAfter} from './failure-budget.ts'
import {Halt} from './halt.ts'
import type {PayoutRow} from './rows.ts'
import type {Batch} from './run.ts'
import {isCreated, isOpen, readJournalState} from './journal-state.ts'
import type {RowStop} from './row-stop.ts'
import {describeTotals} from './totals.ts'

export const concurrencyDefault = 4

export type OpenBatch = Omit<Batch, 'onBegin' | 'onEnd' | 'context'> & {context: OpenPaymentContext}

export interface BatchSettings extends Pick<PaymentContextSettings, 'connect' | 'spending'> {
  traits: ServiceTraits
  rows: readonly PayoutRow[]
  concurrency?: number | undefined
  'stop-after'?: number | undefined
}

export async function openBatch(settings: BatchSettings): Promise<OpenBatch> {
  const {traits, rows, concurrency = concurrencyDefault, 'stop-after': stopAfter, connect, spending} = settings
  const {serviceId} = traits
  const halt = new Halt()
  const failureBudget = createFailureBudget(halt)
  const context = await openPaymentContext({
    spending,
    traits,
    isGrouped: true,
    waitForRetry: waitForRetryAfter(halt),
    connect: (onReply) =>
      connect((reply) => {
        onReply(reply)
        failureBudget.observe(reply)
      }),
  })
  const journalState = await readJournalState(context.journal, serviceId, rows)
  let isClosed = false
  const close = async () => {
    if (isClosed) return
    isClosed = true
    await context.close()
  }
  return {
    context: {...context, close},
    serviceId,
    rows,
    journalState,
    halt,
    failureBudget,
    concurrency,
    stopAfter,
  }
}

// From so many rows on, reading the list again for each of them takes a noticeable time.
const rowsManyMin = 500

// Says why a long file takes longer than it has to, and what helps.
export function describeSlowness({context, rows, journalState}: OpenBatch): string | undefined {
  const open = rows.filter((row) => isOpen(row, journalState)).length
  if (context.areKeysHonoured || open < rowsManyMin) return undefined
  return `The service is not known to honour idempotency keys, so each of ${open} rows is looked for in its list before it is sent; \`svc probe\` finds out whether that is needed.`
}

// Describes what is left to pay, for the confirmation of the run. Undefined if nothing is left.
export function describeOpenRows({rows, journalState}: OpenBatch, stops: readonly RowStop[]): string | undefined {
  const stopped = new Set(stops.map(({row}) => row.key))
  const left = rows.filter((row) => !isCreated(row, journalState))
  const open = left.filter(({key}) => !stopped.has(key))
  if (open.length === 0) return undefined
  const before = rows.length - left.length
  return [
    describeTotals(open),
    ...(before > 0 ? [`${before} of the file are already made`] : []),
    ...(stopped.size > 0
      ? [
          `${stopped.size} ${stopped.size === 1 ? 'does' : 'do'} not fit the limits and ${stopped.size === 1 ? 'is' : 'are'} not paid`,
        ]
      : []),
  ]
    .join('; ')
    .concat('.')
}
