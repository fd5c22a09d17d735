// The entry point: finds the command, runs it, and turns the outcome into an exit code.
import type {Command, Config, Interfaces} from '@oclif/core'
import {getExitCode} from '../errors.ts'
import {finishAfterOutput} from './exit.ts'
import {isHelpWanted, isProfileAlone, listNames, listWords, moveCommandFirst, wantsJson} from './argv.ts'
import type {Capture, EmbeddedFiles, PaymentReview} from './config.ts'
import type {HelpSource} from './help/help-source.ts'
import {
  clearLiveLine,
  clearPrompt,
  exitOnClosedPipe,
  getTraits,
  writeErr,
  writeOut,
  writeWithoutStreams,
} from './output/streams.ts'

// The commands as data. Their descriptions are loaded only for help, completion and unknown commands.
export interface Surface {
  root: string
  pjson: Interfaces.PJSON
  load: Readonly<Record<string, () => Promise<{default: Command.Class}>>>
  help: () => Promise<HelpSource>
  // In the single executable, where there is no folder of the package.
  embedded?: EmbeddedFiles | undefined
  // Whether svc is the program of this process.
  isProgram?: boolean
  // The folder of the build, if its files are loaded from there.
  programFolder?: string | undefined
}

async function loadCommand({load}: Surface, id: string): Promise<Command.Class> {
  const {default: found} = (await load[id]?.()) ?? {}
  if (!found) throw new Error(`no file for the command ${id}`)
  found.id = id
  return found
}

// What commands use of oclif's configuration. To load all of it takes longer than most commands run.
const createConfig = (surface: Surface, capture?: Capture) =>
  ({
    root: surface.root,
    pjson: surface.pjson,
    name: surface.pjson.name,
    version: surface.pjson.version,
    bin: 'svc',
    capture,
    embedded: surface.embedded,
    programFolder: surface.programFolder,
    getPluginsList: () => [{commandIDs: Object.keys(surface.load)}],
    readHelp: surface.help,
    runHook: async () => ({successes: [], failures: []}),
    // For a command that runs others: they print nothing and ask nothing, and return what they would have printed.
    runCaptured: async (id: string, argv: string[], review?: PaymentReview) => {
      const notices: string[] = []
      const found = await loadCommand(surface, id)
      return {result: await found.run(argv, createConfig(surface, {notices, review})), notices}
    },
  }) as unknown as Config

// The longest sequence of leading words that names a command: `svc customers list` is customers:list.
function findCommand({load}: Surface, argv: readonly string[]): {id: string; rest: string[]} | undefined {
  for (let count = listWords(argv).length; count > 0; count--) {
    const id = argv.slice(0, count).join(':')
    if (Object.hasOwn(load, id)) return {id, rest: argv.slice(count)}
  }
  return undefined
}

const isTopic = ({pjson}: Surface, words: readonly string[]) => Object.hasOwn(pjson.oclif.topics ?? {}, words.join(':'))

function canFollow(surface: Surface, topic: readonly string[], word: string): boolean {
  const words = [...topic, word]
  return isTopic(surface, topic) && (isTopic(surface, words) || Object.hasOwn(surface.load, words.join(':')))
}

async function printHelp(surface: Surface, argv: readonly string[]): Promise<void> {
  const [{renderHelpFor}, source] = await Promise.all([import('./help/help.ts'), surface.help()])
  return writeOut(await renderHelpFor(getTraits('stdout'), source, listNames(argv)))
}

async function run(surface: Surface, argv: string[]): Promise<void> {
  if (isHelpWanted(argv)) return printHelp(surface, argv)
  const named = findCommand(surface, argv)
  if (!named) {
    // A topic alone shows its commands. With another word after it, the command is unknown.
    const words = listWords(argv)
    if (isTopic(surface, words) && isProfileAlone(argv.slice(words.length))) return printHelp(surface, words)
    const [{unknownCommand}, source] = await Promise.all([import('./help/help.ts'), surface.help()])
    throw unknownCommand(words, source)
  }
  const found = await loadCommand(surface, named.id)
  await found.run(named.rest, createConfig(surface))
}

// On a signal, exits with the shell's code for it and leaves a clean line for the shell prompt.
function exitOnSignals(): void {
  process.once('SIGINT', () => {
    clearPrompt()
    if (!clearLiveLine() && getTraits('stderr').isTTY) writeErr('\n')
    process.exit(getExitCode('interrupted'))
  })
  process.once('SIGTERM', () => {
    clearPrompt()
    // Only a prompt reads single keys.
    if (!clearLiveLine() && process.stdin.isRaw) writeErr('\n')
    process.exit(getExitCode('terminated'))
  })
}

// `svc` without a command is `svc status`.
const chooseCommand = (argv: string[]) =>
  argv[0] === undefined || (argv[0].startsWith('-') && !isHelpWanted(argv)) ? ['status', ...argv] : argv

export async function main(words: string[], surface: Surface): Promise<void> {
  if (surface.isProgram) {
    writeWithoutStreams()
    // When nothing is left to do, V8 need not free its memory piece by piece.
    process.once('beforeExit', () => process.exit())
    preventExitHang()
  }
  exitOnClosedPipe()
  const argv = chooseCommand(moveCommandFirst(words, (topic, word) => canFollow(surface, topic, word)))
  exitOnSignals()
  try {
    await run(surface, argv)
  } catch (error) {
    const {showError} = await import('./output/show-error.ts')
    const named = findCommand(surface, argv)?.id.split(':') ?? []
    process.exitCode = await showError(error, wantsJson(argv), ['svc', ...named].join(' '))
  }
  await finishAfterOutput()
}

// With less CPU time, in microseconds, and less memory, in kibibytes, the heap has not reached a limit. Most commands end earlier,
// and save the collection.
const shortRunMicroseconds = 250_000
const smallRunKibibytes = 80 * 1024

// Keeps process.exit() from waiting for ever (nodejs/node#54918). It waits for the threads of V8, and a thread that compiles a
// function waits for a garbage collection when the heap has reached its limit, which only the main thread could do. After a
// collection the heap is far from its limit.
function collectGarbage(): void {
  const {userCPUTime, systemCPUTime, maxRSS} = process.resourceUsage()
  if (userCPUTime + systemCPUTime < shortRunMicroseconds && maxRSS < smallRunKibibytes) return
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc')
  const collect: unknown = process.getBuiltinModule('node:vm').runInNewContext('globalThis.gc')
  if (typeof collect === 'function') collect()
}

const preventExitHang = (): void => void process.once('exit', collectGarbage)
