// Shows one stored event: its body, its signature, and where it was forwarded.
import {SvcCommand} from '../../cli/command.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {getExitCodes} from '../../errors.ts'
import {findEventId, toEventReference} from '../../events/find.ts'
import {eventArgs, storeFlag} from '../../events/flags.ts'
import {eventDetailsView} from '../../events/history-view.ts'
import {getEventDetails} from '../../events/history.ts'
import {getEventStoreFile} from '../../events/store.ts'

export default class EventsShow extends SvcCommand {
  static override view = eventDetailsView
  static override summary = 'Show an event: its body, its signature, and where it was forwarded'
  static override description = 'Shows an event that `svc events listen` received and stored on this machine.'
  static override examples = [
    {description: 'Show an event', command: 'svc events show evt_8d1f0c6b'},
    {
      description: 'Print its body',
      command: 'svc events show evt_8d1f0c6b2a9e4f7d3c5b1a60 --jq .event',
    },
  ]
  static override exits = getExitCodes('notFound')
  static override args = eventArgs
  static override flags = {store: storeFlag}

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(EventsShow)
    const storeFile = flags.store ?? getEventStoreFile()
    const id = await findEventId(this.finder(), storeFile, toEventReference(args.event))
    return itemResult(getEventDetails(storeFile, id), eventDetailsView)
  }
}
