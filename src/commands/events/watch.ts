// Polls customers and transactions for changes, for integrations without a webhook endpoint.
import {SvcCommand} from '../../cli/command.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import {Cursor, type ObservedState, type WatchState, getCursorFile, watch} from '../../events/watch.ts'
import {createPainter} from '../../cli/output/colour.ts'
import {intervalMsDefault, watchFlags} from '../../events/flags.ts'
import {renderJsonLine} from '../../cli/output/formats.ts'
import {getOutputWidth, writeOut} from '../../cli/output/streams.ts'
import {waitForStopSignal} from '../../cli/exit.ts'
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
      throw badUsage(`States cannot be printed as ${this.format}`, 'Use -o jsonl')
    }
    const caller = await this.caller()
    const client = await this.client(caller, flags.once ? {} : {timeoutMs: undefined})
    const {customers, transactions, once} = flags
    const organization = caller.organization && {organizationId: caller.organization}
    const cursor = new Cursor(flags.cursor ?? getCursorFile(caller.baseUrl))
    const painter = await createPainter(process.stdout)
    // A single poll ends on a signal as any other read does.
    const stopped = once ? new Promise<void>(() => {}) : waitForStopSignal(flags.timeout)
    let isStopping = false
    void stopped.then(() => (isStopping = true))
    const isJson = this.format !== 'table'
    const options = {
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
      report: (observed: ObservedState) =>
        writeOut(
          isJson
            ? renderJsonLine(toObservedStateJson(observed))
            : formatObservedState(observed, {painter, width: getOutputWidth()}),
        ),
      isStopping: () => isStopping,
    }
    const schedule = {intervalMs: flags.interval ?? intervalMsDefault, once, stopped}
    await watch(options, schedule, (state, reason) => this.#report(state, reason, cursor))
    return undefined
  }

  #report(state: WatchState, reason: string | undefined, cursor: Cursor): void {
    if (this.format !== 'table') return void writeOut(renderJsonLine({state, ...(reason !== undefined && {reason})}))
    const from = cursor.size > 0 ? ' from the last position' : ''
    const sentences = {
      watching: `Watching${from}. Ctrl-C stops it.`,
      lost: `Lost: ${reason}; still polling.`,
      stopped: 'Stopped.',
    }
    return this.notice(sentences[state])
  }
}
