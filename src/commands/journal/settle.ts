// Settles payments of which nobody knows whether they were made, or records what a person decides about one.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {badUsage, interrupted, getExitCodes} from '../../errors.ts'
import {
  settleManually,
  buildQuestion,
  describeLiveQuote,
  rejectAdopted,
  rejectDecision,
  rejectOtherCustomer,
} from '../../payments/manual-settlement.ts'
import {toFullEntry, requirePayment} from '../../payments/journal/entries.ts'
import {describeDifferences} from '../../payments/find-transaction.ts'
import type {Payment} from '../../payments/payment.ts'
import {listUnsettled, settleAll, describeSettlement, findUnsettledError} from '../../payments/settle-all.ts'
import {type OpenPaymentContext, type PaymentContextSettings, withPaymentContext} from '../../payments/open-context.ts'
import {yesFlag} from '../../cli/flags/body-flags.ts'
import {parseUuid} from '../../cli/flags/shared.ts'
import {startProgress} from '../../cli/output/progress.ts'
import {type Result, itemResult, listResult} from '../../cli/output/result.ts'
import {journalView, settlementView} from '../../payments/journal-view.ts'
import {getServiceId} from '../../transport.ts'
import {findTransaction} from '../../transactions/find.ts'

// The bytes that may be sent again were judged when they were first sent.
const write = {method: 'POST', path: '/transactions', judged: true}

interface Decided {
  adopt?: string | undefined
  why?: string | undefined
  yes: boolean
}

export default class JournalSettle extends SvcCommand {
  static override summary = 'Settle payments of which nobody knows whether they were made'
  static override description = `Each is looked for in the service's list; while its quote lives, the same bytes are sent again under the same key. Nothing is quoted anew. With a read-only profile nothing is sent, only looked for.
What cannot be settled, a person can decide: --adopt says which transaction it is, --abandon that there is none, so that the key may be paid again. Why is kept in the journal; write no personal data there.`
  static override examples = [
    {description: 'Everything that is open', command: 'svc journal settle'},
    {
      description: 'This transaction is the one',
      command:
        "svc journal settle rent-2026-11 --adopt 9884bda0-8957-4b2f-b39e-a74ed6a4dc7b --why 'ticket 4711: bank confirmed'",
    },
    {
      description: 'There is none',
      command: "svc journal settle rent-2026-11 --abandon --why 'ticket 4711: service has nothing' --yes",
    },
  ]
  static override exits = getExitCodes('usage', 'notFound', 'unreachable', 'unknownOutcome')
  static override args = {
    key: Args.string({description: 'Key of one payment; all that are open by default'}),
  }
  static override flags = {
    adopt: Flags.string({
      summary: 'Transaction that the payment is',
      helpValue: 'ID',
      exclusive: ['abandon'],
      parse: async (text) => parseUuid(text, '--adopt'),
    }),
    abandon: Flags.boolean({summary: 'No transaction was made'}),
    why: Flags.string({summary: 'Why it is decided so', helpValue: 'TEXT'}),
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(JournalSettle)
    const isDecision = flags.adopt !== undefined || flags.abandon
    if (isDecision) this.requireAll([args.key === undefined && 'KEY', !flags.why?.trim() && '--why'])
    else if (flags.why !== undefined) throw badUsage('--why goes with --adopt or --abandon', 'Give one of them')
    if (isDecision && !flags.yes && !this.isInteractive) {
      throw badUsage('To decide about a payment needs a yes', 'Say --yes if you mean it; nothing was changed')
    }
    const caller = await this.caller()
    const mayResend = !caller.readOnly && (caller.mayResend ?? true)
    if (!isDecision && mayResend) this.refuseWrite(caller, write, flags.yes)
    const connect: PaymentContextSettings['connect'] = (onReply) => this.client(caller, {onReply})
    return withPaymentContext({...caller, mayResend, connect, timeoutMs: flags.timeout}, async (context) => {
      const serviceId = await getServiceId(caller)
      if (isDecision) return this.#decided(context, requirePayment(context, serviceId, args.key ?? ''), flags)
      const open = listUnsettled(context, serviceId, args.key)
      if (open.length > 0 && mayResend)
        await this.guardWrite(caller, write, flags.yes, {words: describeSettlement(open)})
      return this.#settled(context, open)
    })
  }

  async #settled(context: OpenPaymentContext, open: readonly Payment[]): Promise<Result> {
    const progress = startProgress()
    const report = (done: number, all: number) => progress.report(`${done} of ${all} payments settled…`)
    const rows = await settleAll(context, open, report).finally(() => progress.end())
    if (rows.length === 0) this.notice('Nothing is open.')
    return this.finishWrite(listResult(rows, 'settled', settlementView, {failure: findUnsettledError(rows)}))
  }

  async #decided(context: OpenPaymentContext, payment: Payment, {adopt, why = '', yes}: Decided): Promise<Result> {
    rejectDecision(payment, adopt === undefined ? 'abandon' : 'adopt', context.journal)
    const {customerId} = payment.content
    const found = adopt && (await findTransaction(context.client, adopt, customerId ? {customerId} : {}))
    if (found) rejectOtherCustomer(payment, found)
    if (found) rejectAdopted(payment, found, context.journal)
    const decision = found ? {adopt: found} : 'abandon'
    const doubts = found ? describeDifferences(payment, found) : [describeLiveQuote(payment, context.clock.latest())]
    for (const doubt of doubts) if (doubt !== undefined) this.alert(doubt)
    if (!yes) {
      const {askYes} = await import('../../cli/prompts/ask.ts')
      if (!(await askYes(buildQuestion(payment, decision)))) throw interrupted()
    }
    const decided = await settleManually(context, payment, decision, why)
    const history = context.journal.history(decided.serviceId, decided.key)
    return this.finishWrite(itemResult(toFullEntry(decided, history), journalView))
  }
}
