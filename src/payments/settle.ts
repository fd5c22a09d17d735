// Settles a payment of which nobody knows whether it was made: by the service's list, and by sending the same bytes again.
import {SvcError} from '../errors.ts'
import {heardFailure, heardReply, type Heard} from './send-outcome.ts'
import {contentOfTransaction, isContentKnown} from './payment-content.ts'
import {differencesIn, matchesOf, onlyMatch, oursOf} from './find-transaction.ts'
import {outcomeUnknown} from './outcomes.ts'
import {type Attempt, lastAttempt} from './payment.ts'
import type {Fields} from './service.ts'
import {type LeasedPayment, committed, stillHeld, withAttempt} from './context.ts'

// How long the service may take to show a transaction in its list; longer than a quote lives (docs/assumptions.md, P4).
export const listLagMaxMs = 6 * 60_000
// With less life left than this a quote is not sent: it could expire on the way.
export const quoteLifeMinMs = 15_000
// The service may have several machines, whose clocks differ a little.
const clockDoubtMs = 2_000
const resendsMax = 4
const pauseFirstMs = 1_000
const pauseMaxMs = 15_000

// Sends the very bytes of the latest attempt, and says what came of it.
export async function sent({world, payment}: LeasedPayment): Promise<Heard> {
  const {bytes, idempotencyKey} = lastAttempt(payment) ?? {}
  if (bytes === undefined || idempotencyKey === undefined) throw new Error(`nothing is armed for ${payment.key}`)
  try {
    return heardReply(await world.service.send(bytes, idempotencyKey), oursOf(payment))
  } catch (error) {
    return heardFailure(error)
  }
}

export function created(hand: LeasedPayment, transaction: Fields, what: 'CREATED' | 'ADOPTED'): LeasedPayment {
  const transactionId = String(transaction['transactionId'])
  const madeAt = Date.parse(String(transaction['createdAt']))
  const [difference] = differencesIn(hand.payment, transaction)
  const detail = {transactionId, ...(difference && {difference})}
  const {content} = hand.payment
  const change = {
    state: 'CREATED',
    transactionId,
    content: isContentKnown(content) ? content : contentOfTransaction(transaction),
    ...(!Number.isNaN(madeAt) && {madeAt}),
  } as const
  return {...committed(hand, change, {what, detail}), transaction}
}

// What is left of the quote's life, at the least.
export const lifeOf = ({world, payment}: LeasedPayment) =>
  (lastAttempt(payment)?.quoteExpiresAt ?? 0) - world.clock.latest()

// Whatever a second sending is answered, only a transaction of ours settles it: a refusal may mean that the first one won.
async function resend(hand: LeasedPayment): Promise<LeasedPayment> {
  const {world} = hand
  const {sends = 0} = lastAttempt(hand.payment) ?? {}
  const again = committed(hand, {attempts: withAttempt(hand, {sends: sends + 1})}, {what: 'RESENDING'})
  world.at('resending')
  stillHeld(again)
  if (lifeOf(again) < quoteLifeMinMs) return again
  const heard = await sent(again)
  world.at('reanswered')
  if (heard.kind === 'created') {
    const made = created(again, heard.transaction, 'CREATED')
    world.at('created')
    return made
  }
  const reason = heard.kind === 'ambiguous' ? heard.reason : heard.error.message
  return committed(again, {attempts: withAttempt(again, {reason})}, {what: 'UNKNOWN', detail: {reason}})
}

// Past the quote's life and the list's lag, two complete lists without it, that far apart, prove that it was never made.
function cleared(hand: LeasedPayment, attempt: Attempt, scannedFromMs: number): LeasedPayment {
  const {world} = hand
  if (scannedFromMs < attempt.quoteExpiresAt + listLagMaxMs + clockDoubtMs) return hand
  if (attempt.clearSince === undefined) {
    const clearSince = world.clock.latest()
    const seen = committed(hand, {attempts: withAttempt(hand, {clearSince})}, {what: 'NOT_FOUND'})
    world.at('cleared')
    return seen
  }
  if (scannedFromMs < attempt.clearSince + listLagMaxMs + clockDoubtMs) return hand
  const gone = committed(hand, {state: 'ABANDONED'}, {what: 'ABANDONED'})
  world.at('abandoned')
  return gone
}

// The list could not be read now, and may be in a while.
class Unlisted extends Error {
  override name = 'Unlisted'
}

async function scanned(hand: LeasedPayment): Promise<Fields[]> {
  try {
    return await matchesOf(hand.world, hand.payment)
  } catch (error) {
    // Without the list nothing is sent again, and nothing is known.
    if (!(error instanceof SvcError) || error.kind === 'unknownOutcome') throw error
    const why = `its transactions cannot be listed (${error.message})`
    if (error.kind === 'unreachable') throw new Unlisted(why, {cause: error})
    throw outcomeUnknown(hand.payment, why, error)
  }
}

// One look at the list, and what follows from it.
async function oneRound(hand: LeasedPayment, mayResend: boolean): Promise<LeasedPayment> {
  const {world} = hand
  const {clock} = world
  const attempt = lastAttempt(hand.payment)
  if (!attempt) throw new Error(`nothing to settle for ${hand.payment.key}`)
  const beganAt = clock.ticks()
  const match = onlyMatch(hand.payment, await scanned(hand))
  // The service's clock may be known only since the list was read, so the start of it is counted back.
  const scannedFromMs = clock.earliest() - Math.ceil(clock.ticks() - beganAt)
  world.at('scanned')
  if (match) {
    const adopted = created(hand, match, 'ADOPTED')
    world.at('adopted')
    return adopted
  }
  if (mayResend && lifeOf(hand) > quoteLifeMinMs) return resend(hand)
  return cleared(hand, attempt, scannedFromMs)
}

// An armed payment that is found is one whose sender is gone.
function known(hand: LeasedPayment): LeasedPayment {
  if (hand.payment.state === 'UNKNOWN') return hand
  const reason = 'the process that sent it ended before it had an answer'
  const attempts = withAttempt(hand, {reason})
  const unknown = committed(hand, {state: 'UNKNOWN', attempts}, {what: 'UNKNOWN', detail: {reason}})
  hand.world.at('unknown')
  return unknown
}

// Goes on until it is known, or until this run's patience ends: then it stays UNKNOWN, which the error says.
export async function settled(start: LeasedPayment): Promise<LeasedPayment> {
  const {world} = start
  world.clock.assume(lastAttempt(start.payment)?.serverAheadMs)
  let hand = known(start)
  const sendsBefore = lastAttempt(hand.payment)?.sends ?? 0
  for (let round = 0; ; round++) {
    stillHeld(hand)
    const {sends = 0, reason = 'the service did not say'} = lastAttempt(hand.payment) ?? {}
    let why = reason
    try {
      hand = await oneRound(hand, world.mayResend && sends - sendsBefore < resendsMax)
    } catch (error) {
      if (!(error instanceof Unlisted)) throw error
      why = error.message
    }
    if (hand.payment.state !== 'UNKNOWN') return hand
    const pauseMs = Math.min(pauseMaxMs, pauseFirstMs * 2 ** round)
    if (world.patienceMs() < pauseMs) throw outcomeUnknown(hand.payment, why)
    await world.pause(pauseMs)
  }
}
