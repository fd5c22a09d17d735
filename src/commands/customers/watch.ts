// Follows one customer until it is verified, or someone must act.
import {getExitCodes} from '../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {parseUuid} from '../../cli/flags/shared.ts'
import {customerView} from '../../customers/view.ts'
import {createFinalStatusTarget} from '../../customers/watch-targets.ts'

const id = '7b0c9a52-3f64-4a6e-9d57-2f1f3b1c8e11'

export default class CustomersWatch extends SvcCommand {
  static override view = customerView
  static override exits = getExitCodes('notFound', 'unreachable', 'pending', 'endedBadly')
  static override summary = 'Follow a customer until verification has ended'
  static override description =
    'Looks again and again, less often while nothing changes, until the customer is ACTIVE, REJECTED or DEACTIVATED, or --timeout runs out; there is no other limit. It goes on through NEEDS_ADDITIONAL_INFORMATION, since a correction starts verification again. Every change is a line on standard error, new verification issues included, or with -o jsonl the whole customer as a line on standard output. A service that does not answer for a while is borne for five minutes.'
  static override examples = [
    {description: 'Until it is decided', command: `svc customers watch ${id} -p sandbox`},
    {
      description: 'At most ten minutes; the exit code says what came of it',
      command: `svc customers watch ${id} --timeout 10m --quiet`,
    },
    {
      description: 'Every state on a line, for a script',
      command: `svc customers watch ${id} -o jsonl | jq -r .customerStatus`,
    },
  ]
  static override args = {
    id: Args.string({description: 'Id of the customer', required: true}),
  }

  async run() {
    const {args} = await this.parse(CustomersWatch)
    const customerId = parseUuid(args.id, 'The customer id')
    return this.watch(createFinalStatusTarget(await this.client(), customerId))
  }
}
