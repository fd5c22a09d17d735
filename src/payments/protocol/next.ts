// The rules of paying once. `next` says what to do next with a payment, from what the journal has,
// what this run has seen, and the time; `observe` says what a run has seen after a step. Neither
// reads or writes anything. Each branch is a step of model/payments.pml, which proves that at most
// one transaction is made.
import type {LooseTransaction} from '../../contract/loose.ts'
import {quoteLifetimeMs} from '../../contract/vocabulary.ts'
import type {SvcError} from '../../errors.ts'
import type {Entry} from '../journal/journal.ts'
import {
  type Attempt,
  type AttemptChange,
  type Payment,
  type PaymentState,
  getLastAttempt,
  unsettledStates,
} from './payment.ts'
import type {Reply} from './reply.ts'

export type Ending =
  // `checked`: a dry run has its price. `endedElsewhere`: another process, which was waited for,
  // was stopped or refused. `keyUsed`: a dry run with other content has found a transaction.
  | {why: 'made' | 'settled' | 'checked' | 'endedElsewhere' | 'keyUsed' | 'expired' | 'listTooSlow'}
  | {why: 'rejected' | 'unsent'; error: SvcError}
  | {why: 'several'; matches: readonly LooseTransaction[]}
  | {why: 'unknown'; reason: string; cause?: SvcError | undefined}

// The states that are recorded with a change of the last attempt.
type RecordedState = Exclude<PaymentState, 'CREATED'>

export type Action =
  // Take the lease on the payment, and go on with the payment as its last holder left it.
  | {do: 'lease'}
  // Look for the payment in the lists of its customers: in a list that is read now, or in one that
  // this process has read for other payments.
  | {do: 'search'; isFresh: boolean}
  // Ask for a quote that is not used: its expiry tells the service's time.
  | {do: 'askTime'}
  // Give the key the content of this run.
  | {do: 'change'}
  | {do: 'quote'}
  // Check the limits of the run, and ask whoever has to say yes to the price.
  // `match` is the transaction that a run which pays would adopt.
  | {do: 'confirm'; match?: LooseTransaction | undefined}
  // Write the exact bytes to the journal, or that they are sent again, before the first of them
  // leaves.
  | {do: 'arm'; again: boolean}
  // Make sure that the lease is still held, just before the first byte leaves.
  | {do: 'renew'}
  | {do: 'send'; again: boolean}
  // Record that the transaction exists: it was returned by a send of this run, or found in the
  // list.
  | {do: 'create'; transaction: LooseTransaction; wasFound: boolean}
  | {do: 'record'; state: RecordedState; entry: Entry; attempt: AttemptChange}
  | {do: 'wait'; ms: number}
  | ({do: 'end'} & Ending)

// The result of an action.
export type Event =
  // `wasEnded` says whether another process, which this one waited for, was stopped or refused.
  // `isOther` says whether the payment is not as this run has read it before.
  | {what: 'leased'; isOther: boolean; wasEnded: boolean; hasOtherContent: boolean}
  | {what: 'searched'; search: Search}
  | {what: 'asked'; isTimeKnown: boolean}
  | {what: 'changed'; isOtherCustomer: boolean}
  | {what: 'quoted' | 'confirmed' | 'renewed' | 'created' | 'waited'}
  | {what: 'armed'; again: boolean}
  | {what: 'sent'; again: boolean; reply: Reply}
  | {what: 'recorded'; state: PaymentState}

// The result of a search in the lists.
export interface Search {
  matches: readonly LooseTransaction[]
  // The time at which the read began: the earliest by the service's clock, and that of this
  // machine.
  startedMs: number
  startedLocallyMs: number
  // The time until which everything was seen, in ticks of the clock.
  seenUntilTicks: number
  // The failure, if the lists could not be read to their end.
  failure?: SvcError | undefined
}

// The aim of a run: to pay, only to settle what may have been paid, or only to check what a run
// that pays would do.
export type Aim = 'pay' | 'settle' | 'check'

// The state of a run: what it has seen and done so far.
export interface Seen {
  aim: Aim
  // Whether a person is asked about the price. Whoever asks takes the lease after the yes.
  asksPerson: boolean
  // Whether the run asks for other content than the journal has.
  hasOtherContent: boolean
  // How many quotes the run may use.
  quotesMax: number
  // Whether the quote was made elsewhere, so that it makes one transaction whoever sends it.
  isQuoteGiven: boolean
  isLeased: boolean
  // Whether another process, which this one waited for, was stopped or refused.
  wasEnded: boolean
  quotes: number
  search?: Search | undefined
  // How often the run has looked at the list since the quote came.
  looks: number
  isConfirmed: boolean
  isArmed: boolean
  isRenewed: boolean
  // The reply to the last send, until it is recorded.
  reply?: Reply | undefined
  // The refusal that this run got, and the failure that kept its request on this machine.
  rejection?: SvcError | undefined
  unsent?: SvcError | undefined
  resends: number
  // Whether the run has asked for the service's time since it last waited.
  hasAskedTime: boolean
  // How often the run has waited for an unknown payment, and whether it is time to wait again.
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

// Facts about the service, and how long the person waits.
export interface Knowledge {
  // Whether the service creates no second transaction for a reused key, whatever the body.
  areKeysHonoured: boolean
  // Whether the service creates no second transaction for the same bytes.
  mayResend: boolean
  // The time that the service may take to list a transaction.
  listLagMaxMs: number
  // Whether the run waits for as long as an unknown payment takes to settle.
  waitsToSettle?: boolean | undefined
}

// A quote that is about to expire is not sent: it could expire on the way.
export const quoteLifeMinMs = 15_000
// The service may run on several machines whose clocks differ a little.
const clockToleranceMs = 2_000
// A search that is older than this is repeated before the payment is armed, at most looksMax times.
const searchAgeMaxMs = 2_000
const looksMax = 5
const resendsMax = 4
const pauseFirstMs = 1_000
const pauseMaxMs = 15_000
// The reason of an unknown payment that nobody works on any more.
export const senderEnded = 'the process that sent it ended before it had an answer'
// A list that cannot be read when it is time to may be readable a little later.
const settlingDelayMs = 120_000

const hasLifeLeft = (payment: Payment, {latest}: Pick<Now, 'latest'>): boolean =>
  (getLastAttempt(payment)?.quote.expiresAt ?? 0) - latest >= quoteLifeMinMs

type Start = Pick<Seen, 'aim' | 'asksPerson' | 'hasOtherContent' | 'quotesMax' | 'isQuoteGiven'>

export const startSeen = (start: Start): Seen => ({
  ...start,
  isLeased: false,
  wasEnded: false,
  quotes: 0,
  looks: 0,
  isConfirmed: false,
  isArmed: false,
  isRenewed: false,
  resends: 0,
  hasAskedTime: false,
  rounds: 0,
  isRoundOver: false,
})

export function observe(seen: Seen, event: Event): Seen {
  switch (event.what) {
    case 'leased': {
      const {isOther, wasEnded, hasOtherContent} = event
      if (!isOther) return {...seen, isLeased: true, wasEnded}
      // A search, a quote and a yes from before say nothing about the payment as it is now.
      const {aim, asksPerson, quotesMax, isQuoteGiven} = seen
      const start = startSeen({aim, asksPerson, hasOtherContent, quotesMax, isQuoteGiven})
      return {...start, isLeased: true, wasEnded}
    }
    case 'searched':
      return {...seen, search: event.search, looks: seen.looks + 1}
    case 'asked':
      // A list that was read without the service's time is read again.
      return {...seen, hasAskedTime: true, search: event.isTimeKnown ? undefined : seen.search}
    case 'changed':
      return {...seen, hasOtherContent: false, search: event.isOtherCustomer ? undefined : seen.search}
    case 'quoted':
      return {...seen, quotes: seen.quotes + 1, looks: 0, isConfirmed: false, resends: 0, rounds: 0}
    case 'confirmed': {
      // A search from before a person was asked is old.
      const {search, asksPerson} = seen
      const isOld = search !== undefined && asksPerson
      return {...seen, isConfirmed: true, search: isOld ? {...search, seenUntilTicks: -Infinity} : search}
    }
    case 'armed':
      return {...seen, isArmed: true, resends: seen.resends + (event.again ? 1 : 0)}
    case 'renewed':
      return {...seen, isRenewed: true}
    case 'sent':
      return {...seen, isArmed: false, isRenewed: false, isRoundOver: event.again, reply: event.reply}
    case 'recorded':
      return observeRecord(seen, event.state)
    case 'created':
      return {...seen, reply: undefined}
    // A run that has waited looks again.
    default:
      return {
        ...seen,
        isArmed: false,
        isRenewed: false,
        search: undefined,
        hasAskedTime: false,
        rounds: seen.rounds + 1,
        isRoundOver: false,
      }
  }
}

// A refusal and a failure to send end the run once they are recorded.
function observeRecord(seen: Seen, state: PaymentState): Seen {
  const {reply} = seen
  const recorded = {...seen, isArmed: false, isRenewed: false, reply: undefined}
  if (!reply) return recorded
  if (state === 'ABANDONED') return {...recorded, unsent: reply.kind === 'unsent' ? reply.error : undefined}
  // A search from before the send cannot show its transaction.
  return {...recorded, search: undefined, rejection: reply.kind === 'rejected' ? reply.error : seen.rejection}
}

export function next(payment: Payment, seen: Seen, now: Now, known: Knowledge): Action {
  const {state} = payment
  if (seen.isArmed) return sendArmed(payment, seen, now, known)
  if (seen.reply) return followReply(payment, seen.reply)
  if (state === 'CREATED') return {do: 'end', why: 'made'}
  if (seen.aim === 'check') return check(seen)
  if (!seen.isLeased && (isUnsettled(payment) || !seen.asksPerson)) return {do: 'lease'}
  if (seen.wasEnded && seen.aim === 'pay') return {do: 'end', why: 'endedElsewhere'}
  // The process that armed it has ended, since this one holds the lease.
  if (state === 'ARMED') return record('UNKNOWN', {reason: senderEnded})
  if (state === 'UNKNOWN') return settle(payment, seen, now, known)
  // The run that was refused, or could not send, ends here. A later one goes on.
  if (state === 'REJECTED' && seen.rejection) return {do: 'end', why: 'rejected', error: seen.rejection}
  if (state === 'ABANDONED' && seen.unsent) return {do: 'end', why: 'unsent', error: seen.unsent}
  return seen.aim === 'pay' ? tryToPay(payment, seen, now, known) : {do: 'end', why: 'settled'}
}

const isUnsettled = ({state}: Payment) => unsettledStates.includes(state)

// The life of the quote is checked again just before the first byte leaves.
function sendArmed(payment: Payment, seen: Seen, now: Now, known: Knowledge): Action {
  const again = payment.state === 'UNKNOWN'
  if (!seen.isRenewed) return {do: 'renew'}
  if (hasLifeLeft(payment, now)) return {do: 'send', again}
  if (again) return waitOrEnd(payment, seen, now, known, {reason: readReason(payment)})
  return recordUnsent(payment, 'the quote had too little life left')
}

// The journal knows of nothing that was made under this key. Another host may have paid, or this
// journal may be new.
function tryToPay(payment: Payment, seen: Seen, now: Now, known: Knowledge): Action {
  const {search, isLeased} = seen
  if (!search) return {do: 'search', isFresh: seen.hasOtherContent}
  const found = takeMatch(search)
  if (found) return isLeased ? found : {do: 'lease'}
  if (seen.hasOtherContent) return {do: 'change'}

  // A person may take longer than the quote lives.
  const isUsable = !seen.isConfirmed || hasLifeLeft(payment, now)
  if (payment.state !== 'QUOTED' || seen.quotes === 0 || !isUsable) {
    return seen.quotes < seen.quotesMax ? {do: 'quote'} : {do: 'end', why: 'expired'}
  }
  if (!seen.isConfirmed) return {do: 'confirm'}
  if (!isLeased) return {do: 'lease'}

  // Where keys are not known to be honoured, only the list shows what another host has paid since.
  // A person may have taken long, so that the service's time has to be learned again too.
  const isOld = now.ticks - search.seenUntilTicks > searchAgeMaxMs
  const looksAgain = isOld && !seen.isQuoteGiven && (seen.asksPerson || !known.areKeysHonoured)
  if (!looksAgain) return {do: 'arm', again: false}
  return seen.looks < looksMax ? {do: 'search', isFresh: true} : {do: 'end', why: 'listTooSlow'}
}

// A run that checks looks for what a run that pays would do, and neither takes the lease nor
// writes.
function check(seen: Seen): Action {
  const {search, hasOtherContent, isConfirmed} = seen
  if (!search) return {do: 'search', isFresh: true}
  const found = takeMatch(search)
  if (found?.do === 'end') return found
  if (found && hasOtherContent) return {do: 'end', why: 'keyUsed'}
  if (hasOtherContent) return {do: 'change'}
  if (seen.quotes === 0) return {do: 'quote'}
  return isConfirmed ? {do: 'end', why: 'checked'} : {do: 'confirm', match: search.matches[0]}
}

function takeMatch({matches}: Search): Action | undefined {
  const [match] = matches
  if (matches.length > 1) return {do: 'end', why: 'several', matches}
  return match && {do: 'create', transaction: match, wasFound: true}
}

// Says what follows from a reply. Only a transaction of this payment settles it: a refusal is
// believed once the list has no transaction, and a refusal of a second send may mean that the first
// one succeeded.
function followReply(payment: Payment, reply: Reply): Action {
  if (reply.kind === 'created') return {do: 'create', transaction: reply.transaction, wasFound: false}
  const {reason} = reply
  if (payment.state === 'UNKNOWN') return record('UNKNOWN', {reason})
  switch (reply.kind) {
    case 'unsent':
      return recordUnsent(payment, reason)
    case 'rejected':
      return record('UNKNOWN', {reason, refused: {...reply.refusal, isConfirmed: false}}, 'REFUSED')
    default: {
      const {statusCode} = reply
      return record('UNKNOWN', {reason, ...(statusCode !== undefined && {answered: {statusCode}})})
    }
  }
}

// Records that nothing of the request has left this machine.
function recordUnsent(payment: Payment, reason: string): Action {
  const {armed} = getLastAttempt(payment) ?? {}
  return record('ABANDONED', {reason, ...(armed && {armed: {...armed, sends: 0}})})
}

const record = (state: RecordedState, attempt: AttemptChange, what: string = state): Action => ({
  do: 'record',
  state,
  attempt,
  entry: {what, ...(attempt.reason !== undefined && {detail: {reason: attempt.reason}})},
})

const readReason = (payment: Payment) => getLastAttempt(payment)?.reason ?? 'the service did not say'

// Settles a payment that may have been made: the list shows it, or proves that it was not made, or
// the same bytes are sent again.
function settle(payment: Payment, seen: Seen, now: Now, known: Knowledge): Action {
  const {search} = seen
  const last = getLastAttempt(payment)
  const reason = readReason(payment)
  if (!last || seen.isRoundOver) return waitOrEnd(payment, seen, now, known, {reason})
  if (!search) return {do: 'search', isFresh: true}
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

  if (last.refused && !last.refused.isConfirmed && last.armed?.sends === 1) {
    return record('REJECTED', {refused: {...last.refused, isConfirmed: true}, reason})
  }

  // The clock of this machine alone says neither that a quote lives nor that nothing was made: it
  // may have been changed since.
  const mayAsk = !now.isServiceTimeKnown && !seen.hasAskedTime
  if (known.mayResend && hasLifeLeft(payment, now) && seen.resends < resendsMax) {
    if (mayAsk) return {do: 'askTime'}
    if (now.isServiceTimeKnown) return {do: 'arm', again: true}
  }

  if (provesAbsence(last, search, known)) {
    return last.absentSince
      ? record('ABANDONED', {})
      : record('UNKNOWN', {absentSince: {service: now.latest, local: now.wall}}, 'NOT_FOUND')
  }
  if (mayAsk && provesAbsence(last, {...search, startedMs: Infinity}, known)) return {do: 'askTime'}
  return waitOrEnd(payment, seen, now, known, {reason})
}

// The time from which a list proves the payment absent. Two complete lists without it prove that:
// the first one after the quote expired and the list could no longer lag, and the second one that
// much later again. One reply with a wrong Date, or a clock of this machine that was changed, must
// not end the wait, so the time has to be over by both clocks.
function findProofStart(
  {quote, armed, absentSince}: Attempt,
  {listLagMaxMs}: Knowledge,
): {serviceMs: number; localMs: number} {
  const [serviceMs, localMs] = absentSince
    ? [absentSince.service, absentSince.local]
    : [quote.expiresAt, (armed?.locallyAt ?? 0) + quoteLifetimeMs]
  return {serviceMs: serviceMs + listLagMaxMs + clockToleranceMs, localMs: localMs + listLagMaxMs}
}

function provesAbsence(last: Attempt, {startedMs, startedLocallyMs}: Search, known: Knowledge): boolean {
  const {serviceMs, localMs} = findProofStart(last, known)
  return startedMs >= serviceMs && startedLocallyMs >= localMs
}

// The times at which the lists that prove absence can be read, by the clock of this machine: of
// two, or of the second alone if the first was read. The first one is recorded by the latest time
// that it may be at the service by then.
function findProofTimes(payment: Payment, {wall, earliest, latest}: Now, known: Knowledge): number[] {
  const last = getLastAttempt(payment)
  if (!last) return []
  const findTime = (attempt: Attempt) => {
    const {serviceMs, localMs} = findProofStart(attempt, known)
    return Math.max(serviceMs + wall - earliest, localMs)
  }
  const firstMs = findTime(last)
  if (last.absentSince) return [firstMs]
  return [firstMs, findTime({...last, absentSince: {service: firstMs + latest - wall, local: firstMs}})]
}

// The times at which other runs can settle the payment even if nothing was made. None if a run can
// at any time: the same bytes may be sent again, or the list could not be read when it was time to.
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
