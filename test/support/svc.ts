// Runs svc in a test: with its own home folder, and without the environment of this machine.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {Readable, Writable} from 'node:stream'
import {onTestFinished} from 'vitest'
import {getCacheFolder} from './cache-folder.ts'
import {copySeededSandbox} from './seeded-sandbox.ts'
import {canRunInProcess, type InProcessRun, runInProcess} from './in-process.ts'

export const root = path.resolve(import.meta.dirname, '../..')
export const bin = path.join(root, 'bin/run.js')

// A folder that is removed after the test.
export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
  onTestFinished(() => fs.rmSync(folder, {recursive: true, force: true}))
  return folder
}

export interface Home {
  folder: string
  env: Record<string, string>
}

// A home folder in which svc was never used.
export const freshHome = (): Home => createHome(temporaryFolder())

// The same for all tests of a file. The file removes it.
export const sharedHome = (): Home => createHome(fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-')))

// In a folder that the caller removes.
export function createHome(folder: string): Home {
  const env = {
    HOME: folder,
    PATH: process.env['PATH'] ?? '',
    SVC_CONFIG_DIR: path.join(folder, 'config'),
    SVC_CACHE_DIR: getCacheFolder(os.tmpdir()),
    // Longer than a service that runs takes on a machine with a hundred times as much to do.
    SVC_REQUEST_TIMEOUT: '1h',
  }
  return {folder, env}
}

export interface RunResult {
  code: number | null
  out: string
  err: string
}

interface RunOptions {
  env?: Record<string, string | undefined>
  input?: string | Buffer
  cwd?: string
}

// Runs svc in this process, from its sources. Spawns the built program instead while another run is in progress, or when
// Node or bin/run.js itself reads the arguments or the environment.
export function run(home: Home, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const {env, input = '', cwd = home.folder} = options
  const needsProcess = args[0] === '--version' || Object.keys(env ?? {}).some((name) => name.startsWith('NODE_'))
  addSandbox(home, args, env)
  if (needsProcess || !canRunInProcess()) return spawnSvc(home, args, options)
  return runPiped({args, cwd, env: {...home.env, ...env}}, input)
}

// For what a test only prepares: a set-up that is refused would leave a test that shows nothing.
export async function setUp(home: Home, args: readonly string[]): Promise<RunResult> {
  const result = await run(home, args)
  if (result.code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${result.code}: ${result.err}`)
  return result
}

// The commands of the sandbox that work on what is in it, and do not care when it was created.
const sandboxTopics: ReadonlySet<string> = new Set([
  'accounts',
  'clock',
  'faults',
  'fund',
  'settle',
  'verify',
  'webhooks',
])

// Saves the time to seed the sandbox of a new home, if the command uses that of the built-in profile.
export function addSandbox(home: Home, args: readonly string[], env: RunOptions['env'] = {}): void {
  const [topic, name = ''] = args
  const usesProfile = topic === 'sandbox' ? sandboxTopics.has(name) : args[args.indexOf('-p') + 1] === 'sandbox'
  const state = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state')
  const isElsewhere = ['SVC_CONFIG_DIR', 'SVC_STATE_DIR', 'SVC_SANDBOX_FILE'].some((variable) => variable in env)
  if (!usesProfile || isElsewhere || fs.existsSync(state)) return
  fs.mkdirSync(state, {recursive: true, mode: 0o700})
  copySeededSandbox(path.join(state, 'sandbox.sqlite'))
}

async function runPiped(
  program: Pick<InProcessRun, 'args' | 'cwd' | 'env'>,
  input: string | Buffer,
): Promise<RunResult> {
  const stdout = createCollector()
  const stderr = createCollector()
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)])
  const code = await runInProcess({...program, stdin, stdout: stdout.stream, stderr: stderr.stream})
  return {code, out: stdout.text(), err: stderr.text()}
}

// Runs svc in this process, from its sources, with both streams in one, as after `2>&1`. Nothing else may run meanwhile.
export async function runMerged(home: Home, args: readonly string[]): Promise<Omit<RunResult, 'err'>> {
  const output = createCollector()
  const streams = {stdin: Readable.from([]), stdout: output.stream, stderr: output.stream}
  const code = await runInProcess({args, cwd: home.folder, env: home.env, ...streams})
  return {code, out: output.text()}
}

function createCollector() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return {stream, text: () => Buffer.concat(chunks).toString()}
}

// Standard input is empty unless the test gives some, so a command that waits for input fails its test by a timeout.
export function spawnSvc(home: Home, args: readonly string[], {env, input, cwd}: RunOptions = {}): Promise<RunResult> {
  addSandbox(home, args, env)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], {cwd: cwd ?? home.folder, env: {...home.env, ...env}})
    let out = ''
    let err = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
    child.on('error', reject)
    child.on('close', (code) => resolve({code, out, err}))
    child.stdin.on('error', () => {})
    child.stdin.end(input ?? '')
  })
}

// The words of a command line, in which single quotes mean what they do in a shell.
export const splitWords = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')

export const json = (text: string) => JSON.parse(text) as Record<string, unknown>
