// Watches a customer until verification has a final result.
import {getExitCodes} from '../../errors.ts'
import {SvcCommand} from '../../cli/command.ts'
import {toArgumentReference} from '../../cli/ids/finder.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {customerArgs} from '../../customers/flags.ts'
import {customerView} from '../../customers/view.ts'
import {createCustomerTarget} from '../../customers/watch.ts'

const id = '1599214d-60c4-4ce0-b276-8e365cd63247'

export default class CustomersWatch extends SvcCommand {
  static override view = customerView
  static override exits = getExitCodes('notFound', 'unreachable', 'pending', 'endedBadly')
  static override summary = 'Watch a customer until verification ends'
  static override description =
    'Reads the customer repeatedly, less often while nothing changes, until it is ACTIVE, REJECTED or DEACTIVATED, or until --timeout. It continues through NEEDS_ADDITIONAL_INFORMATION, because a correction restarts verification. Each change, including new verification issues, is a line on standard error; with -o jsonl, each change is the whole customer as a line on standard output. If the service stops answering, svc keeps trying for ten minutes.'
  static override examples = [
    {description: 'Watch until verification ends', command: `svc customers watch ${id} -p sandbox`},
    {
      description: 'Wait at most ten minutes, and use the exit code',
      command: `svc customers watch ${id} --timeout 10m --quiet`,
    },
  ]
  static override args = customerArgs

  async run() {
    const {args} = await this.parse(CustomersWatch)
    const finder = this.finder()
    const customerId = await findCustomerId(finder, toArgumentReference('customer', args.id))
    return this.watch(createCustomerTarget('finalStatus', await finder.connect(), customerId))
  }
}
