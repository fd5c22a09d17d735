// Makes the payment of one key, or only checks it. A person is asked about duplicates and about the price.
import {readPayeeIds} from '../../accounts/name-columns.ts'
import {withExitNotice} from '../../cli/exit.ts'
import {showBox} from '../../cli/output/box.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {describeLivePlace} from '../../profiles/write-gate.ts'
import {createQuoteView} from '../../quotes/view.ts'
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
  describeDuplicates,
  findClockObjection,
  findDuplicatesNow,
  findObjection,
  getLatestTimeMs,
  rejectSlotAhead,
} from './objections.ts'
import type {OpenPaymentContext} from './open-context.ts'
import {addOwnColumns, reportPayment, toReceipt, warnOfFees, withPaymentExitNotice} from './report.ts'
import type {Plan} from './plan.ts'
import type {Run} from './run-context.ts'
import {type ResolvedKey, describeMissedSlots, isSlotAhead, settleEarlierSlots} from './slots.ts'
import type {CompletedPlan} from './wizard.ts'

// A run whose plan may be paid.
export interface PlanRun extends Run, CompletedPlan {
  plan: Plan
  key: ResolvedKey
  // Who approved it, where approvals are wanted.
  approval: Approval
  // Whether a person has to say yes to the price.
  needsYes: boolean
  // By --allow-duplicates, or by a person who was asked.
  allowsDuplicates: boolean
}

// Thrown by a question about the payment if the person goes back to those of the wizard.
export class BackToQuestions extends Error {}

const goBack = () => {
  throw new BackToQuestions()
}

async function requireYes({askAgain, quote: answered}: PlanRun, question: string, quote = answered): Promise<void> {
  const ask = await import('../../cli/prompts/ask.ts')
  await ask.requireYes(question, quote && stoppedAfterQuote, askAgain && goBack)
}

// Whether the slot was taken from this machine's clock. That of the embedded sandbox may be moved, and is no reason to doubt it.
const isSlotFromClock = ({slot, caller, key}: PlanRun): boolean =>
  key.template !== undefined && !slot.named && caller.baseUrl !== sandboxAddress

function buildOrder(run: PlanRun): PaymentOrder {
  const {caller, traits, plan, key, approval} = run
  return {
    intent: {serviceId: traits.serviceId, ...key, content: plan.content},
    limits: plan.limits,
    isGuaranteed: plan.isGuaranteed,
    findObjection: (context, intent) =>
      findObjection(context, intent, {
        isSlotFromClock: isSlotFromClock(run),
        duplicateWindowMs: run.allowsDuplicates ? 0 : caller.duplicateWindowMs,
        coolDown: getCoolDownRules(caller, approval),
        approval,
      }),
  }
}

// The amount to send for what is to arrive, and the quote that brings it. Other orders stay as they are.
async function findSentAmount({open, notice, needsYes}: PlanRun, order: PaymentOrder): Promise<PaymentOrder> {
  if (order.intent.content.receive === undefined) return order
  const {describeSent, resolveReceive} = await import('./receive.ts')
  const resolved = await resolveReceive(await open({isAsking: needsYes}), {...order, approvedQuote: undefined})
  if (!needsYes && resolved.approvedQuote) notice(describeSent(resolved, resolved.approvedQuote))
  return resolved
}

// A slot that has not come is refused before anything is recorded. A payment that was, or may have been, made is only reported.
async function rejectEarlySlot({slot, traits, open, plan, key}: PlanRun): Promise<void> {
  if (!isSlotAhead(plan.key, slot, Date.now())) return
  const context = await open({isAsking: true})
  const known = await context.journal.find(traits.serviceId, key.key)
  if (known && spendingStates.includes(known.state)) return
  await rejectSlotAhead(context, plan.content.customerId, {template: plan.key, time: slot})
}

// Shown even with --quiet, with which cron jobs run.
async function announceMissedSlots({clock, journal}: OpenPaymentContext, {traits, slot, alert, key}: PlanRun) {
  const untilMs = Math.min(slot.atMs, getLatestTimeMs(clock))
  const missed = await describeMissedSlots({journal}, traits.serviceId, key, {zone: slot.zone, untilMs})
  if (missed !== undefined) alert(missed)
}

// Only a person is asked. A script is stopped by the order's objections.
async function confirmDuplicates(run: PlanRun, {intent}: PaymentOrder): Promise<void> {
  if (!run.isInteractive || run.allowsDuplicates) return
  const query = {intent, windowMs: run.caller.duplicateWindowMs}
  const found = await findDuplicatesNow(await run.open({isAsking: true}), query)
  if (found.length === 0) return
  run.alert(`there is already ${describeDuplicates(found)}`)
  await requireYes(run, `Pay once more, as ${intent.key}?`)
  run.allowsDuplicates = true
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

// Shows the price and asks for a yes. The quote that was approved is the one that is executed.
async function confirmPrice(run: PlanRun, order: PaymentOrder): Promise<PaymentOrder> {
  const {caller, review, notice} = run
  const context = await run.open({isAsking: true})
  const checked = await checkOrder(context, order, review ? review.quote : (order.approvedQuote ?? run.quote))
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
    await requireYes(run, buildPriceQuestion(run, order, highFees), quote)
  }
  await run.authorize(true)
  if (hasRunOut(context, quote)) throw new ApprovedQuoteExpired(order.intent)
  return {...order, approvedQuote: quote}
}

async function sendOrder(context: OpenPaymentContext, run: PlanRun, order: PaymentOrder): Promise<PaymentResult> {
  const {journal} = context
  const {approval, plan, notice} = run
  const {intent} = order
  const {serviceId, key} = intent
  await rejectPaidElsewhere(context, intent)
  // A payment that was made is only shown, so earlier slots do not matter.
  if ((await journal.find(serviceId, key))?.state !== 'CREATED') {
    const notSent = () => ({
      message: `Stopped; the payment ${key} was not sent, since an earlier slot is not settled yet`,
      hint: 'Run the same command again, which settles it first',
    })
    await withExitNotice(notSent, settleEarlierSlots(context, serviceId, [intent], notice))
    if (approval.isApproved) {
      const {recordApprovals} = await import('../../controls/approvals.ts')
      const subject = createPaymentSubject(serviceId, plan)
      await recordApprovals(journal, approval, {about: {serviceId, key}, subject})
    }
  }
  await announceMissedSlots(context, run)
  return withPaymentExitNotice(context, (followed) => payOnce(followed, order))
}

function report(context: OpenPaymentContext, run: PlanRun, result: PaymentResult): Promise<Result> {
  // With a wrong clock, the slot that was made before may not be the present one.
  const isDoubtful = isSlotFromClock(run) && result.wasMadeBefore
  const objection = isDoubtful ? findClockObjection(context.clock, run.key.key) : undefined
  return reportPayment(context, run, result, {isUnseen: !run.needsYes, objection})
}

// How often an amount is found anew without a person, because its quote ran out before it was sent.
const quotesUsedMax = 3

// One payment from its key to its report. A quote that runs out before it is sent, for example while another process is waited for, is
// followed by another, whose price has to be approved, too.
async function payApproved(run: PlanRun): Promise<Result> {
  await rejectEarlySlot(run)
  let order = await findSentAmount(run, buildOrder(run))
  await confirmDuplicates(run, order)
  for (let tries = 1; ; tries++) {
    try {
      const confirmed = run.needsYes ? await confirmPrice(run, order) : order
      const context = await run.open()
      return await report(context, run, await sendOrder(context, run, confirmed))
    } catch (error) {
      if (!(error instanceof ApprovedQuoteExpired) || (!run.needsYes && tries === quotesUsedMax)) throw error
    }
    if (run.needsYes) run.notice('The quote ran out before it could be used; this is the new price.')
    order = await findSentAmount(run, order)
  }
}

// A journal that cannot be written may be readable, and what it has of the payment is true whatever could not be written.
async function reportFromJournal(
  {traits, alert, addNames, plan, key: {key}}: PlanRun,
  error: JournalUnusable,
): Promise<Result> {
  const find = readJournal(undefined, (journal) => journal.find(traits.serviceId, key), traits)
  const payment = await find.catch(() => undefined)
  if (!payment || !isSameContent(payment.content, plan.content)) throw error
  const reason = error.reason ?? error.message
  if (unsettledStates.includes(payment.state)) throw outcomeUnknown(payment, reason, {cause: error})
  if (payment.state !== 'CREATED') throw error
  alert(`${reason}. The payment ${key} was made before, as transaction ${payment.transactionId}; nothing was sent`)
  return toReceipt({payment, wasMadeBefore: true}, addNames)
}

export async function runPayment(run: PlanRun): Promise<Result> {
  try {
    return await payApproved(run)
  } catch (error) {
    if (error instanceof JournalUnusable) return reportFromJournal(run, error)
    throw error
  }
}

// `svc pay --dry-run`: shows the price, what would stop the payment, and what a run would do first.
export async function runDry(run: PlanRun): Promise<Result> {
  await rejectEarlySlot(run)
  const {caller, review, notice, alert, addNames} = run
  const order = await findSentAmount(run, buildOrder(run))
  const context = await run.open()
  await announceMissedSlots(context, run)
  const checked = await checkOrder(context, order, order.approvedQuote ?? run.quote)
  if ('made' in checked) return report(context, run, checked.made)
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
  const named = addNames(view, () => readPayeeIds(intent.content))
  return itemResult(quote, named, stop)
}
