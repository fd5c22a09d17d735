// Makes a payment once: a quote, the limits, and one transaction per key.
import * as Flags from '@oclif/core/flags'
import path from 'node:path'
import {isAllowedField, rejectUnlessAccepted} from '../cli/body/reject-problems.ts'
import {SvcCommand} from '../cli/command.ts'
import {acceptWarningsFlag, allowUnknownFieldsFlag, noDraftFlag, yesFlag} from '../cli/flags/body-flags.ts'
import {onResultFlag, waitFlag} from '../cli/flags/shared.ts'
import type {Result} from '../cli/output/result.ts'
import {SvcError, getExitCodes} from '../errors.ts'
import {type PlanToApprove, rejectFlagsAlone, requirePlanApproval} from '../payments/controls/approve-plan.ts'
import {decideRoute} from '../payments/plan/decide-route.ts'
import {findKeyUse} from '../payments/protocol/key-use.ts'
import {describeNextStep} from '../payments/run/notices.ts'
import {openRunNotifier, withApprovalNotice} from '../payments/run/notify-payments.ts'
import {paymentFlags, resolveKeyFlag} from '../payments/plan/flags.ts'
import {type PaymentContextSettings, withPaymentContext} from '../payments/run/open-context.ts'
import type {PayRun} from '../payments/run/pay-run.ts'
import {type CheckedPlan, type Plan, readPlan, resolvePlan} from '../payments/plan/plan.ts'
import type {Approval} from '../payments/controls/require-approval.ts'
import {rehearseRun} from '../payments/run/rehearse-run.ts'
import {runPayments} from '../payments/run/run-payments.ts'
import {createServerClock} from '../payments/protocol/service.ts'
import {type SlotTime, resolveKey, zoneDefault} from '../payments/plan/slots.ts'
import {type CompletedPlan, payAnswers} from '../payments/plan/pay-answers.ts'
import type {PayDraft, PayWizardSettings} from '../payments/plan/wizard.ts'
import type {Caller} from '../profiles/caller.ts'
import {sandboxAddress} from '../profiles/profiles.ts'
import type {ServiceTraits} from '../profiles/service-knowledge.ts'
import {createOpenChoiceError, lacksDetails} from '../quotes/complete-route.ts'
import {withFlagNames} from '../quotes/name-fields.ts'
import {checkRouteFlags} from '../quotes/resolve-route.ts'
import {transactionView} from '../transactions/view.ts'
import {readServiceState, readServiceTraits} from '../transport.ts'
import {quoteForShell} from '../values/text.ts'

const route =
  '--customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c --from 64fbd491-4b09-49d5-b40c-8b27facb31a9 --from-currency USDC --to e6086267-7e5a-4a91-b136-a94b38bbbfb8'

const write = {method: 'POST', path: '/transactions', checksLimits: true, checksApprovals: true}

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
If the same amount went to the same account under another key in the last days, svc asks; a script ends with code 10 unless --allow-duplicates is given.
A file has the fields of a quote, and optionally key, maxFee, minRate and minReceived. Flags override the file. Both accounts are of the customer who pays. Currencies and methods are needed only where these leave a choice.
The amount is what is paid: the service cannot be told what is to arrive. --dry-run shows what would, and --min-received stops at less.
In a terminal, svc asks for what is missing, shows the price and asks for a yes before it pays; with --yes it does not. Answers are kept until they are paid, and offered the next time.`
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
    {description: 'Write a file to fill in', command: 'svc pay --template > plan.yaml'},
    {
      description: 'Write the payment to a file, for others to approve',
      command: `svc pay ${route} --amount 5000 --key rent-2026-11 --write-plan rent.yaml`,
    },
    {description: 'Request a quote and check the limits only', command: 'svc pay -f plan.yaml --dry-run'},
  ]
  static override flags = {
    ...paymentFlags,
    file: Flags.string({
      char: 'f',
      summary: 'Read the payment from a file, JSON or YAML (- for standard input)',
      helpValue: 'FILE',
    }),
    'write-plan': Flags.string({
      summary: 'Write the payment to a file, for others to approve, without paying',
      helpValue: 'FILE',
      exclusive: ['dry-run'],
    }),
    wait: waitFlag,
    'on-result': onResultFlag,
    'dry-run': Flags.boolean({
      summary: 'Request a quote and check the limits, without paying or recording anything',
      env: 'SVC_DRY_RUN',
    }),
    'accept-warnings': acceptWarningsFlag,
    'allow-unknown-fields': allowUnknownFieldsFlag,
    'no-draft': noDraftFlag,
    yes: yesFlag,
    template: Flags.boolean({summary: 'Print a file to fill in, with every field of a payment'}),
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(Pay)
    if (flags.template) return printPlanTemplate()
    const {yes, 'dry-run': isDryRun} = flags
    const slot = {atMs: flags.slot ?? Date.now(), zone: flags['slot-zone'] ?? zoneDefault}
    const unresolved = await readPlan(checkRouteFlags(flags, this.finder()))
    const usesWizard = this.isInteractive && unresolved.missing.length > 0
    await this.#rejectPlan(unresolved, usesWizard, flags)
    // A wrong key is rejected before the profile is looked for, unless the wizard asks for the key.
    if (!usesWizard) resolveKeyFlag(unresolved.plan.key, slot, flags)
    const caller = await this.caller()
    const planFile = flags['write-plan']
    const paysNothing = isDryRun || planFile !== undefined
    this.checkWrite(caller, paysNothing ? {method: 'POST', path: '/quotes'} : write, yes)
    if (!paysNothing) rejectFlagsAlone(caller, flags.file)
    const isConfirmedLater = !yes || paysNothing
    const checkedPlan = await resolvePlan(this.finder(caller), unresolved, {...flags, isConfirmedLater})
    const clock = createServerClock()
    const traits = await readServiceTraits(caller)
    const allowsUnknownFields = flags['allow-unknown-fields']
    const findUse = (plan: Plan) => this.#findKeyUse(caller, plan, {traits, slot, clock})
    const settings = {slot, guarantee: flags.guarantee, clock, allowsUnknownFields, findKeyUse: findUse}
    const completed = usesWizard
      ? await this.#askForPlan(checkedPlan, caller, {
          ...settings,
          draft: await this.#openDraft(checkedPlan, caller, {...flags, traits}),
        })
      : await this.#completeRoute(checkedPlan, caller, {...settings, traits, isRouteOnly: true})
    if (planFile !== undefined) return this.#writePlan(planFile, completed)
    const pay = async ({plan, quote, askAgain}: CompletedPlan) => {
      const notice = (text: string) => this.notice(text)
      const openNotifier = async () =>
        isDryRun ? undefined : openRunNotifier({caller, traits, command: flags['on-result'], notice})
      const key = resolveKeyFlag(plan.key, slot, flags)
      const onlyKey = flags['catch-up'] === undefined ? key.key : undefined
      const approval = await withApprovalNotice(openNotifier, path.basename(flags.file ?? ''), () =>
        this.#requireApproval({caller, traits, plan, file: flags.file, key: onlyKey}, isDryRun),
      )
      const isAsked = askAgain !== undefined
      const payRun: PayRun = {
        caller,
        traits,
        plan,
        slot,
        // The clock of the embedded sandbox may be moved, and is no reason to doubt that of this machine.
        isSlotFromClock: key.template !== undefined && flags.slot === undefined && caller.baseUrl !== sandboxAddress,
        allowsDuplicates: flags['allow-duplicates'],
        approval,
        catchUp: flags['catch-up'],
        needsYes: isAsked || (!yes && this.isInteractive),
        canGoBack: isAsked,
        quote,
        wait: flags.wait,
        timeoutMs: flags.timeout,
        clock,
        terminal: this.#terminal,
        notifier: await openNotifier(),
        connect: (options) => this.client(caller, {...options, allowsUnknownFields}),
        authorize: () => this.authorizeWrite(caller, write, true),
      }
      if (isDryRun) return withFlagNames(() => rehearseRun(payRun, key))
      if (!payRun.needsYes) await this.authorizeWrite(caller, write, yes)
      return this.finishWrite(await withFlagNames(() => runPayments(payRun, key)))
    }
    const result = await payAnswers(completed, {pay, isDryRun, notice: (text) => this.notice(text)})
    const next = this.isInteractive && !flags.wait && !isDryRun ? describeNextStep(result, caller) : undefined
    if (next === undefined) return result
    // Said below the transaction.
    await this.show(result)
    this.notice(next)
    return undefined
  }

  async #writePlan(file: string, {plan, keeper}: CompletedPlan): Promise<Result> {
    const {writePlan} = await import('../payments/plan/write-plan.ts')
    await writePlan(file, plan)
    keeper?.discard()
    const name = quoteForShell(file)
    this.notice(
      `Written to ${file}. Others approve it with \`svc approve ${name}\`; pay it with \`svc pay -f ${name}\`.`,
    )
    return undefined
  }

  // A dry run only says what is missing.
  async #requireApproval(wanted: PlanToApprove, isDryRun: boolean): Promise<Approval> {
    try {
      return await requirePlanApproval(wanted)
    } catch (error) {
      if (!isDryRun || !(error instanceof SvcError) || error.kind !== 'limit') throw error
      this.notice(`${error.message}.`)
      return {approvals: [], isApproved: false}
    }
  }

  get #terminal(): PayRun['terminal'] {
    return {
      isInteractive: this.isInteractive,
      notice: (text) => this.notice(text),
      alert: (text) => this.alert(text),
      show: (result) => this.show(result),
      watch: (target) => this.watch(target),
    }
  }

  async #rejectPlan(
    {missing, problems, wrong, body}: CheckedPlan,
    usesWizard: boolean,
    flags: {'accept-warnings': boolean; 'allow-unknown-fields': boolean; 'dry-run': boolean},
  ): Promise<void> {
    // A plan that is only incomplete gets the shorter message that lists the missing flags.
    if (!usesWizard && missing.length === problems.length) this.requireAll(missing)
    const found = usesWizard ? wrong : problems
    const rejected = flags['allow-unknown-fields'] ? found.filter((problem) => !isAllowedField(problem)) : found
    await rejectUnlessAccepted(rejected, body, this.warningPolicy(flags))
  }

  // Currencies and methods that are not given follow from the accounts. Where these leave a choice, a person is asked.
  async #completeRoute(
    checkedPlan: CheckedPlan,
    caller: Caller,
    {traits, ...settings}: PayWizardSettings & {traits: ServiceTraits},
  ): Promise<CompletedPlan> {
    const {body: given, plan, complete} = checkedPlan
    if (!lacksDetails(given, '')) return {plan}
    const {clock, slot} = settings
    const {key} = resolveKey(plan.key, slot)
    const connect: PaymentContextSettings['connect'] = (onReply) => this.client(caller, {onReply})
    const {body, choices} = await withPaymentContext({traits, connect, clock}, (context) =>
      decideRoute(context, {serviceId: traits.serviceId, key}, given),
    )
    if (choices.length === 0) return {plan: complete({body, key: plan.key})}
    if (!this.isInteractive) throw createOpenChoiceError(choices)
    return this.#askForPlan({...checkedPlan, body}, caller, settings)
  }

  // The wizard asks for another key, so that a used one does not cost a person all answers.
  #findKeyUse(
    caller: Caller,
    {key, content}: Plan,
    {slot, ...settings}: Pick<PaymentContextSettings, 'traits' | 'clock'> & {slot: SlotTime},
  ): Promise<string | undefined> {
    const connect: PaymentContextSettings['connect'] = (onReply) => this.client(caller, {onReply})
    const intent = {serviceId: settings.traits.serviceId, ...resolveKey(key, slot), content}
    return withPaymentContext({...settings, connect}, async (context) => findKeyUse(context, intent))
  }

  // The answers are kept, and those of an earlier run are offered.
  async #openDraft(
    {own, body}: CheckedPlan,
    caller: Caller,
    {traits, ...flags}: {'no-draft': boolean; file?: string | undefined; traits: ServiceTraits},
  ): Promise<PayDraft> {
    const {openPayDraft} = await import('../payments/plan/wizard.ts')
    const hasFile = flags.file !== undefined
    const notice = (text: string) => this.notice(text)
    return openPayDraft(caller, {...own, ...body}, {hasNoDraft: flags['no-draft'], hasFile, traits, notice})
  }

  async #askForPlan(checkedPlan: CheckedPlan, caller: Caller, settings: PayWizardSettings): Promise<CompletedPlan> {
    const client = await this.client(caller, {
      timeoutMs: undefined,
      allowsUnknownFields: settings.allowsUnknownFields,
      onReply: ({headers}) => settings.clock.observeDate(headers.get('date')),
    })
    const {completePlan} = await import('../payments/plan/wizard.ts')
    const {listBalances} = await readServiceState(caller)
    return completePlan(client, checkedPlan, {...settings, listBalances})
  }
}

async function printPlanTemplate(): Promise<Result> {
  const [{listFields, templateResult}, {buildPlanTemplate, renderPlanTemplate}] = await Promise.all([
    import('../cli/template/render-template.ts'),
    import('../payments/plan/write-plan.ts'),
  ])
  const nodes = buildPlanTemplate()
  return templateResult(listFields(nodes), renderPlanTemplate(nodes))
}
