// Makes a payment once: a quote, the limits, and one transaction per key.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../cli/command.ts'
import type {LooseQuote} from '../contract/loose.ts'
import {badUsage, interrupted, getExitCodes} from '../errors.ts'
import {withPaymentExitNotice, withSlotExitNotice} from '../payments/exit-notice.ts'
import {rejectPaidElsewhere} from '../payments/other-service.ts'
import {type PaymentOrder, type PaymentResult, noteBadEnding, payOnce} from '../payments/pay.ts'
import {type CheckedPlan, type Plan, findKeyProblem, readPlan} from '../payments/plan.ts'
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
import {type ResolvedKey, resolveKey, settleEarlierSlots} from '../payments/slots.ts'
import {createService} from '../payments/service.ts'
import {type OpenPaymentContext, type PaymentContextSettings, withPaymentContext} from '../payments/open-context.ts'
import type {Caller} from '../profiles/caller.ts'
import {needsConfirmation} from '../profiles/write-policy.ts'
import {rejectProblems} from '../cli/body/reject-problems.ts'
import {yesFlag} from '../cli/flags/body-flags.ts'
import {waitFlag} from '../cli/flags/shared.ts'
import {paymentFlags} from '../payments/flags.ts'
import {type Result, itemResult} from '../cli/output/result.ts'
import {createQuoteView} from '../quotes/view.ts'
import {transactionView} from '../transactions/view.ts'
import {readServiceTraits} from '../transport.ts'
import type {ServiceTraits} from '../profiles/service-traits.ts'
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
A key may contain {date}, {month} or {hour} (UTC), for one payment per day, month or hour. If an earlier one is unresolved, the next is not started.
A file has the fields of a quote, and optionally key, maxFee, minRate and minReceived. Flags override the file. In a terminal, svc asks for what is missing and shows the price before it pays.`
  static override examples = [
    {
      description: 'Pay once a day from cron, with fees of at most 1%',
      command: `svc pay ${route} --amount 100 --key 'rent-{date}' --max-fee 1% --yes --quiet`,
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
    const {timeout, wait, yes, 'dry-run': isDryRun} = flags
    const slot = new Date(flags.slot ?? Date.now())
    const checkedPlan = await readPlan(flags)
    const usesWizard = this.isInteractive && checkedPlan.missing.length > 0
    this.#rejectPlan(checkedPlan, usesWizard)
    // The profile is needed before the wizard starts, so that one that may not write is rejected before any question.
    const caller = usesWizard ? await this.#checkCaller(isDryRun, yes) : undefined
    const completed = caller && (await this.#completePlan(checkedPlan, flags.guarantee, slot, caller))
    const {plan} = completed ?? checkedPlan
    const key = resolveKey(plan.key, slot)
    if (flags.slot !== undefined && key.template === undefined) {
      throw badUsage('--slot is given, but --key has no {date}, {month} or {hour}', 'Put one in; nothing was sent')
    }
    return this.#run(caller ?? (await this.#checkCaller(isDryRun, yes)), plan, key, {
      isDryRun,
      isConfirmed: yes,
      usesWizard,
      quote: completed?.quote,
      wait,
      timeout,
    })
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

  async #run(caller: Caller, plan: Plan, key: ResolvedKey, options: RunOptions): Promise<Result> {
    const {isDryRun, isConfirmed, usesWizard, quote, wait, timeout} = options
    const {content, limits, isGuaranteed} = plan
    const traits = await readServiceTraits(caller)
    const intent = {serviceId: traits.serviceId, ...key, content}
    const order: PaymentOrder = {intent, limits, isGuaranteed}
    if (isDryRun) return this.#withContext(caller, traits, timeout, (context) => this.#rehearse(context, order, key))
    const needsYes = usesWizard || (!isConfirmed && this.isInteractive && needsConfirmation(caller, write))
    if (!needsYes) await this.authorizeWrite(caller, write, isConfirmed)
    const pay = (confirmed: PaymentOrder) =>
      this.#withContext(caller, traits, timeout, async (context) => {
        const result = await this.#pay(context, confirmed, key)
        return this.finishWrite(await this.#showPayment(context, result, wait))
      })
    if (!needsYes) return pay(order)
    // A person may take longer to answer than --timeout gives the service.
    const approve = () =>
      this.#withContext(caller, traits, undefined, (context) => this.#approve(context, order, key, {caller, quote}))
    return payApproved(approve, pay, (text) => this.notice(text))
  }

  #withContext<T>(
    caller: Caller,
    traits: ServiceTraits,
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

  async #completePlan(checkedPlan: CheckedPlan, guarantee: boolean | undefined, slot: Date, caller: Caller) {
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
  #approve(
    context: OpenPaymentContext,
    order: PaymentOrder,
    key: ResolvedKey,
    {caller, quote}: {caller: Caller; quote: LooseQuote | undefined},
  ): Promise<PaymentOrder> {
    const ask = async (shown: LooseQuote) => {
      await this.show(itemResult(shown, buildQuoteView(context, order, shown)))
      const {askYes} = await import('../cli/prompts/ask.ts')
      if (!(await askYes(buildQuestion(caller, key)))) throw interrupted()
      await this.authorizeWrite(caller, write, true)
    }
    return approvePrice(context, order, key, {earlierQuote: quote, ask, notify: (text) => this.notice(text)})
  }

  async #pay(context: OpenPaymentContext, order: PaymentOrder, key: ResolvedKey): Promise<PaymentResult> {
    const {serviceId} = order.intent
    rejectPaidElsewhere(context, order.intent)
    // A payment that was made is only shown, so earlier slots do not matter.
    if (context.journal.find(serviceId, key.key)?.state === 'CREATED') return payOnce(context, order)
    await withSlotExitNotice(
      key.key,
      settleEarlierSlots(context, serviceId, key, (text) => this.notice(text)),
    )
    return withPaymentExitNotice(context, serviceId, key.key, payOnce(context, order))
  }

  async #rehearse(context: OpenPaymentContext, order: PaymentOrder, key: ResolvedKey): Promise<Result> {
    const rehearsed = await rehearse(context, order, key)
    if ('made' in rehearsed) return this.#showPayment(context, rehearsed.made, false)
    const {quote, stop, findings} = rehearsed
    for (const finding of findings) this.notice(finding)
    if (!stop) this.notice(withinLimitsNotice)
    return itemResult(quote, buildQuoteView(context, order, quote), stop)
  }

  async #showPayment(context: OpenPaymentContext, result: PaymentResult, wait: boolean): Promise<Result> {
    const {payment, transaction = toKnownTransaction(payment)} = result
    for (const notice of buildNotices(context, result)) this.notice(notice)
    const alerts = buildAlerts(result)
    for (const alert of alerts) this.alert(alert)
    const badEnding = findBadEnding(result)
    if (!wait || badEnding) return itemResult(transaction, transactionView, badEnding)
    const {serviceId, key, transactionId = '', content} = payment
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
    return watchPayment(payment, withPaymentExitNotice(context, serviceId, key, watching))
  }
}

interface RunOptions {
  isDryRun: boolean
  isConfirmed: boolean
  usesWizard: boolean
  // The quote that the wizard requested.
  quote: LooseQuote | undefined
  wait: boolean
  timeout: number | undefined
}

const buildQuestion = ({environment, baseUrl, label}: Caller, {key}: ResolvedKey) =>
  `Pay this${environment === 'live' ? ` on ${baseUrl} (${label}, live)` : ''}, as ${key}?`

function buildQuoteView({clock}: OpenPaymentContext, {intent}: PaymentOrder, {expiresAt}: LooseQuote) {
  const lifeMs = Math.max(0, Date.parse(String(expiresAt)) - clock.latest() || 0)
  return createQuoteView({body: intent.content, lifeMs})
}
