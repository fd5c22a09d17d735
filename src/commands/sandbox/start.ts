// Serves the sandbox on a local port until it is stopped.
import fs from 'node:fs'
import path from 'node:path'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../../cli/command.ts'
import {badUsage, getExitCodes} from '../../errors.ts'
import type {LoggedRequest} from '../../sandbox/service/log/request-log.ts'
import type {RunningServer} from '../../sandbox/http/server.ts'
import {createPainter} from '../../cli/output/colour.ts'
import {portFlag} from '../../cli/flags/shared.ts'
import {renderJsonLine} from '../../cli/output/formats.ts'
import {writeErr, writeErrUncleaned, writeOut} from '../../cli/output/streams.ts'
import {waitForStopSignal} from '../../cli/exit.ts'
import {renderRequestLine} from '../../sandbox-commands/views.ts'
import {findCaller} from '../../profiles/caller.ts'
import {getJournalAddress} from '../../profiles/journal.ts'
import {sandboxName} from '../../profiles/profiles.ts'
import {serveSandbox} from '../../transport.ts'

const portDefault = 4010

const toShownRequest = ({at, request, reply, fault, ...rest}: LoggedRequest) => ({
  at: new Date(at).toISOString(),
  ...rest,
  ...(fault !== null && {fault}),
  ...(request !== null && {request: JSON.parse(request) as unknown}),
  ...(reply !== null && {reply: JSON.parse(reply) as unknown}),
})

// The value becomes part of a header, so it must be an origin and nothing else.
function parseFrameOrigin(text: string): string {
  const address = URL.parse(text)
  if (address && /^https?:$/.test(address.protocol) && `${address.origin}/` === address.href) return address.origin
  throw badUsage(`--allow-frames takes an origin, and "${text}" is none`, 'Give one such as http://localhost:3000')
}

// Without the flag, pages on this machine may embed the forms.
const parseFrameOrigins = (texts: readonly string[]) =>
  texts.length === 1 && texts[0] === 'none' ? [] : texts.map(parseFrameOrigin)

const databaseName = 'sandbox.sqlite'

// A folder that exists, such as one of `mktemp -d`, holds the database. Any other path is the database itself.
const findDatabaseFile = (data: string) =>
  fs.statSync(data, {throwIfNoEntry: false})?.isDirectory() ? path.join(data, databaseName) : data

export default class SandboxStart extends SvcCommand {
  static override summary = 'Serve the sandbox on a local port until stopped'
  static override description =
    'While it runs, time passes and webhooks are sent. --json prints one line with the address and the API key; -o jsonl prints that and a line for every request. Programs in any language can do what `svc sandbox` does: that line also names the address, the token and the OpenAPI document of control.'
  static override examples = [
    {description: 'Serve the database of -p sandbox on port 4010', command: 'svc sandbox start'},
    {
      description: 'Allow your own page to embed the forms',
      command: 'svc sandbox start --allow-frames http://localhost:3000',
    },
  ]
  static override exits = getExitCodes('usage')
  static override flags = {
    port: portFlag(portDefault),
    data: Flags.string({
      summary: 'Database to serve, created if it does not exist; or an existing folder to keep it in',
      helpValue: 'PATH',
    }),
    'allow-frames': Flags.string({
      summary: 'Origin whose pages may embed the hosted forms in a frame; repeatable, or none (pages on localhost)',
      helpValue: 'ORIGIN',
      multiple: true,
      delimiter: ',',
    }),
    seed: Flags.string({summary: 'Text from which all random values of a new database are derived', helpValue: 'TEXT'}),
    web: Flags.boolean({summary: 'Open the console in the browser'}),
  }

  async run() {
    const {flags} = await this.parse(SandboxStart)
    if (this.format === 'csv' || this.format === 'yaml') {
      throw badUsage(`A server does not speak ${this.format}`, 'Use --json for where it is, -o jsonl for requests too')
    }
    const stopped = waitForStopSignal()
    const painter = await createPainter(process.stderr)
    const [{createJournalSource}, {createControlsSource}] = await Promise.all([
      import('../../console/sources.ts'),
      import('../../console/controls-source.ts'),
    ])
    const caller = findCaller(sandboxName)
    // Policies and approvals are known of the sandbox that the profile has, and not of any other file.
    const controls = caller && flags.data === undefined ? createControlsSource(caller) : undefined
    const output = this.#createOutput()
    const server = await serveSandbox({
      openJournal: (ids) => createJournalSource(ids, getJournalAddress(caller), controls),
      port: flags.port ?? portDefault,
      ...(flags.data !== undefined && {file: findDatabaseFile(flags.data)}),
      seed: flags.seed,
      ...(flags['allow-frames'] && {frameAncestors: parseFrameOrigins(flags['allow-frames'])}),
      notice: (text) => this.notice(text),
      onFault: (error) => writeErr(`A fault in the sandbox: ${error instanceof Error ? error.stack : String(error)}\n`),
      onRequest: (request) => {
        if (this.format === 'jsonl') output.add(renderJsonLine(toShownRequest(request)))
        else if (this.format === 'table' && !flags.quiet)
          writeErrUncleaned(renderRequestLine(toShownRequest(request), painter))
      },
    })
    try {
      await this.#announce(server)
      if (flags.web && this.isInteractive) await this.#openConsole(server)
      await stopped
      if (process.stderr.isTTY && this.format === 'table') this.notice('Stopping.')
    } finally {
      await server.stop()
    }
    await output.written()
    return undefined
  }

  // Writes lines in order. Once one cannot be written, the server goes on without them, and its end
  // says so.
  #createOutput() {
    let last: Promise<void> = Promise.resolve()
    const write = async (line: string) => {
      try {
        await writeOut(line)
      } catch (error) {
        this.alert('standard output cannot be written, so requests are not shown any more')
        throw error
      }
    }
    return {
      add(line: string) {
        last = last.then(() => write(line))
        last.catch(() => {})
      },
      written: () => last,
    }
  }

  // Its link was printed.
  async #openConsole({createConsoleLink, consoleEntered}: RunningServer): Promise<void> {
    const {openLink} = await import('../../cli/browser.ts')
    const problem = await openLink(createConsoleLink(), consoleEntered)
    if (problem) this.notice(`The console was not opened: ${problem}.`)
  }

  async #announce(server: RunningServer): Promise<void> {
    const {url, formsUrl, consoleUrl, apiKey, controlUrl, controlToken, controlOpenapiUrl} = server
    if (this.format !== 'table') {
      const addresses = {url, formsUrl, consoleUrl, apiKey, controlUrl, controlToken, controlOpenapiUrl}
      return writeOut(renderJsonLine(addresses))
    }
    this.notice(`The sandbox is at ${url}. Ctrl-C stops it.`)
    this.notice(`Its console, for a browser, at a link that works once: ${consoleUrl}`)
    this.notice(`To use it: \`SVC_BASE_URL=${url} SVC_API_KEY=${apiKey} svc customers list\``)
    this.notice(`Its control, for programs: ${controlOpenapiUrl} (\`svc sandbox status --json\` shows the token)`)
    this.notice('Its forms can be embedded by pages on localhost, and by others with --allow-frames ORIGIN.')
    return this.notice('To keep it as a profile: `svc login`, with the same address and key.')
  }
}
