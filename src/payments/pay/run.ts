// One run of `svc pay`, from what was given to its report: completes the plan, makes sure that it was approved, asks a person, and pays
// it once or only checks it.
import {readPayeeIds} from '../../accounts/name-columns.ts'
import {showBox} from '../../cli/output/box.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {toText} from '../../cli/output/view.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import type {Approval} from '../../controls/approvals.ts'
import {LimitReached, buildDayQuery, checkDay, checkSinglePayment} from '../../controls/check-spending.ts'
import {createPayeeWaitsError, findHeldPayees, getCoolDownRules} from '../../controls/new-payees.ts'
import {SvcError} from '../../errors.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {describeLivePlace} from '../../profiles/write-gate.ts'
import {createOpenChoiceError} from '../../quotes/complete-route.ts'
import {createQuoteView} from '../../quotes/view.ts'
import {noticeMagicEnding} from '../../transactions/watch.ts'
import type {Body} from '../../values/body-paths.ts'
import {readJournal} from '../journal/walk.ts'
import {type Intent, JournalUnusable} from '../journal/journal.ts'
import {isSameContent, listContentChanges} from '../protocol/compare.ts'
import {type PaymentOrder, hasRunOut, payOnce} from '../protocol/drive.ts'
import type {PaymentResult} from '../protocol/context.ts'
import {duplicateCode} from '../protocol/duplicates.ts'
import {ApprovedQuoteExpired, outcomeUnknown, paymentError} from '../protocol/errors.ts'
import {createKeyUsedError, requireFreeKey} from '../protocol/key-use.ts'
import {checkPrice, findUnlimitedFees, toOutgoing} from '../protocol/limits.ts'
import {type Payment, readPrice, spendingStates, unsettledStates} from '../protocol/payment.ts'
import {findMatches, pickSingleMatch} from '../protocol/search.ts'
import {fetchQuote} from '../protocol/service.ts'
import {requirePlanApproval} from '../context/approve-plan.ts'
import {decideRoute} from './decide-route.ts'
import {openRunNotifier, withApprovalNotice, withNotifications} from '../context/notify-payments.ts'
import {findClockObjection, findDuplicateError, rejectSlotAhead} from '../context/objections.ts'
import type {Run} from '../context/open-context.ts'
import {type CompletedPlan, toPlan} from './plan.ts'
import {addOwnColumns, reportPayment, toReceipt, warnOfFees, withPaymentExitNotice} from './report.ts'
import {findEarlierSlots, resolveKey, settleEarlierSlots} from './slots.ts'

// A payment whose plan is complete, and approved where the policy wants that.
interface Payable extends Run {
  order: PaymentOrder
  // Of a person's answers, which it priced.
  quote?: LooseQuote | undefined
  approval: Approval
  // Whether a person has to say yes to the price.
  needsYes: boolean
  // By --allow-duplicates, or by a person who was asked.
  allowsDuplicates: boolean
}

// With `usesWizard`, a person is asked for what is missing.
export async function pay(run: Run, given: Body, usesWizard: boolean): Promise<Result> {
  const {caller, traits, flags, notice, isInteractive, review} = run
  run.restartTimeout(isInteractive)
  const {fields, quote, wasAsked} = await completePlan(run, given, usesWizard)
  const plan = toPlan(fields)
  const key = resolveKey(plan.key, run.slot)
  const isDryRun = flags['dry-run']
  const notifier = isDryRun ? undefined : await openRunNotifier(run)
  const approval = await withApprovalNotice(
    {notifier, journal: traits.journal, file: flags.file ?? '', noticeOfDryRun: isDryRun ? notice : undefined},
    () => requirePlanApproval(run, plan, key.key),
  )
  const needsYes = !isDryRun && (wasAsked === true || review !== undefined || (!flags.yes && isInteractive))
  const {content, limits, isGuaranteed} = plan
  const intent = {serviceId: traits.serviceId, ...key, content}
  const order: PaymentOrder = {intent, limits, isGuaranteed}
  const payable: Payable = {...run, order, quote, approval, needsYes, allowsDuplicates: flags['allow-duplicates']}
  order.findObjection = (_, found) => findObjection(payable, found)
  if (isDryRun) return checkOnly(payable)
  if (!needsYes) await run.authorize(flags.yes)
  return withNotifications(notifier, intent, async () => {
    const result = await payAndReport(payable).catch((error: unknown) => {
      if (error instanceof JournalUnusable) return reportFromJournal(payable, error)
      throw error
    })
    return noticeMagicEnding(caller, result, notice)
  })
}

// Currencies and methods that are not given follow from the accounts. Where these leave a choice, a person is asked.
async function completePlan(run: Run, fields: Body, usesWizard: boolean): Promise<CompletedPlan> {
  let given = fields
  if (!usesWizard) {
    const {key} = resolveKey(toText(fields['key']), run.slot)
    const {body, choices} = await decideRoute(run, {...run.traits, key}, fields)
    if (choices.length === 0) return {fields: body}
    if (!run.isInteractive) throw createOpenChoiceError(choices)
    given = body
  }
  const {askForPlan} = await import('./wizard.ts')
  return askForPlan(run, given, {isRouteOnly: !usesWizard})
}

// How often an amount is found anew without a person, because its quote ran out before it was sent.
const quotesUsedMax = 3

// A quote that runs out before it is sent, for example while another process is waited for, is followed by another, whose price has to
// be approved, too. A person may allow a duplicate, which stops a script.
async function payAndReport(run: Payable): Promise<Result> {
  const {needsYes, isInteractive} = run
  await rejectEarlySlot(run)
  for (let tries = 1; ; tries++) {
    run.restartTimeout(needsYes)
    const order = await resolveAmount(run)
    try {
      const confirmed = needsYes ? await confirmPrice(run, order) : order
      run.restartTimeout(false)
      return await report(run, await send(run, confirmed))
    } catch (error) {
      const isDuplicate = error instanceof SvcError && error.error === duplicateCode
      const hasExpired = error instanceof ApprovedQuoteExpired && (needsYes || tries < quotesUsedMax)
      if (isDuplicate && isInteractive) await allowDuplicate(run, error)
      else if (!hasExpired) throw error
      else if (needsYes) run.notice('The quote ran out before it could be used; this is the new price.')
    }
  }
}

// A slot that has not come is refused before anything is recorded. A payment that was, or may have been, made is only reported.
async function rejectEarlySlot(run: Payable): Promise<void> {
  const {slot, order} = run
  const {serviceId, key, template, content} = order.intent
  if (!slot.named || template === undefined) return
  const known = await run.journal.find(serviceId, key)
  if (known && spendingStates.includes(known.state)) return
  await rejectSlotAhead(run, content.customerId, {template, time: slot})
}

// The order with its amount. For what is to arrive, quotes find how much to send, and the best of them is the one that is paid.
async function resolveAmount(run: Payable): Promise<PaymentOrder> {
  const {order, needsYes, notice} = run
  if (order.intent.content.receive === undefined) return order
  const {describeSent, resolveReceive} = await import('./receive.ts')
  const resolved = await resolveReceive(run, order)
  if (!needsYes && resolved.approvedQuote) notice(describeSent(resolved, resolved.approvedQuote))
  return resolved
}

// Whether the slot was taken from this machine's clock. That of the embedded sandbox may be moved, and is no reason to doubt it.
const findSlotObjection = ({slot, caller, clock, order: {intent}}: Payable): SvcError | undefined =>
  intent.template !== undefined && !slot.named && caller.baseUrl !== sandboxAddress
    ? findClockObjection(clock, intent.key)
    : undefined

const getDuplicateWindowMs = ({caller, allowsDuplicates}: Payable) => (allowsDuplicates ? 0 : caller.duplicateWindowMs)

async function findObjection(run: Payable, intent: Intent): Promise<SvcError | undefined> {
  const {caller, approval, flags, review} = run
  const {serviceId, key, content} = intent
  const objection =
    (await approval.recheck?.()) ??
    findSlotObjection(run) ??
    (await findDuplicateError(run, intent, getDuplicateWindowMs(run)))
  if (objection) return objection
  const payees = [content.destination.destinationPaymentAccountId]
  // A payment that is prepared for a program is meant to be made.
  const isDryRun = flags['dry-run'] && review === undefined
  const [held] = await findHeldPayees(run, serviceId, payees, getCoolDownRules(caller, approval, isDryRun))
  return held && createPayeeWaitsError(`The payment ${key}`, held)
}

// Whoever says no is told that a quote was requested, if one was.
async function requireYes(question: string, quote: LooseQuote | undefined): Promise<void> {
  const ask = await import('../../cli/prompts/ask.ts')
  await ask.requireYes(question, quote && 'Stopped; a quote was requested, and nothing was paid')
}

async function allowDuplicate(run: Payable, {message}: SvcError): Promise<void> {
  run.alert(message)
  await requireYes(`Pay once more, as ${run.order.intent.key}?`, run.quote)
  run.allowsDuplicates = true
}

async function findLimitError(run: Run, order: PaymentOrder, quote: LooseQuote): Promise<SvcError | undefined> {
  const {spending = {}} = run.controls
  const {serviceId, key, content} = order.intent
  const outgoing = toOutgoing(content)
  try {
    checkPrice(order.limits, content, readPrice(quote))
    checkSinglePayment(spending, outgoing)
    const query = buildDayQuery(spending, outgoing, run.clock.earliest())
    checkDay(spending, outgoing, query ? await run.journal.listSpentAmounts(serviceId, key, query) : [])
    return undefined
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error
    return paymentError('LIMIT_REACHED', {key, reason: error.message, more: 'would be'})
  }
}

// Requests a quote and checks the limits, without paying and without writing to the journal. `earlier` is a quote of the same payment
// that was requested before. It is used while it is valid. `findings` say what a run would do first, and `stop` what would stop it,
// which is thrown unless it is a dry run. Of a payment that was made before, nothing is checked, since a run sends nothing.
async function checkOrder(run: Payable, order: PaymentOrder, earlier: LooseQuote | undefined) {
  const isDryRun = run.flags['dry-run']
  const {intent, isGuaranteed} = order
  const {serviceId, key, content} = intent
  const known = await requireFreeKey(run, intent)
  if (known?.state === 'CREATED') return undefined
  const isChanged = known !== undefined && !isSameContent(known.content, content)
  const payment: Payment = known ?? {...intent, state: 'INTENDED', attempts: [], createdAt: 0, updatedAt: 0}
  const match = pickSingleMatch(payment, (await findMatches(run, payment)).matches)
  if (isChanged && match) throw createKeyUsedError({...known, state: 'CREATED'}, content)
  const objection = await findObjection(run, payment)
  if (objection && !isDryRun) throw objection
  const quote = earlier && !hasRunOut(run, earlier) ? earlier : await fetchQuote(run, content, isGuaranteed)
  const stop = objection ?? (await findLimitError(run, order, quote))
  if (stop && !isDryRun) throw stop
  const findings = (await findEarlierSlots(run, serviceId, [intent])).map(
    (slot) => `The earlier slot ${slot.earlier.key} is not settled: a run would settle it first.`,
  )
  if (isChanged) {
    const changes = listContentChanges(known.content, content).join('; ')
    findings.push(`The key ${key} has other content, under which nothing was made: a run would change it (${changes}).`)
  }
  if (match) {
    findings.push(`The service already has it (${String(match.transactionId)}): a run would adopt it and pay nothing.`)
  } else if (unsettledStates.includes(payment.state)) {
    findings.push('The outcome of an earlier run is unknown: a run would settle it first.')
  }
  return {quote, stop, findings}
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
async function confirmPrice(run: Payable, order: PaymentOrder): Promise<PaymentOrder> {
  const {review, notice} = run
  const checked = await checkOrder(run, order, review ? review.quote : (order.approvedQuote ?? run.quote))
  if (!checked) return order
  const {quote, findings} = checked
  for (const finding of findings) notice(finding)
  const {buildPaymentBox, takeYes} = await import('./review.ts')
  if (review) takeYes(review, order, quote)
  else {
    const {box, highFees} = await buildPaymentBox(run, order, quote, order.intent.key)
    await showBox(box)
    await requireYes(buildPriceQuestion(run, order, highFees), quote)
  }
  await run.authorize(true)
  if (hasRunOut(run, quote)) throw new ApprovedQuoteExpired(order.intent)
  return {...order, approvedQuote: quote}
}

// A payment that was made is only shown, so earlier slots do not matter.
async function send(run: Payable, order: PaymentOrder): Promise<PaymentResult> {
  const {journal, approval, notice} = run
  const {serviceId, key} = order.intent
  const known = await requireFreeKey(run, order.intent)
  return withPaymentExitNotice(run, known ?? {key, state: 'INTENDED'}, async (followed) => {
    if (known?.state !== 'CREATED') {
      await settleEarlierSlots(run, serviceId, [order.intent], notice)
      if (approval.isApproved) {
        const {recordApprovals} = await import('../../controls/approvals.ts')
        await recordApprovals(journal, approval, {serviceId, key})
      }
    }
    return payOnce(followed, {...order, duplicateWindowMs: getDuplicateWindowMs(run)})
  })
}

// With a wrong clock, the slot that was made before may not be the present one.
const report = (run: Payable, result: PaymentResult): Promise<Result> =>
  reportPayment(run, result, {
    isUnseen: !run.needsYes,
    objection: result.wasMadeBefore ? findSlotObjection(run) : undefined,
  })

// A journal that cannot be written may be readable, and what it has of the payment is true whatever could not be written.
async function reportFromJournal({traits, alert, addNames, order}: Payable, error: JournalUnusable): Promise<Result> {
  const {serviceId, key, content} = order.intent
  const find = readJournal(undefined, (journal) => journal.find(serviceId, key), traits)
  const payment = await find.catch(() => undefined)
  if (!payment || !isSameContent(payment.content, content)) throw error
  const reason = error.reason ?? error.message
  if (unsettledStates.includes(payment.state)) {
    const {error: code, kind, message} = outcomeUnknown(payment, reason)
    // No run can settle it before that.
    const hint = 'When the journal can be written, run the same command again, which settles it without paying twice'
    throw new SvcError({error: code, kind, message, hint, cause: error})
  }
  if (payment.state !== 'CREATED') throw error
  alert(`${reason}. The payment ${key} was made before, as transaction ${payment.transactionId}; nothing was sent`)
  return toReceipt({payment, wasMadeBefore: true}, addNames)
}

// `svc pay --dry-run`: shows the price, what would stop the payment, and what a run would do first.
async function checkOnly(run: Payable): Promise<Result> {
  const {review, notice, alert, addNames} = run
  run.restartTimeout(false)
  await rejectEarlySlot(run)
  const order = await resolveAmount(run)
  const checked = await checkOrder(run, order, order.approvedQuote ?? run.quote)
  if (!checked) return report(run, await payOnce(run, order))
  const {quote, stop, findings} = checked
  const {calculateLifeMs, pricePayment} = await import('./review.ts')
  if (review && !stop) review.onPriced(await pricePayment(run, order, {quote, findings}))
  for (const finding of findings) notice(finding)
  const {intent, limits, isGuaranteed} = order
  const highFees = findUnlimitedFees(limits, intent.content, readPrice(quote))
  if (highFees !== undefined) alert(warnOfFees(highFees))
  if (!stop) notice('No limit would stop it; nothing was sent.')
  const body = {...intent.content, guaranteeQuote: isGuaranteed}
  const view = addOwnColumns(createQuoteView({body, lifeMs: calculateLifeMs(run, quote)}), {key: intent.key})
  const named = addNames(view, () => readPayeeIds(intent.content))
  // A quote has no amount to send, which for what is to arrive is what was found.
  const priced = {...quote, sourceAmount: intent.content.source.sourceAmount}
  return itemResult(priced, named, stop)
}
