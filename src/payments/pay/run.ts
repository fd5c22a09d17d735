// One run of `svc pay`, from its input to its report: completes the plan, makes sure that it was
// approved, and pays it once or only checks it. `confirm` asks whoever has to say yes.
import {readPayeeIds} from '../../accounts/name-columns.ts'
import {showBox} from '../../cli/output/box.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {toText} from '../../cli/output/view.ts'
import type {Approval} from '../../controls/approvals.ts'
import {createRefusal} from '../../controls/limits.ts'
import {createPayeeWaitsError, findHeldPayees, getCoolDownRules} from '../../controls/new-payees.ts'
import {SvcError} from '../../errors.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {describeLivePlace} from '../../profiles/write-gate.ts'
import {createOpenChoiceError} from '../../quotes/complete-route.ts'
import {createQuoteView} from '../../quotes/view.ts'
import {noticeMagicEnding} from '../../transactions/watch.ts'
import type {Body} from '../../values/body-paths.ts'
import {describeArrival} from '../../values/money.ts'
import {requirePlanApproval} from '../context/approve-plan.ts'
import {openRunNotifier, withApprovalNotice, withNotifications} from '../context/notify-payments.ts'
import {findClockObjection, requireSlotNotAhead} from '../context/objections.ts'
import type {PayRun} from '../context/open-context.ts'
import {type Intent, JournalUnusable} from '../journal/journal.ts'
import {readJournal} from '../journal/walk.ts'
import {isSameContent, listContentChanges} from '../protocol/compare.ts'
import type {PaymentResult} from '../protocol/context.ts'
import type {Confirmation, PaymentOrder} from '../protocol/run.ts'
import {checkPayment, payOnce} from '../protocol/drive.ts'
import {describeDuplicate} from '../protocol/duplicates.ts'
import {outcomeUnknown} from '../protocol/errors.ts'
import {requireFreeKey} from '../protocol/key-use.ts'
import {findUnlimitedFees} from '../protocol/limits.ts'
import {type Payment, isContentKnown, readPrice, spendingStates, unsettledStates} from '../protocol/payment.ts'
import {decideRoute} from './decide-route.ts'
import {type Plan, toPlan} from './plan.ts'
import {addOwnColumns, reportPayment, toReceipt, warnOfFees, withPaymentExitNotice} from './report.ts'
import {findEarlierSlots, findKeyFault, resolveKey, settleEarlierSlots} from './slots.ts'

// A payment whose plan is complete, and approved where the policy wants that.
interface Payable extends PayRun {
  plan: Plan
  intent: Intent
  approval: Approval
  // The one who says yes to the price, if anybody is asked.
  asks: PaymentOrder['asks']
  // Remarks for whoever is asked.
  notes: string[]
}

// With `usesWizard`, a person is asked for what is missing.
export async function pay(run: PayRun, given: Body, usesWizard: boolean): Promise<Result> {
  if (run.isInteractive) run.deadline.suspend()
  const earlier = usesWizard ? await findEarlierPlan(run, given) : undefined
  if (usesWizard && !earlier) return askAndPay(run, given, false)

  const fields = earlier ?? given
  const {key} = resolveKey(toText(fields['key']), run.slot)
  const {body, choices} = await decideRoute(run, {...run.traits, key}, fields)
  if (choices.length === 0) return payPlan(run, body, false)
  if (!run.isInteractive) throw createOpenChoiceError(choices)
  return askAndPay(run, body, true)
}

async function askAndPay(run: PayRun, fields: Body, isRouteOnly: boolean): Promise<Result> {
  const wizard = await import('./wizard.ts')
  return wizard.askAndPay(run, fields, {isRouteOnly, pay: (answered) => payPlan(run, answered, true)})
}

// The plan of a key that was, or may have been, paid is in the journal, so nobody is asked for it
// again.
async function findEarlierPlan({journal, traits, slot}: PayRun, given: Body): Promise<Body | undefined> {
  const template = toText(given['key'])
  if (template === '' || findKeyFault(template, slot) !== undefined) return undefined
  const known = await journal.find(traits.serviceId, resolveKey(template, slot).key)
  if (!known || !spendingStates.includes(known.state) || !isContentKnown(known.content)) return undefined

  const {source, destination, ...content} = known.content
  const [from, to] = [given['source'], given['destination']]
  return {
    ...content,
    ...given,
    source: {...source, ...(typeof from === 'object' && from)},
    destination: {...destination, ...(typeof to === 'object' && to)},
  }
}

async function payPlan(run: PayRun, fields: Body, wasAsked: boolean): Promise<Result> {
  const {caller, traits, flags, notice, isInteractive, review} = run
  const plan = toPlan(fields)
  const key = resolveKey(plan.key, run.slot)
  const isDryRun = flags['dry-run']
  const notifier = isDryRun ? undefined : await openRunNotifier(run)
  const approval = await withApprovalNotice(
    {notifier, journal: traits.journal, file: flags.file ?? '', noticeOfDryRun: isDryRun ? notice : undefined},
    () => requirePlanApproval(run, plan, key.key),
  )

  const asksPerson = wasAsked || (!flags.yes && isInteractive)
  const whoSaysYes = asksPerson ? 'person' : undefined
  const asks = review?.confirm ? 'agent' : whoSaysYes
  const intent = {serviceId: traits.serviceId, ...key, content: plan.content}
  const payable: Payable = {...run, plan, intent, approval, asks, notes: []}
  run.deadline.restart()
  if (isDryRun) return checkOnly(payable)

  await run.authorize(flags.yes || asks !== undefined)
  return withNotifications(notifier, intent, async () => {
    const result = await payAndReport(payable).catch((error: unknown) => {
      if (error instanceof JournalUnusable) return reportFromJournal(payable, error)
      throw error
    })
    return noticeMagicEnding(caller, result, notice)
  })
}

function createOrder(run: Payable): PaymentOrder {
  const {intent, asks, plan, flags, isInteractive, caller} = run
  const {limits, isGuaranteed} = plan
  return {
    intent,
    limits,
    isGuaranteed,
    asks,
    mayAllowDuplicates: isInteractive && asks !== 'agent',
    duplicateWindowMs: flags['allow-duplicates'] ? 0 : caller.duplicateWindowMs,
    findObjection: () => findObjection(run),
    confirm: createConfirm(run),
  }
}

// A payment that was made is only shown, so earlier slots do not matter.
async function payAndReport(run: Payable): Promise<Result> {
  const {intent, notice, notes, asks} = run
  await requireSlotBegun(run)
  const known = await requireFreeKey(run, intent)
  const result = await withPaymentExitNotice(run, known ?? {...intent, state: 'INTENDED'}, async (followed) => {
    if (known?.state !== 'CREATED') await settleEarlierSlots(run, intent.serviceId, [intent], notice)
    const onContentChanged: PayRun['onContentChanged'] = (payment, changes) => {
      notes.push(`An earlier run paid nothing under this key, for another payment (${changes.join('; ')})`)
      run.onContentChanged?.(payment, changes)
    }
    return payOnce({...followed, onContentChanged}, createOrder(run)).catch((error: unknown) => {
      // The yes of an agent's person is for one quote.
      const hasRunOut = asks === 'agent' && error instanceof SvcError && error.error === 'QUOTE_EXPIRED'
      throw hasRunOut ? createNotApprovedError() : error
    })
  })
  return report(run, result)
}

// Refuses a slot that has not begun, before anything is recorded. A payment that was, or may have
// been, made is only reported.
async function requireSlotBegun(run: Payable): Promise<void> {
  const {slot, intent} = run
  const {serviceId, key, template, content} = intent
  if (!slot.named || template === undefined) return
  const known = await run.journal.find(serviceId, key)
  if (known && spendingStates.includes(known.state)) return
  await requireSlotNotAhead(run, content.customerId, {template, time: slot})
}

// The objection to a slot that this machine's clock chose, if that clock seems wrong. The clock of
// the embedded sandbox may be moved, so a difference from it proves nothing.
const findSlotObjection = ({slot, caller, clock, intent}: Payable): SvcError | undefined =>
  intent.template !== undefined && !slot.named && caller.baseUrl !== sandboxAddress
    ? findClockObjection(clock, intent.key)
    : undefined

async function findObjection(run: Payable): Promise<SvcError | undefined> {
  const {caller, approval, flags, review, intent} = run
  const {serviceId, key, content} = intent
  const objection = (await approval.recheck?.()) ?? findSlotObjection(run)
  if (objection) return objection

  const payees = [content.destination.destinationPaymentAccountId]
  // A dry run for a program prepares a payment that is meant to be made.
  const isDryRun = flags['dry-run'] && review === undefined
  const [held] = await findHeldPayees(run, serviceId, payees, getCoolDownRules(caller, approval, isDryRun))
  return held && createPayeeWaitsError(`The payment ${key}`, held)
}

// Asks whoever has to say yes, if anybody has to. While they are asked, --timeout does not count.
function createConfirm(run: Payable): NonNullable<PaymentOrder['confirm']> {
  const {asks, approval, journal, intent, notice} = run
  let quotes = 0
  return async (confirmation) => {
    quotes += 1
    if (asks === 'person' && quotes > 1) {
      notice('The quote ran out before it could be used; this is the new price.')
    }
    if (asks === undefined) noticeSent(run, confirmation)

    if (asks !== undefined || confirmation.duplicates.length > 0) {
      run.deadline.suspend()
      await askForYes(run, confirmation)
      await run.authorize(true)
      run.deadline.restart()
    }
    if (!approval.isApproved) return
    const {recordApprovals} = await import('../../controls/approvals.ts')
    await recordApprovals(journal, approval, {serviceId: intent.serviceId, key: intent.key})
  }
}

// Says how much is sent for a sum that is to arrive, where nobody is asked about it.
function noticeSent({notice, plan}: Payable, {payment: {content}, quote}: Confirmation): void {
  const {source, destination, receive} = content
  if (receive === undefined) return
  const received = `${readPrice(quote).received} ${destination.destinationCurrency.toUpperCase()}`
  const sent = `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()}`
  notice(`To send: ${sent}. Arrives: ${describeArrival(received, plan.isGuaranteed)}.`)
}

// Shows the price with all that speaks against it, and asks once.
async function askForYes(run: Payable, {payment, quote, duplicates}: Confirmation): Promise<void> {
  const {review, plan, notes} = run
  const {limits, isGuaranteed} = plan
  const {buildPaymentBox, calculateLifeMs} = await import('./review.ts')
  const highFees = findUnlimitedFees(limits, payment.content, readPrice(quote))
  const alike = duplicates.map((duplicate) => `Possible duplicate: there is already ${describeDuplicate(duplicate)}`)
  const box = await buildPaymentBox(run, {payment, quote, isGuaranteed, highFees, notes: [...alike, ...notes]})

  if (!review?.confirm) {
    await showBox(box)
    const ask = await import('../../cli/prompts/ask.ts')
    const question = buildQuestion(run, payment, {highFees, isDuplicate: duplicates.length > 0})
    return ask.requireYes(question, 'Stopped; a quote was requested, and nothing was paid')
  }
  if (await review.confirm({box, lifeMs: calculateLifeMs(run, quote)})) return
  throw createNotApprovedError()
}

const createNotApprovedError = () =>
  createRefusal(
    'NOT_APPROVED',
    'Nobody at this machine said yes, so nothing was paid',
    'Ask the person, then call it again',
  )

function buildQuestion(
  {caller}: PayRun,
  {key, content}: Payment,
  {highFees, isDuplicate}: {highFees: string | undefined; isDuplicate: boolean},
): string {
  const {source, destination, receive} = content
  const sums =
    receive === undefined
      ? 'Pay this'
      : `Send ${source.sourceAmount} ${source.sourceCurrency}, for ${receive} ${destination.destinationCurrency} to arrive`
  const although = highFees === undefined ? '' : `, although the fees are ${highFees} of it`
  return `${sums}${isDuplicate ? ' once more' : ''}${describeLivePlace(caller)}, as ${key}${although}?`
}

// If the clock is wrong, a slot that was paid before may not be the present one.
const report = (run: Payable, result: PaymentResult): Promise<Result> =>
  reportPayment(run, result, {
    isUnseen: run.asks === undefined,
    objection: result.wasMadeBefore ? findSlotObjection(run) : undefined,
  })

// Reports a payment from a journal that cannot be written, but may be readable. The state that it
// has of the payment is true, whatever could not be written.
async function reportFromJournal({traits, alert, addNames, intent}: Payable, error: JournalUnusable): Promise<Result> {
  const {serviceId, key, content} = intent
  const find = readJournal(undefined, (journal) => journal.find(serviceId, key), traits)
  const payment = await find.catch(() => undefined)
  if (!payment || !isSameContent(payment.content, content)) throw error

  const reason = error.reason ?? error.message
  if (unsettledStates.includes(payment.state)) {
    const {error: code, kind, message} = outcomeUnknown(payment, reason)
    // Until the journal can be written, no run can settle the payment.
    const hint = 'When the journal can be written, run the same command again, which settles it without paying twice'
    throw new SvcError({error: code, kind, message, hint, cause: error})
  }

  if (payment.state !== 'CREATED') throw error
  alert(`${reason}. The payment ${key} was made before, as transaction ${payment.transactionId}; nothing was sent`)
  return toReceipt({payment, wasMadeBefore: true}, addNames)
}

// Lists what a run would do before it pays.
async function listFindings(run: Payable, known: Payment | undefined, match: Confirmation['match']) {
  const {serviceId, key, content} = run.intent
  const findings = (await findEarlierSlots(run, serviceId, [run.intent])).map(
    ({earlier}) => `The earlier slot ${earlier.key} is not settled: a run would settle it first.`,
  )
  if (known && !isSameContent(known.content, content)) {
    const changes = listContentChanges(known.content, content).join('; ')
    findings.push(`The key ${key} has other content, under which nothing was made: a run would change it (${changes}).`)
  }
  if (match) {
    findings.push(`The service already has it (${String(match.transactionId)}): a run would adopt it and pay nothing.`)
  } else if (known && unsettledStates.includes(known.state)) {
    findings.push('The outcome of an earlier run is unknown: a run would settle it first.')
  }
  return findings
}

// `svc pay --dry-run`: shows the price, what would stop the payment, and what a run would do first.
async function checkOnly(run: Payable): Promise<Result> {
  const {notice, alert, addNames, intent, plan} = run
  await requireSlotBegun(run)
  const known = await requireFreeKey(run, intent)
  let checked: Confirmation | undefined
  const confirm = async (confirmation: Confirmation) => void (checked = confirmation)
  const order: PaymentOrder = {...createOrder(run), mayAllowDuplicates: false, confirm}
  const made = await checkPayment({...run, onContentChanged: undefined}, order)
  if (made) return report(run, made)
  if (!checked) throw new Error(`the check of ${intent.key} ended without a price`)

  const {payment, quote, stop, match} = checked
  const {content} = payment
  noticeSent(run, checked)
  for (const finding of await listFindings(run, known, match)) notice(finding)
  const highFees = findUnlimitedFees(plan.limits, content, readPrice(quote))
  if (highFees !== undefined) alert(warnOfFees(highFees))
  if (!stop) notice('No limit would stop it; nothing was sent.')

  const {calculateLifeMs} = await import('./review.ts')
  const body = {...content, guaranteeQuote: plan.isGuaranteed}
  const view = addOwnColumns(createQuoteView({body, lifeMs: calculateLifeMs(run, quote)}), {key: intent.key})
  // A quote has no amount to send. If the payment says what is to arrive, that amount was found.
  const priced = {...quote, sourceAmount: content.source.sourceAmount}
  return itemResult(
    priced,
    addNames(view, () => readPayeeIds(content)),
    stop,
  )
}
