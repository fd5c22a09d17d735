// Shows a transaction, which it finds in the service's list.
import {getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {resolveTransactionKey} from '../../payments/resolve-transaction.ts'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import {
  checkTransactionReference,
  readTransactionReference,
  resolveScope,
  scopeFlags,
  transactionArgs,
} from '../../transactions/find-transaction.ts'
import {createNameAdder, readPayeeIds} from '../../accounts/name-columns.ts'
import {namesFlags} from '../../cli/flags/shared.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {describeMagicEnding} from '../../transactions/watch.ts'
import {transactionView} from '../../transactions/view.ts'

const id = '9884bda0-8957-4b2f-b39e-a74ed6a4dc7b'
const customer = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

export default class TransactionsGet extends SvcCommand {
  static override view = transactionView
  static override exits = getExitCodes('notFound', 'unreachable')
  static override summary = 'Show a transaction'
  static override description =
    'The service cannot return a single transaction, so svc searches its list in pages of 100. --customer or --account makes the list shorter.'
  static override examples = [
    {description: 'Show a sandbox transaction', command: `svc transactions get ${id} -p sandbox`},
    {description: 'Find it faster with its customer', command: `svc transactions get ${id} --customer ${customer}`},
  ]
  static override args = transactionArgs
  static override flags = {...scopeFlags, ...namesFlags}

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(TransactionsGet)
    const finder = this.finder()
    const reference = toArgumentReference('transaction', await resolveTransactionKey(args.id, () => this.caller()))
    checkTransactionReference(reference, finder)
    const scope = await resolveScope(finder, flags)
    const transaction = await readTransactionReference(finder, scope, reference)
    const remark = await describeMagicEnding(await this.caller(), transaction)
    const notice = (text: string) => this.notice(text)
    if (remark !== undefined) notice(remark)
    const isOnScreen = this.isOnScreen && !flags['no-names']
    const addNames = createNameAdder({...this.nameSource(), isOnScreen})
    return itemResult(transaction, addNames(transactionView, readPayeeIds))
  }
}
