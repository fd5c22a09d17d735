// Settles a payment of which nobody knows whether it was made: by the service's list, and by sending the same bytes again.
import {SvcError} from '../errors.ts'
import {heardFailure, heardReply, type Heard} from './answers.ts'
import {differencesIn, matchesOf, oursOf} from './matches.ts'
import {outcomeUnknown, severalMade} from './outcomes.ts'
import {type Attempt, lastAttempt} from './payment.ts'
import type {Fields} from './service.ts'
import {type Hand, committed, withAttempt} from './world.ts'

// How long the service may take to show a transaction in its list; longer than a quote lives (docs/assumptions.md, P3).
export const listLagMaxMs = 6 * 60_000
// With less life left than this a quote is not sent: it could expire on the way.
export const quoteLifeMinMs = 15_000
// The service's clock is known to a second or two.
const clockDoubtMs = 2_000
const resendsMax = 4
const pauseFirstMs = 1_000
const pauseMaxMs = 15_000

// Sends the very bytes of the latest attempt, and says what came of it.
export async function sent({world, payment}: Hand): Promise<Heard> {
  const {bytes, idempotencyKey} = lastAttempt(payment) ?? {}
  if (bytes === undefined || idempotencyKey === undefined) throw new Error(`nothing is armed for ${payment.key}`)
  try {
    return heardReply(await world.service.send(bytes, idempotencyKey), oursOf(payment))
  } catch (error) {
    return heardFailure(error)
  }
}

export function created(hand: Hand, transaction: Fields, what: 'CREATED' | 'ADOPTED'): Hand {
  const transactionId = String(transaction['transactionId'])
  const [difference] = differencesIn(hand.payment, transaction)
  const detail = {transactionId, ...(difference && {difference})}
  return {...committed(hand, {state: 'CREATED', transactionId}, {what, detail}), transaction}
}

// Whatever a second sending is answered, only a transaction of ours settles it: a refusal may mean that the first one won.
async function resend(hand: Hand): Promise<Hand> {
  const {world} = hand
  const {sends = 0} = lastAttempt(hand.payment) ?? {}
  const again = committed(hand, {attempts: withAttempt(hand, {sends: sends + 1})}, {what: 'RESENDING'})
  world.at('resending')
  world.journal.renew(hand.lease)
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
function cleared(hand: Hand, attempt: Attempt, scannedFromMs: number): Hand {
  const {world} = hand
  if (scannedFromMs < attempt.quoteExpiresAt + listLagMaxMs + clockDoubtMs) return hand
  if (attempt.clearSince === undefined) {
    const clearSince = world.clock.now() + clockDoubtMs
    const seen = committed(hand, {attempts: withAttempt(hand, {clearSince})}, {what: 'NOT_FOUND'})
    world.at('cleared')
    return seen
  }
  if (scannedFromMs < attempt.clearSince + listLagMaxMs) return hand
  const gone = committed(hand, {state: 'ABANDONED'}, {what: 'ABANDONED'})
  world.at('abandoned')
  return gone
}

async function scanned(hand: Hand): Promise<Fields[]> {
  try {
    return await matchesOf(hand.world, hand.payment)
  } catch (error) {
    // Without the list nothing is sent again, and nothing is known.
    if (error instanceof SvcError)
      throw outcomeUnknown(hand.payment, `its transactions cannot be listed (${error.message})`, error)
    throw error
  }
}

// One look at the list, and what follows from it.
async function oneRound(hand: Hand, round: number): Promise<Hand> {
  const {world} = hand
  const attempt = lastAttempt(hand.payment)
  if (!attempt) throw new Error(`nothing to settle for ${hand.payment.key}`)
  const scannedFromMs = world.clock.now()
  const [match, ...others] = await scanned(hand)
  world.at('scanned')
  if (match && others.length > 0) {
    throw severalMade(
      hand.payment,
      [match, ...others].map(({transactionId}) => String(transactionId)),
    )
  }
  if (match) {
    const adopted = created(hand, match, 'ADOPTED')
    world.at('adopted')
    return adopted
  }
  const lifeMs = attempt.quoteExpiresAt - world.clock.now()
  if (lifeMs > quoteLifeMinMs && world.mayResend && round < resendsMax) return resend(hand)
  return cleared(hand, attempt, scannedFromMs)
}

// Goes on until it is known, or until this run's patience ends: then it stays UNKNOWN, which the error says.
export async function settled(start: Hand): Promise<Hand> {
  const {world} = start
  let hand = start
  world.clock.assume(lastAttempt(hand.payment)?.serverAheadMs)
  if (hand.payment.state === 'ARMED') {
    const reason = 'the process that sent it ended before it had an answer'
    hand = committed(
      hand,
      {state: 'UNKNOWN', attempts: withAttempt(hand, {reason})},
      {what: 'UNKNOWN', detail: {reason}},
    )
    world.at('unknown')
  }
  for (let round = 0; ; round++) {
    world.journal.renew(hand.lease)
    hand = await oneRound(hand, round)
    if (hand.payment.state !== 'UNKNOWN') return hand
    const pauseMs = Math.min(pauseMaxMs, pauseFirstMs * 2 ** round)
    if (world.patienceMs() < pauseMs) {
      throw outcomeUnknown(hand.payment, lastAttempt(hand.payment)?.reason ?? 'the service did not say')
    }
    await world.pause(pauseMs)
  }
}
