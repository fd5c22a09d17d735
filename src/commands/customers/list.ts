// Lists customers, as the service pages them.
import {SvcCommand} from '../../command.ts'
import {exitCodes} from '../../errors.ts'
import {pagingFlags, uuidFlag} from '../../terminal/flags.ts'
import {customerView} from '../../terminal/views/customers.ts'

export default class CustomersList extends SvcCommand {
  static override view = customerView
  static override summary = 'List customers'
  static override examples = [
    {description: 'The newest customers, as a table', command: 'svc customers list'},
    {description: 'All of them, for a script', command: "svc customers list --all --json | jq '.customers | length'"},
    {
      description: 'Three columns for a spreadsheet',
      command: 'svc customers list --all -o csv --columns id,name,status',
    },
  ]
  static override exits = [exitCodes.credential, exitCodes.unreachable]
  static override flags = {
    ...pagingFlags,
    organization: uuidFlag('Only customers of this organization', 'SVC_ORGANIZATION'),
  }

  async run() {
    const {flags} = await this.parse(CustomersList)
    const caller = await this.caller()
    const client = await this.client(caller)
    const organizationId = flags.organization ?? caller.organization
    return this.list(client.customers.list, {...(organizationId && {organizationId})}, flags, 'customers', customerView)
  }
}
