// Serves tools for agents over standard input and output.
import * as Flags from '@oclif/core/flags'
import {toSvcConfig} from '../cli/config.ts'
import {SvcCommand} from '../cli/command.ts'
import {type Result, listResult} from '../cli/output/result.ts'
import {writeErrLines} from '../cli/output/streams.ts'
import {getExitCodes} from '../errors.ts'
import {toolView} from '../mcp/tool-view.ts'
import {sandboxName} from '../profiles/profiles.ts'

export default class Mcp extends SvcCommand {
  static override view = toolView
  static override summary = 'Serve tools for agents, by the Model Context Protocol'
  static override description = `An agent starts it and talks to it over standard input and output. The tools read: customers and what verification refused, accounts, quotes, transactions, rules, the journal. Names, emails, and numbers of documents and accounts are masked.
The tools use the sandbox unless a profile is named with -p. With --allow-writes there are two more: pay_prepare and pay_commit. They need a profile with caps, and a person's yes on a page that svc opens on this machine. Without a browser the link to the page goes to standard error: some hosts of agents write that to a log file, which the agent must not be able to read. See docs/agents.md.`
  static override examples = [
    {description: 'Serve the tools that read, for the sandbox', command: 'svc mcp'},
    {description: 'List the tools, with those that pay', command: 'svc mcp --tools --allow-writes'},
  ]
  static override exits = getExitCodes('usage')
  static override flags = {
    'allow-writes': Flags.boolean({summary: 'Offer the tools that pay'}),
    'show-names': Flags.boolean({summary: 'Show the names of people'}),
    tools: Flags.boolean({summary: 'List the tools and end'}),
  }

  async run(): Promise<Result> {
    const {flags} = await this.parse(Mcp)
    const allowsWrites = flags['allow-writes']
    const {createMcpServer, listTools} = await import('../mcp/server.ts')
    const {readHelp, runCaptured} = toSvcConfig(this.config)
    const help = await readHelp()
    if (flags.tools) return listResult(listTools(help, allowsWrites), 'tools', toolView)
    const {serveStdio} = await import('@modelcontextprotocol/server/stdio')
    const session = new AbortController()
    const handle = serveStdio(() =>
      createMcpServer({
        version: this.config.version,
        profile: flags.profile ?? sandboxName,
        allowsWrites,
        showsNames: flags['show-names'],
        help,
        run: runCaptured,
        signal: session.signal,
        // Not even with --quiet may it be missed.
        announce: (link) => writeErrLines([`A payment waits for your yes, at a link that works once: ${link}`]),
      }),
    )
    this.notice('Serving the Model Context Protocol on standard input and output.')
    await new Promise<void>((resolve) => process.stdin.once('close', resolve).once('end', resolve))
    session.abort()
    await handle.close()
    return undefined
  }
}
