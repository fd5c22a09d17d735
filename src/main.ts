// The way in: finds the command among those it is given, runs it, and turns whatever happens into an exit code.
import type {Command, Interfaces} from '@oclif/core'
import {SvcError, badUsage, exitCodes} from './errors.ts'
import {endQuietlyOnClosedPipe, writeErr} from './terminal/streams.ts'

// The commands as data: what oclif.manifest.json holds, and how each is loaded when it is asked for.
export interface Surface {
  root: string
  pjson: Interfaces.PJSON
  manifest: Interfaces.Manifest
  load: Readonly<Record<string, () => Promise<{default: Command.Class}>>>
}

// oclif reads plugins from disk; this one is in memory already.
function pluginOf({root, pjson, manifest, load}: Surface): Interfaces.Plugin {
  const commands = Object.entries(manifest.commands).map(([id, cached]) => ({
    ...cached,
    load: async () => {
      const {default: found} = (await load[id]?.()) ?? {}
      if (!found) throw new Error(`no file for the command ${id}`)
      found.id = id
      return found
    },
  }))
  return {
    name: pjson.name,
    version: pjson.version,
    alias: pjson.name,
    type: 'core',
    root,
    pjson,
    manifest,
    commands,
    commandIDs: commands.map(({id}) => id),
    commandsDir: undefined,
    hooks: {},
    topics: Object.entries(pjson.oclif.topics ?? {}).map(([name, topic]) => ({...topic, name})),
    hasManifest: true,
    isRoot: true,
    moduleType: 'module',
    options: {root},
    valid: true,
    findCommand: async (id: string) => commands.find((command) => command.id === id)?.load(),
    load: async () => {},
  } as unknown as Interfaces.Plugin
}

const isAsked = (argv: readonly string[], ...names: string[]) => {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).some((argument) => names.includes(argument))
}

// Errors are shown as JSON to whoever asked for JSON, also when the flags themselves could not be parsed.
function wantsJson(argv: readonly string[]): boolean {
  if (
    isAsked(
      argv,
      '--json',
      ...['json', 'jsonl'].flatMap((format) => [`-o${format}`, `-o=${format}`, `--output=${format}`]),
    )
  ) {
    return true
  }
  const value = argv[argv.findIndex((argument) => argument === '-o' || argument === '--output') + 1]
  if (isAsked(argv, '-o', '--output')) return value === 'json' || value === 'jsonl'
  return /^jsonl?$/.test(process.env['SVC_OUTPUT'] ?? '') || /^(1|true|yes|y)$/i.test(process.env['SVC_JSON'] ?? '')
}

// Global flags that take a value in the next word, when they stand before the command.
const flagsWithValue = new Set(['-p', '--profile', '-o', '--output', '--columns', '--timeout', '--request-timeout'])

// `svc -p sandbox customers list` means what `svc customers list -p sandbox` means.
function commandFirst(argv: string[]): string[] {
  let count = 0
  while (argv[count]?.startsWith('-') && argv[count] !== '--') count += flagsWithValue.has(argv[count] ?? '') ? 2 : 1
  return count === 0 || count >= argv.length ? argv : [...argv.slice(count), ...argv.slice(0, count)]
}

// The longest run of leading words that names a command: `svc customers list` is customers:list.
function findCommand({manifest}: Surface, argv: readonly string[]): {id: string; rest: string[]} | undefined {
  const flagAt = argv.findIndex((argument) => argument.startsWith('-'))
  for (let count = flagAt === -1 ? argv.length : flagAt; count > 0; count--) {
    const id = argv.slice(0, count).join(':')
    if (Object.hasOwn(manifest.commands, id)) return {id, rest: argv.slice(count)}
  }
  return undefined
}

async function unknownCommand({manifest}: Surface, argv: readonly string[]): Promise<SvcError> {
  const asked = argv
    .filter((argument) => !argument.startsWith('-'))
    .slice(0, 2)
    .join(' ')
  if (asked === '') return badUsage('No command was given', '`svc help` lists all commands')
  const {nearest} = await import('./terminal/nearest.ts')
  const known = Object.values(manifest.commands).filter(({hidden}) => !hidden)
  const near = nearest(
    asked,
    known.map(({id}) => id.replaceAll(':', ' ')),
  )
  return badUsage(
    `There is no command "${asked}"`,
    near ? `Did you mean \`svc ${near}\`? \`svc help\` lists all` : '`svc help` lists all commands',
  )
}

async function help({manifest, pjson}: Surface, argv: readonly string[]): Promise<void> {
  const {showHelp} = await import('./terminal/help.ts')
  return showHelp({manifest, topics: pjson.oclif.topics ?? {}, summary: pjson['description'] as string}, argv)
}

async function run(surface: Surface, argv: string[]): Promise<void> {
  const asksForHelp = argv.length === 0 || argv[0] === 'help' || isAsked(argv, '--help', '-h')
  if (asksForHelp) return help(surface, argv)
  const found = findCommand(surface, argv)
  if (!found) {
    // A topic by itself shows its commands; with a word that is none of them, it is a mistake.
    if (argv.length === 1 && argv[0] && surface.pjson.oclif.topics?.[argv[0]]) return help(surface, argv)
    throw await unknownCommand(surface, argv)
  }
  const {Config} = await import('@oclif/core/config')
  const plugin = pluginOf(surface)
  const config = await Config.load({
    root: surface.root,
    plugins: new Map([[plugin.name, plugin]]),
    pjson: surface.pjson,
  })
  await config.runCommand(found.id, found.rest)
}

// A command that is told to stop leaves with the shell's own code for it, and leaves the line the shell writes on clean.
function endOnSignals(): void {
  process.once('SIGINT', () => {
    if (process.stderr.isTTY) writeErr('\n')
    process.exit(exitCodes.interrupted)
  })
  process.once('SIGTERM', () => process.exit(exitCodes.terminated))
}

export async function main(given: string[], surface: Surface): Promise<void> {
  const argv = commandFirst(given)
  endQuietlyOnClosedPipe()
  endOnSignals()
  try {
    await run(surface, argv)
  } catch (error) {
    const {showError} = await import('./terminal/show-error.ts')
    const words = argv.slice(0, 2).filter((word) => /^[a-z]/.test(word))
    process.exitCode = await showError(error, wantsJson(argv), ['svc', ...words].join(' '))
  }
}
