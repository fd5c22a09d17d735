// Resolves a payment whose outcome is unknown: looks for it in the service's list, and sends the same bytes again.
import {SvcError} from '../../errors.ts'
import type {LeasedPayment, PaymentContext} from './context.ts'
import {type Search, clockToleranceMs, findMatches, pickSingleMatch} from './find-transaction.ts'
import {adopt} from './key-use.ts'
import {renewLease} from './lease.ts'
import {type Attempt, type Payment, getLastAttempt} from './payment.ts'
import {outcomeUnknown} from './payment-errors.ts'
import {commitChange, recordCreated, recordRejected, recordUnknown, updateLastAttempt} from './record.ts'
import {quoteLifetimeMs} from './service.ts'
import {getQuoteLifeLeft, quoteLifeMinMs, transmit} from './send.ts'

const resendsMax = 4
const pauseFirstMs = 1_000
const pauseMaxMs = 15_000
// A list that cannot be read when it is time to may be readable a little later.
const settlingDelayMs = 120_000

// Only a transaction of this payment settles it. A rejection of the second send may mean that the first one succeeded.
async function resend(context: PaymentContext, leased: LeasedPayment): Promise<LeasedPayment> {
  const {sends = 0} = getLastAttempt(leased.payment) ?? {}
  const attempts = updateLastAttempt(leased, {sends: sends + 1})
  const resending = await commitChange(context, leased, {attempts}, {what: 'RESENDING'})
  context.checkpoint('resending')
  await renewLease(context, resending)
  if (getQuoteLifeLeft(context, resending) < quoteLifeMinMs) return resending
  const outcome = await transmit(context, resending)
  context.checkpoint('resent')
  if (outcome.kind === 'created') return recordCreated(context, resending, outcome.transaction, 'CREATED')
  const reason = outcome.kind === 'unknown' ? outcome.reason : outcome.error.message
  const change = {attempts: updateLastAttempt(resending, {reason})}
  return commitChange(context, resending, change, {what: 'UNKNOWN', detail: {reason}})
}

// When a list may be read that proves the payment absent, by the clock of this machine: two such lists, or the second alone if the
// first was read.
function findProofTimes({clock, listLagMaxMs}: PaymentContext, payment: Payment): number[] {
  const {quoteExpiresAt = 0, armedLocallyAt = 0, clearSince, clearLocallySince = 0} = getLastAttempt(payment) ?? {}
  const behindMs = clock.wall() - clock.earliest()
  const findProofTime = (serviceMs: number, localMs: number) =>
    Math.max(serviceMs + clockToleranceMs + behindMs, localMs) + listLagMaxMs
  const expiredLocallyAt = armedLocallyAt + quoteLifetimeMs
  if (clearSince !== undefined) return [findProofTime(clearSince, Math.max(clearLocallySince, expiredLocallyAt))]
  const firstMs = findProofTime(quoteExpiresAt, armedLocallyAt)
  return [firstMs, findProofTime(firstMs - behindMs, Math.max(firstMs, expiredLocallyAt))]
}

// How much longer the loop below may go on.
function getSettlingTimeLeft(context: PaymentContext, payment: Payment): number {
  if (!context.waitsToSettle) return context.remainingMs()
  const settledMs = findProofTimes(context, payment).at(-1) ?? 0
  return Math.max(context.remainingMs(), settledMs + settlingDelayMs - context.clock.wall())
}

// When other runs can settle the payment even if nothing was made. None if one can at any time: the same bytes may be sent again, or
// the list could not be read when it was time to.
export function findSettlingTimes(context: PaymentContext, payment: Payment): number[] {
  if (context.mayResend && getQuoteLifeLeft(context, {payment}) > quoteLifeMinMs) return []
  const times = findProofTimes(context, payment)
  return times.every((ms) => ms > context.clock.wall()) ? times : []
}

const describeNextRun = (context: PaymentContext, payment: Payment) => ({
  canResend: context.mayResend,
  settlingTimes: findSettlingTimes(context, payment),
})

// A payment is proved absent by two complete lists without it: one read after the quote expired and the list could no longer
// lag, and another read that much later again.
async function checkAbsence(
  context: PaymentContext,
  leased: LeasedPayment,
  {quoteExpiresAt, armedLocallyAt = 0, clearSince, clearLocallySince = 0}: Attempt,
  scannedFromMs: number,
  scannedLocallyFromMs: number,
): Promise<LeasedPayment> {
  const {clock, listLagMaxMs} = context
  // One reply with a wrong Date must not end the wait, so the clock of this machine has to agree that the time is over.
  const hasPassed = (serviceMs: number, localMs: number) =>
    scannedFromMs >= serviceMs + listLagMaxMs + clockToleranceMs && scannedLocallyFromMs >= localMs + listLagMaxMs
  if (!hasPassed(quoteExpiresAt, armedLocallyAt)) return leased
  if (clearSince === undefined) {
    const attempts = updateLastAttempt(leased, {clearSince: clock.latest(), clearLocallySince: clock.wall()})
    const absent = await commitChange(context, leased, {attempts}, {what: 'NOT_FOUND'})
    context.checkpoint('absent')
    return absent
  }
  if (!hasPassed(clearSince, Math.max(clearLocallySince, armedLocallyAt + quoteLifetimeMs))) return leased
  const abandoned = await commitChange(context, leased, {state: 'ABANDONED'}, {what: 'ABANDONED'})
  context.checkpoint('abandoned')
  return abandoned
}

// The list cannot be read now, but may be readable later.
class ListUnavailable extends Error {
  override name = 'ListUnavailable'
}

async function scanList(context: PaymentContext, {payment}: LeasedPayment): Promise<Search> {
  try {
    return await findMatches(context, payment)
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind === 'unknownOutcome') throw error
    const reason = `its transactions cannot be listed (${error.message})`
    if (error.kind === 'unreachable') throw new ListUnavailable(reason, {cause: error})
    throw outcomeUnknown(payment, reason, {...describeNextRun(context, payment), cause: error})
  }
}

// Reads the list once, then adopts what it found, confirms a rejection, sends again, or checks for absence. Nothing is sent
// without the list.
async function runRound(context: PaymentContext, leased: LeasedPayment, mayResend: boolean): Promise<LeasedPayment> {
  const {payment} = leased
  const attempt = getLastAttempt(payment)
  if (!attempt) throw new Error(`nothing to settle for ${payment.key}`)
  const startedLocallyMs = context.clock.wall()
  const search = await scanList(context, leased)
  const match = pickSingleMatch(payment, search.matches)
  const afterSearch = {...leased, searchedTicks: search.seenUntilTicks}
  const isRejectionConfirmed = attempt.isRejectionUnconfirmed === true && attempt.sends === 1
  context.checkpoint(isRejectionConfirmed ? 'confirmed' : 'scanned')
  if (match) return adopt(context, leased, match)
  if (isRejectionConfirmed) return recordRejected(context, afterSearch)
  if (mayResend && getQuoteLifeLeft(context, leased) > quoteLifeMinMs) return resend(context, leased)
  return checkAbsence(context, afterSearch, attempt, search.startedMs, startedLocallyMs)
}

// If this process holds the lease of an armed payment, the process that armed it has ended.
async function markUnknown(context: PaymentContext, leased: LeasedPayment): Promise<LeasedPayment> {
  if (leased.payment.state === 'UNKNOWN') return leased
  return recordUnknown(context, leased, 'the process that sent it ended before it had an answer')
}

// Returns once the payment is CREATED, REJECTED or ABANDONED. If the time for waiting ends first, it stays UNKNOWN, and an error
// says so.
export async function settleUnknown(context: PaymentContext, start: LeasedPayment): Promise<LeasedPayment> {
  context.clock.assumeOffset(getLastAttempt(start.payment)?.serverAheadMs)
  let leased = await markUnknown(context, start)
  const sendsBefore = getLastAttempt(leased.payment)?.sends ?? 0
  for (let round = 0; ; round++) {
    await renewLease(context, leased)
    const {sends = 0, reason = 'the service did not say'} = getLastAttempt(leased.payment) ?? {}
    let why = reason
    try {
      leased = await runRound(context, leased, context.mayResend && sends - sendsBefore < resendsMax)
    } catch (error) {
      if (!(error instanceof ListUnavailable)) throw error
      why = error.message
    }
    if (leased.payment.state !== 'UNKNOWN') return leased
    const pauseMs = Math.min(pauseMaxMs, pauseFirstMs * 2 ** round)
    if (getSettlingTimeLeft(context, leased.payment) < pauseMs)
      throw outcomeUnknown(leased.payment, why, describeNextRun(context, leased.payment))
    await context.pause(pauseMs)
  }
}
