// Runs `svc pay`: makes the payment of one key. A person is asked about duplicates and about the price.
import {showBox} from '../../cli/output/box.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import {describeLivePlace} from '../../profiles/write-gate.ts'
import {describeArrival} from '../../values/money.ts'
import {noticeMagicEnding} from '../../transactions/watch.ts'
import {createPaymentSubject} from './approve-plan.ts'
import {describeDuplicates, findDuplicatesNow, rejectSlotAhead} from './objections.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {type Intent, JournalUnusable} from '../journal/journal.ts'
import {openJournal} from '../journal/open-journal.ts'
import {type PayRun, announceMissedSlots, buildOrder} from './pay-run.ts'
import {BackToQuestions} from './plan.ts'
import {findEarlierSlots, isSlotAhead, settleEarlierSlots} from './slots.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {fetchQuote, observeExpiry, readPrice} from '../protocol/fetch-quote.ts'
import {findMatches, pickSingleMatch} from '../protocol/find-transaction.ts'
import {listContentChanges} from '../protocol/compare.ts'
import {canChangeContent, createKeyUsedError, rejectPaidElsewhere} from '../protocol/key-use.ts'
import {
  LimitReached,
  buildDailyQuery,
  checkDailyLimit,
  checkPaymentLimits,
  checkPriceLimits,
  findUnlimitedFees,
} from '../protocol/limits.ts'
import {type PaymentOrder, type PaymentResult, payOnce} from '../protocol/pay.ts'
import {ApprovedQuoteExpired, outcomeUnknown, stoppedAfterQuote, wouldBeStopped} from '../protocol/payment-errors.ts'
import {type Payment, type PaymentContent, isSameContent, spendingStates, unsettledStates} from '../protocol/payment.ts'
import {hasRunOut} from '../protocol/send.ts'
import {
  findBadEnding,
  toKnownTransaction,
  createReceiptView,
  toQuoteResult,
  warnOfFees,
  withPaymentExitNotice,
  withSlotExitNotice,
} from './notices.ts'
import {withNotifications} from './notify-payments.ts'
import type {OpenPaymentContext} from './open-context.ts'
import {reportPayment} from './report-payment.ts'

const goBack = () => {
  throw new BackToQuestions()
}

async function requireYes(question: string, quote: LooseQuote | undefined, {canGoBack}: PayRun): Promise<void> {
  const ask = await import('../../cli/prompts/ask.ts')
  await ask.requireYes(question, quote && stoppedAfterQuote, canGoBack ? goBack : undefined)
}

// The amount to send for what is to arrive, and the quote that brings it. Other orders stay as they are.
async function findSentAmount(payRun: PayRun, context: PaymentContext, order: PaymentOrder): Promise<PaymentOrder> {
  if (order.intent.content.receive === undefined) return order
  const {resolveReceive} = await import('./receive.ts')
  const resolved = await resolveReceive(context, {...order, approvedQuote: undefined})
  const {content} = resolved.intent
  if (resolved.approvedQuote && !payRun.needsYes) payRun.terminal.notice(describeSent(content, resolved))
  return resolved
}

const describeSent = ({source, destination}: PaymentContent, {approvedQuote = {}, isGuaranteed}: PaymentOrder) => {
  const [sent, received] = [
    `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()}`,
    `${readPrice(approvedQuote).received} ${destination.destinationCurrency.toUpperCase()}`,
  ]
  return `To send: ${sent}. Arrives: ${describeArrival(received, isGuaranteed)}.`
}

// A slot that has not come is refused before anything is recorded. A payment that was, or may have been, made is only reported.
async function rejectEarlySlot({plan, key, slot, traits, context: runContext}: PayRun): Promise<void> {
  if (!isSlotAhead(plan.key, slot, Date.now())) return
  const context = await runContext.open({isAsking: true})
  const known = await context.journal.find(traits.serviceId, key.key)
  if (known && spendingStates.includes(known.state)) return
  await rejectSlotAhead(context, plan.content.customerId, {template: plan.key, time: slot})
}

// Only a person is asked. A script is stopped by the order's objections.
async function confirmDuplicates(payRun: PayRun, order: PaymentOrder): Promise<PaymentOrder> {
  const {terminal, flags, caller, key, quote} = payRun
  if (!terminal.isInteractive || flags['allow-duplicates']) return order
  const query = {intent: order.intent, windowMs: caller.duplicateWindowMs}
  const found = await findDuplicatesNow(await payRun.context.open({isAsking: true}), query)
  if (found.length === 0) return order
  terminal.alert(`there is already ${describeDuplicates(found)}`)
  await requireYes(`Pay once more, as ${key.key}?`, quote, payRun)
  return {...order, findObjection: buildOrder(payRun, true).findObjection}
}

const buildPriceQuestion = (
  caller: Caller,
  {key, content: {source, destination, receive}}: Intent,
  {highFees}: {highFees: string | undefined},
) => {
  const although = highFees === undefined ? '' : `, although the fees are ${highFees} of it`
  const sums =
    receive === undefined
      ? 'Pay this'
      : `Send ${source.sourceAmount} ${source.sourceCurrency}, for ${receive} ${destination.destinationCurrency} to arrive`
  return `${sums}${describeLivePlace(caller)}, as ${key}${although}?`
}

// Shows the price and asks for a yes. The quote that was approved is the one that is executed. Undefined if it ran out meanwhile.
async function confirmPrice(payRun: PayRun, order: PaymentOrder): Promise<PaymentOrder | undefined> {
  const {caller, quote: earlierQuote, terminal} = payRun
  const {review} = terminal
  const context = await payRun.context.open({isAsking: true})
  const checked = await checkOrder(context, order, review ? review.quote : (order.approvedQuote ?? earlierQuote))
  // A payment that was already made needs no approval.
  if ('made' in checked) return order
  const {quote, stop, findings} = checked
  if (stop) throw stop
  for (const finding of findings) terminal.notice(finding)
  const {buildPaymentBox, takeYes} = await import('./review.ts')
  if (review) takeYes(review, order, quote)
  else {
    const price = await buildPaymentBox(context, caller, order, quote, order.intent.key)
    await showBox(price.box)
    await requireYes(buildPriceQuestion(caller, order.intent, price), quote, payRun)
  }
  await terminal.authorize(true)
  return hasRunOut(context, quote) ? undefined : {...order, approvedQuote: quote}
}

async function sendOrder(context: OpenPaymentContext, payRun: PayRun, order: PaymentOrder): Promise<PaymentResult> {
  const {intent} = order
  const {serviceId, key} = intent
  await rejectPaidElsewhere(context, intent)
  // A payment that was made is only shown, so earlier slots do not matter.
  if ((await context.journal.find(serviceId, key))?.state !== 'CREATED') {
    await withSlotExitNotice(key, settleEarlierSlots(context, serviceId, [intent], payRun.terminal.notice))
    if (payRun.approval.isApproved) {
      const subject = createPaymentSubject(serviceId, payRun.plan)
      const {recordApprovals} = await import('../controls/require-approval.ts')
      await recordApprovals(context.journal, payRun.approval, {about: {serviceId, key}, subject})
    }
  }
  await announceMissedSlots(context, payRun)
  return withPaymentExitNotice(context, (followed) => payOnce(followed, order))
}

// Undefined if the approved quote ran out before it was sent, for example while another process was waited for.
async function sendInTime(
  context: OpenPaymentContext,
  payRun: PayRun,
  order: PaymentOrder,
): Promise<PaymentResult | undefined> {
  try {
    return await sendOrder(context, payRun, order)
  } catch (error) {
    if (error instanceof ApprovedQuoteExpired) return undefined
    throw error
  }
}

// How often an amount is found anew without a person, because its quote ran out before it was sent.
const quotesUsedMax = 3

const ranOutNotice = 'The quote ran out before it could be used; this is the new price.'

// One payment from its key to its report. A quote that runs out before it is sent is followed by another, whose price has to be
// approved, too.
async function runPayment(payRun: PayRun): Promise<Result> {
  await rejectEarlySlot(payRun)
  const {needsYes, terminal, context: runContext} = payRun
  const found = await findSentAmount(payRun, await runContext.open({isAsking: needsYes}), buildOrder(payRun))
  let order = await confirmDuplicates(payRun, found)
  for (let tries = 1; ; tries++) {
    const confirmed = needsYes ? await confirmPrice(payRun, order) : order
    if (confirmed) {
      const context = await runContext.open()
      const paid = await sendInTime(context, payRun, confirmed)
      if (paid) return reportPayment(context, payRun, paid)
    }
    if (needsYes) terminal.notice(ranOutNotice)
    else if (tries === quotesUsedMax) throw new ApprovedQuoteExpired(order.intent)
    order = await findSentAmount(payRun, await runContext.open({isAsking: needsYes}), order)
  }
}

// A journal that cannot be written may be readable, and what it has of the payment is true whatever could not be written.
async function reportFromJournal(
  {traits, plan, key: {key}, terminal}: PayRun,
  error: JournalUnusable,
): Promise<Result> {
  const payment = await readPayment(traits, key).catch(() => undefined)
  if (!payment || !isSameContent(payment.content, plan.content)) throw error
  const reason = error.reason ?? error.message
  if (unsettledStates.includes(payment.state)) throw outcomeUnknown(payment, reason, {cause: error})
  if (payment.state !== 'CREATED') throw error
  terminal.alert(
    `${reason}. The payment ${key} was made before, as transaction ${payment.transactionId}; nothing was sent`,
  )
  const view = createReceiptView(payment, terminal.addNames)
  return itemResult(toKnownTransaction(payment), view, findBadEnding({payment, wasMadeBefore: true}))
}

async function readPayment({serviceId, journal: address}: ServiceTraits, key: string) {
  const journal = await openJournal(address)
  try {
    return await journal.find(serviceId, key)
  } finally {
    await journal.close()
  }
}

export async function runPayments(payRun: PayRun): Promise<Result> {
  const {notifier, plan, key, caller, terminal} = payRun
  return withNotifications(notifier, {key: key.key, content: plan.content}, async () => {
    const result = await runPayment(payRun).catch((error: unknown) => {
      if (error instanceof JournalUnusable) return reportFromJournal(payRun, error)
      throw error
    })
    return noticeMagicEnding(caller, result, terminal.notice)
  })
}

// `svc pay --dry-run`: shows the price, what would stop the payment, and what a run would do first.
export async function runDry(payRun: PayRun): Promise<Result> {
  await rejectEarlySlot(payRun)
  const {terminal, caller} = payRun
  const {review, addNames} = terminal
  const context = await payRun.context.open()
  const order = await findSentAmount(payRun, context, buildOrder(payRun))
  await announceMissedSlots(context, payRun)
  const checked = await checkOrder(context, order, order.approvedQuote ?? payRun.quote)
  if ('made' in checked) return reportPayment(context, payRun, checked.made)
  const {quote, stop, findings} = checked
  if (review && !stop) {
    const {pricePayment} = await import('./review.ts')
    review.onPriced(await pricePayment(context, caller, order, {quote, findings}))
  }
  for (const finding of findings) terminal.notice(finding)
  const highFees = findUnlimitedFees(order.limits, order.intent.content, readPrice(quote))
  if (highFees !== undefined) terminal.alert(warnOfFees(highFees))
  if (!stop) terminal.notice('No limit would stop it; nothing was sent.')
  return toQuoteResult(context, order, quote, {addNames, failure: stop})
}

// Checks a payment without making it: requests a quote and checks the limits, without paying and without writing to the journal.
type CheckedOrder =
  // The payment was made before, so a run would send nothing.
  {made: PaymentResult} | {quote: LooseQuote; stop?: SvcError; findings: string[]}

const messages = {
  unknown: 'The outcome of an earlier run is unknown: a run would settle it first.',
  found: (id: unknown) => `The service already has it (${String(id)}): a run would adopt it and pay nothing.`,
  changed: (key: string, changes: readonly string[]) =>
    `The key ${key} has other content, under which nothing was made: a run would change it (${changes.join('; ')}).`,
  earlierSlot: (key: string) => `The earlier slot ${key} is not settled: a run would settle it first.`,
}

const newPayment = ({intent}: PaymentOrder): Payment => ({
  ...intent,
  state: 'INTENDED',
  attempts: [],
  createdAt: 0,
  updatedAt: 0,
})

async function findLimitError(
  {controls: {spending = {}}, clock, journal}: PaymentContext,
  {limits, intent}: PaymentOrder,
  payment: Payment,
  quote: LooseQuote,
): Promise<SvcError | undefined> {
  const {serviceId, key, content} = intent
  try {
    checkPriceLimits(limits, content, readPrice(quote))
    checkPaymentLimits(spending, content)
    const query = buildDailyQuery(spending, content, clock.latest())
    checkDailyLimit(spending, content, query ? await journal.listSpentAmounts(serviceId, key, query) : [])
    return undefined
  } catch (error) {
    if (error instanceof LimitReached) return wouldBeStopped(payment, error.message)
    throw error
  }
}

async function requestPrice(
  context: PaymentContext,
  {intent, isGuaranteed}: PaymentOrder,
  earlier: LooseQuote | undefined,
): Promise<LooseQuote> {
  if (earlier && !hasRunOut(context, earlier)) return earlier
  return observeExpiry(context.clock, await fetchQuote(context, intent.content, isGuaranteed))
}

// `earlier` is a quote of the same payment that was requested before. It is used while it is valid.
async function checkOrder(
  context: PaymentContext,
  order: PaymentOrder,
  earlier: LooseQuote | undefined,
): Promise<CheckedOrder> {
  const {serviceId, key, content} = order.intent
  await rejectPaidElsewhere(context, order.intent)
  const known = await context.journal.find(serviceId, key)
  const isChanged = known !== undefined && !isSameContent(known.content, content)
  if (isChanged && !canChangeContent(known)) throw createKeyUsedError(known, content)
  if (known?.state === 'CREATED') return {made: await payOnce(context, order)}
  const payment = known ?? newPayment(order)
  const match = pickSingleMatch(payment, (await findMatches(context, payment)).matches)
  if (isChanged && match) throw createKeyUsedError({...known, state: 'CREATED'}, content)
  const quote = await requestPrice(context, order, earlier)
  const stop = (await order.findObjection?.(context, payment)) ?? (await findLimitError(context, order, payment, quote))
  const earlierSlots = await findEarlierSlots(context, serviceId, [order.intent])
  const findings = [
    ...earlierSlots.map((slot) => messages.earlierSlot(slot.earlier.key)),
    ...(isChanged ? [messages.changed(key, listContentChanges(known.content, content))] : []),
    ...(match ? [messages.found(match.transactionId)] : []),
    ...(!match && unsettledStates.includes(payment.state) ? [messages.unknown] : []),
  ]
  return {quote, ...(stop && {stop}), findings}
}
