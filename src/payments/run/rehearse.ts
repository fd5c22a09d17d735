// Rehearses a payment: requests a quote and checks the limits, without paying and without writing to the journal.
import type {LooseQuote} from '../../contract/loose.ts'
import type {SvcError} from '../../errors.ts'
import {canChangeContent, createKeyUsedError, listContentChanges, rejectPaidElsewhere} from '../protocol/key-use.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {fetchQuote, observeExpiry, readPrice} from '../protocol/fetch-quote.ts'
import {findMatches, pickSingleMatch} from '../protocol/find-transaction.ts'
import {
  LimitReached,
  buildDailyQuery,
  checkDailyLimit,
  checkPaymentLimits,
  checkPriceLimits,
} from '../protocol/limits.ts'
import {type PaymentOrder, type PaymentResult, payOnce} from '../protocol/pay.ts'
import {type Payment, isSameContent, unsettledStates} from '../protocol/payment.ts'
import {wouldBeStopped} from '../protocol/payment-errors.ts'
import {hasRunOut} from '../protocol/send.ts'
import {type ResolvedKey, findEarlierSlots} from '../plan/slots.ts'

export type RehearsalResult =
  // The payment was made before, so a run would send nothing.
  {made: PaymentResult} | {quote: LooseQuote; stop?: SvcError; findings: string[]}

const messages = {
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

async function findLimitError(
  {spending, clock, journal}: PaymentContext,
  {limits, intent}: PaymentOrder,
  payment: Payment,
  quote: LooseQuote,
): Promise<SvcError | undefined> {
  const {serviceId, key, content} = intent
  try {
    checkPriceLimits(limits, content, readPrice(quote))
    checkPaymentLimits(spending, content)
    const query = buildDailyQuery(spending, content, clock.latest())
    checkDailyLimit(spending, content, query ? await journal.listSpentAmounts(serviceId, key, query) : [])
    return undefined
  } catch (error) {
    if (error instanceof LimitReached) return wouldBeStopped(payment, error.message)
    throw error
  }
}

async function requestPrice(
  context: PaymentContext,
  {intent, isGuaranteed}: PaymentOrder,
  earlier: LooseQuote | undefined,
): Promise<LooseQuote> {
  if (earlier && !hasRunOut(context, earlier)) return earlier
  return observeExpiry(context.clock, await fetchQuote(context, intent.content, isGuaranteed))
}

// `earlier` is a quote of the same payment that was requested before. It is used while it is valid.
export async function rehearse(
  context: PaymentContext,
  order: PaymentOrder,
  slot: ResolvedKey,
  earlier?: LooseQuote,
): Promise<RehearsalResult> {
  const {serviceId, key, content} = order.intent
  await rejectPaidElsewhere(context, order.intent)
  const known = await context.journal.find(serviceId, key)
  const isChanged = known !== undefined && !isSameContent(known.content, content)
  if (isChanged && !canChangeContent(known)) throw createKeyUsedError(known, content)
  if (known?.state === 'CREATED') return {made: await payOnce(context, order)}
  const payment = known ?? newPayment(order)
  const match = pickSingleMatch(payment, await findMatches(context, payment))
  if (isChanged && match) throw createKeyUsedError({...known, state: 'CREATED'}, content)
  const quote = await requestPrice(context, order, earlier)
  const stop = (await order.findObjection?.(context, payment)) ?? (await findLimitError(context, order, payment, quote))
  const earlierSlots = await findEarlierSlots(context, serviceId, slot)
  const findings = [
    ...earlierSlots.map((slotBefore) => messages.earlierSlot(slotBefore.key)),
    ...(isChanged ? [messages.changed(key, listContentChanges(known.content, content))] : []),
    ...(match ? [messages.found(match.transactionId)] : []),
    ...(!match && unsettledStates.includes(payment.state) ? [messages.unknown] : []),
  ]
  return {quote, ...(stop && {stop}), findings}
}
