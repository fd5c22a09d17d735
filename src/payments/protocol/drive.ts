// Pays once per key, whatever happened before: asks next.ts what to do, does it, tells next.ts what
// has come of it, and asks again.
import type {LooseQuote, LooseTransaction} from '../../contract/loose.ts'
import {quoteLifetimeMs} from '../../contract/vocabulary.ts'
import {buildDayQuery, findDayProblems, findPaymentProblems} from '../../controls/check-spending.ts'
import {PolicyChanged} from '../../controls/decide.ts'
import {describeOperator} from '../../controls/operator.ts'
import {SvcError, ignoreFailure} from '../../errors.ts'
import {omitUndefined, readText} from '../../values/records.ts'
import {lowerFirst} from '../../values/text.ts'
import {toInstantMs} from '../../values/time.ts'
import {type CommitCheck, type Entry, type Intent, JournalUnusable} from '../journal/journal.ts'
import {toNewPayment} from '../journal/tables.ts'
import {describeDifferences, describeMade, isOtherPayment, joinDifferences, listContentChanges} from './compare.ts'
import {type FindObjection, type PaymentContext, type PaymentResult, readNow} from './context.ts'
import {buildDuplicateQuery, createDuplicateError, findDuplicates, pickDuplicates} from './duplicates.ts'
import {
  QuoteRejected,
  UnrecordedPayment,
  endedError,
  outcomeUnknown,
  paymentError,
  rejectedByService,
  severalTransactions,
  wrapJournalFailure,
} from './errors.ts'
import {createKeyUsedError, hasOtherContent, requireNotMadeElsewhere, requireSameContent} from './key-use.ts'
import {type HeldPayment, retryIfLeaseLost, takeLease} from './lease.ts'
import {findQuoteProblems, toOutgoing} from './limits.ts'
import {reportMade} from './made.ts'
import {
  type Action,
  type Aim,
  type Ending,
  type Event,
  type Search,
  type Seen,
  findSettlingTimes,
  next,
  observe,
  startSeen,
} from './next.ts'
import {
  type Attempt,
  type Payment,
  type PaymentContent,
  type PaymentState,
  type PriceLimits,
  armAttempt,
  changeLast,
  changeState,
  deriveCorrelationId,
  deriveIdempotencyKey,
  getLastAttempt,
  isNotMade,
  readContent,
  readPrice,
  spendingStates,
  toCreated,
  unsettledStates,
} from './payment.ts'
import {findOffer} from './receive.ts'
import {classifyFailure, classifyReply, describeAnswer, getPaymentIds} from './reply.ts'
import {findMatches, readTransaction, searchListed, wasMadeElsewhere} from './search.ts'
import {type Sent, findSent, rememberSent} from './sent.ts'
import {fetchQuote} from './service.ts'

// A quote that a run is about to use, for whoever has to say yes to it.
export interface Confirmation {
  payment: Payment
  quote: LooseQuote
  // Payments of the same amount to the same account, oldest first.
  duplicates: readonly Payment[]
  // Set in a run that only checks: why a run that pays would stop, and the transaction that it
  // would adopt.
  stop?: SvcError | undefined
  match?: LooseTransaction | undefined
}

export interface PaymentOrder {
  intent: Intent
  limits: PriceLimits
  isGuaranteed: boolean
  // The aim of the run. If it is absent, the run pays.
  aim?: Aim | undefined
  // A quote that was made elsewhere, and the request that executes it.
  given?: {quoteId: string; bytes: string; idempotencyKey: string} | undefined
  findObjection?: FindObjection | undefined
  // Called with each quote before it is used. Throws if it may not be.
  confirm?: ((confirmation: Confirmation) => Promise<void>) | undefined
  // The one who says yes: a person who is asked, and may take a new quote or a duplicate, an
  // agent's person, who says yes to one quote alone, or nobody.
  asks?: 'person' | 'agent' | undefined
  // Whether a person is asked about possible duplicates.
  mayAllowDuplicates?: boolean | undefined
  // The digest of the file or the batch that was approved, if one was: the journal has its
  // approvals under it.
  approved?: string | undefined
  // How far back another payment of the same amount to the same account keeps this one from being
  // sent. 0 or absent if it is allowed.
  duplicateWindowMs?: number | undefined
}

// A payment that this process works on. The journal is written only under the lease; until that is
// taken, changes are kept here.
interface Run {
  context: PaymentContext
  order: PaymentOrder
  // The payment as the journal had it when the run began, if it did.
  known: Payment | undefined
  payment: Payment
  held?: HeldPayment
  unsaved: Entry[]
  seen: Seen
  quote: LooseQuote
  // The objection to paying, in a run that only checks.
  objection?: SvcError | undefined
  // The keys of the duplicates that a person has allowed.
  allowed: ReadonlySet<string>
  transaction?: LooseTransaction
  wasAdopted?: boolean
}

const quotesPerRunMax = 3

const countQuotes = ({given, asks}: PaymentOrder) => {
  if (given || asks === 'agent') return 1
  return asks === 'person' ? Number.POSITIVE_INFINITY : quotesPerRunMax
}

type Step<Do> = (run: Run, action: Extract<Action, {do: Do}>) => Promise<Event>

const steps: {[Do in Exclude<Action['do'], 'end'>]: Step<Do>} = {
  lease,
  search,
  askTime,
  change: changeContent,
  quote: requestQuote,
  confirm,
  arm: (run, {again}) => (again ? armAgain(run) : arm(run)),
  renew,
  send,
  create: (run, {transaction, wasFound}) =>
    wasFound ? adopt(run, transaction) : recordCreated(run, transaction, 'CREATED'),
  record,
  wait,
}

// Does what next.ts says until the payment is made or, if this run may not pay, settled or checked.
export async function drive(context: PaymentContext, order: PaymentOrder, known?: Payment): Promise<Run> {
  const {intent, aim = 'pay'} = order
  const payment = known ?? {...toNewPayment(intent), createdAt: 0, updatedAt: 0}
  const seen = startSeen({
    aim,
    asksPerson: order.asks !== undefined,
    hasOtherContent: hasOtherContent(payment, intent),
    quotesMax: countQuotes(order),
    isQuoteGiven: order.given !== undefined,
  })

  const run: Run = {context, order, known, payment, unsaved: [], seen, quote: {}, allowed: new Set()}
  try {
    for (;;) {
      const action = next(run.payment, run.seen, readNow(context), context)
      context.onAction?.(action, run.payment)
      if (action.do === 'end') {
        end(run, action)
        return run
      }
      const event = await (steps[action.do] as Step<Action['do']>)(run, action)
      run.seen = observe(run.seen, event)
    }
  } finally {
    await run.held?.release()
  }
}

function end({context, order, payment}: Run, ending: Ending): void {
  switch (ending.why) {
    case 'made':
    case 'settled':
    case 'checked':
      return
    case 'endedElsewhere':
      throw endedError(payment)
    case 'keyUsed':
      throw createKeyUsedError({...payment, state: 'CREATED'}, order.intent.content)
    case 'rejected':
      throw rejectedByService(payment, ending.error)
    case 'unsent':
      throw ending.error
    case 'expired':
      throw paymentError('QUOTE_EXPIRED', payment)
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

// Endings of another process that a run which waited for it reports as its own, without a new try.
const endedStates: ReadonlySet<PaymentState> = new Set(['STOPPED', 'REJECTED'])

// Takes the lease, and writes the changes that this run has kept. If another run has worked on the
// payment since, this one begins with what that run has left instead.
async function lease(run: Run): Promise<Event> {
  const {context, order, known} = run
  const {intent} = order
  run.held = await takeLease(context, intent)
  const {payment: found, lease: taken, waited} = run.held
  const isOther = known ? found.updatedAt !== known.updatedAt : taken.epoch > 1
  if (order.aim !== 'settle') requireSameContent(found, intent)
  if (unsettledStates.includes(found.state)) context.clock.assumeOffset(getLastAttempt(found)?.quote.aheadMs)

  // The remark and the slot of this run are written with the next step of the payment, and are no
  // reason for one.
  const {note: remark, template, slot} = intent
  const {createdAt, updatedAt} = found
  const unsaved = isOther ? [] : run.unsaved
  const latest = unsaved.length > 0 ? {...run.payment, createdAt, updatedAt} : found
  run.payment = {...latest, ...omitUndefined({note: remark, template, slot})}
  await restoreForgotten(run)
  resume(run, found)
  for (const entry of unsaved) note(run, run.payment, entry)
  run.unsaved = []

  const wasEnded = waited && isOther && endedStates.has(found.state)
  return {what: 'leased', isOther, wasEnded, hasOtherContent: hasOtherContent(run.payment, intent)}
}

// Keeps a change that nobody needs to be durable: it is written with the next commit, or when the
// lease is returned. Before the lease is taken, the run alone keeps it.
function note(run: Run, changed: Payment, entry: Entry): void {
  const {context, held} = run
  run.payment = held ? context.journal.note(held.lease, changed, entry) : changed
  if (held) context.onProgress?.({payment: run.payment, isHeldElsewhere: false})
  else run.unsaved.push(entry)
}

// Writes the payment. Progress reports that it may be sent before that is written, since others can
// see it in the journal before this process learns that it is there.
async function commit(run: Run, changed: Payment, entry: Entry, check?: CommitCheck): Promise<void> {
  const {context, held, payment} = run
  if (!held) throw new Error(`no lease on ${payment.key} is held`)
  const tell = (latest: Payment) => context.onProgress?.({payment: latest, isHeldElsewhere: false})
  if (unsettledStates.includes(changed.state)) tell(changed)

  const write = () => context.journal.commit(held.lease, changed, entry, check)
  try {
    run.payment = await wrapJournalFailure(payment, write)
  } finally {
    tell(run.payment)
  }
}

// The next try of a payment that a person had dismissed forgets that.
function resume(run: Run, found: Payment): void {
  if (!isNotMade(found) || !found.dismissed) return
  note(run, changeState(run.payment, found.state), {what: 'RESUMED'})
}

async function record(run: Run, {state, attempt, entry}: Extract<Action, {do: 'record'}>): Promise<Event> {
  await commit(run, changeState(run.payment, state, changeLast(run.payment, attempt)), entry)
  return {what: 'recorded', state}
}

async function wait({context}: Run, {ms}: {ms: number}): Promise<Event> {
  await context.pause(ms)
  return {what: 'waited'}
}

// Before anything is sent, a list that was already read for other payments serves as well.
async function search(run: Run, {isFresh}: {isFresh: boolean}): Promise<Event> {
  const {context, payment} = run
  if (run.held && payment.state === 'UNKNOWN') {
    await renewLease(run)
    return {what: 'searched', search: await findUnknown(context, payment)}
  }
  return {what: 'searched', search: await searchListed(context, payment, isFresh)}
}

async function findUnknown(context: PaymentContext, payment: Payment): Promise<Search> {
  try {
    const found = await findMatches(context, payment, true)
    return context.clock.isObserved() ? found : {...found, startedMs: 0}
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind === 'unknownOutcome') throw error
    const failure = (error.statusCode ?? 0) < 400 ? error : error.with({reason: lowerFirst(describeAnswer(error))})
    return {matches: [], startedMs: 0, startedLocallyMs: 0, seenUntilTicks: 0, failure}
  }
}

// Requests a quote only for the time that it tells. Without an answer, nothing is learned.
async function askTime({context, payment}: Run): Promise<Event> {
  await ignoreFailure(fetchQuote(context, payment.content, false))
  return {what: 'asked', isTimeKnown: context.clock.isObserved()}
}

async function changeContent(run: Run): Promise<Event> {
  const {context, order, payment} = run
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
  note(run, {...changeState(payment, 'INTENDED', attempts), content}, entry)
  context.onContentChanged?.(run.payment, changes)
  return {what: 'changed', isOtherCustomer}
}

// Looks for objections before the quote is requested. A run that only checks reports them with the
// price.
async function requestQuote(run: Run): Promise<Event> {
  const {context, order, payment} = run
  run.objection = await order.findObjection?.(context, payment)
  if (run.objection && order.aim !== 'check') throw run.objection

  const {content, quoteId, quoteExpiresAt, quote} = await obtainQuote(run)
  const price = readPrice(quote)
  const attempt = {quote: {id: quoteId, expiresAt: quoteExpiresAt, price, aheadMs: context.clock.aheadMs()}}
  const detail = order.given ? {quoteId} : {quoteId, ...price}
  run.quote = quote
  const quoted = changeState(payment, 'QUOTED', [...payment.attempts, attempt])
  note(run, {...quoted, content}, {what: 'QUOTED', detail})
  return {what: 'quoted'}
}

// Requests a quote, or takes the given one, which is of unknown age but expires within five
// minutes.
async function obtainQuote({context, order, payment}: Run) {
  const {given, isGuaranteed, limits} = order
  const {content} = payment
  if (given) {
    const quoteExpiresAt = context.clock.latest() + quoteLifetimeMs
    return {content, quoteId: given.quoteId, quoteExpiresAt, quote: {}}
  }

  const ask = (asked: PaymentContent) => fetchQuote(context, asked, isGuaranteed)
  const find = async () =>
    content.receive === undefined ? {content, quote: await ask(content)} : findOffer(payment, limits, ask)
  const offer = await find().catch((error: unknown) => {
    throw error instanceof SvcError && error.kind === 'refused' ? new QuoteRejected(payment, error) : error
  })

  const quoteId = readText(offer.quote.quoteId)
  const quoteExpiresAt = toInstantMs(offer.quote.expiresAt)
  if (quoteId === '' || quoteExpiresAt === undefined) throw paymentError('QUOTE_UNREADABLE', payment)
  return {...offer, quoteId, quoteExpiresAt}
}

// The sum that is to arrive is a limit of the payment, whichever quote it is made with.
const getLimits = ({limits}: PaymentOrder, {content: {receive}}: Payment): PriceLimits =>
  receive === undefined ? limits : {...limits, receivedMin: receive}

// Checks the limits against the quote, and lets whoever is asked say yes to it.
async function confirm(run: Run, {match}: {match?: LooseTransaction | undefined}): Promise<Event> {
  const {context, order, known, payment, quote} = run
  const {aim = 'pay', duplicateWindowMs = 0, asks, mayAllowDuplicates} = order
  const isChecked = aim === 'check'
  // A payment that may have been made would only be settled.
  const isMaybeMade = isChecked && known !== undefined && spendingStates.includes(known.state)
  const looks = order.confirm !== undefined && !isMaybeMade
  const duplicates = looks ? await findDuplicates(context, payment, duplicateWindowMs) : []
  const objection = run.objection ?? (mayAllowDuplicates ? undefined : createDuplicateError(payment, duplicates))
  if (objection && !isChecked) throw objection

  const broken = await findBrokenLimit(run, isChecked || asks !== undefined)
  if (broken !== undefined && !isChecked) return stop(run, broken)

  const limit =
    broken === undefined
      ? undefined
      : paymentError('LIMIT_REACHED', {key: payment.key, reason: broken, isForecast: true})
  await order.confirm?.({payment, quote, duplicates, stop: objection ?? limit, match})
  run.allowed = new Set(duplicates.map(({key}) => key))
  return {what: 'confirmed'}
}

// The first limit that the price or the amount breaks. The daily limit is checked here for whoever
// is asked, and for everybody in the transaction that arms.
async function findBrokenLimit(run: Run, checksDay: boolean): Promise<string | undefined> {
  const {context, order, payment} = run
  const {serviceId, key, content} = payment
  const {spending = {}} = context.controls
  const outgoing = toOutgoing(content)
  const price = getLastAttempt(payment)?.quote.price
  const query = checksDay ? buildDayQuery(spending, outgoing, context.clock.earliest()) : undefined
  const spent = query ? await context.journal.sumSpent(serviceId, query, key) : undefined
  const [problem] = [
    ...(price ? findQuoteProblems(getLimits(order, payment), content, price) : []),
    ...findPaymentProblems(spending, outgoing),
    ...(spent ? findDayProblems(spending, outgoing, spent) : []),
  ]
  return problem
}

// Records that a limit stops the payment. A run that has not taken the lease has nothing to record.
async function stop(run: Run, reason: string): Promise<never> {
  const {key} = run.payment
  if (!run.held) throw paymentError('LIMIT_REACHED', {key, reason, isForecast: true})
  const stopped = changeState(run.payment, 'STOPPED', changeLast(run.payment, {reason}))
  await commit(run, stopped, {what: 'STOPPED', detail: {reason}})
  throw paymentError('LIMIT_REACHED', {key, reason})
}

const buildRequest = ({serviceId, key}: Payment, {quote}: Attempt) => ({
  bytes: JSON.stringify({quoteId: quote.id, correlationId: deriveCorrelationId(serviceId, key)}),
  idempotencyKey: deriveIdempotencyKey(serviceId, key),
})

// Writes the exact bytes to the journal before any of them is sent. The daily limit and possible
// duplicates are checked in the transaction that arms the payment, so that two processes cannot
// both use what is left, or both pay.
async function arm(run: Run): Promise<Event> {
  const {context, order, payment, held, allowed} = run
  const {clock, controls} = context
  const {spending = {}, binding} = controls
  const {isGuaranteed, duplicateWindowMs = 0, approved} = order
  const outgoing = toOutgoing(payment.content)
  const last = getLastAttempt(payment)
  if (!last) throw new Error(`nothing is quoted for ${payment.key}`)

  const {bytes, idempotencyKey} = order.given ?? buildRequest(payment, last)
  const limits = getLimits(order, payment)
  const [at, locallyAt] = [clock.latest(), clock.wall()]
  const armed = armAttempt(payment, {bytes, idempotencyKey, at, locallyAt, isGuaranteed, limits, sends: 1})
  const detail = omitUndefined({attempt: payment.attempts.length, epoch: held?.lease.epoch, approved})
  // The earliest possible time, so that no clock that is ahead begins another day or ends the
  // window of a duplicate.
  const earliest = clock.earliest()
  const check: CommitCheck = {
    spending: buildDayQuery(spending, outgoing, earliest),
    paidTo: duplicateWindowMs > 0 ? buildDuplicateQuery(payment, earliest - duplicateWindowMs) : undefined,
    readsPolicyMark: binding !== undefined,
    judge(found) {
      if (binding && found.policyMark !== binding.mark) throw new PolicyChanged(payment.key)
      requireNotMadeElsewhere(context, payment, found.elsewhere)
      const duplicates = pickDuplicates(payment, found.paidTo).filter(({key}) => !allowed.has(key))
      const duplicate = createDuplicateError(payment, duplicates)
      if (duplicate) throw duplicate
      const [problem] = findDayProblems(spending, outgoing, found.spent)
      if (problem !== undefined) throw paymentError('LIMIT_REACHED', {key: payment.key, reason: problem})
    },
  }
  try {
    await commit(run, armed, {what: 'ARMED', detail}, check)
    return {what: 'armed', again: false}
  } catch (error) {
    if (!(error instanceof SvcError) || error.error !== 'LIMIT_REACHED') throw error
    return stop(run, error.reason ?? error.message)
  }
}

function requireArmed(payment: Payment) {
  const attempt = getLastAttempt(payment)
  if (!attempt?.armed) throw new Error(`nothing is armed for ${payment.key}`)
  return {attempt, armed: attempt.armed}
}

async function armAgain(run: Run): Promise<Event> {
  const {payment} = run
  const {armed} = requireArmed(payment)
  const attempts = changeLast(payment, {armed: {...armed, sends: armed.sends + 1}})
  await commit(run, {...payment, attempts}, {what: 'RESENDING'})
  return {what: 'armed', again: true}
}

async function renew(run: Run): Promise<Event> {
  await renewLease(run)
  return {what: 'renewed'}
}

async function send({context, payment}: Run, {again}: {again: boolean}): Promise<Event> {
  return {what: 'sent', again, reply: await transmit(context, payment)}
}

async function transmit({service, owner}: PaymentContext, payment: Payment) {
  const {attempt, armed} = requireArmed(payment)
  const sent: Sent = {attempt}
  rememberSent(owner, deriveCorrelationId(payment.serviceId, payment.key), sent)
  const reply = await service
    .send(armed.bytes, armed.idempotencyKey)
    .then((body) => classifyReply(body, getPaymentIds(payment)), classifyFailure)
  if (reply.kind === 'created') sent.transactionId = readText(reply.transaction.transactionId)
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

// Records the transaction of the payment. ADOPTED means that it was found at the service, not
// returned by a send of this run.
async function recordCreated(run: Run, transaction: LooseTransaction, what: 'CREATED' | 'ADOPTED'): Promise<Event> {
  const {payment} = run
  const limits = getLimits(run.order, payment)
  const made = describeMade(payment.content, transaction)
  const {transactionId, ended} = made
  const difference = joinDifferences(describeDifferences({...payment, limits}, transaction))
  const entry = {what, detail: {transactionId, ...(difference && {difference}), ...(ended && {ended})}}
  const check = createOwnerCheck(payment, transactionId)
  const created = toCreated(payment, {...made, ...(what === 'ADOPTED' && {limits})})
  await commit(run, created, entry, check).catch((error: unknown) => {
    const failure = error instanceof SvcError && error.cause instanceof JournalUnusable ? error.cause : error
    throw failure instanceof JournalUnusable ? new UnrecordedPayment(payment, transactionId, failure) : error
  })
  run.transaction = transaction
  run.wasAdopted = what === 'ADOPTED'
  return {what: 'created'}
}

// Records that the service has the transaction of this payment. Another journal, or an attempt with
// other content, may have paid somebody else with it, or another amount: then the key belongs to
// that payment.
async function adopt(run: Run, transaction: LooseTransaction): Promise<Event> {
  const {order, payment} = run
  const isChanged = hasOtherContent(payment, order.intent)
  const ownAttempts = payment.attempts.filter(({hadOtherContent}) => !hadOtherContent)
  const isOther = wasMadeElsewhere(ownAttempts, transaction) && isOtherPayment(payment.content, transaction)
  const content = isOther ? readContent(transaction) : takeSentAmount(payment, transaction)
  run.payment = {...payment, content}
  const event = await recordCreated(run, transaction, 'ADOPTED')
  const wasSent = isOther && payment.state === 'UNKNOWN'
  if (isOther || isChanged) throw createKeyUsedError(run.payment, order.intent.content, wasSent)
  return event
}

// Takes over the amount that was sent. For a sum that is to arrive, another journal, or an attempt
// before this one, may have sent another amount.
function takeSentAmount({content}: Payment, transaction: LooseTransaction): PaymentContent {
  const {sourceAmount} = readContent(transaction).source
  if (content.receive === undefined || sourceAmount === '') return content
  return {...content, source: {...content.source, sourceAmount}}
}

const renewLease = ({context, held, payment}: Run): Promise<void> =>
  wrapJournalFailure(payment, async () => {
    if (held) await context.journal.renewLease(held.lease)
  })

// Throws if this process has sent something for the payment that the journal has lost. The request
// is entered again first, so that the next run settles it instead of paying.
async function restoreForgotten(run: Run): Promise<void> {
  const {serviceId, key, attempts} = run.payment
  const {attempt, transactionId: id = ''} = findSent(run.context.owner, deriveCorrelationId(serviceId, key)) ?? {}
  if (!attempt || attempts.some(({quote, armed}) => quote.id === attempt.quote.id && armed)) return
  const reason = 'the journal went back to an earlier state'
  const others = attempts.filter(({quote}) => quote.id !== attempt.quote.id)
  const detail = {reason, ...(id && {transactionId: id})}
  const unknown = changeState(run.payment, 'UNKNOWN', [...others, {...attempt, reason}])
  await commit(run, unknown, {what: 'UNKNOWN', detail})
  throw paymentError('JOURNAL_WENT_BACK', {key, id})
}

export async function payOnce(context: PaymentContext, order: PaymentOrder): Promise<PaymentResult> {
  const result = await retryIfLeaseLost(context, () => findAndPay(context, order))
  if (!result) throw new Error(`the run of ${order.intent.key} ended as if it was made`)
  return result
}

// Does all that a run does before it takes the lease, and nothing more. Returns a payment that was
// made before.
export const checkPayment = (context: PaymentContext, order: PaymentOrder): Promise<PaymentResult | undefined> =>
  findAndPay(context, {...order, aim: 'check'})

async function findAndPay(context: PaymentContext, order: PaymentOrder): Promise<PaymentResult | undefined> {
  const {intent} = order
  const known = await context.journal.find(intent.serviceId, intent.key)
  if (known) requireSameContent(known, intent)
  // A payment that was made needs no lease, and nothing is written but how it ended.
  if (known?.state === 'CREATED') return reportMade(context, known)

  const {payment, transaction, wasAdopted} = await drive(context, order, known)
  if (payment.state !== 'CREATED') return undefined
  const current = transaction ? {transaction} : await readTransaction(context, payment)
  return {payment, ...current, wasMadeBefore: transaction === undefined, wasAdopted}
}
