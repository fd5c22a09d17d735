// Applies a file of rules to the service: plans the changes, shows them, asks, and makes them.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {acceptWarningsFlag, yesFlag} from '../../cli/flags/body-flags.ts'
import type {Painter} from '../../cli/output/colour.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {startProgress} from '../../cli/output/streams.ts'
import type {Client} from '../../client/client.ts'
import {SvcError, badUsage, getExitCodes} from '../../errors.ts'
import {type ServerClock, createServerClock} from '../../payments/protocol/clock.ts'
import {type Caller, describeService, identifyService} from '../../profiles/caller.ts'
import {applyPlan, toApplyError} from '../../rules/apply/apply-plan.ts'
import {confirmPlan, renderPlan, ruleChangeView, showPlan, summarizePlan} from '../../rules/apply/plan-view.ts'
import {
  type PlanRow,
  type PlanStep,
  isChange,
  listWrites,
  planChanges,
  readExistingRules,
  toPlanError,
  toPlanRow,
} from '../../rules/apply/plan.ts'
import {describeLostReply} from '../../rules/describe-rule.ts'
import {createRulesSubject, findRuleLimitError, requireRulesApproval} from '../../rules/rule-controls.ts'
import {type WantedRule, readRuleFile} from '../../rules/rule-file.ts'
import {readServiceTraits} from '../../transport.ts'

const write = {method: 'POST', path: '/automation-rules', checksLimits: true, checksApprovals: true}

export default class RulesApply extends SvcCommand {
  static override view = ruleChangeView
  static override summary = 'Make the service’s rules match a file'
  static override description = `The file is YAML or JSON: the output of \`svc rules export\` or \`svc rules list --json\`, a list of rules, or a single rule.
Rules are matched by id, or else by customer and name. Differences are created or updated. Applying the same file twice changes nothing.
Only the destination, developer fee and amount of a rule can be changed. With any other difference the whole file is rejected, unless --replace allows svc to delete and recreate those rules.
--prune deletes rules that are not in the file, for the customers that the file names, and needs --yes in scripts.
If a reply is lost, svc checks what the service has. Running it again is safe.`
  static override examples = [
    {description: 'Show what would change', command: 'svc rules apply -f rules.yaml --dry-run'},
    {description: 'Apply the file', command: 'svc rules apply -f rules.yaml'},
  ]
  static override exits = getExitCodes('refused', 'unknownOutcome', 'partial', 'limit')
  static override flags = {
    file: Flags.string({
      char: 'f',
      summary: 'Read the rules from a file, YAML or JSON (- for standard input)',
      helpValue: 'FILE',
    }),
    'dry-run': Flags.boolean({summary: 'Show what would change, without changing anything', env: 'SVC_DRY_RUN'}),
    replace: Flags.boolean({summary: 'Delete and recreate rules whose fixed fields differ'}),
    prune: Flags.boolean({summary: 'Delete rules that are not in the file, for the customers it names'}),
    'accept-warnings': acceptWarningsFlag,
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(RulesApply)
    this.requireAll([!flags.file && '--file'])
    const wanted = await readRuleFile(flags.file ?? '', this.warningPolicy(flags))
    const caller = await this.writer()
    if (!flags['dry-run']) this.#checkApply(caller, flags)
    // The replies to what is read first say what time it is at the service.
    const clock = createServerClock()
    const client = await this.connector(caller)(({headers}) => clock.observeDate(headers.get('date')))
    const existing = await readExistingRules(client, wanted)
    const recordApproval = await this.#requireApproval({caller, clock}, wanted, flags)
    const steps = planChanges(wanted, existing, flags)
    const sent = steps.filter(isChange).flatMap(({configuration}) => configuration ?? [])
    const failure = toPlanError(steps) ?? findRuleLimitError(caller, sent)
    if (steps.some(({action}) => action === 'replace')) {
      this.notice('A replaced rule is deleted and then created. If it is due in between, it does not fire.')
    }
    const rows = steps.map(toPlanRow)
    if (flags['dry-run']) {
      const render = (shown: PlanRow[], painter: Painter, width?: number) => renderPlan(shown, painter, width)
      return listResult<PlanRow>(rows, 'plan', ruleChangeView, {render, failure})
    }
    if (failure) throw failure
    if (steps.some(isChange)) {
      await this.#confirm(caller, rows, flags.yes)
      // The limits were checked and the confirmation was given for the whole plan.
      for (const step of steps.flatMap(listWrites)) await this.authorize(caller, {...write, ...step}, {yes: true})
      await recordApproval()
    } else this.notice(summarizePlan(steps))
    return this.#apply(caller, client, steps)
  }

  // A script needs --yes before anything is read. A person is asked after the plan is shown.
  #checkApply(caller: Caller, {yes, prune}: {yes: boolean; prune: boolean}): void {
    this.checkWrite(caller, write, yes)
    if (prune && !yes && !this.isInteractive) {
      throw badUsage('--prune deletes rules and needs confirmation', 'Add --yes to confirm; nothing was sent')
    }
  }

  // Returns what records the approval once the plan is confirmed. A dry run only says what is missing.
  async #requireApproval(
    {caller, clock}: {caller: Caller; clock: ServerClock},
    wanted: readonly WantedRule[],
    flags: {file?: string | undefined; prune: boolean; 'dry-run': boolean},
  ): Promise<() => Promise<void>> {
    const recordNothing = async () => {}
    if (!caller.approvals && !caller.coolDownMs) return recordNothing
    try {
      const [{openApprovalStore}, {withJournal}] = await Promise.all([
        import('../../payments/context/approve-plan.ts'),
        import('../../payments/journal/open-journal.ts'),
      ])
      const {serviceId, journal} = await readServiceTraits(caller)
      const {file: name = ''} = flags
      const subject = createRulesSubject(serviceId, wanted, flags)
      const request = {
        caller,
        subject,
        store: await openApprovalStore(journal, subject, name, undefined),
        name,
        clock,
        isDryRun: flags['dry-run'],
      }
      return await requireRulesApproval(request, wanted, (work) => withJournal(journal, work))
    } catch (error) {
      if (!flags['dry-run'] || !(error instanceof SvcError) || error.kind !== 'limit') throw error
      this.notice(`${error.message}.`)
      return recordNothing
    }
  }

  async #confirm(caller: Caller, rows: readonly PlanRow[], yes: boolean): Promise<void> {
    const needsAnswer = !yes && this.isInteractive
    if (needsAnswer || (this.format === 'table' && !this.flags.quiet)) await showPlan(rows)
    if (needsAnswer) await confirmPlan(rows, `on ${describeService(caller)}`)
  }

  async #apply(caller: Caller, client: Client, steps: readonly PlanStep[]): Promise<Result> {
    const progress = startProgress()
    const work = applyPlan(client, steps, {
      service: identifyService(caller),
      onStep: (done, all) => progress.report(`${done} of ${all} changes made…`),
      onLostReply: ({name}, lost) => this.notice(describeLostReply(lost, name)),
    })
    const applied = await work.finally(() => progress.end())
    // People have seen the plan and need only its outcome; scripts get every row.
    const isForPeople = this.format === 'table'
    const rows = applied.rows.filter((row) => !isForPeople || isChange(row))
    const render = isForPeople && rows.length === 0 ? () => '' : undefined
    return this.finishWrite(listResult(rows, 'applied', ruleChangeView, {render, failure: toApplyError(applied)}))
  }
}
