// Watches a transaction until it ends.
import {getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {resolveTransactionKey} from '../../payments/resolve-transaction.ts'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import {
  checkTransactionReference,
  findTransactionReference,
  resolveScope,
  scopeFlags,
  transactionArgs,
  toCustomerScope,
} from '../../transactions/find-transaction.ts'
import {transactionView} from '../../transactions/view.ts'
import {createTransactionTarget, noticeMagicEnding} from '../../transactions/watch.ts'

const id = '9884bda0-8957-4b2f-b39e-a74ed6a4dc7b'

export default class TransactionsWatch extends SvcCommand {
  static override view = transactionView
  static override exits = getExitCodes('notFound', 'unreachable', 'pending', 'endedBadly')
  static override summary = 'Watch a transaction until it ends'
  static override description =
    'Reads the transaction repeatedly, less often while nothing changes, until it is COMPLETED, FAILED, CANCELLED or EXPIRED, or until --timeout. Each change is a line on standard error; with -o jsonl, each change is the whole transaction as a line on standard output. Transfer instructions are shown once. If the service stops answering, svc keeps trying for ten minutes. The first read searches all transactions, or those of --customer or --account; later reads search only those of its customer.'
  static override examples = [
    {description: 'Watch until the transaction ends', command: `svc transactions watch ${id} -p sandbox`},
    {
      description: 'Wait at most ten minutes, and use the exit code',
      command: `svc transactions watch ${id} --timeout 10m --quiet`,
    },
  ]
  static override args = transactionArgs
  static override flags = scopeFlags

  async run() {
    const {args, flags} = await this.parse(TransactionsWatch)
    const finder = this.finder()
    const reference = toArgumentReference('transaction', await resolveTransactionKey(args.id, () => this.caller()))
    checkTransactionReference(reference, finder)
    const scope = await resolveScope(finder, flags)
    const {transactionId, transaction} = await findTransactionReference(finder, scope, reference)
    const found = (transaction && toCustomerScope(transaction)) ?? scope
    const result = await this.watch(createTransactionTarget(await finder.connect(), transactionId, found))
    return noticeMagicEnding(await this.caller(), result, (text) => this.notice(text))
  }
}
