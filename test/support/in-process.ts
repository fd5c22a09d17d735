// Runs svc from its sources in the test's own process: the same main(), with its own streams, environment and working
// folder, and without the time to start a process.
import {Console} from 'node:console'
import type {EventEmitter} from 'node:events'
import process from 'node:process'
import type {Readable, Writable} from 'node:stream'
import {main, type Surface} from '../../src/cli/main.ts'
import {loadSurface} from '../../scripts/surface.ts'
import {suggestProfile} from '../../src/values/text.ts'

export interface InProcessRun {
  args: readonly string[]
  cwd: string
  env: Record<string, string | undefined>
  stdin: Readable
  stdout: Writable
  stderr: Writable
}

// Thrown where the program calls process.exit(), so that nothing after the call runs.
class ProcessExit extends Error {
  override name = 'ProcessExit'
}

let surface: Promise<Surface> | undefined
let isRunning = false

// A process has one environment, one working folder and one set of streams, so there is one run at a time.
export const canRunInProcess = () => !isRunning

// Resolves with the exit code.
export async function runInProcess(run: InProcessRun): Promise<number> {
  isRunning = true
  try {
    return await runOnce(run, await (surface ??= loadSurface()))
  } finally {
    isRunning = false
  }
}

async function runOnce({args, cwd, env, ...streams}: InProcessRun, loaded: Surface): Promise<number> {
  const restore = [
    replaceEnvironment(env),
    replaceFolder(cwd),
    replaceProperties({argv: [process.execPath, 'svc', ...args], ...streams}),
    replaceConsole(streams.stdout, streams.stderr),
    keepExitCode(),
  ]
  const listeners = trackListeners()
  try {
    const code = await untilEnded(() => main([...args], loaded))
    listeners.emitExit(code)
    return code
  } finally {
    listeners.restore()
    suggestProfile(undefined)
    for (const undo of restore.toReversed()) undo()
  }
}

// Ends when main() does, or at the first call of process.exit(). Output after that is ignored.
function untilEnded(start: () => Promise<void>): Promise<number> {
  return new Promise((resolve, reject) => {
    const exit = (code?: number | string | null) => {
      resolve(Number(code ?? process.exitCode ?? 0))
      throw new ProcessExit()
    }
    const restore = replaceProperties({exit})
    start()
      .then(() => resolve(Number(process.exitCode ?? 0)), reject)
      .finally(restore)
  })
}

// Changes the variables themselves, because Node reads HOME and TZ from the system's environment.
function replaceEnvironment(env: Record<string, string | undefined>): () => void {
  const before = {...process.env}
  const assign = (wanted: Record<string, string | undefined>) => {
    for (const name of Object.keys(process.env)) if (wanted[name] === undefined) delete process.env[name]
    for (const [name, value] of Object.entries(wanted)) {
      if (value !== undefined && process.env[name] !== value) process.env[name] = value
    }
  }
  assign(env)
  return () => assign(before)
}

function replaceFolder(folder: string): () => void {
  const before = process.cwd()
  process.chdir(folder)
  return () => process.chdir(before)
}

function replaceProperties(values: Record<string, unknown>): () => void {
  const before = Object.keys(values).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)] as const)
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(process, name, {value, configurable: true, enumerable: true, writable: true})
  }
  return () => {
    for (const [name, descriptor] of before) Object.defineProperty(process, name, descriptor ?? {})
  }
}

// Node's console keeps the streams of its first use, so each run gets a new one.
function replaceConsole(stdout: Writable, stderr: Writable): () => void {
  const before = globalThis.console
  globalThis.console = new Console(stdout, stderr)
  return () => {
    globalThis.console = before
  }
}

function keepExitCode(): () => void {
  const before = process.exitCode
  process.exitCode = undefined
  return () => {
    process.exitCode = before
  }
}

// Removes the listeners that a run added to the process, and restores those that it removed.
function trackListeners() {
  const emitter: EventEmitter = process
  const snapshot = () => new Map(emitter.eventNames().map((name) => [name, emitter.rawListeners(name)]))
  const before = snapshot()
  return {
    emitExit(code: number) {
      process.exitCode = code
      const known = before.get('exit') ?? []
      for (const listener of emitter.rawListeners('exit')) {
        if (!known.includes(listener)) Reflect.apply(listener, process, [code])
      }
    },
    restore() {
      for (const [name, listeners] of snapshot()) {
        for (const listener of listeners) {
          if (!before.get(name)?.includes(listener)) emitter.removeListener(name, listener as () => void)
        }
      }
      for (const [name, listeners] of before) {
        const present = emitter.rawListeners(name)
        for (const listener of listeners) {
          if (!present.includes(listener)) emitter.on(name, listener as () => void)
        }
      }
    },
  }
}
