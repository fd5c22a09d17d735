// Runs `svc pay`: makes the payment of one key, after the missed slots of its schedule with --catch-up. A person is asked about
// duplicates and about the price.
import {type RouteParties, readParties} from '../../accounts/directory.ts'
import {showBox} from '../../cli/output/box.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import {describePlace} from '../../profiles/write-policy.ts'
import {buildPriceBox} from '../../quotes/price-box.ts'
import {noticeMagicEnding} from '../../transactions/watch.ts'
import {transactionView} from '../../transactions/view.ts'
import {readServiceState} from '../../transport.ts'
import {normalizeAmount} from '../../values/money.ts'
import {createPaymentSubject} from '../controls/approve-plan.ts'
import {describeDuplicates, findDuplicatesNow} from '../controls/objections.ts'
import {rejectChangedControls} from '../controls/recorded-controls.ts'
import type {Intent} from '../journal/journal.ts'
import {announceMissedSlots} from '../plan/missed-slots.ts'
import {BackToQuestions} from '../plan/pay-answers.ts'
import {type ResolvedKey, settleEarlierSlots} from '../plan/slots.ts'
import type {PaymentContext} from '../protocol/context.ts'
import {rejectPaidElsewhere} from '../protocol/key-use.ts'
import {type PaymentOrder, type PaymentResult, payOnce} from '../protocol/pay.ts'
import {ApprovedQuoteExpired, stoppedAfterQuote} from '../protocol/payment-errors.ts'
import {hasRunOut} from '../protocol/send.ts'
import {withEvidence} from '../protocol/witness.ts'
import {calculateLifeMs, toQuoteResult, withPaymentExitNotice, withSlotExitNotice} from './notices.ts'
import {withNotifications} from './notify-payments.ts'
import type {OpenPaymentContext} from './open-context.ts'
import {type PayRun, buildOrder, openRunContext} from './pay-run.ts'
import {rehearse} from './rehearse.ts'
import {reportPayment} from './report-payment.ts'

const goBack = () => {
  throw new BackToQuestions()
}

async function requireYes(question: string, quote: LooseQuote | undefined, {canGoBack}: PayRun): Promise<void> {
  const ask = await import('../../cli/prompts/ask.ts')
  await ask.requireYes(question, quote && stoppedAfterQuote, canGoBack ? goBack : undefined)
}

// Only a person is asked. A script is stopped by the order's objections.
async function confirmDuplicates(payRun: PayRun, key: ResolvedKey): Promise<PaymentOrder> {
  const order = buildOrder(payRun, key)
  if (!payRun.terminal.isInteractive || payRun.allowsDuplicates) return order
  const query = {intent: order.intent, windowMs: payRun.caller.duplicateWindowMs}
  const found = await findDuplicatesNow(await openRunContext(payRun, undefined), query)
  if (found.length === 0) return order
  payRun.terminal.alert(`there is already ${describeDuplicates(found)}`)
  await requireYes(`Pay once more, as ${key.key}?`, payRun.quote, payRun)
  return buildOrder({...payRun, allowsDuplicates: true}, key)
}

const buildPriceQuestion = ({environment, baseUrl, label}: Caller, {key}: Intent) =>
  `Pay this${environment === 'live' ? ` on ${baseUrl} (${label}, live)` : ''}, as ${key}?`

// Shows the price and asks for a yes.
async function confirmPrice(context: OpenPaymentContext, payRun: PayRun, order: PaymentOrder): Promise<PaymentOrder> {
  const {caller, quote: earlierQuote, terminal, authorize} = payRun
  const {content, key} = order.intent
  const title = {title: `Pay ${describePlace(caller)}`, isLive: caller.environment === 'live'}
  const {listBalances, describeMagicAmount} = await readServiceState(caller)
  let parties: RouteParties | undefined
  return approvePrice(context, order, order.intent, {
    earlierQuote,
    notify: terminal.notice,
    ask: async (quote) => {
      parties ??= await readParties(context.client, content.customerId, listBalances)
      const body = {...content, guaranteeQuote: order.isGuaranteed}
      const sandboxRemark = describeMagicAmount?.(normalizeAmount(content.source.sourceAmount))
      const price = {body, quote, lifeMs: calculateLifeMs(context, quote)}
      await showBox(buildPriceBox(title, parties, price, {key, sandboxRemark}))
      await requireYes(buildPriceQuestion(caller, order.intent), quote, payRun)
      await authorize()
    },
  })
}

async function sendOrder(context: OpenPaymentContext, payRun: PayRun, order: PaymentOrder): Promise<PaymentResult> {
  const {intent} = order
  const {serviceId, key} = intent
  await rejectChangedControls(context.journal, payRun.caller, serviceId)
  await rejectPaidElsewhere(context, intent)
  // A payment that was made is only shown, so earlier slots do not matter.
  if ((await context.journal.find(serviceId, key))?.state !== 'CREATED') {
    await withSlotExitNotice(key, settleEarlierSlots(context, serviceId, intent, payRun.terminal.notice))
    if (payRun.approval.isApproved) {
      const subject = createPaymentSubject(serviceId, payRun.plan)
      const {recordApprovals} = await import('../controls/require-approval.ts')
      await recordApprovals(context.journal, payRun.approval, {about: {serviceId, key}, subject})
    }
  }
  // With --catch-up they were named before the first payment.
  if (payRun.catchUp === undefined) await announceMissedSlots(context, payRun)
  return withPaymentExitNotice(context, (followed) => payOnce(followed, order))
}

// One payment from its key to its report. If the approved quote runs out before it is sent, for example while another process is
// waited for, the new price has to be approved, too.
async function runPayment(payRun: PayRun, key: ResolvedKey): Promise<Result> {
  const order = await confirmDuplicates(payRun, key)
  for (;;) {
    const confirmed = payRun.needsYes
      ? await confirmPrice(await openRunContext(payRun, undefined), payRun, order)
      : order
    const context = await openRunContext(payRun, payRun.timeoutMs)
    try {
      const paid = await sendOrder(context, payRun, confirmed)
      return await reportPayment(context, payRun, paid, key)
    } catch (error) {
      if (!payRun.needsYes || !(error instanceof ApprovedQuoteExpired)) throw error
      payRun.terminal.notice(ranOutNotice)
    }
  }
}

export async function runPayments(payRun: PayRun, key: ResolvedKey): Promise<Result> {
  const {notifier, plan, caller, terminal} = payRun
  const run = (one: ResolvedKey) =>
    withNotifications(notifier, {key: one.key, content: plan.content}, async () => {
      const result = await withEvidence(() => runPayment(payRun, one))
      return noticeMagicEnding(caller, result, terminal.notice)
    })
  if (payRun.catchUp === undefined) return run(key)
  const missed = await announceMissedSlots(await openRunContext(payRun, undefined), payRun)
  return payInOrder([...missed, key], run)
}

const withinLimitsNotice = 'No limit would stop it; nothing was sent.'

// `svc pay --dry-run`: shows the price, what would stop the payment, and what a run would do first.
export async function rehearseRun(payRun: PayRun, key: ResolvedKey): Promise<Result> {
  const context = await openRunContext(payRun, payRun.timeoutMs)
  const order = buildOrder(payRun, key)
  await announceMissedSlots(context, payRun)
  const rehearsed = await rehearse(context, order, key, payRun.quote)
  if ('made' in rehearsed) return reportPayment(context, {...payRun, wait: false}, rehearsed.made, key)
  const {quote, stop, findings} = rehearsed
  for (const finding of findings) payRun.terminal.notice(finding)
  if (!stop) payRun.terminal.notice(withinLimitsNotice)
  return toQuoteResult(context, order, quote, stop)
}

// Pays several slots of a schedule one after the other, and stops at the first that does not end well. Returns the transactions so
// far as a list, with the failure that ended it.
async function payInOrder<Slot>(slots: readonly Slot[], pay: (slot: Slot) => Promise<Result>): Promise<Result> {
  const transactions: object[] = []
  let failure: SvcError | undefined
  for (const slot of slots) {
    try {
      const result = await pay(slot)
      if (result?.kind === 'item') transactions.push(result.value)
      failure = result?.failure
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      failure = error
    }
    if (failure) break
  }
  if (failure && transactions.length === 0) throw failure
  return listResult(transactions, 'transactions', transactionView, {failure})
}

// Lets a person approve the price of a payment. The quote that was approved is the one that is executed.
const ranOutNotice = 'The quote ran out before it could be used; this is the new price.'

interface ApprovalSettings {
  // A quote of this payment that was requested before. It is shown while it is valid.
  earlierQuote?: LooseQuote | undefined
  // Shows the price and asks for a yes. Throws if there is none.
  ask: (quote: LooseQuote) => Promise<void>
  notify: (text: string) => void
}

// Returns the order with the approved quote. A payment that was already made needs no approval.
async function approvePrice(
  context: PaymentContext,
  order: PaymentOrder,
  slot: ResolvedKey,
  {earlierQuote, ask, notify}: ApprovalSettings,
): Promise<PaymentOrder> {
  for (let earlier = earlierQuote; ; earlier = undefined) {
    const rehearsed = await rehearse(context, order, slot, earlier)
    if ('made' in rehearsed) return order
    const {quote, stop, findings} = rehearsed
    if (stop) throw stop
    for (const finding of findings) notify(finding)
    await ask(quote)
    if (!hasRunOut(context, quote)) return {...order, approvedQuote: quote}
    notify(ranOutNotice)
  }
}
