// Shows what is known about the money in a customer's wallets.
import {SvcCommand} from '../../cli/command.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {customerFlag, sortFlags} from '../../cli/flags/shared.ts'
import {toArgumentReference, toFlagReference} from '../../cli/ids/finder.ts'
import {listResult} from '../../cli/output/result.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {customerArgument} from '../../customers/flags.ts'
import {readWalletBalances} from '../../transactions/wallet-balances.ts'
import {walletBalanceView} from '../../transactions/wallet-balance-view.ts'
import {readServiceState} from '../../transport.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

export default class BalanceCommand extends SvcCommand {
  static override view = walletBalanceView
  static override summary = 'Show what is known about the money in a customer’s wallets'
  static override description = `The interface of the service tells no balances. svc lists the service-managed wallets of the customer and adds up what transactions moved: received and sent by those that are COMPLETED, arriving and leaving by those that have not ended. Deposits from outside are no transactions, so they are not in these figures, and a fee may be part of an amount or not.
In the sandbox the balance is known and shown. Reads up to 1000 transactions of the customer.`
  static override examples = [
    {description: 'Show the wallets of a sandbox customer', command: `svc balance ${zoe} -p sandbox`},
    {
      description: 'Print what left each wallet',
      command: `svc balance --customer ${zoe} --jq '.wallets[] | [.paymentAccountId, .sent, .currency] | @tsv'`,
    },
  ]
  static override exits = getExitCodes('usage', 'notFound')
  static override args = {
    id: customerArgument,
  }
  static override flags = {
    customer: customerFlag('Customer who owns the wallets'),
    ...sortFlags,
  }

  async run() {
    const {args, flags, raw} = await this.parse(BalanceCommand)
    // The argument overrides SVC_CUSTOMER, but not a flag beside it.
    if (args.id !== undefined && raw.some((word) => word.type === 'flag' && word.flag === 'customer'))
      throw badUsage('The customer is given twice', 'Give either the argument or --customer')
    const reference =
      args.id === undefined ? toFlagReference('customer', flags.customer) : toArgumentReference('customer', args.id)
    const caller = await this.caller()
    const finder = this.finder(caller)
    const customerId = await findCustomerId(finder, reference)
    const client = await finder.connect()
    const {listBalances} = await readServiceState(caller)
    const known = await readWalletBalances(client, customerId, listBalances)
    const {wallets, isBalanceTold, transactionsRead, isPartial} = known
    if (!isBalanceTold && wallets.length > 0) {
      this.notice('The interface tells no balances: these are the amounts that transactions moved, without deposits.')
    }
    if (isPartial) this.notice(`There are older transactions than the ${transactionsRead} that were read.`)
    const extraFields = {customerId, isBalanceTold, transactionsRead, isPartial}
    return listResult(wallets, 'wallets', walletBalanceView, {extraFields})
  }
}
