// Watches customers and transactions for changes, for integrators without an endpoint of their own.
import {SvcCommand} from '../../cli/command.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {Cursor, cursorFile} from '../../events/cursor.ts'
import {type WatchState, watch} from '../../events/watch.ts'
import {createPainter} from '../../cli/output/colour.ts'
import {intervalMsDefault, watchFlags} from '../../events/flags.ts'
import {toJsonLine} from '../../cli/output/formats.ts'
import {writeOut} from '../../cli/output/streams.ts'
import {waitForStopSignal} from '../../cli/stop-signal.ts'
import {formatObservedState, toObservedStateJson} from '../../events/view.ts'

export default class EventsWatch extends SvcCommand {
  static override summary = 'Watch customers and transactions for changes, by asking again and again'
  static override description =
    'For integrators without an endpoint for events. Every state that is seen is a line, at least once, with an id that is the same for the same state, also after a restart: a cursor file says how far it came. States between two looks can be missed, such as a review that began and ended within --interval; only the state at each look is seen. The first look tells of everything there is, or of what changed since --since. With -o jsonl (or --json) every state is a line of JSON.'
  static override examples = [
    {description: 'Everything that changes, until Ctrl-C', command: 'svc events watch -p sandbox'},
    {
      description: 'Once a minute from cron, what is new since the last time',
      command: 'svc events watch --once --cursor ~/svc.cursor -o jsonl >> events.jsonl',
    },
    {
      description: 'Customers only, those that changed today or later',
      command: 'svc events watch --customers --since 1d --interval 10s',
    },
  ]
  static override exits = getExitCodes('done', 'unauthenticated', 'unreachable')
  static override flags = watchFlags

  async run() {
    const {flags} = await this.parse(EventsWatch)
    if (this.format === 'csv' || this.format === 'yaml') {
      throw badUsage(`What is seen does not come as ${this.format}`, 'Use -o jsonl')
    }
    const caller = await this.caller()
    const client = await this.client(caller, flags.once ? {} : {timeoutMs: undefined})
    const {customers, transactions, once} = flags
    const organization = caller.organization && {organizationId: caller.organization}
    const cursor = new Cursor(flags.cursor ?? cursorFile(caller.baseUrl))
    const painter = await createPainter(process.stdout)
    // One look is interrupted as any read is.
    const stopped = once ? new Promise<void>(() => {}) : waitForStopSignal(flags.timeout)
    let isStopping = false
    void stopped.then(() => (isStopping = true))
    const isJson = this.format !== 'table'
    const watched = {
      fetchPage: {
        ...((customers || !transactions) && {
          customer: (page: object) => client.customers.list({...organization, ...page}),
        }),
        ...((transactions || !customers) && {
          transaction: (page: object) => client.transactions.list({...organization, ...page}),
        }),
      },
      cursor,
      sinceMs: flags.since,
      report: (sighting: Parameters<typeof toObservedStateJson>[0]) =>
        writeOut(isJson ? toJsonLine(toObservedStateJson(sighting)) : formatObservedState(sighting, painter)),
      isStopping: () => isStopping,
    }
    const pace = {intervalMs: flags.interval ?? intervalMsDefault, once, stopped}
    await watch(watched, pace, (state, reason) => this.#tell(state, reason, cursor))
    return undefined
  }

  #tell(state: WatchState, reason: string | undefined, cursor: Cursor): void {
    if (this.format !== 'table') return void writeOut(toJsonLine({state, ...(reason !== undefined && {reason})}))
    const from = cursor.size > 0 ? ', going on from where it was' : ''
    const sentences = {
      watching: `Watching${from}. Ctrl-C stops it.`,
      lost: `Lost: ${reason}; still looking.`,
      stopped: 'Stopped.',
    }
    return this.notice(sentences[state])
  }
}
