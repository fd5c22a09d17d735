// Creates an automation rule, unless an identical one exists.
import {getExitCodes} from '../../errors.ts'
import * as Flags from '@oclif/core/flags'
import {ruleCreate} from '../../contract/rules.ts'
import {rejectRulesOverLimit} from '../../rules/rule-controls.ts'
import {type Caller, identifyService} from '../../profiles/caller.ts'
import {listMissingFlags, readNewRuleBody, validateRule} from '../../rules/rule-body.ts'
import type {RuleConfiguration} from '../../rules/rule-configuration.ts'
import {
  buildRuleQuestion,
  describeLostReply,
  describeNextStep,
  describeRuleWrite,
  listCreationNotices,
} from '../../rules/describe-rule.ts'
import {createRuleOnce} from '../../rules/writes.ts'
import type {Body} from '../../values/body-paths.ts'
import {amountFlag, checkedBodyFlags, developerFeeFlags, routeFlags, yesFlag} from '../../cli/flags/body-flags.ts'
import {customerFlag} from '../../cli/flags/shared.ts'
import type {Box} from '../../cli/output/box.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {checkRouteFlags} from '../../quotes/resolve-route.ts'
import {RouteCommand} from '../../quotes/route-command.ts'
import {ruleView} from '../../rules/view.ts'
import {readServiceState} from '../../transport.ts'

const write = {method: 'POST', path: '/automation-rules', checksLimits: true}

export default class RulesCreate extends RouteCommand {
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
    ...checkedBodyFlags,
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(RulesCreate)
    const body = await readNewRuleBody(checkRouteFlags(flags, this.finder()))
    return this.sendRoute(flags, {
      write,
      prefix: 'transactionTemplate.',
      body,
      missing: listMissingFlags(body),
      problems: validateRule(ruleCreate, body, Date.now()),
      // --timeout limits the service, not the person who answers, so the wizard's client has none.
      ask: async (caller, given, send) => {
        const {runRuleWizard} = await import('../../rules/wizard/rule-wizard.ts')
        const client = await this.client(caller, {timeoutMs: undefined})
        return runRuleWizard(client, given, (await readServiceState(caller)).nowMs, send)
      },
      send: (caller, whole) => this.#createRule(caller, whole, flags.yes),
    })
  }

  async #createRule(caller: Caller, body: Body, yes: boolean): Promise<Result> {
    // It was validated.
    const configuration = body as RuleConfiguration
    rejectRulesOverLimit(caller, [configuration])
    const ask = {
      describe: () => this.#describeRule(caller, body),
      question: buildRuleQuestion('Create', caller, body),
    }
    const created = await this.write(caller, write, {yes, ask}, async () =>
      createRuleOnce(await this.client(caller), configuration, {
        service: identifyService(caller),
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
}
