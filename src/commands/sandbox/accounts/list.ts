// Lists the payment accounts of a sandbox customer, with the balances of service-managed wallets.
import {SvcCommand} from '../../../cli/command.ts'
import {controlFlags} from '../../../cli/flags/control.ts'
import {customerFlag, sortFlags} from '../../../cli/flags/shared.ts'
import {toFlagReference} from '../../../cli/ids/finder.ts'
import {findCustomerId} from '../../../customers/find-customer.ts'
import {listResult} from '../../../cli/output/result.ts'
import {sandboxAccountView} from '../../../sandbox/views/accounts.ts'
import {openControl} from '../../../sandbox-control.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

export default class SandboxAccountsList extends SvcCommand {
  static override view = sandboxAccountView
  static override summary = 'List a customer’s payment accounts, with balances'
  static override examples = [
    {description: 'List accounts and balances', command: `svc sandbox accounts list --customer ${zoe}`},
    {
      description: 'List the links to forms of pending accounts',
      command: `svc sandbox accounts list --customer ${zoe} --columns nickname,link`,
    },
  ]
  static override flags = {
    customer: customerFlag('Customer whose accounts to list', 'SVC_CUSTOMER'),
    ...sortFlags,
    ...controlFlags,
  }

  async run() {
    const {flags} = await this.parse(SandboxAccountsList)
    const {call, caller} = await openControl(flags)
    const finder = this.finder(caller)
    const customerId = await findCustomerId(finder, toFlagReference('customer', flags.customer))
    const {paymentAccounts} = await call('accounts.list', {customerId})
    return listResult(
      paymentAccounts.map((account) => ({...account})),
      'paymentAccounts',
      sandboxAccountView,
    )
  }
}
