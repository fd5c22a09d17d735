// Lists customers.
import {getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {listEnumValues} from '../../contract/enum-values.ts'
import {filterFlags, buildFilter, wholeWordsFlag} from '../../cli/output/filters.ts'
import {pagingFlags, organizationFlag} from '../../cli/flags/shared.ts'
import {listCustomers} from '../../customers/answers.ts'
import {customerSearch, customerView} from '../../customers/view.ts'

const filters = {
  status: {field: 'customerStatus', values: listEnumValues('Customer', 'customerStatus')},
  type: {field: 'customerType', values: listEnumValues('Customer', 'customerType')},
  since: {field: 'updatedAt'},
  search: customerSearch,
}

export default class CustomersList extends SvcCommand {
  static override view = customerView
  static override summary = 'List customers'
  static override description =
    '--search finds customers whose name, email or id contains the text. The service cannot search, so svc reads on until enough are found.'
  static override examples = [
    {description: 'List the first page of customers', command: 'svc customers list'},
    {description: 'Count all customers', command: "svc customers list --all --jq '.customers | length'"},
  ]
  static override exits = getExitCodes('unauthenticated', 'unreachable')
  static override flags = {
    ...pagingFlags,
    ...filterFlags(filters),
    'whole-words': wholeWordsFlag,
    organization: organizationFlag('Only customers of this organization'),
  }

  async run() {
    const {flags} = await this.parse(CustomersList)
    const caller = await this.caller()
    const client = await this.client(caller)
    const organizationId = flags.organization ?? caller.organization
    const query = {...(organizationId && {organizationId})}
    const readPage = (page: Parameters<typeof client.customers.list>[0]) => listCustomers(client, page)
    return this.list(readPage, query, flags, 'customers', customerView, buildFilter(filters, flags))
  }
}
