// Runs `svc pay` from its checked plan to its result: completes the plan, makes sure that it was approved, and pays or only checks it.
import type {Result} from '../../cli/output/result.ts'
import {createOpenChoiceError, lacksDetails} from '../../quotes/complete-route.ts'
import {withFlagNames} from '../../quotes/name-fields.ts'
import {noticeMagicEnding} from '../../transactions/watch.ts'
import type {Body} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import {quoteForShell} from '../../values/text.ts'
import {requirePlanApproval} from './approve-plan.ts'
import {decideRoute, fillFromMade} from './decide-route.ts'
import {openRunNotifier, withApprovalNotice, withNotifications} from './notify-payments.ts'
import {toPlan, writePlan} from './plan.ts'
import type {Run} from './run-context.ts'
import {BackToQuestions, runDry, runPayment} from './run-payment.ts'
import {resolveKey} from './slots.ts'
import type {CompletedPlan} from './wizard.ts'

// With `usesWizard`, a person is asked for what is missing.
export async function payPlan(run: Run, fields: Body, usesWizard: boolean): Promise<Result> {
  const file = run.flags['write-plan']
  let completed = await completePlan(run, fields, usesWizard)
  if (file !== undefined) return writePlanFile(run, file, completed.fields)
  for (;;) {
    try {
      return await payCompletedPlan(run, completed)
    } catch (error) {
      if (!(error instanceof BackToQuestions) || !completed.askAgain) throw error
      completed = await completed.askAgain()
    }
  }
}

// Currencies and methods that are not given follow from the accounts. Where these leave a choice, a person is asked.
async function completePlan(run: Run, fields: Body, usesWizard: boolean): Promise<CompletedPlan> {
  const {traits, slot, isInteractive, open} = run
  const askForPlan = async (given: Body, isRouteOnly: boolean) =>
    (await import('./wizard.ts')).askForPlan(run, given, {isRouteOnly})
  if (usesWizard) {
    const made = await findMade(run, fields)
    return made ? {fields: made} : askForPlan(fields, false)
  }
  if (!lacksDetails(fields, '')) return {fields}
  const {key} = resolveKey(toText(fields['key']), slot)
  const {body, choices} = await decideRoute(await open(), {serviceId: traits.serviceId, key}, fields)
  if (choices.length === 0) return {fields: body}
  if (!isInteractive) throw createOpenChoiceError(choices)
  return askForPlan(body, true)
}

// Nobody is asked for the rest of a payment that was made. A key with a placeholder may mean another one each time.
async function findMade({traits, slot, flags, open}: Run, fields: Body): Promise<Body | undefined> {
  if (fields['key'] === undefined || flags['write-plan'] !== undefined) return undefined
  const {key, template} = resolveKey(toText(fields['key']), slot)
  if (template !== undefined) return undefined
  return fillFromMade(await open(), {serviceId: traits.serviceId, key}, fields)
}

async function writePlanFile({notice}: Run, file: string, fields: Body): Promise<undefined> {
  await writePlan(file, fields)
  const name = quoteForShell(file)
  notice(`Written to ${file}. Others approve it with \`svc approve ${name}\`; pay it with \`svc pay -f ${name}\`.`)
}

async function payCompletedPlan(run: Run, completed: CompletedPlan): Promise<Result> {
  const {caller, traits, flags, notice, isInteractive, review} = run
  const plan = toPlan(completed.fields)
  const key = resolveKey(plan.key, run.slot)
  const isDryRun = flags['dry-run']
  const notifier = isDryRun ? undefined : await openRunNotifier({caller, traits, command: flags['on-result'], notice})
  const {file} = flags
  const approval = await withApprovalNotice(
    {notifier, journal: traits.journal, file: file ?? '', noticeOfDryRun: isDryRun ? notice : undefined},
    () => requirePlanApproval({caller, traits, plan, file, key: key.key}),
  )
  const isAsked = completed.askAgain !== undefined || review !== undefined || (!flags.yes && isInteractive)
  const needsYes = isAsked && !isDryRun
  const planRun = {...run, ...completed, plan, key, approval, needsYes, allowsDuplicates: flags['allow-duplicates']}
  if (isDryRun) return withFlagNames(() => runDry(planRun))
  if (!needsYes) await run.authorize(flags.yes)
  return withFlagNames(() =>
    withNotifications(notifier, {key: key.key, content: plan.content}, async () =>
      noticeMagicEnding(caller, await runPayment(planRun), notice),
    ),
  )
}
