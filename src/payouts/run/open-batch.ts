// Prepares the run of a payout file: its payment context, what the journal has about its rows, and its failure budget.
import {
  type OpenPaymentContext,
  type PaymentContextSettings,
  openPaymentContext,
} from '../../payments/run/open-context.ts'
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import {type ReadAccounts, createAccountReader} from '../file/account-lists.ts'
import {completeRows} from '../file/complete-rows.ts'
import {createFailureBudget, waitForRetryAfter} from './failure-budget.ts'
import {Halt} from './halt.ts'
import type {FileProblem} from '../file/records.ts'
import type {PayoutRow} from '../file/rows.ts'
import type {Batch} from './run.ts'
import {isOpen, readJournalState} from './journal-state.ts'

export const concurrencyDefault = 4

export type OpenBatch = Omit<Batch, 'onBegin' | 'onEnd' | 'context'> & {
  context: OpenPaymentContext
  readAccounts: ReadAccounts
  // Rows whose accounts do not decide their route. They are not among `rows`.
  routeProblems: FileProblem[]
}

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
    await close()
    throw error
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
