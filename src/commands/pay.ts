// Makes a payment once: a quote, the limits, and one transaction per key.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../cli/command.ts'
import type {LooseQuote} from '../contract/loose.ts'
import {interrupted, getExitCodes} from '../errors.ts'
import {withPaymentExitNotice, withSlotExitNotice} from '../payments/exit-notice.ts'
import {rejectPaidElsewhere} from '../payments/other-service.ts'
import {type PaymentOrder, type PaymentResult, noteBadEnding, payOnce} from '../payments/pay.ts'
import {type CheckedPlan, findKeyProblem, readPlan} from '../payments/plan.ts'
import {observeExpiry} from '../payments/fetch-quote.ts'
import {approvePrice, payApproved} from '../payments/approve-price.ts'
import {rehearse, withinLimitsNotice} from '../payments/rehearse.ts'
import {type ServerClock, createServerClock} from '../payments/server-clock.ts'
import {
  buildAlerts,
  toKnownTransaction,
  buildNotices,
  settlingNotice,
  waitingNotice,
  changedNotice,
  findBadEnding,
  watchPayment,
} from '../payments/notices.ts'
import {payInOrder} from '../payments/catch-up.ts'
import {describeDuplicates, findDuplicatesNow} from '../payments/duplicates.ts'
import {describeCaughtUp, describeMissed, findMissedSlots} from '../payments/missed-slots.ts'
import {findClockObjection} from '../payments/objections.ts'
import {type PayRun, buildOrder, buildQuestion} from '../payments/pay-run.ts'
import {type ResolvedKey, resolveKey, settleEarlierSlots} from '../payments/slots.ts'
import {type SlotTime, zoneDefault} from '../payments/slot-time.ts'
import {createService} from '../payments/service.ts'
import {type OpenPaymentContext, type PaymentContextSettings, withPaymentContext} from '../payments/open-context.ts'
import type {Caller} from '../profiles/caller.ts'
import {sandboxAddress} from '../profiles/profiles.ts'
import {needsConfirmation} from '../profiles/write-policy.ts'
import {rejectProblems} from '../cli/body/reject-problems.ts'
import {yesFlag} from '../cli/flags/body-flags.ts'
import {waitFlag} from '../cli/flags/shared.ts'
import {paymentFlags, rejectSlotFlags} from '../payments/flags.ts'
import {type Result, itemResult} from '../cli/output/result.ts'
import {createQuoteView} from '../quotes/view.ts'
import {transactionView} from '../transactions/view.ts'
import {readServiceTraits} from '../transport.ts'
import {createTransactionTarget} from '../transactions/watch.ts'

const route =
  '--customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c --from 64fbd491-4b09-49d5-b40c-8b27facb31a9 --from-currency USDC --from-method SOLANA --to e6086267-7e5a-4a91-b136-a94b38bbbfb8 --to-currency USD --to-method ACH'

const write = {method: 'POST', path: '/transactions', checksLimits: true}

export default class Pay extends SvcCommand {
  static override view = transactionView
  static override exits = getExitCodes(
    'usage',
    'refused',
    'unreachable',
    'unknownOutcome',
    'pending',
    'limit',
    'endedBadly',
  )
  static override summary = 'Make a payment once, safe to run again'
  static override description = `Makes at most one transaction per --key, however often you run it and whatever interrupts it. Progress is recorded in a journal.
If the payment was already made, running it again shows its current state and sends nothing. If a limit stopped it or the service refused it, svc tries again. If the outcome of an earlier attempt is unknown, svc resolves that first.
A key may contain {date}, {month} or {hour}, in UTC or in --slot-zone, for one payment per day, month or hour. If an earlier one is unresolved, the next is not started. Missed ones are named; --catch-up pays them first and prints a list.
If the same amount went to the same account under another key in the last days, svc asks, and a script ends with 10.
A file has the fields of a quote, and optionally key, maxFee, minRate and minReceived. Flags override the file. In a terminal, svc asks for what is missing and shows the price before it pays.`
  static override examples = [
    {
      description: 'Pay once a day from cron, with fees of at most 1%',
      command: `svc pay ${route} --amount 100 --key 'rent-{date}' --max-fee 1% --yes --quiet`,
    },
    {
      description: 'Pay once a day of local time, and up to three days that were missed',
      command: 'svc pay -f plan.yaml --slot-zone Europe/Berlin --catch-up 3 --yes',
    },
    {description: 'Pay from a file and wait for the outcome', command: 'svc pay -f plan.yaml --wait --timeout 1h'},
    {description: 'Request a quote and check the limits only', command: 'svc pay -f plan.yaml --dry-run'},
  ]
  static override flags = {
    ...paymentFlags,
    file: Flags.string({
      char: 'f',
      summary: 'Read the payment from a file, JSON or YAML (- for standard input)',
      helpValue: 'FILE',
    }),
    wait: waitFlag,
    'dry-run': Flags.boolean({
      summary: 'Request a quote and check the limits, without paying or recording anything',
      env: 'SVC_DRY_RUN',
    }),
    yes: yesFlag,
  }

  // The service's clock, kept while a person answers.
  readonly #clock: ServerClock = createServerClock()

  async run(): Promise<Result> {
    const {flags} = await this.parse(Pay)
    const {yes, 'dry-run': isDryRun} = flags
    const slot = {atMs: flags.slot ?? Date.now(), zone: flags['slot-zone'] ?? zoneDefault}
    const checkedPlan = await readPlan(flags)
    const usesWizard = this.isInteractive && checkedPlan.missing.length > 0
    this.#rejectPlan(checkedPlan, usesWizard)
    // The profile is needed before the wizard starts, so that one that may not write is rejected before any question.
    const wizardCaller = usesWizard ? await this.#checkCaller(isDryRun, yes) : undefined
    const completed = wizardCaller && (await this.#completePlan(checkedPlan, flags.guarantee, slot, wizardCaller))
    const {plan} = completed ?? checkedPlan
    const key = resolveKey(plan.key, slot)
    if (key.template === undefined) rejectSlotFlags(flags)
    const caller = wizardCaller ?? (await this.#checkCaller(isDryRun, yes))
    const payRun: PayRun = {
      caller,
      traits: await readServiceTraits(caller),
      plan,
      slot,
      // The clock of the embedded sandbox may be moved, and is no reason to doubt that of this machine.
      isSlotFromClock: key.template !== undefined && flags.slot === undefined && caller.baseUrl !== sandboxAddress,
      allowsDuplicates: flags['allow-duplicates'],
      catchUp: flags['catch-up'],
      needsYes: usesWizard || (!yes && this.isInteractive && needsConfirmation(caller, write)),
      quote: completed?.quote,
      wait: flags.wait,
      timeout: flags.timeout,
    }
    if (isDryRun) return this.#rehearse(payRun, key)
    if (!payRun.needsYes) await this.authorizeWrite(caller, write, yes)
    return this.finishWrite(await this.#payAll(payRun, key))
  }

  #rejectPlan({missing, problems, wrong, body}: CheckedPlan, usesWizard: boolean): void {
    // A plan that is only incomplete gets the shorter message that lists the missing flags.
    if (!usesWizard && missing.length === problems.length) this.requireAll(missing)
    rejectProblems(usesWizard ? wrong : problems, body)
  }

  async #checkCaller(isDryRun: boolean, isConfirmed: boolean): Promise<Caller> {
    const caller = await this.caller()
    this.checkWrite(caller, isDryRun ? {method: 'POST', path: '/quotes'} : write, isConfirmed)
    return caller
  }

  async #payAll(payRun: PayRun, key: ResolvedKey): Promise<Result> {
    if (payRun.catchUp === undefined) return this.#payOne(payRun, key)
    const missed = await this.#withContext(payRun, undefined, async (context) => this.#nameMissedSlots(context, payRun))
    return payInOrder([...missed, key], (slotKey) => this.#payOne(payRun, slotKey))
  }

  async #payOne(payRun: PayRun, key: ResolvedKey): Promise<Result> {
    const order = await this.#askAboutDuplicates(payRun, key)
    const pay = (confirmed: PaymentOrder) =>
      this.#withContext(payRun, payRun.timeout, async (context) =>
        this.#showPayment(context, payRun, await this.#pay(context, payRun, confirmed), key),
      )
    if (!payRun.needsYes) return pay(order)
    // A person may take longer to answer than --timeout gives the service.
    const approve = () => this.#withContext(payRun, undefined, (context) => this.#approve(context, payRun, order))
    return payApproved(approve, pay, (text) => this.notice(text))
  }

  #withContext<T>(
    {caller, traits}: PayRun,
    timeoutMs: number | undefined,
    work: (context: OpenPaymentContext) => Promise<T>,
  ): Promise<T> {
    const settings: PaymentContextSettings = {
      spending: caller.spending,
      traits,
      connect: (onReply) => this.client(caller, {onReply, timeoutMs}),
      onUnknown: () => this.notice(settlingNotice),
      onHeld: (payment, holder) => this.notice(waitingNotice(payment, holder)),
      onContentChanged: (payment, changes) => this.alert(changedNotice(payment, changes)),
      timeoutMs,
      clock: this.#clock,
    }
    return withPaymentContext(settings, work)
  }

  // Returns the missed slots that this run pays first.
  #nameMissedSlots(context: OpenPaymentContext, {traits, plan, slot, catchUp = 0}: PayRun): ResolvedKey[] {
    const missed = findMissedSlots(context, traits.serviceId, plan.key, slot)
    if (!missed) return []
    const caughtUp = describeCaughtUp(missed, catchUp)
    if (caughtUp) this.notice(caughtUp)
    // Shown even with --quiet, with which cron jobs run.
    const unpaid = describeMissed(missed, catchUp)
    if (unpaid) this.alert(unpaid)
    return missed.slots.slice(0, catchUp)
  }

  // A script is stopped where a person is asked.
  async #askAboutDuplicates(payRun: PayRun, key: ResolvedKey): Promise<PaymentOrder> {
    const order = buildOrder(payRun, key)
    if (!this.isInteractive || payRun.allowsDuplicates) return order
    const query = {intent: order.intent, windowMs: payRun.caller.duplicateWindowMs}
    const found = await this.#withContext(payRun, undefined, (context) => findDuplicatesNow(context, query))
    if (found.length === 0) return order
    this.alert(`there is already ${describeDuplicates(found)}`)
    const {askYes} = await import('../cli/prompts/ask.ts')
    if (!(await askYes(`Pay once more, as ${key.key}?`))) throw interrupted()
    return buildOrder({...payRun, allowsDuplicates: true}, key)
  }

  async #completePlan(checkedPlan: CheckedPlan, guarantee: boolean | undefined, slot: SlotTime, caller: Caller) {
    const client = await this.client(caller, {
      timeoutMs: undefined,
      onReply: ({headers}) => this.#clock.observeDate(headers.get('date')),
    })
    const {askForPlan} = await import('../payments/wizard.ts')
    const {key, isGuaranteed} = checkedPlan.plan
    const known = {body: checkedPlan.body, key: key === '' ? undefined : key}
    const {quote, ...answers} = await askForPlan(client, known, {
      findKeyProblem: (text) => findKeyProblem(text, slot),
      isGuaranteeSet: guarantee !== undefined || isGuaranteed,
      requestQuote: async (body) => {
        const {content, isGuaranteed: isWanted} = checkedPlan.complete({body, key: ''})
        return observeExpiry(this.#clock, await createService(client).quote(content, isWanted))
      },
    })
    return {plan: checkedPlan.complete(answers), quote}
  }

  // Shows the price and asks for a yes. The quote that was shown is the one that is paid.
  #approve(context: OpenPaymentContext, {caller, quote}: PayRun, order: PaymentOrder): Promise<PaymentOrder> {
    const ask = async (shown: LooseQuote) => {
      await this.show(itemResult(shown, buildQuoteView(context, order, shown)))
      const {askYes} = await import('../cli/prompts/ask.ts')
      if (!(await askYes(buildQuestion(caller, order.intent)))) throw interrupted()
      await this.authorizeWrite(caller, write, true)
    }
    return approvePrice(context, order, order.intent, {earlierQuote: quote, ask, notify: (text) => this.notice(text)})
  }

  async #pay(context: OpenPaymentContext, payRun: PayRun, order: PaymentOrder): Promise<PaymentResult> {
    const {intent} = order
    const {serviceId, key} = intent
    rejectPaidElsewhere(context, intent)
    const wasMade = context.journal.find(serviceId, key)?.state === 'CREATED'
    // A payment that was made is only shown, so earlier slots do not matter.
    if (!wasMade) {
      await withSlotExitNotice(
        key,
        settleEarlierSlots(context, serviceId, intent, (text) => this.notice(text)),
      )
    }
    if (payRun.catchUp === undefined) this.#nameMissedSlots(context, payRun)
    return withPaymentExitNotice(context, serviceId, key, payOnce(context, order))
  }

  #rehearse(payRun: PayRun, key: ResolvedKey): Promise<Result> {
    return this.#withContext(payRun, payRun.timeout, async (context) => {
      const order = buildOrder(payRun, key)
      this.#nameMissedSlots(context, payRun)
      const rehearsed = await rehearse(context, order, key, payRun.quote)
      if ('made' in rehearsed) return this.#showPayment(context, {...payRun, wait: false}, rehearsed.made, key)
      const {quote, stop, findings} = rehearsed
      for (const finding of findings) this.notice(finding)
      if (!stop) this.notice(withinLimitsNotice)
      return itemResult(quote, buildQuoteView(context, order, quote), stop)
    })
  }

  async #showPayment(
    context: OpenPaymentContext,
    {isSlotFromClock, catchUp, wait}: PayRun,
    result: PaymentResult,
    {key, slot}: ResolvedKey,
  ): Promise<Result> {
    const {payment, transaction = toKnownTransaction(payment), wasMadeBefore} = result
    for (const notice of buildNotices(context, result, slot)) this.notice(notice)
    // The list at the end does not show the keys.
    if (catchUp !== undefined) this.notice(`The slot ${key} is the transaction ${payment.transactionId}.`)
    const alerts = buildAlerts(result)
    for (const alert of alerts) this.alert(alert)
    // With a wrong clock, the slot that was made before may not be the present one.
    const objection = isSlotFromClock && wasMadeBefore ? findClockObjection(context.clock, key) : undefined
    const failure = findBadEnding(result) ?? objection
    if (!wait || failure) return itemResult(transaction, transactionView, failure)
    const {transactionId = '', content} = payment
    const target = createTransactionTarget(context.client, transactionId, {customerId: content.customerId}, transaction)
    let latest = transaction
    const readAndNote = async () => {
      latest = await target.read()
      noteBadEnding(context, payment, latest)
      return latest
    }
    const watching = this.watch({...target, read: readAndNote}).finally(() => {
      // The price may have changed until the end.
      const laterAlerts = buildAlerts({...result, transaction: latest})
      for (const alert of laterAlerts) if (!alerts.includes(alert)) this.alert(alert)
    })
    return watchPayment(payment, withPaymentExitNotice(context, payment.serviceId, key, watching))
  }
}

function buildQuoteView({clock}: OpenPaymentContext, {intent}: PaymentOrder, {expiresAt}: LooseQuote) {
  const lifeMs = Math.max(0, Date.parse(String(expiresAt)) - clock.latest() || 0)
  return createQuoteView({body: intent.content, lifeMs})
}
