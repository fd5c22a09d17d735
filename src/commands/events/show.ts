// Shows one event: its body, its signature, and where it went.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {type Result, itemResult} from '../../cli/output/result.ts'
import {getExitCodes} from '../../errors.ts'
import {findEventId, toEventReference} from '../../events/find.ts'
import {storeFlag} from '../../events/flags.ts'
import {knownEventDetailsView} from '../../events/history-view.ts'
import {findEventSources, getKnownEvent} from '../../events/history.ts'
import {findCaller} from '../../profiles/caller.ts'

export default class EventsShow extends SvcCommand {
  static override view = knownEventDetailsView
  static override summary = 'Show an event: its body, its signature, and where it went'
  static override description =
    'Shows what the sandbox and the event store on this machine know about it. What the service itself knows about it cannot be read.'
  static override examples = [
    {description: 'Show an event', command: 'svc events show evt_8d1f0c6b -p sandbox'},
    {
      description: 'Print its body',
      command: 'svc events show evt_8d1f0c6b2a9e4f7d3c5b1a60 -p sandbox --jq .event',
    },
  ]
  static override exits = getExitCodes('notFound')
  static override args = {event: Args.string({description: 'ID of the event, or its first 8 or more characters'})}
  static override flags = {store: storeFlag}

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(EventsShow)
    const sources = await findEventSources(findCaller(this.flags.profile), flags.store)
    const id = await findEventId(this.finder(), sources, toEventReference(args.event))
    return itemResult(getKnownEvent(sources, id), knownEventDetailsView)
  }
}
