// Runs commands of svc as children, in the folder of the tour, with an environment in which nothing is the user's.
import {type ChildProcess, spawn} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {stripVTControlCharacters} from 'node:util'
import {SvcError} from '../errors.ts'
import {getCacheFolder} from '../storage/folders.ts'

// The variables that a child needs. Everything that could lead it to the user's own profiles or data is left out.
const keptVariables = ['PATH', 'TERM', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ', 'NO_COLOR', 'FORCE_COLOR', 'SystemRoot']

export interface TourProgram {
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

export const getTourSandboxFile = (folder: string) => path.join(folder, 'sandbox.sqlite')

function buildEnvironment({folder, env}: TourProgram): Record<string, string> {
  const kept = keptVariables.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    HOME: folder,
    SVC_CONFIG_DIR: path.join(folder, 'config'),
    SVC_SANDBOX_FILE: getTourSandboxFile(folder),
    // Compiled code is shared with the running svc, so that the children start quickly.
    SVC_CACHE_DIR: getCacheFolder(),
    SVC_PROFILE: 'sandbox',
    ...env,
  }
}

export interface ProgramEnd {
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
export async function runProgram(
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
