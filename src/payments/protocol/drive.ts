// Pays once per key, whatever happened before: takes the lease, asks next.ts what to do, does it, records it, and asks again.
import type {LooseQuote, LooseTransaction} from '../../contract/loose.ts'
import {quoteLifetimeMs} from '../../contract/vocabulary.ts'
import {LimitReached, buildDayQuery, checkDay, checkSinglePayment} from '../../controls/check-spending.ts'
import {PolicyChanged} from '../../controls/decide.ts'
import {describeOperator} from '../../controls/operator.ts'
import {SvcError, ignoreFailure} from '../../errors.ts'
import {omitUndefined, readText} from '../../values/records.ts'
import {lowerFirst} from '../../values/text.ts'
import {toInstantMs} from '../../values/time.ts'
import {type CommitCheck, type Entry, type Intent, JournalUnusable, type Lease} from '../journal/journal.ts'
import {describeDifferences, describeMade, isOtherPayment, joinDifferences, listContentChanges} from './compare.ts'
import {type FindObjection, type PaymentContext, type PaymentResult, readNow} from './context.ts'
import {buildDuplicateQuery, createDuplicateError, pickDuplicates} from './duplicates.ts'
import {
  ApprovedQuoteExpired,
  UnrecordedPayment,
  endedError,
  outcomeUnknown,
  paymentError,
  quoteRejected,
  rejectedByService,
  severalTransactions,
  wrapJournalFailure,
} from './errors.ts'
import {createKeyUsedError, hasOtherContent, rejectMadeElsewhere, requireSameContent} from './key-use.ts'
import {checkPrice, toOutgoing} from './limits.ts'
import {
  type Action,
  type Ending,
  type Search,
  type Seen,
  findSettlingTimes,
  hasLifeLeft,
  next,
  quoteLifeMinMs,
  startSeen,
} from './next.ts'
import {
  type Attempt,
  type Payment,
  type PaymentContent,
  type PaymentState,
  type PriceLimits,
  deriveCorrelationId,
  deriveIdempotencyKey,
  getLastAttempt,
  readContent,
  readPrice,
  unsettledStates,
} from './payment.ts'
import {classifyFailure, classifyReply, describeAnswer} from './reply.ts'
import {
  findMatches,
  findOnNewestPage,
  getPaymentIds,
  readTransaction,
  searchListed,
  wasMadeElsewhere,
} from './search.ts'
import {type Sent, findSent, rememberSent} from './sent.ts'
import {fetchQuote} from './service.ts'
import {retryIfLeaseLost, withLease} from './lease.ts'
import {reportMade} from './made.ts'

export interface PaymentOrder {
  intent: Intent
  limits: PriceLimits
  isGuaranteed: boolean
  // The quote whose price a person approved. No other one is executed.
  approvedQuote?: LooseQuote | undefined
  // A quote that was made elsewhere, and the request that executes it.
  given?: {quoteId: string; bytes: string; idempotencyKey: string} | undefined
  findObjection?: FindObjection | undefined
  // The digest of the file or the batch that was approved, if one was: the journal has its
  // approvals under it.
  approved?: string | undefined
  // How far back another payment of the same amount to the same account keeps this one from being
  // sent. 0 or absent if it is allowed.
  duplicateWindowMs?: number | undefined
}

// A payment whose lease this process holds. It is changed only under that lease.
export interface Run {
  context: PaymentContext
  order: PaymentOrder
  lease: Lease
  payment: Payment
  seen: Seen
  transaction?: LooseTransaction
  wasAdopted?: boolean
}

const quotesPerRunMax = 3

type Step<Do> = (run: Run, action: Extract<Action, {do: Do}>) => Promise<void>

const steps: {[Do in Exclude<Action['do'], 'end'>]: Step<Do>} = {
  search,
  askTime,
  change: changeContent,
  quote: requestQuote,
  arm: (run, {again}) => (again ? armAgain(run) : arm(run)),
  send,
  create: (run, {transaction, wasFound}) =>
    wasFound ? adopt(run, transaction) : recordCreated(run, transaction, 'CREATED'),
  record: (run, {state, attempt, entry}) => record(run, state, attempt, entry),
  wait,
}

// Does what next.ts says until the payment is made or, if this run may not pay, settled.
export async function drive(
  context: PaymentContext,
  order: PaymentOrder,
  {lease, payment}: {lease: Lease; payment: Payment},
  mayPay: boolean,
): Promise<Run> {
  const seen = startSeen({
    mayPay,
    hasOtherContent: hasOtherContent(payment, order.intent),
    quotesMax: order.given || order.approvedQuote ? 1 : quotesPerRunMax,
    isQuoteGiven: order.given !== undefined,
  })
  const run: Run = {context, order, lease, payment, seen}
  await rejectForgotten(run)
  requireSameContent(payment, order.intent)
  if (unsettledStates.includes(payment.state)) context.clock.assumeOffset(getLastAttempt(payment)?.serverAheadMs)
  for (;;) {
    const action = next(run.payment, seen, readNow(context), context)
    context.onAction?.(action, run.payment)
    if (action.do === 'end') {
      end(run, action)
      return run
    }
    await (steps[action.do] as Step<Action['do']>)(run, action)
  }
}

function end({context, order, payment, seen}: Run, ending: Ending): void {
  switch (ending.why) {
    case 'made':
    case 'settled':
      return
    case 'rejected':
      throw rejectedByService(payment, seen.rejection)
    case 'unsent':
      throw seen.unsent as SvcError
    case 'expired':
      throw order.approvedQuote ? new ApprovedQuoteExpired(payment) : paymentError('QUOTE_EXPIRED', payment)
    case 'listTooSlow':
      throw paymentError('LIST_TOO_SLOW', payment)
    case 'several':
      throw severalTransactions(payment, ending.matches)
    default: {
      const settlingTimes = findSettlingTimes(payment, readNow(context), context)
      throw outcomeUnknown(payment, ending.reason, {canResend: context.mayResend, settlingTimes, cause: ending.cause})
    }
  }
}

// A payment that may be sent is told as such before that is written: others see it in the journal
// before this process hears that it is there.
async function commit(run: Run, change: Partial<Payment>, entry: Entry, check?: CommitCheck): Promise<void> {
  const {context, lease, payment} = run
  const changed = {...payment, ...change}
  const tell = (latest: Payment) => context.onProgress?.({payment: latest, isHeldElsewhere: false})
  if (unsettledStates.includes(changed.state)) tell(changed)

  const write = () => context.journal.commit(lease, changed, entry, check)
  try {
    run.payment = await wrapJournalFailure(payment, write)
  } finally {
    tell(run.payment)
  }
}

function changeLast({key, attempts}: Payment, change: Partial<Attempt>): Attempt[] {
  const last = attempts.at(-1)
  if (!last) throw new Error(`the payment ${key} has no attempt to change`)
  return [...attempts.slice(0, -1), {...last, ...change}]
}

// A refusal and a failure to send end the run once they are recorded.
async function record(run: Run, state: PaymentState, attempt: Partial<Attempt>, entry: Entry): Promise<void> {
  const {reply} = run.seen
  await commit(run, {state, attempts: changeLast(run.payment, attempt)}, entry)
  if (reply?.kind === 'rejected' && attempt.isRejectionUnconfirmed) run.seen.rejection = reply.error
  if (reply?.kind === 'unsent' && state === 'ABANDONED') run.seen.unsent = reply.error
  // What was read before the send cannot show what came of it.
  if (reply && state === 'UNKNOWN') run.seen.search = undefined
  run.seen.reply = undefined
}

async function wait({context, seen}: Run, {ms}: {ms: number}): Promise<void> {
  await context.pause(ms)
  seen.rounds += 1
  seen.isRoundOver = false
  seen.hasAskedTime = false
  seen.search = undefined
}

// A list that was already read for many payments serves as well, before anything is sent.
async function search(run: Run): Promise<void> {
  const {context, order, payment, seen} = run
  if (payment.state === 'UNKNOWN') {
    await renewLease(run)
    seen.search = await findUnknown(context, payment)
    return
  }
  const isAgain = seen.quotes > 0
  if (isAgain) seen.looks += 1
  const freshFrom = isAgain || seen.hasOtherContent ? context.clock.ticks() : Number.NEGATIVE_INFINITY
  seen.search =
    order.given && payment.state !== 'REJECTED'
      ? await findOnNewestPage(context, payment, order.given.quoteId)
      : await searchListed(context, payment, freshFrom)
}

async function findUnknown(context: PaymentContext, payment: Payment): Promise<Search> {
  try {
    const found = await findMatches(context, payment)
    return context.clock.isObserved() ? found : {...found, startedMs: 0}
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind === 'unknownOutcome') throw error
    const failure = (error.statusCode ?? 0) < 400 ? error : error.with({reason: lowerFirst(describeAnswer(error))})
    return {matches: [], startedMs: 0, startedLocallyMs: 0, seenUntilTicks: 0, failure}
  }
}

// The quote is not used. A list that was read without the service's time is read again; without an
// answer it proves nothing.
async function askTime({context, payment, seen}: Run): Promise<void> {
  seen.hasAskedTime = true
  await ignoreFailure(fetchQuote(context, payment.content, false))
  if (context.clock.isObserved()) seen.search = undefined
}

async function changeContent(run: Run): Promise<void> {
  const {context, order, payment, seen} = run
  const {content} = order.intent
  const changes = listContentChanges(payment.content, content)
  const {customerId} = payment.content
  const isOtherCustomer = content.customerId.toLowerCase() !== customerId.toLowerCase()
  const attempts = payment.attempts.map((attempt) => ({
    ...(isOtherCustomer && {customerId}),
    ...attempt,
    hadOtherContent: true as const,
  }))
  const entry = {what: 'CONTENT_CHANGED', detail: {changes: changes.join('; '), ...describeOperator()}}
  await commit(run, {content, state: 'INTENDED', attempts}, entry)
  seen.hasOtherContent = false
  if (isOtherCustomer) seen.search = undefined
  context.onContentChanged?.(run.payment, changes)
}

async function requestQuote(run: Run): Promise<void> {
  const {context, order, payment, seen} = run
  const {clock} = context
  const objection = seen.quotes === 0 ? await order.findObjection?.(context, payment) : undefined
  if (objection) throw objection
  const {quoteId, quoteExpiresAt, quote} = await obtainQuote(run)
  const price = readPrice(quote)
  const attempt: Attempt = {quoteId, quoteExpiresAt, price, serverAheadMs: clock.aheadMs(), sends: 0}
  Object.assign(seen, {quotes: seen.quotes + 1, looks: 0, resends: 0, rounds: 0})
  const detail = order.given ? {quoteId} : {quoteId, ...price}
  await commit(run, {state: 'QUOTED', attempts: [...payment.attempts, attempt]}, {what: 'QUOTED', detail})
}

// A quote that a person approved is used as it is. If it has run out by now, another one must be approved. One of unknown age expires
// within five minutes.
async function obtainQuote({context, order, payment}: Run) {
  const {clock} = context
  const {given, approvedQuote, isGuaranteed} = order
  if (given) return {quoteId: given.quoteId, quoteExpiresAt: clock.latest() + quoteLifetimeMs, quote: {}}
  if (approvedQuote && hasRunOut(context, approvedQuote)) throw new ApprovedQuoteExpired(payment)
  const quote =
    approvedQuote ??
    (await fetchQuote(context, payment.content, isGuaranteed).catch((error: unknown) => {
      throw error instanceof SvcError && error.kind === 'refused' ? quoteRejected(payment, error) : error
    }))
  const quoteId = readText(quote.quoteId)
  const quoteExpiresAt = toInstantMs(quote.expiresAt)
  if (quoteId === '' || quoteExpiresAt === undefined) throw paymentError('QUOTE_UNREADABLE', payment)
  return {quoteId, quoteExpiresAt, quote}
}

// Whether there is no time to send this quote. One whose expiry cannot be read is rejected elsewhere, with that reason.
export const hasRunOut = ({clock}: Pick<PaymentContext, 'clock'>, {expiresAt}: LooseQuote): boolean =>
  (toInstantMs(expiresAt) ?? Infinity) - clock.latest() < quoteLifeMinMs

const buildRequest = ({serviceId, key}: Payment, {quoteId}: Attempt) => ({
  bytes: JSON.stringify({quoteId, correlationId: deriveCorrelationId(serviceId, key)}),
  idempotencyKey: deriveIdempotencyKey(serviceId, key),
})

// Checks the limits against the quote, and writes the exact bytes to the journal before any of them
// is sent. The daily limit and possible duplicates are checked in the transaction that arms the
// payment, so that two processes cannot both use what is left, or both pay.
async function arm(run: Run): Promise<void> {
  const {context, order, payment, lease, seen} = run
  const {clock, controls} = context
  const {spending = {}, binding} = controls
  const {content} = payment
  const {limits, isGuaranteed, duplicateWindowMs = 0} = order
  const last = getLastAttempt(payment)
  if (!last) throw new Error(`nothing is quoted for ${payment.key}`)
  const armedAt = clock.latest()
  const attempts = changeLast(payment, {
    ...(order.given ?? buildRequest(payment, last)),
    armedAt,
    armedLocallyAt: clock.wall(),
    sends: 1,
    isGuaranteed,
    limits,
  })
  const {approved} = order
  const entry = {what: 'ARMED', detail: omitUndefined({attempt: payment.attempts.length, epoch: lease.epoch, approved})}
  try {
    checkPrice(limits, content, last.price)
    checkSinglePayment(spending, toOutgoing(content))
    await commit(run, {state: 'ARMED', attempts}, entry, {
      // The earliest time that it may be, so that no clock that is ahead begins another day or ends
      // the window of a duplicate.
      spending: buildDayQuery(spending, toOutgoing(content), clock.earliest()),
      paidTo: duplicateWindowMs > 0 ? buildDuplicateQuery(payment, clock.earliest() - duplicateWindowMs) : undefined,
      readsPolicyMark: binding !== undefined,
      judge(found) {
        if (binding && found.policyMark !== binding.mark) throw new PolicyChanged(payment.key)
        rejectMadeElsewhere(context, payment, found.elsewhere)
        const duplicate = createDuplicateError(payment, pickDuplicates(payment, found.paidTo))
        if (duplicate) throw duplicate
        checkDay(spending, toOutgoing(content), found.spentAmounts)
      },
    })
    seen.isArmed = true
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
    const reason = error.message
    await commit(run, {state: 'STOPPED', attempts: changeLast(payment, {reason})}, {what: 'STOPPED', detail: {reason}})
    throw paymentError('LIMIT_REACHED', {key: payment.key, reason})
  }
}

async function armAgain(run: Run): Promise<void> {
  const {payment, seen} = run
  const {sends = 0} = getLastAttempt(payment) ?? {}
  seen.resends += 1
  await commit(run, {attempts: changeLast(payment, {sends: sends + 1})}, {what: 'RESENDING'})
  seen.isArmed = true
}

// The lease and the life of the quote are checked again just before the first byte leaves.
async function send(run: Run, {again}: {again: boolean}): Promise<void> {
  const {context, payment, seen} = run
  await renewLease(run)
  Object.assign(seen, {isArmed: false, isRoundOver: again})
  if (hasLifeLeft(payment, readNow(context))) seen.reply = await transmit(context, payment)
  else if (!again) seen.reply = {kind: 'unsent', reason: 'the quote had too little life left'}
}

async function transmit({service, owner}: PaymentContext, payment: Payment) {
  const attempt = getLastAttempt(payment)
  const {bytes, idempotencyKey} = attempt ?? {}
  if (!attempt || bytes === undefined || idempotencyKey === undefined) {
    throw new Error(`nothing is armed for ${payment.key}`)
  }
  const sent: Sent = {attempt}
  rememberSent(owner, deriveCorrelationId(payment.serviceId, payment.key), sent)
  const reply = await service
    .send(bytes, idempotencyKey)
    .then((body) => classifyReply(body, getPaymentIds(payment)), classifyFailure)
  if (reply.kind === 'created') sent.transactionId = String(reply.transaction.transactionId)
  return reply
}

// A transaction belongs to one key, whoever says so: a service that gives a quote twice may answer
// with the transaction of its first use, under the correlationId of whoever asks.
export const createOwnerCheck = (payment: Payment, transactionId: string): CommitCheck => ({
  transactionId,
  judge({owners: [owner]}) {
    const taken = `the service returned the transaction ${transactionId}, which is that of the payment ${owner?.key}`
    if (owner) throw outcomeUnknown(payment, taken)
  },
})

// Adopted means that the transaction was found at the service, not returned by a send of this run.
async function recordCreated(run: Run, transaction: LooseTransaction, what: 'CREATED' | 'ADOPTED'): Promise<void> {
  const {payment} = run
  const {limits} = run.order
  const made = describeMade(payment.content, transaction)
  const {transactionId, ended} = made
  const difference = joinDifferences(describeDifferences({...payment, limits}, transaction))
  const entry = {what, detail: {transactionId, ...(difference && {difference}), ...(ended && {ended})}}
  const check = createOwnerCheck(payment, transactionId)
  await commit(run, {...made, ...(what === 'ADOPTED' && {limits})}, entry, check).catch((error: unknown) => {
    const failure = error instanceof SvcError && error.cause instanceof JournalUnusable ? error.cause : error
    throw failure instanceof JournalUnusable ? new UnrecordedPayment(payment, transactionId, failure) : error
  })
  run.transaction = transaction
  run.wasAdopted = what === 'ADOPTED'
  run.seen.reply = undefined
}

// Records that the service has the transaction of this payment. Another journal, or an attempt with other content, may have paid
// somebody else with it, or another amount: then the key belongs to that payment.
async function adopt(run: Run, transaction: LooseTransaction): Promise<void> {
  const {order, payment, seen} = run
  const ownAttempts = payment.attempts.filter(({hadOtherContent}) => !hadOtherContent)
  const isOther = wasMadeElsewhere(ownAttempts, transaction) && isOtherPayment(payment.content, transaction)
  const content = isOther ? readContent(transaction) : takeSentAmount(payment, transaction)
  run.payment = {...payment, content}
  await recordCreated(run, transaction, 'ADOPTED')
  const wasSent = isOther && payment.state === 'UNKNOWN'
  if (isOther || seen.hasOtherContent) throw createKeyUsedError(run.payment, order.intent.content, wasSent)
}

// For what is to arrive, another journal, or an attempt before this one, may have sent another amount.
function takeSentAmount({content}: Payment, transaction: LooseTransaction): PaymentContent {
  const {sourceAmount} = readContent(transaction).source
  if (content.receive === undefined || sourceAmount === '') return content
  return {...content, source: {...content.source, sourceAmount}}
}

const renewLease = ({context, lease, payment}: Run): Promise<void> =>
  wrapJournalFailure(payment, () => context.journal.renewLease(lease))

// Throws if this process has sent something for the payment of which its journal knows nothing any more. What was sent is entered
// again, so that the next run settles it instead of paying.
async function rejectForgotten(run: Run): Promise<void> {
  const {serviceId, key, attempts} = run.payment
  const {attempt, transactionId: id = ''} = findSent(run.context.owner, deriveCorrelationId(serviceId, key)) ?? {}
  if (!attempt || attempts.some(({quoteId, bytes}) => quoteId === attempt.quoteId && bytes !== undefined)) return
  const reason = 'the journal went back to an earlier state'
  const others = attempts.filter(({quoteId}) => quoteId !== attempt.quoteId)
  const detail = {reason, ...(id && {transactionId: id})}
  await commit(run, {state: 'UNKNOWN', attempts: [...others, {...attempt, reason}]}, {what: 'UNKNOWN', detail})
  throw paymentError('JOURNAL_WENT_BACK', {key, id})
}

// If another process ended in one of these while this one waited, this one reports the same and does not try again.
const endedStates: ReadonlySet<PaymentState> = new Set(['STOPPED', 'REJECTED'])

export const payOnce = (context: PaymentContext, order: PaymentOrder): Promise<PaymentResult> =>
  retryIfLeaseLost(context, () => findAndPay(context, order))

async function findAndPay(context: PaymentContext, order: PaymentOrder): Promise<PaymentResult> {
  const {intent} = order
  const known = await context.journal.find(intent.serviceId, intent.key)
  if (known) requireSameContent(known, intent)
  // A payment that was made needs no lease, and nothing is written but how it ended.
  if (known?.state === 'CREATED') return reportMade(context, known)
  return withLease(context, intent, async ({lease, payment: found, waited}) => {
    if (waited && found.updatedAt !== known?.updatedAt && endedStates.has(found.state)) throw endedError(found)
    // The remark and the slot of this run are written with the next step of the payment, and are no reason for one.
    const {note, template, slot} = intent
    const {dismissed, ...open} = found
    const noted = {...open, ...omitUndefined({note, template, slot})}
    const tried = dismissed ? await context.journal.commit(lease, noted, {what: 'RESUMED'}) : noted
    const {payment, transaction, wasAdopted} = await drive(context, order, {lease, payment: tried}, true)
    const current = transaction ? {transaction} : await readTransaction(context, payment)
    return {payment, ...current, wasMadeBefore: found.state === 'CREATED', wasAdopted}
  })
}
