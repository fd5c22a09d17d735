// Makes the payment of one key, or only checks it. A person is asked about duplicates and about the price.
import {readPayeeIds} from '../../accounts/name-columns.ts'
import {withExitNotice} from '../../cli/exit.ts'
import {showBox} from '../../cli/output/box.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {describeLivePlace} from '../../profiles/write-gate.ts'
import {createQuoteView} from '../../quotes/view.ts'
import {describeArrival} from '../../values/money.ts'
import type {Approval} from '../../controls/approvals.ts'
import {getCoolDownRules} from '../../controls/new-payees.ts'
import {readJournal} from '../journal/entries.ts'
import {JournalUnusable} from '../journal/journal.ts'
import {isSameContent} from '../protocol/compare.ts'
import {type PaymentOrder, type PaymentResult, hasRunOut, payOnce} from '../protocol/drive.ts'
import {ApprovedQuoteExpired, outcomeUnknown, stoppedAfterQuote} from '../protocol/errors.ts'
import {rejectPaidElsewhere} from '../protocol/key-use.ts'
import {findUnlimitedFees} from '../protocol/limits.ts'
import {spendingStates, unsettledStates} from '../protocol/payment.ts'
import {readPrice} from '../protocol/quote.ts'
import {createPaymentSubject} from './payment-fields.ts'
import {checkOrder} from './check-order.ts'
import {
  createObjectionFinder,
  describeDuplicates,
  findClockObjection,
  findDuplicatesNow,
  getLatestTimeMs,
  rejectSlotAhead,
} from './objections.ts'
import type {OpenPaymentContext} from './open-context.ts'
import {
  addOwnColumns,
  createReceiptView,
  findBadEnding,
  reportPayment,
  toKnownTransaction,
  warnOfFees,
  withPaymentExitNotice,
} from './report.ts'
import type {Plan} from './plan.ts'
import type {Run} from './run-context.ts'
import {type ResolvedKey, describeMissedSlots, isSlotAhead, settleEarlierSlots} from './slots.ts'
import type {CompletedPlan} from './wizard.ts'

// A plan that may be paid.
export interface ApprovedPlan extends CompletedPlan {
  plan: Plan
  key: ResolvedKey
  // Who approved it, where approvals are wanted.
  approval: Approval
  // Whether a person has to say yes to the price.
  needsYes: boolean
}

// Thrown by a question about the payment if the person goes back to those of the wizard.
export class BackToQuestions extends Error {}

const goBack = () => {
  throw new BackToQuestions()
}

async function requireYes(question: string, quote: LooseQuote | undefined, {askAgain}: ApprovedPlan): Promise<void> {
  const ask = await import('../../cli/prompts/ask.ts')
  await ask.requireYes(question, quote && stoppedAfterQuote, askAgain && goBack)
}

// Whether the slot was taken from this machine's clock. That of the embedded sandbox may be moved, and is no reason to doubt it.
const isSlotFromClock = ({slot, caller}: Run, {key}: ApprovedPlan): boolean =>
  key.template !== undefined && !slot.named && caller.baseUrl !== sandboxAddress

function buildOrder(run: Run, approved: ApprovedPlan, allowsDuplicates = run.flags['allow-duplicates']): PaymentOrder {
  const {caller, traits} = run
  const {plan, key, approval} = approved
  return {
    intent: {serviceId: traits.serviceId, ...key, content: plan.content},
    limits: plan.limits,
    isGuaranteed: plan.isGuaranteed,
    findObjection: createObjectionFinder({
      isSlotFromClock: isSlotFromClock(run, approved),
      duplicateWindowMs: allowsDuplicates ? 0 : caller.duplicateWindowMs,
      coolDown: getCoolDownRules(caller, approval),
      approval,
    }),
  }
}

// The amount to send for what is to arrive, and the quote that brings it. Other orders stay as they are.
async function findSentAmount(
  {open, notice}: Run,
  {needsYes}: ApprovedPlan,
  order: PaymentOrder,
): Promise<PaymentOrder> {
  const context = await open({isAsking: needsYes})
  if (order.intent.content.receive === undefined) return order
  const {resolveReceive} = await import('./receive.ts')
  const resolved = await resolveReceive(context, {...order, approvedQuote: undefined})
  const {intent, approvedQuote, isGuaranteed} = resolved
  if (approvedQuote && !needsYes) {
    const {source, destination} = intent.content
    const sent = `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()}`
    const received = `${readPrice(approvedQuote).received} ${destination.destinationCurrency.toUpperCase()}`
    notice(`To send: ${sent}. Arrives: ${describeArrival(received, isGuaranteed)}.`)
  }
  return resolved
}

// A slot that has not come is refused before anything is recorded. A payment that was, or may have been, made is only reported.
async function rejectEarlySlot({slot, traits, open}: Run, {plan, key}: ApprovedPlan): Promise<void> {
  if (!isSlotAhead(plan.key, slot, Date.now())) return
  const context = await open({isAsking: true})
  const known = await context.journal.find(traits.serviceId, key.key)
  if (known && spendingStates.includes(known.state)) return
  await rejectSlotAhead(context, plan.content.customerId, {template: plan.key, time: slot})
}

// Shown even with --quiet, with which cron jobs run.
async function announceMissedSlots(context: OpenPaymentContext, {traits, slot, alert}: Run, {key}: ApprovedPlan) {
  const untilMs = Math.min(slot.atMs, getLatestTimeMs(context.clock))
  const missed = await describeMissedSlots(context, traits.serviceId, key, {zone: slot.zone, untilMs})
  if (missed !== undefined) alert(missed)
}

// Only a person is asked. A script is stopped by the order's objections.
async function confirmDuplicates(run: Run, approved: ApprovedPlan, order: PaymentOrder): Promise<PaymentOrder> {
  if (!run.isInteractive || run.flags['allow-duplicates']) return order
  const query = {intent: order.intent, windowMs: run.caller.duplicateWindowMs}
  const found = await findDuplicatesNow(await run.open({isAsking: true}), query)
  if (found.length === 0) return order
  run.alert(`there is already ${describeDuplicates(found)}`)
  await requireYes(`Pay once more, as ${order.intent.key}?`, approved.quote, approved)
  return {...order, findObjection: buildOrder(run, approved, true).findObjection}
}

function buildPriceQuestion({caller}: Run, {intent}: PaymentOrder, highFees: string | undefined): string {
  const {source, destination, receive} = intent.content
  const sums =
    receive === undefined
      ? 'Pay this'
      : `Send ${source.sourceAmount} ${source.sourceCurrency}, for ${receive} ${destination.destinationCurrency} to arrive`
  const although = highFees === undefined ? '' : `, although the fees are ${highFees} of it`
  return `${sums}${describeLivePlace(caller)}, as ${intent.key}${although}?`
}

// Shows the price and asks for a yes. The quote that was approved is the one that is executed. Undefined if it ran out meanwhile.
async function confirmPrice(run: Run, approved: ApprovedPlan, order: PaymentOrder): Promise<PaymentOrder | undefined> {
  const {caller, review, notice} = run
  const context = await run.open({isAsking: true})
  const checked = await checkOrder(context, order, review ? review.quote : (order.approvedQuote ?? approved.quote))
  // A payment that was already made needs no approval.
  if ('made' in checked) return order
  const {quote, stop, findings} = checked
  if (stop) throw stop
  for (const finding of findings) notice(finding)
  const {buildPaymentBox, takeYes} = await import('./review.ts')
  if (review) takeYes(review, order, quote)
  else {
    const {box, highFees} = await buildPaymentBox(context, caller, order, quote, order.intent.key)
    await showBox(box)
    await requireYes(buildPriceQuestion(run, order, highFees), quote, approved)
  }
  await run.authorize(true)
  return hasRunOut(context, quote) ? undefined : {...order, approvedQuote: quote}
}

async function sendOrder(
  context: OpenPaymentContext,
  run: Run,
  approved: ApprovedPlan,
  order: PaymentOrder,
): Promise<PaymentResult> {
  const {journal} = context
  const {intent} = order
  const {serviceId, key} = intent
  await rejectPaidElsewhere(context, intent)
  // A payment that was made is only shown, so earlier slots do not matter.
  if ((await journal.find(serviceId, key))?.state !== 'CREATED') {
    const notSent = () => ({
      message: `Stopped; the payment ${key} was not sent, since an earlier slot is not settled yet`,
      hint: 'Run the same command again, which settles it first',
    })
    await withExitNotice(notSent, settleEarlierSlots(context, serviceId, [intent], run.notice))
    if (approved.approval.isApproved) {
      const subject = createPaymentSubject(serviceId, approved.plan)
      const {recordApprovals} = await import('../../controls/approvals.ts')
      await recordApprovals(journal, approved.approval, {about: {serviceId, key}, subject})
    }
  }
  await announceMissedSlots(context, run, approved)
  return withPaymentExitNotice(context, (followed) => payOnce(followed, order))
}

function report(context: OpenPaymentContext, run: Run, approved: ApprovedPlan, result: PaymentResult): Promise<Result> {
  // With a wrong clock, the slot that was made before may not be the present one.
  const isDoubtful = isSlotFromClock(run, approved) && result.wasMadeBefore
  const objection = isDoubtful ? findClockObjection(context.clock, approved.key.key) : undefined
  return reportPayment(context, run, result, {isUnseen: !approved.needsYes, objection})
}

// How often an amount is found anew without a person, because its quote ran out before it was sent.
const quotesUsedMax = 3

// One payment from its key to its report. A quote that runs out before it is sent, for example while another process is waited for, is
// followed by another, whose price has to be approved, too.
async function payApproved(run: Run, approved: ApprovedPlan): Promise<Result> {
  await rejectEarlySlot(run, approved)
  const {needsYes} = approved
  const found = await findSentAmount(run, approved, buildOrder(run, approved))
  let order = await confirmDuplicates(run, approved, found)
  for (let tries = 1; ; tries++) {
    try {
      const confirmed = needsYes ? await confirmPrice(run, approved, order) : order
      if (!confirmed) throw new ApprovedQuoteExpired(order.intent)
      const context = await run.open()
      return await report(context, run, approved, await sendOrder(context, run, approved, confirmed))
    } catch (error) {
      if (!(error instanceof ApprovedQuoteExpired) || (!needsYes && tries === quotesUsedMax)) throw error
    }
    if (needsYes) run.notice('The quote ran out before it could be used; this is the new price.')
    order = await findSentAmount(run, approved, order)
  }
}

// A journal that cannot be written may be readable, and what it has of the payment is true whatever could not be written.
async function reportFromJournal(
  {traits, alert, addNames}: Run,
  {plan, key: {key}}: ApprovedPlan,
  error: JournalUnusable,
): Promise<Result> {
  const find = readJournal(undefined, (journal) => journal.find(traits.serviceId, key), traits)
  const payment = await find.catch(() => undefined)
  if (!payment || !isSameContent(payment.content, plan.content)) throw error
  const reason = error.reason ?? error.message
  if (unsettledStates.includes(payment.state)) throw outcomeUnknown(payment, reason, {cause: error})
  if (payment.state !== 'CREATED') throw error
  alert(`${reason}. The payment ${key} was made before, as transaction ${payment.transactionId}; nothing was sent`)
  const failure = findBadEnding({payment, wasMadeBefore: true})
  return itemResult(toKnownTransaction(payment), createReceiptView(payment, addNames), failure)
}

export async function runPayment(run: Run, approved: ApprovedPlan): Promise<Result> {
  try {
    return await payApproved(run, approved)
  } catch (error) {
    if (error instanceof JournalUnusable) return reportFromJournal(run, approved, error)
    throw error
  }
}

// `svc pay --dry-run`: shows the price, what would stop the payment, and what a run would do first.
export async function runDry(run: Run, approved: ApprovedPlan): Promise<Result> {
  await rejectEarlySlot(run, approved)
  const {caller, review, notice, alert, addNames} = run
  const order = await findSentAmount(run, {...approved, needsYes: false}, buildOrder(run, approved))
  const context = await run.open()
  await announceMissedSlots(context, run, approved)
  const checked = await checkOrder(context, order, order.approvedQuote ?? approved.quote)
  if ('made' in checked) return report(context, run, approved, checked.made)
  const {quote, stop, findings} = checked
  const {calculateLifeMs, pricePayment} = await import('./review.ts')
  if (review && !stop) review.onPriced(await pricePayment(context, caller, order, {quote, findings}))
  for (const finding of findings) notice(finding)
  const {intent, limits, isGuaranteed} = order
  const highFees = findUnlimitedFees(limits, intent.content, readPrice(quote))
  if (highFees !== undefined) alert(warnOfFees(highFees))
  if (!stop) notice('No limit would stop it; nothing was sent.')
  const body = {...intent.content, guaranteeQuote: isGuaranteed}
  const view = addOwnColumns(createQuoteView({body, lifeMs: calculateLifeMs(context, quote)}), {key: intent.key})
  return itemResult(
    quote,
    addNames(view, () => readPayeeIds(intent.content)),
    stop,
  )
}
