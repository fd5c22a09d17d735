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
  static override summary = 'Poll customers and transactions for changes'
  static override description =
    'For integrations that cannot receive webhooks. Prints each state at least once, with an id that stays the same for the same state across restarts; a cursor file records the position. States between two polls can be missed, such as a review that starts and ends within --interval. The first poll prints everything, or what changed since --since. With -o jsonl (or --json) each state is a line of JSON.'
  static override examples = [
    {description: 'Print every change until Ctrl-C', command: 'svc events watch -p sandbox'},
    {
      description: 'Append what is new since the last run, from cron',
      command: 'svc events watch --once --cursor ~/svc.cursor -o jsonl >> events.jsonl',
    },
    {
      description: 'Watch customers only, starting with yesterday’s changes',
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
