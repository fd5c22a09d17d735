// Rehearses a payment: requests a quote and checks the limits, without paying and without writing to the journal.
import type {LooseQuote} from '../contract/loose.ts'
import type {SvcError} from '../errors.ts'
import {canChangeContent, listContentChanges} from './change-content.ts'
import type {PaymentContext} from './context.ts'
import {fetchQuote, readPrice} from './fetch-quote.ts'
import {findMatches, pickSingleMatch} from './find-transaction.ts'
import {LimitReached, checkDailyLimit, checkPaymentLimits, checkPriceLimits} from './limits.ts'
import {type PaymentOrder, type PaymentResult, payOnce} from './pay.ts'
import {type Payment, unsettledStates} from './payment.ts'
import {isSameContent} from './payment-content.ts'
import {keyUsed, wouldBeStopped} from './payment-errors.ts'
import {type ResolvedKey, findEarlierSlots} from './slots.ts'

export type RehearsalResult =
  // The payment was made before, so a run would send nothing.
  {made: PaymentResult} | {quote: LooseQuote; stop?: SvcError; notices: string[]}

const messages = {
  withinLimits: 'No limit would stop it; nothing was sent.',
  unknown: 'The outcome of an earlier run is unknown: a run would settle it first.',
  found: (id: unknown) => `The service already has it (${String(id)}): a run would adopt it and pay nothing.`,
  changed: (key: string, changes: readonly string[]) =>
    `The key ${key} has other content, under which nothing was made: a run would change it (${changes.join('; ')}).`,
  earlierSlot: (key: string) => `The earlier slot ${key} is not settled: a run would settle it first.`,
}

const newPayment = ({intent}: PaymentOrder): Payment => ({
  ...intent,
  state: 'INTENDED',
  attempts: [],
  createdAt: 0,
  updatedAt: 0,
})

function findLimitError(
  {spending, clock, journal}: PaymentContext,
  {limits, intent}: PaymentOrder,
  payment: Payment,
  quote: LooseQuote,
): SvcError | undefined {
  const {serviceId, key, content} = intent
  try {
    checkPriceLimits(limits, content, readPrice(quote))
    checkPaymentLimits(spending, content)
    checkDailyLimit(spending, content, clock.latest(), (query) => journal.listSpentAmounts(serviceId, key, query))
    return undefined
  } catch (error) {
    if (error instanceof LimitReached) return wouldBeStopped(payment, error.message)
    throw error
  }
}

export async function rehearse(
  context: PaymentContext,
  order: PaymentOrder,
  slot: ResolvedKey,
): Promise<RehearsalResult> {
  const {serviceId, key, content} = order.intent
  const known = context.journal.find(serviceId, key)
  const isChanged = known !== undefined && !isSameContent(known.content, content)
  if (isChanged && !canChangeContent(known)) throw keyUsed(known)
  if (known?.state === 'CREATED') return {made: await payOnce(context, order)}
  const payment = known ?? newPayment(order)
  const match = pickSingleMatch(payment, await findMatches(context, payment))
  if (isChanged && match) throw keyUsed({...known, state: 'CREATED'})
  const quote = await fetchQuote(context, content, order.isGuaranteed)
  const stop = findLimitError(context, order, payment, quote)
  const notices = [
    ...findEarlierSlots(context, serviceId, slot).map((earlier) => messages.earlierSlot(earlier.key)),
    ...(isChanged ? [messages.changed(key, listContentChanges(known.content, content))] : []),
    ...(match ? [messages.found(match.transactionId)] : []),
    ...(!match && unsettledStates.includes(payment.state) ? [messages.unknown] : []),
    ...(stop ? [] : [messages.withinLimits]),
  ]
  return {quote, ...(stop && {stop}), notices}
}
