// Finds out, on a test environment, what the service does where its interface is silent, and keeps it in the profile.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../cli/command.ts'
import {withExitNotice} from '../cli/exit.ts'
import {amountFlag, developerFeeFlags, routeFlagsForScripts, yesFlag} from '../cli/flags/body-flags.ts'
import {customerFlag} from '../cli/flags/shared.ts'
import type {Result} from '../cli/output/result.ts'
import {SvcError, getExitCodes, interrupted} from '../errors.ts'
import {toContent} from '../payments/protocol/payment.ts'
import {
  type GivenRoute,
  askForRoute,
  createUnconfirmedProbeError,
  describePlan,
  findSmallestAmount,
  openProbe,
  planProbe,
  readRoute,
  rejectLiveProbe,
  rejectOtherRoute,
  startProbeProgress,
} from '../probe/open-probe.ts'
import type {ProbeContext} from '../probe/context.ts'
import {type ProbeFile, createProbeState, openProbeFile} from '../probe/probe-state.ts'
import {buildKnownResult, buildResult, createOpenError, keepFindings, knowledgeView} from '../probe/report.ts'
import {runProbe} from '../probe/run-probe.ts'
import type {Caller} from '../profiles/caller.ts'
import {getJournalAddress} from '../profiles/journal.ts'
import {isKnowledgeComplete} from '../profiles/service-knowledge.ts'
import {findKnowledge, getServiceId} from '../transport.ts'
import {checkRouteFlags, resolveRoute} from '../quotes/resolve-route.ts'

const write = {method: 'POST', path: '/transactions', checksLimits: true}

const route =
  '--customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c --from 64fbd491-4b09-49d5-b40c-8b27facb31a9 --from-currency USDC --from-method SOLANA --to 5e24c2b3-ff61-4ecc-b251-513b79598ccd --to-currency USDC --to-method SOLANA'

export default class Probe extends SvcCommand {
  static override view = knowledgeView
  static override summary = 'Find out how the service treats keys, quotes and lists'
  static override description = `Sends a few of the smallest payments, on a test environment, to learn what the interface does not say: what a reused idempotency key does (at once, after a minute, and until its quote expires), whether a quote can be used twice or after it has expired, how long it takes until a transaction is listed, and more. Payments use what was found; \`svc doctor\` and \`svc profiles show\` show it.
Before it sends anything, svc says how many transactions it can make, how much money moves, and between which accounts, and asks. A script needs --yes, both accounts, and their currencies and methods. On a live profile, and with credentials from the environment, --live is needed as well. The limits of the profile apply.
A probe takes about six minutes. If it is interrupted, or a reply is lost, run it again: it continues, and repeats nothing that it knows. What it cannot be certain of stays unknown.`
  static override examples = [
    {description: 'Probe a test environment, and be asked for the accounts', command: 'svc probe -p acme-test'},
    {
      description: 'Probe from a script, with accounts of your own',
      command: `svc probe -p acme-test ${route} --yes --json`,
    },
    {
      description: 'Find out in less than a minute what needs no waiting',
      command: `svc probe -p sandbox ${route} --quick --yes`,
    },
    {description: 'Probe again from the start', command: 'svc probe -p acme-test --restart'},
  ]
  static override exits = getExitCodes('done', 'usage', 'refused', 'unreachable', 'pending', 'limit')
  static override flags = {
    file: Flags.string({
      char: 'f',
      summary: 'Read the accounts from a file with the fields of a quote, JSON or YAML (- for standard input)',
      helpValue: 'FILE',
    }),
    customer: customerFlag('Customer who pays'),
    ...routeFlagsForScripts,
    amount: amountFlag('Amount of each transaction; without it, the smallest that the service takes from 1.00 on'),
    ...developerFeeFlags,
    quick: Flags.boolean({summary: 'Leave out what needs minutes of waiting'}),
    restart: Flags.boolean({summary: 'Start again, instead of continuing or showing what is known'}),
    live: Flags.boolean({summary: 'Allow real transactions on a live profile, together with --yes'}),
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(Probe)
    const caller = await this.writer()
    rejectLiveProbe(caller, flags)
    this.checkWrite(caller, write, flags.yes)
    const read = await readRoute(checkRouteFlags(flags, this.finder()))
    const given = {...read, body: await resolveRoute(this.finder(caller), read.body, flags, '')}
    const serviceId = await getServiceId(caller)
    const file = openProbeFile(serviceId, {isRestarted: flags.restart})
    try {
      const known = await findKnowledge(caller)
      if (known && isKnowledgeComplete(known) && !file.state && !flags.restart) {
        this.notice(`Probed ${known.probedAt}; nothing was sent. --restart probes again.`)
        return buildKnownResult(known)
      }
      const state = file.state ?? createProbeState(serviceId, await this.#completeRoute(caller, given), Date.now())
      if (file.state) rejectOtherRoute(state.content, given)
      const context = await openProbe({
        connect: this.connector(caller, {timeoutMs: undefined}),
        file,
        state,
        controls: caller,
        formerIds: caller.serviceIdentity.formerIds,
        journal: getJournalAddress(caller),
        isQuick: flags.quick,
        timeoutMs: flags.timeout,
      })
      try {
        await this.#announce(context, caller, flags.yes, !file.state && !given.isAmountGiven)
        return await this.#run(context, caller, file)
      } finally {
        await context.close()
      }
    } finally {
      file.close()
    }
  }

  // Asks for the accounts in a terminal. A script must name all of them.
  async #completeRoute(caller: Caller, given: GivenRoute) {
    if (given.missing.length === 0) return toContent(given.body)
    if (!this.isInteractive) this.requireAll(given.missing)
    const client = await this.client(caller, {timeoutMs: undefined})
    return toContent(await askForRoute(client, given))
  }

  // Says what will be made, and authorizes it: with --yes, or with a yes in a terminal.
  async #announce(context: ProbeContext, caller: Caller, yes: boolean, isAmountOpen: boolean): Promise<void> {
    const {state, client} = context
    if (planProbe(context).transactionsMax > 0) {
      if (!yes && !this.isInteractive) throw createUnconfirmedProbeError(planProbe(context))
      if (isAmountOpen) state.content = await findSmallestAmount(client, state.content)
      this.notice(describePlan(planProbe(context), state))
      const {askYes} = await import('../cli/prompts/ask.ts')
      if (!yes && !(await askYes(`Probe ${caller.baseUrl} (${caller.label}, ${caller.environment})?`))) {
        throw interrupted()
      }
    }
    await this.authorizeWrite(caller, write, true)
  }

  async #run(context: ProbeContext, caller: Caller, file: ProbeFile): Promise<Result> {
    const progress = startProbeProgress(this.flags.quiet ?? false, (text) => this.notice(text))
    context.report = progress.report
    let failure: SvcError | undefined
    try {
      await withExitNotice(() => stoppedNotice, runProbe(context))
    } catch (error) {
      // What is known so far is kept and shown.
      if (!(error instanceof SvcError) || context.state.tries.length === 0) throw error
      failure = error
    } finally {
      progress.end()
    }
    const report = await keepFindings(context, caller, file)
    if (caller.profileName === undefined) {
      this.notice('Nothing was kept, since credentials from the environment have no profile.')
    }
    if (context.isQuick && !isKnowledgeComplete(report.knowledge)) {
      this.notice('--quick leaves out what needs minutes of waiting; `svc probe` without it continues with that.')
    }
    return buildResult(report, failure ?? createOpenError(report))
  }
}

const stoppedNotice = {
  message: 'Stopped; what the probe has found out and sent so far is written down',
  hint: 'Run `svc probe` again to continue',
}
