// Follows one transaction until it has come to its end.
import {getExitCodes} from '../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {parseUuid} from '../../cli/flags/shared.ts'
import {amongFlags} from '../../transactions/flags.ts'
import {transactionView} from '../../transactions/view.ts'
import {within} from '../../transactions/find.ts'
import {followedTransaction} from '../../transactions/watch.ts'

const id = '9884bda0-8957-4b2f-b39e-a74ed6a4dc7b'

export default class TransactionsWatch extends SvcCommand {
  static override view = transactionView
  static override exits = getExitCodes('notFound', 'unreachable', 'pending', 'endedBadly')
  static override summary = 'Follow a transaction until it has ended'
  static override description =
    'Looks again and again, less often while nothing changes, until the transaction is COMPLETED, FAILED, CANCELLED or EXPIRED, or --timeout runs out; there is no other limit. Every change is a line on standard error, or with -o jsonl the whole transaction as a line on standard output. Transfer instructions are shown once. A service that does not answer for a while is borne for five minutes. The transaction is found in the list of all, or of --customer or --account, and then looked for among those of its own customer.'
  static override examples = [
    {description: 'Until it has ended', command: `svc transactions watch ${id} -p sandbox`},
    {
      description: 'At most ten minutes; the exit code says what came of it',
      command: `svc transactions watch ${id} --timeout 10m --quiet`,
    },
    {
      description: 'Every state on a line, for a script',
      command: `svc transactions watch ${id} -o jsonl | jq -r .transactionStatus`,
    },
  ]
  static override args = {
    id: Args.string({description: 'Id of the transaction', required: true}),
  }
  static override flags = amongFlags

  async run() {
    const {args, flags} = await this.parse(TransactionsWatch)
    const transactionId = parseUuid(args.id, 'The transaction id')
    const client = await this.client()
    return this.watch(followedTransaction(client, transactionId, within(flags)))
  }
}
