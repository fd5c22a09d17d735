// Creates a transaction from a quote, at most once however often it runs.
import {getExitCodes} from '../../errors.ts'
import * as Flags from '@oclif/core/flags'
import {createNameAdder} from '../../accounts/name-columns.ts'
import {SvcCommand} from '../../cli/command.ts'
import {findProblems} from '../../contract/problems.ts'
import {transactionCreate} from '../../contract/transactions.ts'
import {chooseIdempotencyKey, deriveQuoteKey, parseIdempotencyKey, payQuote} from '../../payments/by-quote.ts'
import {describeNextStep, reportPayment, withPaymentExitNotice} from '../../payments/pay/report.ts'
import {toQuoteKey} from '../../payments/protocol/payment.ts'
import {type OpenPaymentContext, type PayRun, withPaymentContext} from '../../payments/context/open-context.ts'
import {rejectProblems, toDryRunResult} from '../../cli/body/reject-problems.ts'
import {bodyFlags, yesFlag} from '../../cli/flags/body-flags.ts'
import {waitFlag} from '../../cli/flags/shared.ts'
import type {Result} from '../../cli/output/result.ts'
import {describeLivePlace} from '../../profiles/write-gate.ts'
import {transactionView} from '../../transactions/view.ts'
import {readServiceTraits} from '../../transport.ts'

const quote = 'quote_08453f1ac9c6b5d09ab51599'

export default class TransactionsCreate extends SvcCommand {
  static override view = transactionView
  static override exits = getExitCodes('refused', 'unknownOutcome', 'pending', 'limit', 'endedBadly')
  static override summary = 'Create a transaction from a quote'
  static override description =
    'Creates at most one transaction per quote, however often you run it. The request and its key are recorded in the journal; if a reply is lost, svc checks what the service has and sends the same request again. Without --idempotency-key, the key is derived from the service and the quote. If the customer must send money, the output includes the transfer instructions.'
  static override examples = [
    {
      description: 'Create a transaction from a quote, within five minutes',
      command: `svc transactions create --quote ${quote}`,
    },
    {
      description: 'From a script, wait for the outcome for at most an hour',
      command: `svc transactions create --quote ${quote} --yes --wait --timeout 1h --json`,
    },
  ]
  static override flags = {
    quote: Flags.string({summary: 'Quote to use', helpValue: 'ID'}),
    'idempotency-key': Flags.string({
      summary: 'Idempotency key (derived from the quote)',
      helpValue: 'KEY',
    }),
    'correlation-id': Flags.string({summary: 'Your own reference, to find the transaction by', helpValue: 'TEXT'}),
    wait: waitFlag,
    'dry-run': bodyFlags['dry-run'],
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(TransactionsCreate)
    const {quote: quoteId = '', 'correlation-id': correlationId, 'idempotency-key': ownKey} = flags
    this.requireAll([quoteId === '' && '--quote'])
    const body = {quoteId, ...(correlationId !== undefined && {correlationId})}
    rejectProblems(findProblems(transactionCreate, body), body)
    const caller = await this.writer()
    const requestedKey = ownKey === undefined ? undefined : parseIdempotencyKey(ownKey)
    const traits = await readServiceTraits(caller)
    const {serviceId} = traits
    const headers = {'x-idempotency-key': requestedKey ?? deriveQuoteKey(serviceId, quoteId)}
    const request = {method: 'POST', path: '/transactions', headers, body}
    if (flags['dry-run']) return toDryRunResult(request)
    const ask = {
      describe: () =>
        `This moves money according to quote ${quoteId}.\nThe service has no way to read a quote again: its amounts are those that were shown when it was requested.`,
      question: `Pay what the quote ${quoteId} says${describeLivePlace(caller)}?`,
    }
    const told = {notice: (text: string) => this.notice(text), alert: (text: string) => this.alert(text)}
    const [connect, timeoutMs, waits] = [this.connector(caller), flags.timeout, flags.wait]
    const settings = {...told, controls: caller, traits, connect, timeoutMs, waits}
    const pay = async (context: OpenPaymentContext): Promise<Result> => {
      const idempotencyKey = await chooseIdempotencyKey(context, serviceId, quoteId, requestedKey)
      if (idempotencyKey !== requestedKey) this.notice(`The idempotency key is ${idempotencyKey}.`)
      const order = {serviceId, quoteId, correlationId, idempotencyKey}
      const start = {key: toQuoteKey(quoteId), state: 'INTENDED'} as const
      const paid = await withPaymentExitNotice(context, start, (followed) => payQuote(followed, order))
      const addNames = createNameAdder(this.nameSource(caller))
      const watch: PayRun['watch'] = (target, deadlineMs) => this.watch(target, deadlineMs)
      const result = await reportPayment({...context, ...told, addNames, watch, flags}, paid)
      return this.finishWrite(result, flags.wait ? [] : describeNextStep(result))
    }
    return this.write(caller, request, {yes: flags.yes, ask}, () => withPaymentContext(settings, pay))
  }
}
