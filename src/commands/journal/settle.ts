// Settles payments whose outcome is unknown, or records what a person decided about one of them.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {badUsage, interrupted, getExitCodes} from '../../errors.ts'
import {
  settleManually,
  buildQuestion,
  dealWithEnding,
  describeAdoption,
  describeLiveQuote,
  rejectAdopted,
  rejectDecision,
  rejectGoodEnding,
  rejectOtherCustomer,
} from '../../payments/protocol/manual-settlement.ts'
import {toFullEntry, requirePayment} from '../../payments/journal/entries.ts'
import {type Payment, isQuoteKey} from '../../payments/protocol/payment.ts'
import {listUnsettled, settleAll, describeSettlement, findUnsettledError} from '../../payments/protocol/settle-all.ts'
import {type OpenPaymentContext, withPaymentContext} from '../../payments/pay/open-context.ts'
import {yesFlag} from '../../cli/flags/body-flags.ts'
import {toFlagReference} from '../../cli/ids/finder.ts'
import {startProgress} from '../../cli/output/streams.ts'
import {type Result, itemResult, listResult} from '../../cli/output/result.ts'
import {journalView, settlementView} from '../../payments/journal/journal-view.ts'
import {describeLivePlace} from '../../profiles/write-gate.ts'
import {readServiceTraits} from '../../transport.ts'
import {
  checkTransactionReference,
  findTransaction,
  readTransactionReference,
} from '../../transactions/find-transaction.ts'
import {quoteForShell} from '../../values/text.ts'

// Limits and approvals were checked when the bytes were first sent.
const write = {method: 'POST', path: '/transactions', checksLimits: true, checksApprovals: true}

interface DecisionFlags {
  adopt?: string | undefined
  why?: string | undefined
  yes: boolean
}

export default class JournalSettle extends SvcCommand {
  static override summary = 'Resolve payments whose outcome is unknown'
  static override description = `Searches the service’s transactions for each payment. While its quote is valid, the same bytes may be sent again with the same key; svc never requests a new quote. With a read-only profile, svc only searches.
If svc cannot resolve a payment, you can decide: --adopt names its transaction; --abandon states that there is none, so that the key can be paid again. The reason is stored in the journal; do not write personal data there.
Of a payment whose transaction failed, --why alone says that it is dealt with, for example paid under another key: \`svc reconcile\` no longer names it.`
  static override examples = [
    {description: 'Resolve all unresolved payments', command: 'svc journal settle'},
    {
      description: 'Record which transaction it is',
      command:
        "svc journal settle rent-2026-11 --adopt 9884bda0-8957-4b2f-b39e-a74ed6a4dc7b --why 'ticket 4711: bank confirmed'",
    },
    {
      description: 'Record that there is no transaction',
      command: "svc journal settle rent-2026-11 --abandon --why 'ticket 4711: service has nothing' --yes",
    },
    {
      description: 'Record that a payment that failed was paid again',
      command: "svc journal settle rent-2026-11 --why 'paid again as rent-2026-11-b'",
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
    const isDecision = flags.adopt !== undefined || flags.abandon
    if (flags.adopt !== undefined) checkTransactionReference(toFlagReference('adopt', flags.adopt), this.finder())
    const isRemark = !isDecision && flags.why !== undefined
    if (isDecision || isRemark) this.requireAll([args.key === undefined && 'KEY', !flags.why?.trim() && '--why'])
    if ((isDecision || isRemark) && !flags.yes && !this.isInteractive) {
      throw badUsage('Deciding about a payment needs confirmation', 'Add --yes to confirm; nothing was changed')
    }
    const caller = await this.writer()
    const known = await readServiceTraits(caller)
    // A read-only profile settles by the list alone.
    const mayResend = !caller.readOnly && known.areKeysHonoured
    const traits = {...known, areKeysHonoured: mayResend}
    if (!isDecision && !isRemark && mayResend) this.checkWrite(caller, write, flags.yes)
    const connect = this.connector(caller)
    return withPaymentContext({controls: caller, traits, connect, timeoutMs: flags.timeout}, async (context) => {
      const {serviceId} = traits
      if (isDecision || isRemark) {
        const payment = await requirePayment(context, serviceId, args.key ?? '')
        return isRemark ? this.#dealWithEnding(context, payment, flags) : this.#settleManually(context, payment, flags)
      }
      const unsettled = await listUnsettled(context, serviceId, args.key)
      if (unsettled.length > 0 && mayResend)
        await this.authorizeWrite(caller, write, flags.yes, {
          describe: () => describeSettlement(unsettled),
          question: `Find out what became of ${unsettled.length === 1 ? 'it' : 'them'}${describeLivePlace(caller)}?`,
        })
      return this.#settleAll(context, unsettled)
    })
  }

  async #settleAll(context: OpenPaymentContext, unsettled: readonly Payment[]): Promise<Result> {
    const progress = startProgress()
    const report = (done: number, all: number) => progress.report(`${done} of ${all} payments settled…`)
    const rows = await settleAll(context, unsettled, report).finally(() => progress.end())
    if (rows.length === 0) this.notice('All payments are settled.')
    return this.finishWrite(listResult(rows, 'settled', settlementView, {failure: findUnsettledError(rows)}))
  }

  // Its transaction ended badly, and nothing about it is open any more.
  async #dealWithEnding(
    context: OpenPaymentContext,
    payment: Payment,
    {why = '', yes}: DecisionFlags,
  ): Promise<Result> {
    const {transactionId, content, serviceId, key} = payment
    const scope = content.customerId ? {customerId: content.customerId} : {}
    const transaction = transactionId && (await findTransaction(context.client, transactionId, scope))
    rejectGoodEnding(payment, transaction || undefined)
    if (!yes) {
      const {askYes} = await import('../../cli/prompts/ask.ts')
      if (!(await askYes(`Record that the bad end of the payment ${key} is dealt with?`))) throw interrupted()
    }
    await dealWithEnding(context, payment, why)
    return this.finishWrite(
      itemResult(toFullEntry(payment, await context.journal.history(serviceId, key)), journalView),
    )
  }

  async #settleManually(
    context: OpenPaymentContext,
    payment: Payment,
    {adopt, why = '', yes}: DecisionFlags,
  ): Promise<Result> {
    if (adopt === undefined) await rejectDecision(payment, 'abandon', context.journal)
    const {customerId} = payment.content
    const finder = {...this.finder(), connect: async () => context.client}
    const scope = customerId ? {customerId} : {}
    const reference = {...toFlagReference('adopt', adopt), confirmation: 'Adopt this transaction?'}
    const found = adopt && (await readTransactionReference(finder, scope, reference))
    const decision = found ? {adopt: found} : 'abandon'
    await rejectDecision(payment, decision, context.journal)
    if (found) rejectOtherCustomer(payment, found)
    if (found) await rejectAdopted(payment, found, context.journal)
    const warnings = found ? describeAdoption(payment, found) : [describeLiveQuote(payment, context.clock.latest())]
    for (const warning of warnings) if (warning !== undefined) this.alert(warning)
    if (!yes) {
      const {askYes} = await import('../../cli/prompts/ask.ts')
      if (!(await askYes(buildQuestion(payment, decision)))) throw interrupted()
    }
    const settled = await settleManually(context, payment, decision, why)
    const history = await context.journal.history(settled.serviceId, settled.key)
    const isOpen = decision === 'abandon' && !isQuoteKey(settled.key)
    const next = `Next: \`svc pay\` with --key ${quoteForShell(settled.key)} pays it anew, if it is still due.`
    return this.showWithNotes(
      this.finishWrite(itemResult(toFullEntry(settled, history), journalView)),
      isOpen ? [next] : [],
    )
  }
}
