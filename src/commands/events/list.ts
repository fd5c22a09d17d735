// Lists the events that were received and stored here.
import {SvcCommand} from '../../cli/command.ts'
import {customerFlag, pagingFlags} from '../../cli/flags/shared.ts'
import {toFlagReference} from '../../cli/ids/finder.ts'
import {type Result, listResult} from '../../cli/output/result.ts'
import {findCustomerId} from '../../customers/find-customer.ts'
import {storeFlag} from '../../events/flags.ts'
import {eventView} from '../../events/history-view.ts'
import {listEvents} from '../../events/history.ts'
import {getEventStoreFile} from '../../events/store.ts'

const eventsShownDefault = 20

export default class EventsList extends SvcCommand {
  static override view = eventView
  static override summary = 'List the events that were received here, newest first'
  static override description =
    'These are the events that `svc events listen` received and stored on this machine. A service has no list of its events, so others are missing. `svc sandbox webhooks deliveries` lists what the sandbox sent.'
  static override examples = [
    {description: 'List the latest events', command: 'svc events list'},
    {
      description: 'List the events of a customer, with their ids',
      command: 'svc events list --customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c --limit 100 --json',
    },
  ]
  static override flags = {
    customer: customerFlag('Only events about this customer'),
    limit: pagingFlags.limit,
    store: storeFlag,
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(EventsList)
    const customerId =
      flags.customer && (await findCustomerId(this.finder(), toFlagReference('customer', flags.customer)))
    const {events, more} = listEvents(flags.store ?? getEventStoreFile(), {
      customerId,
      limit: flags.limit ?? eventsShownDefault,
    })
    if (more) this.notice(`${events.length} ${events.length === 1 ? 'event' : 'events'} shown; more follow: --limit N.`)
    return listResult(events, 'events', eventView)
  }
}
