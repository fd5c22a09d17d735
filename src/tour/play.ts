// Plays the tour: says what comes, shows each command, runs it as a child in the folder of the tour, and shows what it printed.
import {type ChildProcess, spawn} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {stripVTControlCharacters} from 'node:util'
import {createPainter} from '../cli/output/colour.ts'
import {clearLiveLine, writeLiveLine, writeOut} from '../cli/output/streams.ts'
import {wrapText} from '../cli/output/wrap-text.ts'
import {SvcError, interrupted} from '../errors.ts'
import {getCacheFolder} from '../storage/folders.ts'
import {type Sandbox, createSandbox} from '../transport.ts'
import {type TourCommand, type TourStep, closingWords, payer, tourSteps, writeTourFiles} from './steps.ts'
import {type Choice, readChoice} from './keys.ts'

// With a fixed seed and a fixed time, the tour is the same on every machine.
const seed = 'tour'
const startsAt = new Date('2026-11-16T09:00:00Z')
const narrationWidth = 76

// A killed command may leave a line of progress behind.
const eraseLine = '\r\u001B[K'

interface ShownCommand {
  says: string | undefined
  line: string
  output: string
}

export interface ShownStep {
  title: string
  says: string
  commands: ShownCommand[]
}

interface TourOptions {
  // The program and its first arguments that start svc.
  command: readonly [string, ...string[]]
  // Whether a person is asked before each step.
  isInteractive: boolean
  // Whether the output is returned in colours, as `npm run record` needs it. It is printed without them then.
  records?: boolean
}

// Written as a shell would need it.
const quote = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

const commandWidth = 76
const continuation = ' \\\n  '

// A flag stays beside its value, if both fit into a line.
function groupWords(words: readonly string[]): string[] {
  const groups: string[] = []
  for (const [index, word] of words.entries()) {
    const before = groups.at(-1)
    const isValue = words[index - 1]?.startsWith('--') && !word.startsWith('-')
    if (isValue && before !== undefined && before.length + word.length < commandWidth)
      groups.splice(-1, 1, `${before} ${word}`)
    else groups.push(word)
  }
  return groups
}

// A long command is continued on further lines, as a shell takes it, so that no terminal breaks it inside a word.
function formatCommand({args, file}: TourCommand): string {
  if (!args) return `cat ${quote(file ?? '')}`
  const lines: string[] = []
  for (const group of groupWords(['svc', ...args].map(quote))) {
    const line = lines.at(-1)
    if (line !== undefined && line.length + 1 + group.length <= commandWidth) lines.splice(-1, 1, `${line} ${group}`)
    else lines.push(group)
  }
  return lines.join(continuation)
}

// The folder goes whatever ends the tour, a signal included. A command that still runs then may write into it once more.
function makeFolder(): {folder: string; remove: () => void} {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-tour-'))
  const remove = () => fs.rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 50})
  process.once('exit', remove)
  return {
    folder,
    remove: () => {
      process.removeListener('exit', remove)
      remove()
    },
  }
}

async function countTransactions({handle, apiKey}: Sandbox): Promise<number> {
  const response = await handle({
    method: 'GET',
    target: `/transactions?pageSize=100&customerId=${payer}`,
    header: (name) => (name === 'authorization' ? `Bearer ${apiKey}` : undefined),
    body: async () => Buffer.alloc(0),
  })
  return (JSON.parse(String(response.body)) as {transactions: unknown[]}).transactions.length
}

export async function playTour({command, isInteractive, records = false}: TourOptions): Promise<ShownStep[]> {
  const {folder, remove} = makeFolder()
  try {
    writeTourFiles(folder)
    const sandbox = await createSandbox({file: getTourSandboxFile(folder), seed, frozenAt: startsAt})
    const inheritsTerminal = !records && process.stdout.isTTY
    const env = {...(records && {FORCE_COLOR: '1'})}
    const program = {folder, command, inheritsTerminal, env}
    const countBefore = await countTransactions(sandbox)
    const isPaid = async () => (await countTransactions(sandbox)) > countBefore
    try {
      return await playSteps(program, {isInteractive, records, isPaid})
    } finally {
      sandbox.close()
    }
  } finally {
    remove()
  }
}

interface PlaySettings {
  isInteractive: boolean
  records: boolean
  isPaid: () => Promise<boolean>
}

const namesLengthMax = 44

async function playSteps(program: TourProgram, settings: PlaySettings): Promise<ShownStep[]> {
  const painter = await createPainter(process.stdout)
  const print = (text: string) => writeOut(settings.records ? stripVTControlCharacters(text) : text)
  const steps: ShownStep[] = []
  for (const [index, step] of tourSteps.entries()) {
    const title = `${index + 1} of ${tourSteps.length} · ${step.title}`
    await print(`${index === 0 ? '' : '\n'}${painter.bold(title)}\n${wrapText(step.says, narrationWidth).join('\n')}\n`)
    const choice = settings.isInteractive ? await chooseNext(step) : 'run'
    if (choice === 'quit') return steps
    if (choice === 'run') steps.push(await playStep(program, step, settings, print))
  }
  await print(`\n${closingWords.join('\n')}\n`)
  return steps
}

// The commands without their flags, if they fit into a line.
function nameCommands({commands}: TourStep): string {
  const names = new Set(commands.map((command) => formatCommand(command).replace(/\s(\\\s+)?-.*/s, '')))
  const text = [...names].join(', ')
  return text.length <= namesLengthMax ? text : `the ${commands.length} commands of this step`
}

async function chooseNext(step: TourStep): Promise<Choice> {
  writeLiveLine(`Enter runs ${nameCommands(step)} · s skips it · q quits `)
  try {
    const choice = await readChoice()
    if (choice === 'interrupt') throw interrupted('Stopped; the folder of the tour is removed')
    return choice
  } finally {
    clearLiveLine()
  }
}

async function playStep(
  program: TourProgram,
  {title, says, commands}: TourStep,
  settings: PlaySettings,
  print: (text: string) => Promise<void>,
): Promise<ShownStep> {
  const painter = await createPainter(process.stdout)
  const shown: ShownCommand[] = []
  for (const command of commands) {
    const line = formatCommand(command)
    await print(`\n${command.says ? `${command.says}\n` : ''}${painter.dim('$')} ${painter.bold(line)}\n`)
    const output = await playCommand(program, command, settings.isPaid)
    await print(output)
    shown.push({says: command.says, line, output})
  }
  return {title, says, commands: shown}
}

async function playCommand(
  program: TourProgram,
  command: TourCommand,
  isPaid: () => Promise<boolean>,
): Promise<string> {
  if (!command.args) return fs.readFileSync(path.join(program.folder, command.file ?? ''), 'utf8')
  const {output, isKilled} = await runProgram(program, command.args, command.isKilled && isPaid)
  // What a shell prints about a killed command.
  return isKilled ? `${output}${program.inheritsTerminal ? eraseLine : ''}Killed\n` : output
}

// The variables that a child needs. Everything that could lead it to the user's own profiles or data is left out.
const keptVariables = ['PATH', 'TERM', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ', 'NO_COLOR', 'FORCE_COLOR', 'SystemRoot']

interface TourProgram {
  folder: string
  // The program and its first arguments that start svc.
  command: readonly [string, ...string[]]
  // Variables that override those of this process.
  env?: Record<string, string>
  // Whether the children write to the terminal themselves. Otherwise their output is returned.
  inheritsTerminal: boolean
}

const pollMs = 25
const killWaitMs = 20_000

const getTourSandboxFile = (folder: string) => path.join(folder, 'sandbox.sqlite')

function buildEnvironment({folder, env}: TourProgram): Record<string, string> {
  const kept = keptVariables.map((name) => [name, process.env[name]] as const)
  return {
    ...Object.fromEntries(kept.filter((pair): pair is readonly [string, string] => pair[1] !== undefined)),
    HOME: folder,
    SVC_CONFIG_DIR: path.join(folder, 'config'),
    SVC_SANDBOX_FILE: getTourSandboxFile(folder),
    // Compiled code is shared with the running svc, so that the children start quickly.
    SVC_CACHE_DIR: getCacheFolder(),
    SVC_PROFILE: 'sandbox',
    ...env,
  }
}

interface ProgramEnd {
  // What both streams printed, in order, unless the terminal has it.
  output: string
  isKilled: boolean
}

const waitForEnd = (child: ChildProcess) =>
  new Promise<{code: number | null; signal: NodeJS.Signals | null}>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({code, signal}))
  })

// `killWhen` ends the child with SIGKILL when it resolves to true. A command that fails ends the tour.
async function runProgram(
  program: TourProgram,
  args: readonly string[],
  killWhen?: () => Promise<boolean>,
): Promise<ProgramEnd> {
  // Both streams are one file, because two pipes would lose the order.
  const outputFile = path.join(program.folder, 'output.txt')
  const output = program.inheritsTerminal ? undefined : fs.openSync(outputFile, 'w')
  try {
    const [file, ...first] = program.command
    const child = spawn(file, [...first, ...args], {
      cwd: program.folder,
      env: buildEnvironment(program),
      stdio: ['ignore', output ?? 'inherit', output ?? 'inherit'],
    })
    const ended = waitForEnd(child)
    if (killWhen) await killAtMoment(child, killWhen)
    const {code, signal} = await ended
    const text = output === undefined ? '' : fs.readFileSync(outputFile, 'utf8')
    const isKilled = signal === 'SIGKILL'
    if (code === 0 || isKilled) return {output: text, isKilled}
    throw createFailure(args, text, signal ?? `code ${code}`)
  } finally {
    if (output !== undefined) fs.closeSync(output)
  }
}

const createFailure = (args: readonly string[], output: string, ending: string) =>
  new SvcError({
    error: 'TOUR_FAILED',
    kind: 'bug',
    message: `The tour stopped, because \`svc ${args.join(' ')}\` ended with ${ending}`,
    hint: 'Check that the disk has space, and take the tour again',
    ...(output !== '' && {body: stripVTControlCharacters(output)}),
  })

async function killAtMoment(child: ChildProcess, isMoment: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now()
  while (child.exitCode === null && performance.now() - startedMs < killWaitMs && !(await isMoment())) {
    await sleep(pollMs)
  }
  child.kill('SIGKILL')
}
