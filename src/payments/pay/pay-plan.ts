// Runs `svc pay` from its checked plan to its result: completes the plan, makes sure that it was approved, and pays or only checks it.
import path from 'node:path'
import type {Result} from '../../cli/output/result.ts'
import {SvcError} from '../../errors.ts'
import type {Notifier} from '../../notifications/notifier.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {createOpenChoiceError, lacksDetails} from '../../quotes/complete-route.ts'
import {withFlagNames} from '../../quotes/name-fields.ts'
import {quoteForShell} from '../../values/text.ts'
import {requirePlanApproval} from './approve-plan.ts'
import type {Approval} from '../controls/require-approval.ts'
import {findKeyUse} from '../protocol/key-use.ts'
import {decideRoute, fillFromMade} from './decide-route.ts'
import {resolveKeyFlag} from './flags.ts'
import {describeNextStep} from './notices.ts'
import {openRunNotifier, withApprovalNotice} from './notify-payments.ts'
import type {PayCommand} from './pay-run.ts'
import {type CheckedPlan, type CompletedPlan, type Plan, payAnswers} from './plan.ts'
import {runDry, runPayments} from './run-payments.ts'
import {type ResolvedKey, resolveKey} from './slots.ts'

export async function payPlan(command: PayCommand): Promise<Result> {
  const {flags, terminal} = command
  const completed = await completePlan(command)
  if (flags['write-plan'] !== undefined) return writePlanFile(flags['write-plan'], completed, command)
  const result = await payAnswers(completed, (each) => payCompletedPlan(command, each))
  const next = terminal.isInteractive && !flags.wait && !flags['dry-run'] ? describeNextStep(result) : []
  if (next.length === 0) return result
  // Said below the transaction.
  await terminal.show(result)
  for (const note of next) terminal.notice(note)
  return undefined
}

// Currencies and methods that are not given follow from the accounts. Where these leave a choice, a person is asked.
async function completePlan(command: PayCommand): Promise<CompletedPlan> {
  const {checkedPlan, usesWizard, traits, slot, terminal, context} = command
  if (usesWizard) {
    const made = await findMadePlan(command)
    return made ? {plan: made} : askForPlan(command, checkedPlan)
  }
  const {body: given, plan, complete} = checkedPlan
  if (!lacksDetails(given, '')) return {plan}
  const {key} = resolveKey(plan.key, slot)
  const {body, choices} = await decideRoute(await context.open(), {serviceId: traits.serviceId, key}, given)
  if (choices.length === 0) return {plan: complete({body, key: plan.key})}
  if (!terminal.isInteractive) throw createOpenChoiceError(choices)
  return askForPlan(command, {...checkedPlan, body}, {isRouteOnly: true})
}

// Nobody is asked for the rest of a payment that was made. A key with a placeholder may mean another one each time.
async function findMadePlan({checkedPlan, traits, slot, flags, context}: PayCommand): Promise<Plan | undefined> {
  const {own, body: given, plan, complete} = checkedPlan
  if (plan.key === '' || flags['write-plan'] !== undefined) return undefined
  const {key, template} = resolveKey(plan.key, slot)
  if (template !== undefined) return undefined
  const body = await fillFromMade(await context.open(), {serviceId: traits.serviceId, key}, {...own, ...given})
  return body && complete({body, key})
}

async function askForPlan(
  {caller, traits, context, slot, flags, terminal}: PayCommand,
  checkedPlan: CheckedPlan,
  {isRouteOnly = false} = {},
): Promise<CompletedPlan> {
  const {client, clock} = await context.open({isAsking: true})
  const {completePlan: runWizard} = await import('./wizard.ts')
  return runWizard(client, checkedPlan, {
    slot,
    guarantee: flags.guarantee,
    clock,
    // A used key does not cost a person all answers: the wizard asks for another one.
    findKeyUse: async ({key, content}) => {
      const intent = {serviceId: traits.serviceId, ...resolveKey(key, slot), content}
      const use = await findKeyUse(await context.open(), intent)
      await context.open({isAsking: true})
      return use
    },
    isSandbox: caller.baseUrl === sandboxAddress,
    addAccount: async (customerId) => {
      const [{openAndAwaitAccount}, {getAccountId}] = await Promise.all([
        import('../../accounts/new-account.ts'),
        import('../../accounts/describe-account.ts'),
      ])
      const {notice} = terminal
      return getAccountId(await openAndAwaitAccount({caller, client, customerId, isInteractive: true, notice}))
    },
    isRouteOnly,
  })
}

async function writePlanFile(file: string, {plan}: CompletedPlan, {terminal}: PayCommand): Promise<Result> {
  const {writePlan} = await import('./write-plan.ts')
  await writePlan(file, plan)
  const name = quoteForShell(file)
  const next = `Others approve it with \`svc approve ${name}\`; pay it with \`svc pay -f ${name}\`.`
  terminal.notice(`Written to ${file}. ${next}`)
  return undefined
}

async function payCompletedPlan(command: PayCommand, {plan, quote, askAgain}: CompletedPlan): Promise<Result> {
  const {caller, traits, slot, flags, terminal} = command
  const {yes, 'dry-run': isDryRun, 'on-result': onResult} = flags
  const key = resolveKeyFlag(plan.key, slot)
  const openNotifier = async () =>
    isDryRun ? undefined : openRunNotifier({caller, traits, command: onResult, notice: terminal.notice})
  const approval = await requireApproval(command, plan, key, openNotifier)
  const canGoBack = askAgain !== undefined
  const needsYes = canGoBack || terminal.review !== undefined || (!yes && terminal.isInteractive)
  const payRun = {...command, plan, key, quote, canGoBack, needsYes, approval, notifier: await openNotifier()}
  if (isDryRun) return withFlagNames(() => runDry(payRun))
  if (!needsYes) await terminal.authorize(yes)
  return terminal.finishWrite(await withFlagNames(() => runPayments(payRun)))
}

// A dry run only says what is missing.
async function requireApproval(
  {caller, traits, flags, terminal}: PayCommand,
  plan: Plan,
  {key}: ResolvedKey,
  openNotifier: () => Promise<Notifier | undefined>,
): Promise<Approval> {
  const name = path.basename(flags.file ?? '')
  return withApprovalNotice({open: openNotifier, journal: traits.journal, name}, async () => {
    try {
      return await requirePlanApproval({caller, traits, plan, file: flags.file, key})
    } catch (error) {
      if (!flags['dry-run'] || !(error instanceof SvcError) || error.kind !== 'limit') throw error
      terminal.notice(`${error.message}.`)
      return {approvals: [], isApproved: false}
    }
  })
}
