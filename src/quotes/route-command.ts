// What `svc quotes create` and `svc rules create` have in common: a body with a route is checked before anything is sent, completed from
// the accounts or by a person, and sent.
import {listAccounts} from '../accounts/find-account.ts'
import {omitAllowed, rejectUnlessAccepted, toDryRunResult} from '../cli/body/reject-problems.ts'
import {SvcCommand} from '../cli/command.ts'
import type {Result} from '../cli/output/result.ts'
import {toText} from '../cli/output/view.ts'
import type {Send} from '../cli/wizard/review.ts'
import type {Problem} from '../contract/problems.ts'
import type {WriteRequest} from '../controls/decide.ts'
import type {Caller} from '../profiles/caller.ts'
import {type Body, getValue} from '../values/body-paths.ts'
import {completeRoute, createOpenChoiceError, lacksDetails} from './complete-route.ts'
import {type RouteReferences, needsLookup, resolveRoute} from './resolve-route.ts'
import {type RoutePrefix, isDetailPath, omitDetailFlags} from './route-fields.ts'

interface RouteOptions extends RouteReferences {
  'accept-warnings': boolean
  'dry-run': boolean
  yes?: boolean
}

interface RouteWrite {
  write: WriteRequest
  prefix: RoutePrefix
  // Built from the flags that `checkRouteFlags` returned.
  body: Body
  // The flags of missing fields.
  missing: readonly string[]
  problems: readonly Problem[]
  // Asks a person for what is missing. Of a body that lacks only what the accounts leave open, that alone.
  ask: (caller: Caller, given: Body, send: Send<Result>, isRouteOnly: boolean) => Promise<Result>
  send: (caller: Caller, body: Body) => Promise<Result>
}

export abstract class RouteCommand extends SvcCommand {
  protected async sendRoute(flags: RouteOptions, {write, prefix, body, ask, ...checked}: RouteWrite): Promise<Result> {
    const missing = omitDetailFlags(checked.missing)
    const needsWizard = this.isInteractive && missing.length > 0
    const policy = this.warningPolicy(flags)
    // What is missing is asked for, or follows from the accounts.
    const isAbsent = ({path}: Problem) =>
      getValue(body, path) === undefined && (needsWizard || isDetailPath(prefix, path))
    const problems = omitAllowed(checked.problems, policy).filter((problem) => !isAbsent(problem))
    // A body that is only incomplete gets the shorter message that lists the missing flags.
    const isWrong = problems.some(({path, isWarning}) => !isWarning && getValue(body, path) !== undefined)
    if (!needsWizard && !isWrong) this.requireAll(missing)
    await rejectUnlessAccepted(problems, body, policy)
    const isDryRun = flags['dry-run']
    const isComplete = !needsWizard && !lacksDetails(body, prefix)
    if (isDryRun && isComplete && !needsLookup(flags, this.finder())) return toDryRunResult({...write, body})
    const caller = await this.writer(isDryRun ? undefined : write, flags.yes)
    const given = await resolveRoute(this.finder(caller), body, flags, prefix)
    const send = async (whole: Body) =>
      isDryRun ? toDryRunResult({...write, body: whole}) : checked.send(caller, whole)
    if (needsWizard) return ask(caller, given, send, false)
    if (isComplete) return send(given)
    // Currencies and methods that are not given follow from the accounts. Where these leave a choice, a person is asked.
    const accounts = await listAccounts(await this.client(caller), toText(given['customerId']))
    const completed = completeRoute(accounts, given, prefix)
    if (completed.choices.length === 0) return send(completed.body)
    if (!this.isInteractive) throw createOpenChoiceError(completed.choices)
    return ask(caller, completed.body, send, true)
  }
}
