// Lists the events that are known here: those of the sandbox, and those that were received and stored.
import {SvcCommand} from '../../cli/command.ts'
import {customerFlag, pagingFlags, sortFlags} from '../../cli/flags/shared.ts'
import {toFlagReference} from '../../cli/ids/finder.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {storeFlag} from '../../events/flags.ts'
import {knownEventView} from '../../events/history-view.ts'
import {findEventSources, listKnownEvents} from '../../events/history.ts'
import {findCaller} from '../../profiles/caller.ts'

const eventsShownDefault = 20

export default class EventsList extends SvcCommand {
  static override view = knownEventView
  static override summary = 'List the events that are known here, newest first'
  static override description =
    'These are the events that `svc events listen` received and stored on this machine and, with the sandbox, those that it made while it had an endpoint. A service has no list of its events, so those that were not received here are missing. `svc events watch` polls for changes instead.'
  static override examples = [
    {description: 'List the latest events of the sandbox', command: 'svc events list -p sandbox'},
    {
      description: 'List the events of a customer, with their ids',
      command: 'svc events list --customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c --limit 100 --json',
    },
  ]
  static override flags = {
    customer: customerFlag('Only events about this customer'),
    limit: pagingFlags.limit,
    store: storeFlag,
    ...sortFlags,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(EventsList)
    const customerId =
      flags.customer && (await findCustomerId(this.finder(), toFlagReference('customer', flags.customer)))
    const sources = await findEventSources(findCaller(this.flags.profile), flags.store)
    const {events, more} = listKnownEvents(sources, {customerId, limit: flags.limit ?? eventsShownDefault})
    if (!sources.sandbox) {
      this.notice('Only events that were received here: a service cannot be asked for those that it sent.')
    }
    if (more) this.notice(`${events.length} ${events.length === 1 ? 'event' : 'events'} shown; more follow: --limit N.`)
    return listResult(events, 'events', knownEventView)
  }
}
