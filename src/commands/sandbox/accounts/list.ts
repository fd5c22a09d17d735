// Lists the payment accounts of a sandbox customer, with the balances of service-managed wallets.
import {SvcCommand} from '../../../cli/command.ts'
import {customerFlag, sortFlags} from '../../../cli/flags/shared.ts'
import {toFlagReference} from '../../../cli/ids/finder.ts'
import {findCustomerId} from '../../../customers/find-customer.ts'
import {findCaller} from '../../../profiles/caller.ts'
import {sandboxName} from '../../../profiles/profiles.ts'
import {listResult} from '../../../cli/output/result.ts'
import {sandboxAccountView} from '../../../sandbox/views/accounts.ts'
import {openEmbeddedSandbox} from '../../../transport.ts'

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
  }

  async run() {
    const {flags} = await this.parse(SandboxAccountsList)
    const finder = this.finder(findCaller(sandboxName))
    const customerId = await findCustomerId(finder, toFlagReference('customer', flags.customer))
    const sandbox = await openEmbeddedSandbox()
    const accounts = sandbox.money.accounts(customerId)
    return listResult(
      accounts.map((account) => ({...account})),
      'paymentAccounts',
      sandboxAccountView,
    )
  }
}
