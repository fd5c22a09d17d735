// Settles payments whose outcome is unknown, or records what a person decided about one of them.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {badUsage, findOrUndefined, interrupted, getExitCodes} from '../../errors.ts'
import {
  adoptTransaction,
  buildQuestion,
  dealWithEnding,
  describeLiveQuote,
  dismissPayment,
  requireDecidable,
  requireBadEnding,
  settleManually,
} from '../../payments/by-hand.ts'
import {findUnsettledError, settleAll} from '../../payments/protocol/settle.ts'
import {type Payment, isQuoteKey, notMadeStates, unsettledStates} from '../../payments/protocol/payment.ts'
import {journalView} from '../../payments/entry-view.ts'
import {readHistory, requirePayment, toEntry} from '../../payments/entries.ts'
import {type OpenPaymentContext, withPaymentContext} from '../../payments/context/open-context.ts'
import {yesFlag} from '../../cli/flags/body-flags.ts'
import {isVariableOn} from '../../cli/flags/environment.ts'
import {toFlagReference} from '../../cli/ids/finder.ts'
import {startProgress} from '../../cli/output/streams.ts'
import {type Result, itemResult, listResult} from '../../cli/output/result.ts'
import {paymentWrite} from '../../controls/decide.ts'
import {describeLivePlace} from '../../profiles/write-gate.ts'
import {readServiceTraits} from '../../transport.ts'
import {
  checkTransactionReference,
  findTransaction,
  readTransactionReference,
} from '../../transactions/find-transaction.ts'
import {countNoun, quoteForShell, svc} from '../../values/text.ts'

interface DecisionFlags {
  adopt?: string | undefined
  abandon: boolean
  why?: string | undefined
  yes: boolean
}

export default class JournalSettle extends SvcCommand {
  static override summary = 'Resolve payments whose outcome is unknown'
  static override description = `Searches the service’s transactions for each payment. While its quote is valid, the same bytes may be sent again with the same key; svc never requests a new quote. With a read-only profile, svc only searches, and records no decision.
If svc cannot resolve a payment, you can decide: --adopt names its transaction; --abandon states that there is none, so that the key can be paid again. The reason is stored in the journal; do not write personal data there.
Of a payment whose transaction failed, --why alone says that it is dealt with, for example paid under another key: \`svc reconcile\` no longer names it. Of one that the service does not list any more, it says the same, and books can be closed. Of one that was not made (INTENDED, QUOTED, STOPPED, REJECTED or ABANDONED), it says never mind: \`svc status\` no longer names it, and its key can still be paid.`
  static override examples = [
    {description: 'Resolve all unresolved payments', command: 'svc journal settle'},
    {
      description: 'Record which transaction it is',
      command:
        "svc journal settle rent-2026-11 --adopt 9884bda0-8957-4b2f-b39e-a74ed6a4dc7b --why 'ticket 4711: bank confirmed'",
    },
  ]
  static override exits = getExitCodes('usage', 'notFound', 'unreachable', 'unknownOutcome', 'pending')
  static override args = {
    key: Args.string({description: 'Key of a payment; all unresolved payments by default'}),
  }
  static override flags = {
    adopt: Flags.string({
      summary: 'The payment is this transaction',
      helpValue: 'ID',
      exclusive: ['abandon'],
    }),
    abandon: Flags.boolean({summary: 'The payment made no transaction'}),
    why: Flags.string({summary: 'Reason for the decision', helpValue: 'TEXT'}),
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(JournalSettle)
    const {adopt, abandon, why, yes} = flags
    const isDecision = adopt !== undefined || abandon || why !== undefined
    if (adopt !== undefined) checkTransactionReference(toFlagReference('adopt', adopt), this.finder())
    if (isDecision) this.requireAll([args.key === undefined && 'KEY', !why?.trim() && '--why'])
    if (isDecision && !yes && !this.isInteractive) {
      throw badUsage('Deciding about a payment needs confirmation', 'Add --yes to confirm; nothing was changed')
    }
    const caller = await this.writer()
    const known = await readServiceTraits(caller)
    // A read-only profile settles by the list alone.
    const mayResend = !caller.readOnly && known.areKeysHonoured
    const traits = {...known, areKeysHonoured: mayResend}
    // A decision says whether the key may be paid again, so it needs the rights of a payment.
    // What is found out is written to the journal, so a dry run finds out nothing.
    const isDryRun = isVariableOn(process.env['SVC_DRY_RUN'])
    if (isDecision || mayResend || isDryRun) this.checkWrite(caller, paymentWrite, yes)
    const settings = {controls: caller, traits, connect: this.connector(caller), timeoutMs: flags.timeout}
    return withPaymentContext(settings, async (context) => {
      const {serviceId} = traits
      const named = args.key === undefined ? undefined : await requirePayment(context, serviceId, args.key)
      if (isDecision && named) return this.#decide(context, named, flags)
      if (named && !unsettledStates.includes(named.state)) return this.#showSettled(named)
      const openPayments = named ? [named] : await context.journal.list({serviceId, states: unsettledStates})
      const settle = () => this.#settleAll(context, openPayments)
      if (openPayments.length === 0 || !mayResend) return settle()
      const ask = {
        describe: () =>
          `This settles ${countNoun(openPayments.length, 'payment')}. Requests that the service does not list may be sent again.`,
        question: `Find out what became of ${openPayments.length === 1 ? 'it' : 'them'}${describeLivePlace(caller)}?`,
      }
      // Limits and approvals were checked when the bytes were first sent.
      return this.write(caller, paymentWrite, {yes, ask}, settle)
    })
  }

  // Says why there is nothing to find out about the payment.
  #showSettled(payment: Payment): Result {
    const {key, state} = payment
    const dismissal = notMadeStates.includes(state)
      ? `; ${svc`journal settle ${key}`} with --why TEXT says that it needs nobody any more`
      : ''
    this.notice(`The payment ${key} is ${state}, so nothing about it is unknown${dismissal}.`)
    return listResult([toEntry(payment)], 'settled', journalView)
  }

  async #settleAll(context: OpenPaymentContext, openPayments: readonly Payment[]): Promise<Result> {
    const progress = startProgress()
    const report = (done: number, all: number) => progress.report(`${done} of ${all} payments settled…`)
    const settled = await settleAll(context, openPayments, report).finally(() => progress.end())
    if (settled.length === 0) this.notice('All payments are settled.')
    const failure = findUnsettledError(context, settled)
    const entries = settled.map((payment) => toEntry(payment))
    return this.finishWrite(listResult(entries, 'settled', journalView, {failure}))
  }

  async #decide(context: OpenPaymentContext, payment: Payment, flags: DecisionFlags): Promise<Result> {
    const {serviceId, key} = payment
    const isOutcome = flags.adopt !== undefined || flags.abandon
    if (isOutcome) await this.#settleManually(context, payment, flags)
    else await this.#dealWithEnding(context, payment, flags)
    const settled = await requirePayment(context, serviceId, key)
    const result = itemResult(toEntry(settled, await readHistory(context.journal, serviceId, key)), journalView)
    const next = `Next: ${svc`pay`} with --key ${quoteForShell(key)} pays it anew, if it is still due.`
    return this.finishWrite(result, flags.abandon && !isQuoteKey(key) ? [next] : [])
  }

  // Its transaction ended badly, or it was not made, and nothing about it is open any more.
  async #dealWithEnding(context: OpenPaymentContext, payment: Payment, {why = '', yes}: DecisionFlags): Promise<void> {
    const {transactionId, key, state} = payment
    if (notMadeStates.includes(state)) {
      await confirm(`Record that the payment ${key}, which is ${state}, needs nobody any more?`, yes)
      await dismissPayment(context, payment, why)
      return
    }

    const transaction = transactionId
      ? await findOrUndefined(findTransaction(context.client, transactionId, toScope(payment)))
      : undefined
    requireBadEnding(payment, transaction, context)
    const what = transaction
      ? `the bad end of the payment ${key}`
      : `the payment ${key}, which the service does not list,`
    await confirm(`Record that ${what} is dealt with?`, yes)
    await dealWithEnding(context, payment, why)
  }

  async #settleManually(
    context: OpenPaymentContext,
    payment: Payment,
    {adopt, why = '', yes}: DecisionFlags,
  ): Promise<void> {
    const {journal, client, clock} = context
    const finder = {...this.finder(), connect: async () => client}
    const reference = {...toFlagReference('adopt', adopt), confirmation: 'Adopt this transaction?'}
    const found = adopt && (await readTransactionReference(finder, toScope(payment), reference))
    const decision = found ? {adopt: found} : 'abandon'
    await requireDecidable(payment, decision, journal)
    const live = found ? undefined : describeLiveQuote(payment, clock.latest())
    const {differences, isOther} = found ? adoptTransaction(payment, found) : {differences: live ? [live] : []}
    for (const warning of differences) this.alert(warning)
    if (isOther) {
      this.alert(
        `the payment ${payment.key} asked for something else, so the journal records what the transaction paid, and the key is used`,
      )
    }
    await confirm(buildQuestion(payment, decision), yes)
    await settleManually(context, payment, decision, why)
  }
}

const toScope = ({content: {customerId}}: Payment) => (customerId ? {customerId} : {})

async function confirm(question: string, yes: boolean): Promise<void> {
  if (yes) return
  const {askYes} = await import('../../cli/prompts/ask.ts')
  if (!(await askYes(question))) throw interrupted()
}
