// Shows a payment account, which it finds in the list of its customer.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {getExitCodes} from '../../errors.ts'
import {customerFlag} from '../../cli/flags/shared.ts'
import {toArgumentReference, toFlagReference} from '../../cli/ids/finder.ts'
import {itemResult} from '../../cli/output/result.ts'
import {checkAccountReference, findAccount} from '../../accounts/find-account.ts'
import {accountView} from '../../accounts/view.ts'
import {findCustomerId} from '../../customers/find-customer.ts'

export default class AccountsGet extends SvcCommand {
  static override view = accountView
  static override summary = 'Show a payment account'
  static override description =
    'The service cannot return a single account, so svc searches the customer’s accounts page by page. A pending account has no id yet; `svc accounts list` shows it.'
  static override exits = getExitCodes('usage', 'notFound')
  static override examples = [
    {
      description: 'Show an account of a sandbox customer',
      command:
        'svc accounts get 64fbd491-4b09-49d5-b40c-8b27facb31a9 --customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c -p sandbox',
    },
    {
      description: 'Print the address of a wallet',
      command:
        'svc accounts get 64fbd491 --customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c --jq .svcCryptoWallet.address.address',
    },
  ]
  static override args = {
    id: Args.string({description: 'ID of the payment account, or its first 8 or more characters'}),
  }
  static override flags = {
    customer: customerFlag('Customer who owns the account'),
  }

  async run() {
    const {args, flags} = await this.parse(AccountsGet)
    const finder = this.finder()
    const account = {...toArgumentReference('account', args.id), what: 'The id of the payment account'}
    checkAccountReference(account)
    if (!this.isInteractive) this.requireAll([args.id === undefined && 'ID', !flags.customer && '--customer'])
    const customerId = await findCustomerId(finder, toFlagReference('customer', flags.customer))
    return itemResult(await findAccount(finder, customerId, account), accountView)
  }
}
