// Simulates automation rules: what they do, when they fire next and, with a balance, what they would move and cost.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import {findRule} from '../../rules/find-rule.ts'
import {SvcCommand} from '../../cli/command.ts'
import type {LooseRule} from '../../contract/loose.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {type Caller, findCaller} from '../../profiles/caller.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {
  type QuoteSource,
  addQuotes,
  parseBalances,
  readRulesToSimulate,
  simulateRules,
} from '../../rules/simulate/simulate-rules.ts'
import {wholeNumberParser} from '../../cli/flags/shared.ts'
import {itemResult, listResult} from '../../cli/output/result.ts'
import {simulationView, simulationsView} from '../../rules/simulate/simulation-view.ts'
import {openEmbeddedSandbox} from '../../transport.ts'
import {parseInstant, toInstantMs} from '../../values/time.ts'

const firingsDefault = 5
const firingsMax = 100

export default class RulesSimulate extends SvcCommand {
  static override view = simulationView
  static override summary = 'Show what a rule does and when it fires next'
  static override description =
    'Describes the rule in words and lists its next firings, in UTC and in local time (TZ). With a balance, it also shows what each firing would move if no money came in meanwhile, and requests a quote for the first one, which moves no money. The balance is that of the source wallet, in the source currency: the built-in sandbox knows it; for other services, give it with --balance. A file needs no profile. Several rules are simulated independently.'
  static override examples = [
    {description: 'Simulate a sandbox rule', command: 'svc rules simulate rule_1a2b3c -p sandbox'},
    {description: 'Simulate a rule before you create it', command: 'svc rules simulate -f payroll.yaml --balance 1500'},
    {
      description: 'Print the next twelve firings',
      command: "svc rules simulate -f payroll.yaml --name Payroll --count 12 --jq '.firings[].utc'",
    },
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {
    // Not required: oclif would otherwise read the id from standard input.
    id: Args.string({description: 'ID of the rule, or its first 8 or more characters; or use --file'}),
  }
  static override flags = {
    file: Flags.string({
      char: 'f',
      summary: 'Read the rules from a file, JSON or YAML (- for standard input)',
      helpValue: 'FILE',
    }),
    name: Flags.string({summary: 'Only the rule with this name in the file', helpValue: 'NAME', dependsOn: ['file']}),
    count: Flags.custom<number>({
      summary: `Number of firings, 1 to ${firingsMax} (${firingsDefault})`,
      helpValue: 'N',
      default: firingsDefault,
      parse: wholeNumberParser(1, firingsMax),
    })(),
    at: Flags.custom<number>({
      summary: 'Show firings after this time, ISO 8601 (now)',
      helpValue: 'TIME',
      parse: async (text, _, {name}) => parseInstant(text, `--${name}`),
    })(),
    balance: Flags.string({
      summary: 'Balance of the source wallet; ACCOUNT=AMOUNT if there are several',
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'AMOUNT',
    }),
    'no-quote': Flags.boolean({summary: 'Do not request a quote'}),
  }

  async run() {
    const {args, flags} = await this.parse(RulesSimulate)
    const {file, count} = flags
    const isMissing = args.id === undefined && file === undefined
    if (isMissing && !this.isInteractive) this.requireAll(['ID or --file'])
    if (args.id !== undefined && file !== undefined) {
      throw badUsage('ID and --file are both given', 'Give one of them; nothing was sent')
    }
    const balances = parseBalances(flags.balance ?? [])
    const connect = () => this.client()
    const rulesFromFile =
      file === undefined ? undefined : await readRulesToSimulate(file, flags.name, balances, connect)
    const caller = rulesFromFile ? findCaller(flags.profile) : await this.writer()
    const rules = rulesFromFile ?? [await this.#readRule(args.id, caller)]
    const sandbox = caller?.baseUrl === sandboxAddress ? await openEmbeddedSandbox() : undefined
    const atMs = flags.at ?? toInstantMs(sandbox?.clock.status().now) ?? Date.now()
    const simulated = simulateRules(rules, {
      atMs,
      count,
      balances,
      findBalance: sandbox && ((account, currency) => sandbox.money.balance(account, currency)),
    })
    const simulations = flags['no-quote'] ? simulated : await addQuotes(simulated, this.#chooseQuoteSource(caller))
    const [first, ...others] = simulations
    if (first && others.length === 0) return itemResult(first, simulationView)
    if (this.format === 'table') this.notice('Use --name NAME to show all details of one rule.')
    return listResult(simulations, 'simulations', simulationsView)
  }

  async #readRule(id: string | undefined, caller: Caller | undefined): Promise<LooseRule> {
    const {rule} = await findRule(this.finder(caller), toArgumentReference('rule', id))
    return rule
  }

  // A quote moves no money, but it is a POST, which a read-only profile does not send.
  #chooseQuoteSource(caller: Caller | undefined): QuoteSource {
    if (!caller) return {noQuote: 'There is no profile to request one with; choose one with -p'}
    if (caller.readOnly) return {noQuote: `Requesting one is a write, and ${caller.label} is read-only`}
    return {client: () => this.client(caller)}
  }
}
