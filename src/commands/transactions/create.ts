// Creates a transaction from a quote, once however often it is run.
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../command.ts'
import {problemsIn} from '../../contract/problems.ts'
import {transactionCreate} from '../../contract/transactions.ts'
import {exitCodes} from '../../errors.ts'
import {dryRun} from '../../requests/dry-run.ts'
import {refuseProblems} from '../../requests/refuse.ts'
import {checkedKey, createdOnce, keyForQuote} from '../../requests/transaction.ts'
import {bodyFlags, yesFlag} from '../../terminal/body-flags.ts'
import {waitFlag} from '../../terminal/flags.ts'
import {itemResult, type Result} from '../../terminal/result.ts'
import {transactionView} from '../../terminal/views/transactions.ts'
import {followedAnswer} from '../../waiting/transactions.ts'

const quote = 'quote_08453f1ac9c6b5d09ab51599'

export default class TransactionsCreate extends SvcCommand {
  static override view = transactionView
  static override exits = [exitCodes.refused, exitCodes.unknown, exitCodes.pending, exitCodes.endedBadly]
  static override summary = 'Create a transaction from a quote'
  static override description =
    'Without --idempotency-key the key is made from the address of the service and the quote, so that the same command, run again, sends the same key and makes no second transaction. Where the customer must send money, the transfer instructions are part of what is shown.'
  static override examples = [
    {description: 'From a quote, which lives for five minutes', command: `svc transactions create --quote ${quote}`},
    {
      description: 'In a script, until the money has arrived or an hour has passed',
      command: `svc transactions create --quote ${quote} --yes --wait --timeout 1h --json`,
    },
    {description: 'Only show what would be sent', command: `svc transactions create --quote ${quote} --dry-run`},
  ]
  static override flags = {
    quote: Flags.string({summary: 'Quote to use', helpValue: 'ID'}),
    'idempotency-key': Flags.string({
      summary: 'Key under which it is made once (one made from the quote)',
      helpValue: 'KEY',
    }),
    'correlation-id': Flags.string({summary: 'Value of your own, to find it by', helpValue: 'TEXT'}),
    wait: waitFlag,
    'dry-run': bodyFlags['dry-run'],
    yes: yesFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(TransactionsCreate)
    const {quote: quoteId = '', 'correlation-id': correlationId, 'idempotency-key': ownKey} = flags
    this.requireAll([quoteId === '' && '--quote'])
    const body = {quoteId, ...(correlationId !== undefined && {correlationId})}
    refuseProblems(problemsIn(transactionCreate, body), body)
    const caller = await this.caller()
    const key = ownKey === undefined ? keyForQuote(caller.baseUrl, quoteId) : checkedKey(ownKey)
    const request = {method: 'POST', path: '/transactions', headers: {'x-idempotency-key': key}, body}
    if (flags['dry-run']) return dryRun(request)
    await this.guardWrite(caller, request, flags.yes, {words: `This moves money, as quote ${quoteId} says.`})
    if (ownKey === undefined) this.notice(`The idempotency key is ${key}.`)
    const client = await this.client(caller)
    const transaction = await createdOnce(client.transactions.create, key, body)
    if (!flags.wait) return this.written(itemResult(transaction, transactionView))
    return this.written(await this.follow(followedAnswer(client, transaction)))
  }
}
