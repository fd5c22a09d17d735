// Checks a payment without making it: requests a quote and checks the limits, without paying and without writing to the journal.
import type {LooseQuote} from '../../contract/loose.ts'
import type {SvcError} from '../../errors.ts'
import {isSameContent, listContentChanges} from '../protocol/compare.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {type PaymentOrder, type PaymentResult, hasRunOut, payOnce} from '../protocol/drive.ts'
import {wouldBeStopped} from '../protocol/errors.ts'
import {canChangeContent, createKeyUsedError, rejectPaidElsewhere} from '../protocol/key-use.ts'
import {
  LimitReached,
  buildDailyQuery,
  checkDailyLimit,
  checkPaymentLimits,
  checkPriceLimits,
} from '../protocol/limits.ts'
import {type Payment, unsettledStates} from '../protocol/payment.ts'
import {fetchQuote, observeExpiry, readPrice} from '../protocol/quote.ts'
import {findMatches, pickSingleMatch} from '../protocol/search.ts'
import {findEarlierSlots} from './slots.ts'

// With `made`, the payment was made before, so a run would send nothing. `findings` say what a run would do first.
type CheckedOrder = {made: PaymentResult} | {quote: LooseQuote; stop?: SvcError | undefined; findings: string[]}

async function findLimitError(
  {controls: {spending = {}}, clock, journal}: PaymentContext,
  {limits, intent: {serviceId, key, content}}: PaymentOrder,
  payment: Payment,
  quote: LooseQuote,
): Promise<SvcError | undefined> {
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

// `earlier` is a quote of the same payment that was requested before. It is used while it is valid.
export async function checkOrder(
  context: PaymentContext,
  order: PaymentOrder,
  earlier: LooseQuote | undefined,
): Promise<CheckedOrder> {
  const {intent, isGuaranteed} = order
  const {serviceId, key, content} = intent
  await rejectPaidElsewhere(context, intent)
  const known = await context.journal.find(serviceId, key)
  const isChanged = known !== undefined && !isSameContent(known.content, content)
  if (isChanged && !canChangeContent(known)) throw createKeyUsedError(known, content)
  if (known?.state === 'CREATED') return {made: await payOnce(context, order)}
  const payment: Payment = known ?? {...intent, state: 'INTENDED', attempts: [], createdAt: 0, updatedAt: 0}
  const match = pickSingleMatch(payment, (await findMatches(context, payment)).matches)
  if (isChanged && match) throw createKeyUsedError({...known, state: 'CREATED'}, content)
  const quote =
    earlier && !hasRunOut(context, earlier)
      ? earlier
      : observeExpiry(context.clock, await fetchQuote(context, content, isGuaranteed))
  const stop = (await order.findObjection?.(context, payment)) ?? (await findLimitError(context, order, payment, quote))
  const findings = (await findEarlierSlots(context, serviceId, [intent])).map(
    (slot) => `The earlier slot ${slot.earlier.key} is not settled: a run would settle it first.`,
  )
  if (isChanged) {
    const changes = listContentChanges(known.content, content).join('; ')
    findings.push(`The key ${key} has other content, under which nothing was made: a run would change it (${changes}).`)
  }
  if (match) {
    const id = String(match.transactionId)
    findings.push(`The service already has it (${id}): a run would adopt it and pay nothing.`)
  } else if (unsettledStates.includes(payment.state)) {
    findings.push('The outcome of an earlier run is unknown: a run would settle it first.')
  }
  return {quote, stop, findings}
}
