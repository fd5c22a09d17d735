// Plays the tour: real commands, run as children on a sandbox of their own, in a folder that is removed at the end.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {createInterface} from 'node:readline/promises'
import {setTimeout as sleep} from 'node:timers/promises'
import {stripVTControlCharacters} from 'node:util'
import {createPainter} from '../cli/output/colour.ts'
import {writeOut} from '../cli/output/streams.ts'
import {wrapText} from '../cli/output/wrap-text.ts'
import {SvcError, interrupted} from '../errors.ts'
import {getCacheFolder} from '../storage/folders.ts'
import {type Sandbox, createSandbox} from '../transport.ts'
import {closingWords, payer, tourFiles, tourSteps} from './steps.ts'

const narrationWidth = 76
const pollMs = 25

export interface ShownStep {
  title: string
  says: string
  commands: Array<{says: string | undefined; line: string; output: string}>
}

interface TourOptions {
  // The program and its first arguments that start svc.
  command: readonly [string, ...string[]]
  // Whether a person says when each step begins.
  isInteractive: boolean
  // Whether the output is returned in colours, for the recording. It is printed without them then.
  records?: boolean
}

// Everything that could lead a command to the user's own profiles or data is left out.
const keptVariables = ['PATH', 'TERM', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ', 'NO_COLOR', 'FORCE_COLOR', 'SystemRoot']

function buildEnvironment(folder: string, records: boolean): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(keptVariables.map((name) => [name, process.env[name]])),
    HOME: folder,
    SVC_CONFIG_DIR: path.join(folder, 'config'),
    SVC_SANDBOX_FILE: path.join(folder, 'sandbox.sqlite'),
    // Compiled code is shared with the running svc, so that the commands start quickly.
    SVC_CACHE_DIR: getCacheFolder(),
    SVC_PROFILE: 'sandbox',
    ...(records && {FORCE_COLOR: '1'}),
  }
}

async function countTransactions({handle, apiKey}: Sandbox): Promise<number> {
  const response = await handle({
    method: 'GET',
    target: `/transactions?pageSize=100&customerId=${payer}`,
    header: (name) => (name === 'authorization' ? `Bearer ${apiKey}` : undefined),
    body: async () => Buffer.alloc(0),
  })
  return (JSON.parse(response.body) as {transactions: unknown[]}).transactions.length
}

async function waitForEnter(): Promise<void> {
  const terminal = createInterface({input: process.stdin, output: process.stderr})
  const stopped = new Promise<never>((_, reject) => {
    terminal.once('SIGINT', () => reject(interrupted('Stopped; the folder of the tour is removed')))
  })
  try {
    await Promise.race([terminal.question('Enter goes on, Ctrl-C stops '), stopped])
  } finally {
    terminal.close()
  }
}

interface TourProgram extends Pick<TourOptions, 'command'> {
  folder: string
  env: NodeJS.ProcessEnv
  // Whether commands write to the terminal themselves. Otherwise their output is returned.
  isTerminal: boolean
}

// With `killWhen`, the command is killed as soon as that is so. One that fails ends the tour.
async function runCommand(program: TourProgram, line: string, killWhen?: () => Promise<boolean>): Promise<string> {
  const {folder, command, env, isTerminal} = program
  const [name = '', ...args] = [...line.matchAll(/'([^']*)'|([^\s\\']+)/g)].map(
    ([, quoted, word]) => quoted ?? word ?? '',
  )
  if (name === 'cat') return fs.readFileSync(path.join(folder, args[0] ?? ''), 'utf8')
  // Both streams are one file, because two pipes would lose the order.
  const file = path.join(folder, 'output.txt')
  const output = isTerminal ? 'inherit' : fs.openSync(file, 'w')
  const [first, ...others] = command
  const child = spawn(first, [...others, ...args], {cwd: folder, env, stdio: ['ignore', output, output]})
  const ended = new Promise<number | string | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve(signal ?? code))
  })
  if (killWhen) {
    while (child.exitCode === null && !(await killWhen())) await sleep(pollMs)
    child.kill('SIGKILL')
  }
  const ending = await ended
  const text = isTerminal ? '' : fs.readFileSync(file, 'utf8')
  // What a shell prints about a killed command, after a line of progress that it may have left.
  if (ending === 'SIGKILL') return `${text}${isTerminal ? '\r\u001B[K' : ''}Killed\n`
  if (ending === 0) return text
  throw new SvcError({
    error: 'TOUR_FAILED',
    kind: 'bug',
    message: `The tour stopped, because \`${line}\` ended with ${ending}`,
    hint: 'Check that the disk has space, and take the tour again',
    body: stripVTControlCharacters(text),
  })
}

export async function playTour({command, isInteractive, records = false}: TourOptions): Promise<ShownStep[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-tour-'))
  // Whatever ends the tour. A command that still runs may write into the folder once more.
  const remove = () => fs.rmSync(folder, {recursive: true, force: true, maxRetries: 5, retryDelay: 50})
  process.once('exit', remove)
  const painter = await createPainter(process.stdout)
  const print = (text: string) => writeOut(records ? stripVTControlCharacters(text) : text)
  const program = {
    folder,
    command,
    env: buildEnvironment(folder, records),
    isTerminal: !records && process.stdout.isTTY,
  }

  try {
    for (const [name, text] of Object.entries(tourFiles)) fs.writeFileSync(path.join(folder, name), text)
    // With a fixed seed and a fixed time, the tour is the same on every machine.
    const frozenAt = new Date('2026-11-16T09:00:00Z')
    const sandbox = await createSandbox({file: path.join(folder, 'sandbox.sqlite'), seed: 'tour', frozenAt})
    const countBefore = await countTransactions(sandbox)
    const isPaid = async () => (await countTransactions(sandbox)) > countBefore
    const shown: ShownStep[] = []
    try {
      for (const [index, {title, says, commands}] of tourSteps.entries()) {
        const heading = painter.bold(`${index + 1} of ${tourSteps.length} · ${title}`)
        await print(`${index === 0 ? '' : '\n'}${heading}\n${wrapText(says, narrationWidth).join('\n')}\n`)
        if (isInteractive) await waitForEnter()
        const step: ShownStep = {title, says, commands: []}
        for (const {line, isKilled, says: remark} of commands) {
          await print(`\n${remark ? `${remark}\n` : ''}${painter.dim('$')} ${painter.bold(line)}\n`)
          const output = await runCommand(program, line, isKilled && isPaid)
          await print(output)
          step.commands.push({says: remark, line, output})
        }
        shown.push(step)
      }
      await print(`\n${closingWords}`)
      return shown
    } finally {
      sandbox.close()
    }
  } finally {
    process.off('exit', remove)
    remove()
  }
}
