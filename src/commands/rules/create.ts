// Creates an automation rule, unless an identical one exists.
import {Declined, getExitCodes} from '../../errors.ts'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {ruleCreate} from '../../contract/rules.ts'
import {rejectRulesOverLimit} from '../../rules/rule-controls.ts'
import type {Caller} from '../../profiles/caller.ts'
import {isAllowedField, rejectUnlessAccepted, toDryRunResult} from '../../cli/body/reject-problems.ts'
import {type RuleFlags, listMissingFlags, readNewRuleBody, validateRule} from '../../rules/rule-body.ts'
import type {RuleConfiguration} from '../../rules/rule-configuration.ts'
import {
  buildRuleQuestion,
  describeLostReply,
  describeNextStep,
  describeRuleWrite,
  listCreationNotices,
} from '../../rules/describe-rule.ts'
import {createRuleOnce} from '../../rules/writes.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {
  acceptWarningsFlag,
  allowUnknownFieldsFlag,
  amountFlag,
  bodyFlags,
  developerFeeFlags,
  routeFlags,
  yesFlag,
} from '../../cli/flags/body-flags.ts'
import {customerFlag} from '../../cli/flags/shared.ts'
import type {Box} from '../../cli/output/box.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {listAccounts} from '../../accounts/find-account.ts'
import {toText} from '../../cli/output/view.ts'
import type {Problem} from '../../contract/problems.ts'
import {completeRoute, createOpenChoiceError, lacksDetails} from '../../quotes/complete-route.ts'
import {isDetailPath, omitDetailFlags} from '../../quotes/route-fields.ts'
import {checkRouteFlags, needsLookup, resolveRoute} from '../../quotes/resolve-route.ts'
import {ruleView} from '../../rules/view.ts'
import {readServiceState} from '../../transport.ts'

const prefix = 'transactionTemplate.'

const write = {method: 'POST', path: '/automation-rules', checksLimits: true}

export default class RulesCreate extends SvcCommand {
  static override view = ruleView
  static override exits = getExitCodes('usage', 'refused', 'unknownOutcome', 'limit')
  static override summary = 'Create an automation rule'
  static override description = `If an identical rule exists, including its name, svc shows that one instead of creating a second, which would pay twice.
If the reply is lost, run it again: svc looks in the list first. A file may be the output of \`svc rules get\`.
In a terminal, svc asks for what is missing, and shows the rule first.`
  static override examples = [
    {
      description: 'Move 100 USDC to a bank account every weekday at 9:00 UTC',
      command:
        'svc rules create --name Payroll --customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c --from 64fbd491-4b09-49d5-b40c-8b27facb31a9 --from-currency USDC --to e6086267-7e5a-4a91-b136-a94b38bbbfb8 --amount 100.00 --cron "0 9 * * 1-5"',
    },
    {
      description: 'Read a rule from a file, but move the whole balance when it reaches 500',
      command: 'svc rules create -f rule.yaml --name Sweep --percent 100 --threshold 500',
    },
  ]
  static override flags = {
    name: Flags.string({summary: 'Name of the rule', helpValue: 'TEXT'}),
    customer: customerFlag('Customer whose money the rule moves'),
    ...routeFlags,
    amount: {...amountFlag('Amount to move, in the source currency'), exclusive: ['percent']},
    percent: amountFlag('Percentage of the balance to move, up to 100', 'PERCENT'),
    cron: Flags.string({
      summary: 'Schedule: a cron expression with five fields, in UTC',
      helpValue: 'EXPRESSION',
      exclusive: ['threshold'],
    }),
    threshold: amountFlag('Fire when the balance reaches this amount'),
    ...developerFeeFlags,
    ...bodyFlags,
    'accept-warnings': acceptWarningsFlag,
    'allow-unknown-fields': allowUnknownFieldsFlag,
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(RulesCreate)
    const unresolved = await readNewRuleBody(checkRouteFlags(flags, this.finder()))
    const missing = omitDetailFlags(listMissingFlags(unresolved))
    const needsWizard = this.isInteractive && missing.length > 0
    const found = validateRule(ruleCreate, unresolved, Date.now())
    const problems = flags['allow-unknown-fields'] ? found.filter((each) => !isAllowedField(each)) : found
    // What is missing is asked for, or follows from the accounts.
    const isAbsent = ({path}: Problem) =>
      getValue(unresolved, path) === undefined && (needsWizard || isDetailPath(prefix, path))
    const present = problems.filter((problem) => !isAbsent(problem))
    // A rule that is only incomplete gets the shorter message that lists the missing flags.
    const isWrong = present.some(({path, isWarning}) => !isWarning && getValue(unresolved, path) !== undefined)
    if (!needsWizard && !isWrong) this.requireAll(missing)
    await rejectUnlessAccepted(present, unresolved, this.warningPolicy(flags))
    const isComplete = !needsWizard && !lacksDetails(unresolved, prefix)
    const isDry = flags['dry-run'] && isComplete
    if (isDry && !needsLookup(flags, this.finder())) return toDryRunResult({...write, body: unresolved})
    const caller = await this.writer(flags['dry-run'] ? undefined : write, flags.yes)
    const given = await resolveRoute(this.finder(caller), unresolved, flags, prefix)
    if (isDry) return toDryRunResult({...write, body: given})
    if (needsWizard) return this.#runWizard(caller, given, flags)
    return isComplete ? this.#createRule(caller, given, flags) : this.#completeRoute(caller, given, flags)
  }

  // Currencies and methods that are not given follow from the accounts. Where these leave a choice, a person is asked.
  async #completeRoute(caller: Caller, given: Body, flags: RuleOptions): Promise<Result> {
    const accounts = await listAccounts(await this.client(caller), toText(given['customerId']))
    const {body, choices} = completeRoute(accounts, given, prefix)
    if (choices.length === 0) {
      return flags['dry-run'] ? toDryRunResult({...write, body}) : this.#createRule(caller, body, flags)
    }
    if (!this.isInteractive) throw createOpenChoiceError(choices)
    return this.#runWizard(caller, body, flags)
  }

  async #createRule(
    caller: Caller,
    body: Body,
    {yes, 'allow-unknown-fields': allowsUnknownFields}: RuleOptions,
    goBack?: () => never,
  ): Promise<Result> {
    // It was validated.
    const configuration = body as RuleConfiguration
    rejectRulesOverLimit(caller, [configuration])
    const ask = {
      describe: () => this.#describeRule(caller, body),
      question: buildRuleQuestion('Create', caller, body),
      goBack,
    }
    const created = await this.write(caller, write, {yes, ask}, async () =>
      createRuleOnce(await this.client(caller, {allowsUnknownFields}), configuration, {
        onLostReply: (lost) => this.notice(describeLostReply(lost)),
      }),
    )
    for (const text of listCreationNotices(created)) this.notice(text)
    return this.finishWrite(itemResult(created.rule, ruleView), describeNextStep(created.rule))
  }

  // A client of its own, since a person may take longer to answer than --timeout gives the service.
  async #describeRule(caller: Caller, body: Body): Promise<Box> {
    const client = await this.client(caller, {timeoutMs: undefined})
    return describeRuleWrite(caller, client, 'Create a rule', body)
  }

  // --timeout limits the service, not the person who answers, so the wizard's client has none.
  async #runWizard(caller: Caller, given: Body, flags: RuleOptions): Promise<Result> {
    const {runRuleWizard} = await import('../../rules/wizard/rule-wizard.ts')
    const client = await this.client(caller, {timeoutMs: undefined})
    const isDryRun = flags['dry-run']
    const {nowMs} = await readServiceState(caller)
    const goBack = () => {
      throw new Declined()
    }
    return runRuleWizard(client, given, nowMs, async (body) =>
      isDryRun ? toDryRunResult({...write, body}) : this.#createRule(caller, body, flags, goBack),
    )
  }
}

interface RuleOptions extends RuleFlags {
  'dry-run': boolean
  'allow-unknown-fields': boolean
  yes: boolean
}
