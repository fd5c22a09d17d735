// Lists the payment accounts of a customer, including pending ones.
import {SvcCommand} from '../../cli/command.ts'
import {listEnumValues} from '../../contract/enum-values.ts'
import {filterFlags, buildFilter} from '../../cli/output/filters.ts'
import {customerFlag, pagingFlags} from '../../cli/flags/shared.ts'
import {toFlagReference} from '../../cli/ids/finder.ts'
import {withPartyNames} from '../../accounts/name-columns.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {describeAccountOrigin} from '../../accounts/describe-account.ts'
import {accountView} from '../../accounts/view.ts'

const filters = {
  // The interface shows ACTIVE and PENDING only and does not say that these are all.
  status: {field: 'paymentAccountStatus', seen: listEnumValues('PaymentAccount', 'paymentAccountStatus')},
  type: {field: 'paymentAccountType', values: listEnumValues('PaymentAccount', 'paymentAccountType')},
  since: {field: 'createdAt', absent: 'pending ones have none'},
}

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

export default class AccountsList extends SvcCommand {
  static override view = accountView
  static override summary = 'List the payment accounts of a customer'
  static override description =
    'A pending account has no id yet, so it cannot pay or be paid. The link to its form is printed below the table. The service cannot filter by --status, --type or --since: svc reads as many pages as needed and filters them itself.'
  static override examples = [
    {
      description: 'List the accounts of a sandbox customer',
      command: `svc accounts list --customer ${zoe} -p sandbox`,
    },
    {
      description: 'List pending accounts with the links to their forms',
      command: `svc accounts list --customer ${zoe} --status PENDING --all --columns nickname,link`,
    },
  ]
  static override flags = {
    ...pagingFlags,
    customer: customerFlag('Customer whose accounts to list'),
    ...filterFlags(filters),
  }

  async run() {
    const {flags} = await this.parse(AccountsList)
    const finder = this.finder()
    const customerId = await findCustomerId(finder, toFlagReference('customer', flags.customer))
    const client = await finder.connect()
    const filter = buildFilter(filters, flags)
    const named = withPartyNames(accountView, {
      readPayee: (account) => ({customerId: account.customerId}),
      ...this.nameSource(),
      hasPayees: false,
    })
    // Why there are none. The customer is read only then.
    let explanation: string | undefined
    const view: typeof accountView = {
      ...named,
      async prepareTable(items, columns) {
        await named.prepareTable?.(items, columns)
        if (items.length > 0 || filter) return
        const customer = await client.customers.get({customerId}).catch(() => undefined)
        explanation = describeAccountOrigin(customerId, customer?.customerStatus)
      },
      remarks: (items, columns) =>
        explanation === undefined ? (named.remarks?.(items, columns) ?? []) : [`${explanation}.`],
    }
    return this.list(client.accounts.list, {customerId}, flags, 'paymentAccounts', view, filter)
  }
}
