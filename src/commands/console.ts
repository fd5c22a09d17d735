// Serves the console of a profile on a local port until it is stopped, and opens it in the browser.
import {SvcCommand} from '../cli/command.ts'
import {noOpenFlag, portFlag} from '../cli/flags/shared.ts'
import {renderJsonLine} from '../cli/output/formats.ts'
import {writeErr, writeOut} from '../cli/output/streams.ts'
import {waitForStopSignal} from '../cli/exit.ts'
import {badUsage, getExitCodes} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {getJournalAddress} from '../profiles/journal.ts'
import {sandboxAddress} from '../profiles/profiles.ts'
import {getServiceId, serveSandbox} from '../transport.ts'

// A page waits no longer for one request; it then says that the service did not answer.
const requestTimeoutMs = 10_000

interface RunningConsole {
  // A link that lets one browser in, once.
  createLink: () => string
  entered: Promise<void>
  stop: () => Promise<void>
}

export default class Console extends SvcCommand {
  static override summary = 'Look at customers, transactions and payments in the browser'
  static override description =
    'Serves pages with search, details and timelines on this machine, until Ctrl-C. They only read. A link lets one browser in, once, and works for a short time. With -p sandbox it is the console of the sandbox, which can also act. --json prints one line with the link.'
  static override examples = [
    {description: 'Look at the sandbox', command: 'svc console -p sandbox'},
    {
      description: 'Look at a profile on a fixed port, without opening a browser',
      command: 'svc console -p acme --port 4040 --no-open',
    },
  ]
  static override exits = getExitCodes('usage', 'unauthenticated')
  static override flags = {
    port: portFlag(0),
    'no-open': noOpenFlag,
  }

  async run() {
    const {flags} = await this.parse(Console)
    if (this.format === 'csv' || this.format === 'yaml') {
      throw badUsage(`A server does not speak ${this.format}`, 'Use --json for its address')
    }
    const caller = await this.caller()
    const stopped = waitForStopSignal(flags.timeout)
    const port = flags.port ?? 0
    const running = await (caller.baseUrl === sandboxAddress
      ? this.#serveSandbox(caller, port)
      : this.#serveProfile(caller, port))
    try {
      await this.#announce(running, caller, !flags['no-open'])
      await stopped
    } finally {
      await running.stop()
    }
    return undefined
  }

  #reportFault(error: unknown): void {
    writeErr(`A fault in the console: ${error instanceof Error ? error.stack : String(error)}\n`)
  }

  async #serveSandbox(caller: Caller, port: number): Promise<RunningConsole> {
    const [{createJournalSource}, {createControlsSource}] = await Promise.all([
      import('../console/sources.ts'),
      import('../console/controls-source.ts'),
    ])
    const controls = createControlsSource(caller)
    const server = await serveSandbox({
      port,
      openJournal: (ids) => createJournalSource(ids, getJournalAddress(caller), controls),
      notice: (text) => this.notice(text),
      onFault: (error) => this.#reportFault(error),
    })
    return {createLink: server.createConsoleLink, entered: server.consoleEntered, stop: () => server.stop()}
  }

  async #serveProfile(caller: Caller, port: number): Promise<RunningConsole> {
    const [{startConsoleServer}, {createJournalSource, createProfileSource, findEventSource}, {createControlsSource}] =
      await Promise.all([
        import('../console/server.ts'),
        import('../console/sources.ts'),
        import('../console/controls-source.ts'),
      ])
    const stopping = new AbortController()
    // Nobody waits for a retry in front of a page: it can be reloaded.
    const client = await this.client(caller, {
      timeoutMs: undefined,
      retriesReads: false,
      requestTimeoutMs: this.flags['request-timeout'] ?? requestTimeoutMs,
      signal: stopping.signal,
    })
    const source = createProfileSource({
      client,
      organization: caller.organization,
      title: caller.profileName === undefined ? 'The environment' : `Profile ${caller.profileName}`,
      note: `${caller.baseUrl} · ${caller.environment} · only reads`,
      journal: createJournalSource(
        [await getServiceId(caller)],
        getJournalAddress(caller),
        createControlsSource(caller),
      ),
      events: findEventSource(),
    })
    const server = await startConsoleServer({source, port, onFault: (error) => this.#reportFault(error)})
    return {
      ...server,
      // Requests to the service that a page still waits for would keep the process alive.
      stop() {
        stopping.abort()
        return server.stop()
      },
    }
  }

  async #announce({createLink, entered}: RunningConsole, caller: Caller, mayOpen: boolean): Promise<void> {
    if (this.format !== 'table') return writeOut(renderJsonLine({consoleUrl: createLink()}))
    const announce = (link: string) => this.notice(`The console of ${caller.label}, at a link that works once: ${link}`)
    if (!process.stdout.isTTY) await writeOut(`${createLink()}\n`)
    else if (mayOpen && this.isInteractive) {
      const {openLink} = await import('../cli/browser.ts')
      const link = createLink()
      const problem = await openLink(link, entered)
      if (problem !== undefined) announce(link)
      this.notice(
        problem ? `It was not opened: ${problem}.` : `The console of ${caller.label} was opened in the browser.`,
      )
    } else announce(createLink())
    return this.notice('Ctrl-C stops it.')
  }
}
