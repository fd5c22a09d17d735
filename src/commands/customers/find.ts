// Finds customers by part of their name, email or id.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {pagingFlags, sortFlags, organizationFlag} from '../../cli/flags/shared.ts'
import {buildFilter} from '../../cli/output/filters.ts'
import {customerSearch, customerView} from '../../customers/view.ts'
import {badUsage, getExitCodes} from '../../errors.ts'

export default class CustomersFind extends SvcCommand {
  static override view = customerView
  static override summary = 'Find customers by name, email or id'
  static override description =
    'Finds customers whose name, email or id contains the text. Capitals and accents are ignored, and of several words each must be found. The service cannot search, so svc reads all customers, or stops at --limit. Finding nobody is not an error.'
  static override examples = [
    {description: 'Find a customer by part of a name', command: 'svc customers find angstrom -p sandbox'},
    {
      description: 'Print the id of the customer with an email',
      command: "svc customers find zoe@example.com --jq '.customers[].customerId'",
    },
  ]
  static override exits = getExitCodes('unauthenticated', 'unreachable', 'finding')
  static override args = {
    text: Args.string({description: 'Part of a name, an email or an id', required: true}),
  }
  static override flags = {
    limit: pagingFlags.limit,
    organization: organizationFlag('Only customers of this organization'),
    ...sortFlags,
  }

  async run() {
    const {args, flags} = await this.parse(CustomersFind)
    if (args.text.trim() === '') throw badUsage('TEXT is empty', 'Give a part of a name, an email or an id')
    const caller = await this.caller()
    const client = await this.client(caller)
    const organizationId = flags.organization ?? caller.organization
    const query = {...(organizationId && {organizationId})}
    const filter = buildFilter({search: customerSearch}, {search: args.text})
    const paging = {limit: flags.limit, all: flags.limit === undefined}
    return this.list(client.customers.list, query, paging, 'customers', customerView, filter)
  }
}
