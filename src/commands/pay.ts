// Pays once for one key: a quote, the limits, and one transaction, whatever was interrupted before.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../cli/command.ts'
import {badUsage, interrupted, getExitCodes} from '../errors.ts'
import {withPaymentExitNotice, withSlotExitNotice} from '../payments/exit-notice.ts'
import {type PaymentOrder, type PaymentResult, payOnce} from '../payments/pay.ts'
import {type CheckedPlan, findKeyProblem, readPlan} from '../payments/plan.ts'
import {rehearse} from '../payments/rehearse.ts'
import {
  buildAlerts,
  toKnownTransaction,
  buildNotices,
  settlingNotice,
  waitingNotice,
  addKeyHint,
} from '../payments/notices.ts'
import {type ResolvedKey, resolveKey, settleEarlierSlots} from '../payments/slots.ts'
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
import {getServiceId} from '../transport.ts'
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

  async run(): Promise<Result> {
    const {flags} = await this.parse(Pay)
    const checkedPlan = await readPlan(flags)
    // Whoever sits at a terminal is asked for what flags and file did not say.
    const isAsked = this.isInteractive && checkedPlan.missing.length > 0
    const {missing, problems} = checkedPlan
    if (!isAsked && missing.length === problems.length) this.requireAll(missing)
    rejectProblems(isAsked ? checkedPlan.wrong : problems, checkedPlan.body)
    const slot = new Date(flags.slot ?? Date.now())
    const first = flags['dry-run'] ? {method: 'POST', path: '/quotes'} : write
    // A profile that may not write says so before the questions, and whoever has none is asked for one once.
    const askedCaller = isAsked ? await this.caller() : undefined
    if (askedCaller) this.checkWrite(askedCaller, first, flags.yes)
    const plan = askedCaller ? await this.#asked(checkedPlan, flags.guarantee, slot, askedCaller) : checkedPlan.plan
    const {content, limits, isGuaranteed} = plan
    const key = resolveKey(plan.key, slot)
    if (flags.slot !== undefined && key.template === undefined) {
      throw badUsage('--slot is given, and --key has no {date}, {month} or {hour}', 'Put one in; nothing was sent')
    }
    const caller = askedCaller ?? (await this.caller())
    this.checkWrite(caller, first, flags.yes)
    const serviceId = await getServiceId(caller)
    // Whoever is asked is shown the price first, and is not asked about what was made.
    const isAgreed = isAsked || (!flags.yes && this.isInteractive && needsConfirmation(caller, write))
    const order: PaymentOrder = {intent: {serviceId, ...key, content}, limits, isGuaranteed}
    if (flags['dry-run']) return this.#within(caller, flags.timeout, (context) => this.#rehearsed(context, order, key))
    if (!isAgreed) await this.authorizeWrite(caller, write, flags.yes)
    const agreed = isAgreed
      ? await this.#within(caller, undefined, (context) => this.#agreed(context, order, key, caller))
      : order
    return this.#within(caller, flags.timeout, async (context) =>
      this.finishWrite(await this.#shown(context, await this.#paid(context, agreed, key), flags.wait)),
    )
  }

  #within<T>(
    caller: Caller,
    timeoutMs: number | undefined,
    work: (context: OpenPaymentContext) => Promise<T>,
  ): Promise<T> {
    const settings: PaymentContextSettings = {
      ...caller,
      connect: (onReply) => this.client(caller, {onReply, timeoutMs}),
      onUnknown: () => this.notice(settlingNotice),
      onHeld: (payment, by) => this.notice(waitingNotice(payment, by)),
      timeoutMs,
    }
    return withPaymentContext(settings, work)
  }

  // A person may take longer than --timeout gives the service.
  async #asked(checkedPlan: CheckedPlan, guarantee: boolean | undefined, slot: Date, caller: Caller) {
    const client = await this.client(caller, {timeoutMs: undefined})
    const {askForPlan: planByConversation} = await import('../payments/wizard.ts')
    const {key, isGuaranteed} = checkedPlan.plan
    const given = {body: checkedPlan.body, key: key === '' ? undefined : key}
    const isGuaranteeSet = guarantee !== undefined || isGuaranteed
    const wizard = {findKeyProblem: (text: string) => findKeyProblem(text, slot), isGuaranteeSet}
    return checkedPlan.complete(await planByConversation(client, given, wizard))
  }

  // A person sees the price before it is paid, and less than was shown is not accepted.
  async #agreed(
    context: OpenPaymentContext,
    order: PaymentOrder,
    key: ResolvedKey,
    caller: Caller,
  ): Promise<PaymentOrder> {
    const rehearsed = await rehearse(context, order, key)
    if ('made' in rehearsed) return order
    const {quote, stop} = rehearsed
    if (stop) throw stop
    await this.show(
      itemResult(quote, createQuoteView({body: order.intent.content, lifeMs: getQuoteLifeLeft(context, quote)})),
    )
    const {askYes} = await import('../cli/prompts/ask.ts')
    if (!(await askYes(buildQuestion(caller, key)))) throw interrupted()
    await this.authorizeWrite(caller, write, true)
    const received = quote['destinationAmount']
    const receivedMin = order.limits.receivedMin ?? (typeof received === 'string' ? received : undefined)
    return {...order, limits: {...order.limits, receivedMin}}
  }

  // What was made is only shown: earlier slots are of no concern to it.
  async #paid(context: OpenPaymentContext, order: PaymentOrder, key: ResolvedKey): Promise<PaymentResult> {
    const {serviceId} = order.intent
    if (context.journal.find(serviceId, key.key)?.state === 'CREATED') return payOnce(context, order)
    await withSlotExitNotice(
      key.key,
      settleEarlierSlots(context, serviceId, key, (text) => this.notice(text)),
    )
    return withPaymentExitNotice(context, serviceId, key.key, payOnce(context, order))
  }

  async #rehearsed(context: OpenPaymentContext, order: PaymentOrder, key: ResolvedKey): Promise<Result> {
    const rehearsed = await rehearse(context, order, key)
    if ('made' in rehearsed) return this.#shown(context, rehearsed.made, false)
    for (const notice of rehearsed.notices) this.notice(notice)
    const {quote, stop} = rehearsed
    return itemResult(
      quote,
      createQuoteView({body: order.intent.content, lifeMs: getQuoteLifeLeft(context, quote)}),
      stop,
    )
  }

  async #shown(context: OpenPaymentContext, paid: PaymentResult, wait: boolean): Promise<Result> {
    const {payment, transaction = toKnownTransaction(payment)} = paid
    for (const notice of buildNotices(context, paid)) this.notice(notice)
    for (const alert of buildAlerts(paid)) this.alert(alert)
    if (!wait) return itemResult(transaction, transactionView)
    const within = {customerId: payment.content.customerId}
    const followed = createTransactionTarget(context.client, payment.transactionId ?? '', within, transaction)
    const {serviceId, key} = payment
    return addKeyHint(await withPaymentExitNotice(context, serviceId, key, this.watch(followed)), payment)
  }
}

const buildQuestion = ({environment, baseUrl, label}: Caller, {key}: ResolvedKey) =>
  `Pay this${environment === 'live' ? ` on ${baseUrl} (${label}, live)` : ''}, as ${key}?`

const getQuoteLifeLeft = (context: OpenPaymentContext, quote: Readonly<Record<string, unknown>>) =>
  Math.max(0, Date.parse(String(quote['expiresAt'])) - context.clock.latest() || 0)
