// Pays once per key, whatever happened before: asks next.ts what to do, does it, tells next.ts what
// has come of it, and asks again.
import {SvcError, ignoreFailure} from '../../errors.ts'
import {omitUndefined} from '../../values/records.ts'
import {lowerFirst} from '../../values/text.ts'
import {toNewPayment} from '../journal/tables.ts'
import {type PaymentContext, type PaymentResult, readNow} from './context.ts'
import {recordCreated, adopt} from './create.ts'
import {endedError, outcomeUnknown, paymentError, rejectedByService, severalTransactions} from './errors.ts'
import {createKeyUsedError, hasOtherContent, requireSameContent} from './key-use.ts'
import {retryIfLeaseLost, takeLease} from './lease.ts'
import {reportMade} from './made.ts'
import {type Action, type Ending, type Event, type Search, findSettlingTimes, next, observe, startSeen} from './next.ts'
import {
  type Payment,
  type PaymentState,
  changeLast,
  changeState,
  deriveCorrelationId,
  getLastAttempt,
  isNotMade,
  unsettledStates,
} from './payment.ts'
import {changeContent, requestQuote, confirm} from './price.ts'
import {describeAnswer} from './reply.ts'
import {type PaymentOrder, type Run, note, commit, renewLease} from './run.ts'
import {findMatches, readTransaction, searchListed} from './search.ts'
import {arm, armAgain, renew, send} from './send.ts'
import {findSent} from './sent.ts'
import {fetchQuote} from './service.ts'

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
