// A payment rehearsed: quoted and judged as it would be, with nothing sent that pays and nothing written into the journal.
import {readPrice, fetchQuote} from './attempt.ts'
import {isSameContent} from './payment-content.ts'
import {LimitReached, checkDailyLimit, checkPaymentLimits, checkPriceLimits} from './limits.ts'
import {findMatches, pickSingleMatch} from './find-transaction.ts'
import {keyUsed, wouldBeStopped} from './payment-errors.ts'
import {type PaymentOrder, type PaymentResult, payOnce} from './pay.ts'
import {type Payment, unsettledStates} from './payment.ts'
import type {Fields} from './service.ts'
import {type ResolvedKey, findEarlierSlots} from './slots.ts'
import type {PaymentContext} from './context.ts'
import type {SvcError} from '../errors.ts'

export type RehearsalResult =
  // It was made before, so a run would send nothing.
  {made: PaymentResult} | {quote: Fields; stop?: SvcError; notices: string[]}

const messages = {
  within: 'The limits would let it pass; nothing was sent.',
  unknown: 'Whether it was made by an earlier run is not known: a run would settle that first.',
  found: (id: unknown) => `The service has it already (${String(id)}): a run would adopt it and pay nothing.`,
  earlier: (key: string) => `The earlier slot ${key} is not settled: a run would settle it first.`,
}

const newPayment = ({intent}: PaymentOrder): Payment => ({
  ...intent,
  state: 'INTENDED',
  attempts: [],
  createdAt: 0,
  updatedAt: 0,
})

function findLimitError(
  context: PaymentContext,
  {limits, intent}: PaymentOrder,
  payment: Payment,
  quote: Fields,
): SvcError | undefined {
  const {serviceId, key, content} = intent
  try {
    checkPriceLimits(limits, content, readPrice(quote))
    checkPaymentLimits(context.spending, content)
    checkDailyLimit(context.spending, content, context.clock.latest(), (of) =>
      context.journal.listSpentAmounts(serviceId, key, of),
    )
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
  if (known && !isSameContent(known.content, content)) throw keyUsed(known)
  if (known?.state === 'CREATED') return {made: await payOnce(context, order)}
  const payment = known ?? newPayment(order)
  const match = pickSingleMatch(payment, await findMatches(context, payment))
  const quote = await fetchQuote(context, content, order.isGuaranteed)
  const stop = findLimitError(context, order, payment, quote)
  const notices = [
    ...findEarlierSlots(context, serviceId, slot).map((earlier) => messages.earlier(earlier.key)),
    ...(match ? [messages.found(match['transactionId'])] : []),
    ...(!match && unsettledStates.includes(payment.state) ? [messages.unknown] : []),
    ...(stop ? [] : [messages.within]),
  ]
  return {quote, ...(stop && {stop}), notices}
}
