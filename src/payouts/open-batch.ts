// Makes ready all that a run of a payout file works with: its world, what the journal knows of its rows, and its manners.
import {type OpenPaymentContext, type PaymentContextSettings, openPaymentContext} from '../payments/open-context.ts'
import {courtesyOf, waitedQuietly} from './failure-budget.ts'
import {Halt} from './stop-reason.ts'
import type {PayoutRow} from './rows.ts'
import type {Batch} from './run.ts'
import {surveyed} from './journal-state.ts'
import {sumsInWords} from './totals.ts'

export const concurrencyUsual = 4

export type OpenBatch = Omit<Batch, 'onBegin' | 'onEnd' | 'world'> & {world: OpenPaymentContext}

export interface BatchSettings extends Pick<PaymentContextSettings, 'connect' | 'spending' | 'mayResend'> {
  serviceId: string
  rows: readonly PayoutRow[]
  concurrency?: number | undefined
  'stop-after'?: number | undefined
}

export async function openBatch(settings: BatchSettings): Promise<OpenBatch> {
  const {
    serviceId,
    rows,
    concurrency = concurrencyUsual,
    'stop-after': stopAfter,
    connect,
    spending,
    mayResend,
  } = settings
  const halt = new Halt()
  const courtesy = courtesyOf(halt)
  const world = await openPaymentContext({
    spending,
    mayResend,
    isGrouped: true,
    waitForRetry: waitedQuietly(halt),
    connect: (onReply) =>
      connect((reply) => {
        onReply(reply)
        courtesy.hear(reply)
      }),
  })
  const survey = surveyed(world.journal, serviceId, rows)
  return {world, serviceId, rows, survey, halt, courtesy, concurrency, stopAfter}
}

// What whoever is asked for a yes should know: one for the whole file, and none where nothing is left to pay.
export function wordsOfOpen({rows, survey}: OpenBatch): string | undefined {
  const open = rows.filter(({key}) => survey.known.get(key)?.state !== 'CREATED')
  if (open.length === 0) return undefined
  const before = rows.length - open.length
  return `${sumsInWords(open)}${before > 0 ? `; ${before} of the file are made already` : ''}.`
}
