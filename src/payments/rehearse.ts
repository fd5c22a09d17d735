// A payment rehearsed: quoted and judged as it would be, with nothing sent that pays and nothing written into the journal.
import {priceOf, quoted} from './attempt.ts'
import {isSameContent} from './payment-content.ts'
import {LimitReached, judgeDay, judgePayment, judgePrice} from './limits.ts'
import {matchesOf, onlyMatch} from './find-transaction.ts'
import {otherContent, wouldBeStopped} from './outcomes.ts'
import {type Order, type Paid, payOnce} from './pay.ts'
import {type Payment, unsettledStates} from './payment.ts'
import type {Fields} from './service.ts'
import {type Key, earlierSlots} from './slots.ts'
import type {PaymentContext} from './context.ts'
import type {SvcError} from '../errors.ts'

export type Rehearsed =
  // It was made before, so a run would send nothing.
  {made: Paid} | {quote: Fields; stop?: SvcError; notices: string[]}

const judged = {
  within: 'The limits would let it pass; nothing was sent.',
  unknown: 'Whether it was made by an earlier run is not known: a run would settle that first.',
  found: (id: unknown) => `The service has it already (${String(id)}): a run would adopt it and pay nothing.`,
  earlier: (key: string) => `The earlier slot ${key} is not settled: a run would settle it first.`,
}

const newPayment = ({intent}: Order): Payment => ({
  ...intent,
  state: 'INTENDED',
  attempts: [],
  createdAt: 0,
  updatedAt: 0,
})

function stopOf(world: PaymentContext, {limits, intent}: Order, payment: Payment, quote: Fields): SvcError | undefined {
  const {place, key, content} = intent
  try {
    judgePrice(limits, content, priceOf(quote))
    judgePayment(world.spending, content)
    judgeDay(world.spending, content, world.clock.latest(), (of) => world.journal.spent(place, key, of))
    return undefined
  } catch (error) {
    if (error instanceof LimitReached) return wouldBeStopped(payment, error.message)
    throw error
  }
}

export async function rehearse(world: PaymentContext, order: Order, slot: Key): Promise<Rehearsed> {
  const {place, key, content} = order.intent
  const known = world.journal.find(place, key)
  if (known && !isSameContent(known.content, content)) throw otherContent(known)
  if (known?.state === 'CREATED') return {made: await payOnce(world, order)}
  const payment = known ?? newPayment(order)
  const match = onlyMatch(payment, await matchesOf(world, payment))
  const quote = await quoted(world, content, order.isGuaranteed)
  const stop = stopOf(world, order, payment, quote)
  const notices = [
    ...earlierSlots(world, place, slot).map((earlier) => judged.earlier(earlier.key)),
    ...(match ? [judged.found(match['transactionId'])] : []),
    ...(!match && unsettledStates.includes(payment.state) ? [judged.unknown] : []),
    ...(stop ? [] : [judged.within]),
  ]
  return {quote, ...(stop && {stop}), notices}
}
