// Runs `svc pay` from its checked plan to its result: completes the plan, makes sure that it was approved, and pays or only checks it.
import path from 'node:path'
import type {Result} from '../../cli/output/result.ts'
import type {Client} from '../../client/client.ts'
import {SvcError} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import type {Caller} from '../../profiles/caller.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import {createOpenChoiceError, lacksDetails} from '../../quotes/complete-route.ts'
import {withFlagNames} from '../../quotes/name-fields.ts'
import {quoteForShell} from '../../values/text.ts'
import {requirePlanApproval} from '../controls/approve-plan.ts'
import type {Approval} from '../controls/require-approval.ts'
import {decideRoute, fillFromMade} from './decide-route.ts'
import {resolveKeyFlag} from './flags.ts'
import {type CheckedPlan, type CompletedPlan, type Plan, payAnswers} from './plan.ts'
import {type ResolvedKey, type SlotTime, resolveKey} from './slots.ts'
import {findKeyUse} from '../protocol/key-use.ts'
import {type ServerClock, createServerClock} from '../protocol/service.ts'
import {describeNextStep} from './notices.ts'
import {openRunNotifier, withApprovalNotice} from './notify-payments.ts'
import {type OpenPaymentContext, RunConnections, type SharedClientOptions, openPaymentContext} from './open-context.ts'
import type {PayRun, PayTerminal} from './pay-run.ts'
import {runDry, runPayments} from './run-payments.ts'

interface PayFlags {
  file?: string | undefined
  'write-plan'?: string | undefined
  'on-result'?: string | undefined
  'dry-run': boolean
  'allow-unknown-fields': boolean
  'allow-duplicates': boolean
  guarantee?: boolean | undefined
  timeout?: number | undefined
  wait: boolean
  yes: boolean
}

// What the command lends to the run.
export interface PayHost extends Omit<PayTerminal, 'watch'> {
  show: (result: Result) => Promise<void>
  watch: (target: Parameters<PayTerminal['watch']>[0], deadlineMs: number | undefined) => Promise<Result>
  createClient: (options: SharedClientOptions) => Promise<Client>
  // Lets the payment pass the gate for writes, after a person or --yes said so.
  authorize: (yes: boolean) => Promise<void>
  finishWrite: (result: Result) => Result
}

export interface PlanToPay {
  // Bound to the policy.
  caller: Caller
  traits: ServiceTraits
  connections: RunConnections
  checkedPlan: CheckedPlan
  slot: SlotTime
  // Whether a person is asked for what is missing.
  usesWizard: boolean
  flags: PayFlags
  host: PayHost
}

interface Preparation extends PlanToPay {
  // The service's clock, kept while a person answers.
  clock: ServerClock
}

export async function payPlan(wanted: PlanToPay): Promise<Result> {
  const {flags, host} = wanted
  const preparation: Preparation = {...wanted, clock: createServerClock()}
  const completed = await completePlan(preparation)
  if (flags['write-plan'] !== undefined) return writePlanFile(flags['write-plan'], completed, host)
  const result = await payAnswers(completed, (each) => payCompletedPlan(preparation, each))
  const next = host.isInteractive && !flags.wait && !flags['dry-run'] ? describeNextStep(result) : []
  if (next.length === 0) return result
  // Said below the transaction.
  await host.show(result)
  for (const note of next) host.notice(note)
  return undefined
}

// A context before the payment: nothing is sent in it but reads and quotes.
const openEarlyContext = ({traits, clock, connections, flags}: Preparation): Promise<OpenPaymentContext> =>
  openPaymentContext({
    traits,
    clock,
    connect: (onReply) => connections.connect(onReply, flags.timeout),
    openJournal: (waitMs) => connections.openJournal(waitMs),
  })

// Currencies and methods that are not given follow from the accounts. Where these leave a choice, a person is asked.
async function completePlan(preparation: Preparation): Promise<CompletedPlan> {
  const {checkedPlan, usesWizard, traits, slot, host} = preparation
  if (usesWizard) {
    const made = await findMadePlan(preparation)
    return made ? {plan: made} : askForPlan(preparation, checkedPlan)
  }
  const {body: given, plan, complete} = checkedPlan
  if (!lacksDetails(given, '')) return {plan}
  const {key} = resolveKey(plan.key, slot)
  const context = await openEarlyContext(preparation)
  const {body, choices} = await decideRoute(context, {serviceId: traits.serviceId, key}, given)
  if (choices.length === 0) return {plan: complete({body, key: plan.key})}
  if (!host.isInteractive) throw createOpenChoiceError(choices)
  return askForPlan(preparation, {...checkedPlan, body}, {isRouteOnly: true})
}

// Nobody is asked for the rest of a payment that was made. A key with a placeholder may mean another one each time.
async function findMadePlan(preparation: Preparation): Promise<Plan | undefined> {
  const {checkedPlan, traits, slot, flags} = preparation
  const {own, body: given, plan, complete} = checkedPlan
  if (plan.key === '' || flags['write-plan'] !== undefined) return undefined
  const {key, template} = resolveKey(plan.key, slot)
  if (template !== undefined) return undefined
  const context = await openEarlyContext(preparation)
  const body = await fillFromMade(context, {serviceId: traits.serviceId, key}, {...own, ...given})
  return body && complete({body, key})
}

async function askForPlan(
  preparation: Preparation,
  checkedPlan: CheckedPlan,
  {isRouteOnly = false} = {},
): Promise<CompletedPlan> {
  const {caller, traits, clock, connections, slot, flags, host} = preparation
  const connect = () => connections.connect(({headers}) => clock.observeDate(headers.get('date')), undefined)
  const client = await connect()
  // A used key does not cost a person all answers: the wizard asks for another one.
  const findUse = async ({key, content}: Plan) => {
    const intent = {serviceId: traits.serviceId, ...resolveKey(key, slot), content}
    const use = await findKeyUse(await openEarlyContext(preparation), intent)
    // The time that the person takes is not limited.
    await connect()
    return use
  }
  const {completePlan: runWizard} = await import('./wizard.ts')
  return runWizard(client, checkedPlan, {
    slot,
    guarantee: flags.guarantee,
    clock,
    allowsUnknownFields: flags['allow-unknown-fields'],
    findKeyUse: findUse,
    isSandbox: caller.baseUrl === sandboxAddress,
    addAccount: async (customerId) => {
      const [{openAndAwaitAccount}, {getAccountId}] = await Promise.all([
        import('../../accounts/new-account.ts'),
        import('../../accounts/describe-account.ts'),
      ])
      const context = {caller, client, customerId, isInteractive: true, notice: host.notice}
      return getAccountId(await openAndAwaitAccount(context))
    },
    isRouteOnly,
  })
}

async function writePlanFile(file: string, {plan}: CompletedPlan, {notice}: PayHost): Promise<Result> {
  const {writePlan} = await import('./write-plan.ts')
  await writePlan(file, plan)
  const name = quoteForShell(file)
  notice(`Written to ${file}. Others approve it with \`svc approve ${name}\`; pay it with \`svc pay -f ${name}\`.`)
  return undefined
}

async function payCompletedPlan(preparation: Preparation, {plan, quote, askAgain}: CompletedPlan): Promise<Result> {
  const {caller, traits, slot, flags, host, clock, connections} = preparation
  const {yes, 'dry-run': isDryRun} = flags
  const key = resolveKeyFlag(plan.key, slot)
  const openNotifier = async () =>
    isDryRun ? undefined : openRunNotifier({caller, traits, command: flags['on-result'], notice: host.notice})
  const approval = await requireApproval(preparation, plan, key, openNotifier)
  const isAsked = askAgain !== undefined
  const payRun: PayRun = {
    caller,
    traits,
    plan,
    slot,
    // The clock of the embedded sandbox may be moved, and is no reason to doubt that of this machine.
    isSlotFromClock: key.template !== undefined && !slot.named && caller.baseUrl !== sandboxAddress,
    allowsDuplicates: flags['allow-duplicates'],
    approval,
    needsYes: isAsked || host.review !== undefined || (!yes && host.isInteractive),
    canGoBack: isAsked,
    quote,
    wait: flags.wait,
    timeoutMs: flags.timeout,
    clock,
    terminal: {...host, watch: (target) => host.watch(target, connections.deadline.atMs)},
    notifier: await openNotifier(),
    connections,
    authorize: () => host.authorize(true),
  }
  if (isDryRun) return withFlagNames(() => runDry(payRun, key))
  if (!payRun.needsYes) await host.authorize(yes)
  return host.finishWrite(await withFlagNames(() => runPayments(payRun, key)))
}

// A dry run only says what is missing.
async function requireApproval(
  {caller, traits, flags, host}: Preparation,
  plan: Plan,
  {key}: ResolvedKey,
  openNotifier: () => Promise<Notifier | undefined>,
): Promise<Approval> {
  return withApprovalNotice(
    {open: openNotifier, journal: traits.journal, name: path.basename(flags.file ?? '')},
    async () => {
      try {
        return await requirePlanApproval({caller, traits, plan, file: flags.file, key})
      } catch (error) {
        if (!flags['dry-run'] || !(error instanceof SvcError) || error.kind !== 'limit') throw error
        host.notice(`${error.message}.`)
        return {approvals: [], isApproved: false}
      }
    },
  )
}
