// Gives a payment its content and its quote, checks its limits, and lets whoever is asked say yes.
import type {LooseTransaction} from '../../contract/loose.ts'
import {quoteLifetimeMs} from '../../contract/vocabulary.ts'
import {buildDayQuery, findDayProblems, findPaymentProblems} from '../../controls/check-spending.ts'
import {describeOperator} from '../../controls/operator.ts'
import {SvcError} from '../../errors.ts'
import {readText} from '../../values/records.ts'
import {toInstantMs} from '../../values/time.ts'
import {listContentChanges} from './compare.ts'
import {createDuplicateError, findDuplicates} from './duplicates.ts'
import {QuoteRejected, paymentError} from './errors.ts'
import {findQuoteProblems, toOutgoing} from './limits.ts'
import type {Event} from './next.ts'
import {type PaymentContent, changeLast, changeState, getLastAttempt, readPrice, spendingStates} from './payment.ts'
import {findOffer} from './receive.ts'
import {type Run, note, commit, getLimits} from './run.ts'
import {fetchQuote} from './service.ts'

export async function changeContent(run: Run): Promise<Event> {
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
export async function requestQuote(run: Run): Promise<Event> {
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

// Checks the limits against the quote, and lets whoever is asked say yes to it.
export async function confirm(run: Run, {match}: {match?: LooseTransaction | undefined}): Promise<Event> {
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
export async function stop(run: Run, reason: string): Promise<never> {
  const {key} = run.payment
  if (!run.held) throw paymentError('LIMIT_REACHED', {key, reason, isForecast: true})
  const stopped = changeState(run.payment, 'STOPPED', changeLast(run.payment, {reason}))
  await commit(run, stopped, {what: 'STOPPED', detail: {reason}})
  throw paymentError('LIMIT_REACHED', {key, reason})
}
