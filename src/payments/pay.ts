// Pays once for one key, whatever happened before: takes the payment, finds out what is known, and only then goes on.
import {SvcError} from '../errors.ts'
import {attempted} from './attempt.ts'
import {isContentKnown, isSameContent} from './payment-content.ts'
import {type Intent, type Lease, LeaseLost, type Taken} from './journal/journal.ts'
import type {PriceLimits} from './limits.ts'
import {matchesAmong, matchesOf, onlyMatch, transactionOf} from './find-transaction.ts'
import {heldByAnother, otherContent, toldOf} from './outcomes.ts'
import {type Payment, unsettledStates} from './payment.ts'
import type {Fields} from './service.ts'
import {created, settled} from './settle.ts'
import type {LeasedPayment, PaymentContext} from './context.ts'

const leasePollMs = 200
// How often the holder of a lease says that it is still at work, in the middle of a long list too.
const heartbeatMs = 30_000

export interface Order {
  intent: Intent
  limits: PriceLimits
  isGuaranteed: boolean
}

export interface Paid {
  payment: Payment
  // The transaction as the service last showed it; absent where its list does not show it yet.
  transaction?: Fields
  // Why its present state could not be read, which changes nothing of its being made.
  unread?: SvcError
  // Whether it was made before this run, which then wrote nothing.
  wasMade: boolean
}

// The transaction of what was made, as the service shows it now, or why it cannot be shown.
async function presentOf(world: PaymentContext, payment: Payment): Promise<Pick<Paid, 'transaction' | 'unread'>> {
  try {
    const transaction = await transactionOf(world, payment)
    return transaction ? {transaction} : {}
  } catch (error) {
    if (error instanceof SvcError) return {unread: error}
    throw error
  }
}

// One process works on a payment; another waits for it, and reports what it came to.
export async function leased(world: PaymentContext, payment: Payment): Promise<Taken & {waited: boolean}> {
  const {journal, owner} = world
  for (let waited = false; ; waited = true) {
    const taken = journal.take(payment.place, payment.key, owner)
    if (!('heldBy' in taken)) return {...taken, waited}
    if (!waited) world.onHeld?.(payment, taken.heldBy)
    if (world.patienceMs() < leasePollMs) throw heldByAnother(payment, taken.heldBy.pid, taken.heldBy.host)
    await world.pause(leasePollMs)
  }
}

// Another host, or a journal that was lost, may have paid it: the service's list says so.
async function lookedFor(hand: LeasedPayment): Promise<LeasedPayment> {
  const {world, payment} = hand
  const known = await world.listed?.(payment)
  const match = onlyMatch(payment, known ? matchesAmong(payment, known) : await matchesOf(world, payment))
  world.at('looked')
  if (!match) return hand
  const adopted = created(hand, match, 'ADOPTED')
  world.at('adopted')
  return adopted
}

// How a payment that is held is brought to its end.
export type Drive = (hand: LeasedPayment) => Promise<LeasedPayment>

async function driven(start: LeasedPayment): Promise<LeasedPayment> {
  let hand = start
  if (unsettledStates.includes(hand.payment.state)) hand = await settled(hand)
  else if (hand.payment.state !== 'CREATED') hand = await lookedFor(hand)
  return hand.payment.state === 'CREATED' ? hand : attempted(hand)
}

// What one process came to while another waited for it: the other says the same, and does not begin anew by itself.
const endings = new Set(['STOPPED', 'REJECTED'])

// Works under a lease, and gives it back whatever comes of it. That it cannot be said, or given back, changes nothing of
// what was done: the next commit says that it was lost, and it ends with this process.
export async function holding<T>({journal}: PaymentContext, lease: Lease, work: () => Promise<T>): Promise<T> {
  const quietly = (tell: () => void) => {
    try {
      tell()
    } catch {
      return
    }
  }
  const heartbeat = setInterval(() => quietly(() => journal.renew(lease)), heartbeatMs)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    quietly(() => journal.release(lease))
  }
}

async function worked(
  world: PaymentContext,
  {limits, isGuaranteed}: Order,
  payment: Payment,
  drive: Drive,
): Promise<Paid> {
  const {lease, payment: current, waited} = await leased(world, payment)
  return holding(world, lease, async () => {
    world.at('leased')
    if (waited && current.updatedAt !== payment.updatedAt && endings.has(current.state)) throw toldOf(current)
    const wasMade = current.state === 'CREATED'
    const hand = await drive({world, lease, limits, isGuaranteed, payment: current})
    const present = hand.transaction ? {transaction: hand.transaction} : await presentOf(world, hand.payment)
    return {payment: hand.payment, ...present, wasMade}
  })
}

export async function payOnce(world: PaymentContext, order: Order, drive: Drive = driven): Promise<Paid> {
  const payment = world.journal.intend(order.intent)
  world.at('intended')
  const {content} = order.intent
  if (isContentKnown(content) && !isSameContent(payment.content, content)) throw otherContent(payment)
  // What was made is answered from the journal, without taking it and without writing anything.
  if (payment.state === 'CREATED') {
    return {payment, ...(await presentOf(world, payment)), wasMade: true}
  }
  try {
    return await worked(world, order, payment, drive)
  } catch (error) {
    // Another process took over; it is waited for like any other.
    if (error instanceof LeaseLost) return payOnce(world, order, drive)
    throw error
  }
}

// Settles a payment that may have been made: by the list, and by the same bytes while its quote lives; never by a new quote.
export async function settleOnly(world: PaymentContext, payment: Payment): Promise<Payment> {
  try {
    return await settledUnderLease(world, payment)
  } catch (error) {
    if (error instanceof LeaseLost) return settleOnly(world, payment)
    throw error
  }
}

async function settledUnderLease(world: PaymentContext, payment: Payment): Promise<Payment> {
  const {lease, payment: current} = await leased(world, payment)
  return holding(world, lease, async () => {
    if (!unsettledStates.includes(current.state)) return current
    const hand = await settled({world, lease, limits: {}, isGuaranteed: false, payment: current})
    return hand.payment
  })
}
