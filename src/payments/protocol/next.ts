// The rules of paying once: what to do next with a payment, from what the journal has, what this run has seen, and the time. Nothing
// here reads or writes anything. Each branch is a step of model/payments.pml, which proves that at most one transaction is made.
import type {LooseTransaction} from '../../contract/loose.ts'
import {quoteLifetimeMs} from '../../contract/vocabulary.ts'
import type {SvcError} from '../../errors.ts'
import type {Entry} from '../journal/journal.ts'
import {type Attempt, type Payment, type PaymentState, getLastAttempt} from './payment.ts'
import type {Reply} from './reply.ts'

export type Ending =
  | {why: 'made' | 'settled' | 'rejected' | 'unsent' | 'expired' | 'listTooSlow'}
  | {why: 'several'; matches: readonly LooseTransaction[]}
  | {why: 'unknown'; reason: string; cause?: SvcError | undefined}

export type Action =
  // Look for the payment in the lists of its customers.
  | {do: 'search'}
  // Ask for a quote that is not used: its expiry tells the service's time.
  | {do: 'askTime'}
  // Give the key the content of this run.
  | {do: 'change'}
  | {do: 'quote'}
  // Write the exact bytes to the journal, or that they are sent again, before the first of them leaves.
  | {do: 'arm'; again: boolean}
  | {do: 'send'; again: boolean}
  // Record that the transaction exists: it was returned by a send of this run, or found in the list.
  | {do: 'create'; transaction: LooseTransaction; wasFound: boolean}
  | {do: 'record'; state: PaymentState; entry: Entry; attempt: Partial<Attempt>}
  | {do: 'wait'; ms: number}
  | ({do: 'end'} & Ending)

// What a search of the lists has found.
export interface Search {
  matches: readonly LooseTransaction[]
  // When the read began, by the service's clock at the earliest, and by that of this machine.
  startedMs: number
  startedLocallyMs: number
  // Until when it has seen everything, in ticks of the clock.
  seenUntilTicks: number
  // Why the lists could not be read to their end.
  failure?: SvcError | undefined
}

// What this run has seen and done.
export interface Seen {
  // Whether it may pay, or only settles what may have been paid.
  mayPay: boolean
  // Whether its content is another than the journal's.
  hasOtherContent: boolean
  // How many quotes it may use: one, if it is given.
  quotesMax: number
  // The quote was made elsewhere, so that it makes one transaction whoever sends it.
  isQuoteGiven: boolean
  quotes: number
  search?: Search | undefined
  // How often it looked at the list since the quote came.
  looks: number
  isArmed: boolean
  // What came of the last send, until it is recorded.
  reply?: Reply | undefined
  // The refusal of this run, and why nothing left this machine.
  rejection?: SvcError | undefined
  unsent?: SvcError | undefined
  resends: number
  // Whether it has asked for the service's time since it last waited.
  hasAskedTime: boolean
  // How often it has waited for an unknown payment, and whether it is time to wait again.
  rounds: number
  isRoundOver: boolean
}

export interface Now {
  // The bounds of the service's time, and the clocks of this machine.
  earliest: number
  latest: number
  // Whether the service has said what time it is there.
  isServiceTimeKnown: boolean
  wall: number
  ticks: number
  // How much longer this run may wait.
  remainingMs: number
}

// What is known about the service, and how long the person waits.
export interface Knowledge {
  // It creates no second transaction for a reused key, whatever the body.
  areKeysHonoured: boolean
  // It creates no second transaction for the same bytes.
  mayResend: boolean
  // How long it may take to list a transaction.
  listLagMaxMs: number
  // Whether the run waits for as long as an unknown payment takes to settle.
  waitsToSettle?: boolean | undefined
}

// A quote that is about to expire is not sent: it could expire on the way.
export const quoteLifeMinMs = 15_000
// The service may run on several machines whose clocks differ a little.
const clockToleranceMs = 2_000
// A search that is older than this is repeated before the payment is armed, so often.
const searchAgeMaxMs = 2_000
const looksMax = 5
const resendsMax = 4
const pauseFirstMs = 1_000
const pauseMaxMs = 15_000
// Why a payment is unknown that nobody works on any more.
export const unheard = 'the process that sent it ended before it had an answer'
// A list that cannot be read when it is time to may be readable a little later.
const settlingDelayMs = 120_000

export const hasLifeLeft = (payment: Payment, {latest}: Pick<Now, 'latest'>): boolean =>
  (getLastAttempt(payment)?.quoteExpiresAt ?? 0) - latest >= quoteLifeMinMs

export const startSeen = (start: Pick<Seen, 'mayPay' | 'hasOtherContent' | 'quotesMax' | 'isQuoteGiven'>): Seen => ({
  ...start,
  quotes: 0,
  looks: 0,
  isArmed: false,
  resends: 0,
  hasAskedTime: false,
  rounds: 0,
  isRoundOver: false,
})

export function next(payment: Payment, seen: Seen, now: Now, known: Knowledge): Action {
  const {state} = payment
  if (seen.isArmed) return {do: 'send', again: state === 'UNKNOWN'}
  if (seen.reply) return hear(payment, seen.reply)
  if (state === 'CREATED') return {do: 'end', why: 'made'}
  // The process that armed it has ended, since this one holds the lease.
  if (state === 'ARMED') return record('UNKNOWN', {reason: unheard})
  if (state === 'UNKNOWN') return settle(payment, seen, now, known)
  // The run that was refused, or could not send, ends here. A later one goes on.
  if (state === 'REJECTED' && seen.rejection) return {do: 'end', why: 'rejected'}
  if (state === 'ABANDONED' && seen.unsent) return {do: 'end', why: 'unsent'}
  return seen.mayPay ? tryToPay(payment, seen, now, known) : {do: 'end', why: 'settled'}
}

// Nothing was made under this key that the journal knows of. Another host may have paid, or this journal may be new.
function tryToPay({state}: Payment, seen: Seen, now: Now, known: Knowledge): Action {
  const {search} = seen
  if (!search) return {do: 'search'}
  const found = takeMatch(search)
  if (found) return found
  if (seen.hasOtherContent) return {do: 'change'}
  if (state !== 'QUOTED' || seen.quotes === 0) {
    return seen.quotes < seen.quotesMax ? {do: 'quote'} : {do: 'end', why: 'expired'}
  }
  // Where keys are not known to be honoured, only the list shows what another host has paid since.
  const isOld = now.ticks - search.seenUntilTicks > searchAgeMaxMs
  if (known.areKeysHonoured || seen.isQuoteGiven || !isOld) return {do: 'arm', again: false}
  return seen.looks < looksMax ? {do: 'search'} : {do: 'end', why: 'listTooSlow'}
}

function takeMatch({matches}: Search): Action | undefined {
  const [match] = matches
  if (matches.length > 1) return {do: 'end', why: 'several', matches}
  return match && {do: 'create', transaction: match, wasFound: true}
}

// What a reply says. Only a transaction of this payment settles it: a refusal is believed once the list has no transaction, and that of
// a second send may mean that the first one succeeded.
function hear({state}: Payment, reply: Reply): Action {
  if (reply.kind === 'created') return {do: 'create', transaction: reply.transaction, wasFound: false}
  const {reason} = reply
  if (state === 'UNKNOWN') return record('UNKNOWN', {reason})
  switch (reply.kind) {
    case 'unsent':
      return record('ABANDONED', {reason, sends: 0})
    case 'rejected':
      return record('UNKNOWN', {reason, ...reply.refusal, isRejectionUnconfirmed: true}, 'REFUSED')
    default:
      return record('UNKNOWN', {reason, ...(reply.statusCode !== undefined && {statusCode: reply.statusCode})})
  }
}

const record = (state: PaymentState, attempt: Partial<Attempt>, what: string = state): Action => ({
  do: 'record',
  state,
  attempt,
  entry: {what, ...(attempt.reason !== undefined && {detail: {reason: attempt.reason}})},
})

// The payment may have been made. The list shows it, or proves that it was not, or the same bytes are sent again.
function settle(payment: Payment, seen: Seen, now: Now, known: Knowledge): Action {
  const {search} = seen
  const last = getLastAttempt(payment)
  const {reason = 'the service did not say'} = last ?? {}
  if (!last || seen.isRoundOver) return waitOrEnd(payment, seen, now, known, {reason})
  if (!search) return {do: 'search'}
  const found = takeMatch(search)
  if (found) return found
  const {failure} = search
  if (failure) {
    const unlisted = {
      reason: `its transactions cannot be listed (${failure.reason ?? failure.message})`,
      cause: failure,
    }
    if (failure.kind !== 'unreachable') return {do: 'end', why: 'unknown', ...unlisted}
    return waitOrEnd(payment, seen, now, known, unlisted)
  }
  if (last.isRejectionUnconfirmed && last.sends === 1) {
    return record('REJECTED', {isRejectionUnconfirmed: false, reason})
  }
  // The clock of this machine alone says neither that a quote lives nor that nothing was made: it
  // may have been changed since.
  const mayAsk = !now.isServiceTimeKnown && !seen.hasAskedTime
  if (known.mayResend && hasLifeLeft(payment, now) && seen.resends < resendsMax) {
    if (mayAsk) return {do: 'askTime'}
    if (now.isServiceTimeKnown) return {do: 'arm', again: true}
  }
  if (provesAbsence(last, search, known)) {
    return last.clearSince === undefined
      ? record('UNKNOWN', {clearSince: now.latest, clearLocallySince: now.wall}, 'NOT_FOUND')
      : record('ABANDONED', {})
  }
  if (mayAsk && provesAbsence(last, {...search, startedMs: Infinity}, known)) return {do: 'askTime'}
  return waitOrEnd(payment, seen, now, known, {reason})
}

// From when on a list that is read proves the payment absent. Two complete lists without it prove
// that: the first one after the quote expired and the list could no longer lag, and the second one
// that much later again. One reply with a wrong Date, or a clock of this machine that was changed,
// must not end the wait, so the time has to be over by both clocks.
function findProofStart(
  {quoteExpiresAt, armedLocallyAt = 0, clearSince, clearLocallySince = 0}: Attempt,
  {listLagMaxMs}: Knowledge,
): {serviceMs: number; localMs: number} {
  const [serviceMs, localMs] =
    clearSince === undefined ? [quoteExpiresAt, armedLocallyAt + quoteLifetimeMs] : [clearSince, clearLocallySince]
  return {serviceMs: serviceMs + listLagMaxMs + clockToleranceMs, localMs: localMs + listLagMaxMs}
}

function provesAbsence(last: Attempt, {startedMs, startedLocallyMs}: Search, known: Knowledge): boolean {
  const {serviceMs, localMs} = findProofStart(last, known)
  return startedMs >= serviceMs && startedLocallyMs >= localMs
}

// When the lists that prove it can be read, by the clock of this machine: two, or the second alone
// if the first was read. The first one is recorded by the latest time that it may be at the service
// by then.
function findProofTimes(payment: Payment, {wall, earliest, latest}: Now, known: Knowledge): number[] {
  const last = getLastAttempt(payment)
  if (!last) return []
  const findTime = (attempt: Attempt) => {
    const {serviceMs, localMs} = findProofStart(attempt, known)
    return Math.max(serviceMs + wall - earliest, localMs)
  }
  const firstMs = findTime(last)
  if (last.clearSince !== undefined) return [firstMs]
  return [firstMs, findTime({...last, clearSince: firstMs + latest - wall, clearLocallySince: firstMs})]
}

// When other runs can settle the payment even if nothing was made. None if one can at any time: the same bytes may be sent again, or
// the list could not be read when it was time to.
export function findSettlingTimes(payment: Payment, now: Now, known: Knowledge): number[] {
  if (known.mayResend && hasLifeLeft(payment, now)) return []
  const times = findProofTimes(payment, now, known)
  return times.every((ms) => ms > now.wall) ? times : []
}

function waitOrEnd(
  payment: Payment,
  {rounds}: Seen,
  now: Now,
  known: Knowledge,
  why: {reason: string; cause?: SvcError},
): Action {
  const ms = Math.min(pauseMaxMs, pauseFirstMs * 2 ** rounds)
  const settledMs = known.waitsToSettle ? (findProofTimes(payment, now, known).at(-1) ?? 0) : 0
  const leftMs = Math.max(now.remainingMs, settledMs === 0 ? 0 : settledMs + settlingDelayMs - now.wall)
  return leftMs < ms ? {do: 'end', why: 'unknown', ...why} : {do: 'wait', ms}
}
