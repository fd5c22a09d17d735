// Applies a file of rules to the service: plans the changes, shows them, asks, and makes them.
import * as Flags from '@oclif/core/flags'
import {ApplyCommand, createApplyFlags} from '../../cli/apply/apply-command.ts'
import {isChange} from '../../cli/apply/plan.ts'
import {startProgress} from '../../cli/output/streams.ts'
import type {Result} from '../../cli/output/result.ts'
import type {Client} from '../../client/client.ts'
import {getExitCodes} from '../../errors.ts'
import {describeService} from '../../profiles/caller.ts'
import {applyPlan, toApplyError} from '../../rules/apply/apply-plan.ts'
import {ruleChangeView, rulePlanStyle} from '../../rules/apply/plan-view.ts'
import {
  type PlanStep,
  listPlanNotices,
  listWrites,
  planChanges,
  readExistingRules,
  toPlanError,
  toPlanRow,
} from '../../rules/apply/plan.ts'
import {describeLostReply} from '../../rules/describe-rule.ts'
import {createRulesSubject, findRuleLimitError, listRulePayees} from '../../rules/rule-controls.ts'
import {readRuleFile, resolveRuleIds} from '../../rules/rule-file.ts'
import {readServiceTraits} from '../../transport.ts'

const write = {method: 'POST', path: '/automation-rules', checksLimits: true, checksApprovals: true}

export default class RulesApply extends ApplyCommand {
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
    {
      description: 'From a script, make the rules match the file exactly',
      command: 'svc rules apply -f rules.yaml --replace --prune --yes --json',
    },
  ]
  static override exits = getExitCodes('refused', 'unknownOutcome', 'partial', 'limit')
  static override flags = createApplyFlags(
    'rules',
    'Delete rules that are not in the file, for the customers it names',
    {replace: Flags.boolean({summary: 'Delete and recreate rules whose fixed fields differ'})},
  )

  async run(): Promise<Result> {
    const {flags} = await this.parse(RulesApply)
    this.requireAll([!flags.file && '--file'])
    const written = await readRuleFile(flags.file ?? '', this.warningPolicy(flags))
    const caller = await this.writer()
    if (!flags['dry-run']) this.checkApply(caller, write, flags, 'rules', 'sent')
    const wanted = await resolveRuleIds(written, () => this.client(caller))
    const recordApproval = await this.requireApproval(caller, flags, async () => {
      const {requireRulesApproval} = await import('../../payments/controls/require-approval.ts')
      const traits = await readServiceTraits(caller)
      const subject = createRulesSubject(traits.serviceId, wanted, flags)
      const destinations = listRulePayees(wanted)
      return requireRulesApproval({caller, traits, subject, file: flags.file ?? '', destinations})
    })
    const client = await this.client(caller)
    const existing = await readExistingRules(client, wanted)
    const steps = planChanges(existing.wanted, existing, flags)
    const sent = steps.filter(isChange).flatMap(({configuration}) => configuration ?? [])
    this.notice(listPlanNotices(steps, existing.unknownIds, flags))
    return this.applyPlan({
      flags,
      steps,
      toPlanRow,
      recordApproval,
      failure: toPlanError(steps) ?? findRuleLimitError(caller, sent),
      style: rulePlanStyle,
      view: ruleChangeView,
      where: `on ${describeService(caller)}`,
      // The limits were checked and the confirmation was given for the whole plan.
      authorize: async () => {
        for (const step of steps.flatMap(listWrites)) await this.authorizeWrite(caller, {...write, ...step}, true)
      },
      apply: () => this.#apply(client, steps),
    })
  }

  async #apply(client: Client, steps: readonly PlanStep[]) {
    const progress = startProgress()
    const work = applyPlan(client, steps, {
      onStep: (done, all) => progress.report(`${done} of ${all} changes made…`),
      onLostReply: ({name}, lost) => this.notice(describeLostReply(lost, name)),
    })
    const result = await work.finally(() => progress.end())
    return {rows: result.rows, failure: toApplyError(result)}
  }
}
