// Runs svc on a terminal, types keys, and reads the screen.
import {Readable, Writable} from 'node:stream'
import {setTimeout as sleep} from 'node:timers/promises'
import {stripVTControlCharacters} from 'node:util'
import pty from '@lydell/node-pty'
import {onTestFinished} from 'vitest'
import {canRunInProcess, runInProcess} from './in-process.ts'
import {type Home, addSandbox, bin} from './svc.ts'

export interface Screen {
  // All output so far, without escape sequences.
  text(): string
  // The same on one line, so that a sentence that was wrapped can be found.
  words(): string
  raw(): string
  type(keys: string): void
  // Resolves when the text is on the screen.
  waitFor(text: string | RegExp): Promise<void>
  ended: Promise<number>
}

// A program of its own, which can be killed.
interface SpawnedScreen extends Screen {
  kill(signal: NodeJS.Signals): void
}

interface Recorder extends Omit<Screen, 'type' | 'ended'> {
  add: (written: string) => void
}

interface TerminalOptions {
  cols?: number
  env?: Record<string, string>
}

// Inquirer reads these when it is loaded, so they need a new process.
const readAtStart: ReadonlySet<string> = new Set(['FORCE_COLOR', 'NO_COLOR', 'TERM'])

const rows = 30
const colsDefault = 80
const endMaxMs = 60_000
const pollMs = 20
// Real time, also where a test has replaced the clocks of svc with virtual ones.
const pause = sleep
const interruptKey = '\u0003'

// Runs in this process, from source, on streams that look like a terminal. Use `onPty` where the terminal itself matters:
// Ctrl-C outside of a prompt, signals, and commands that run until they are stopped.
export function onTerminal(home: Home, args: readonly string[], options: TerminalOptions = {}): Screen {
  const {cols = colsDefault, env = {}} = options
  const needsProcess = Object.keys(env).some((name) => readAtStart.has(name))
  if (needsProcess || !canRunInProcess()) return onPty(home, args, options)
  addSandbox(home, args, env)
  const recorder = recordScreen()
  const stdin = openKeyboard()
  let hasEnded = false
  const ended = runInProcess({
    args,
    cwd: home.folder,
    env: {...home.env, TERM: 'xterm-256color', ...env},
    stdin,
    stdout: openDisplay(cols, recorder.add),
    stderr: openDisplay(cols, recorder.add),
  }).finally(() => (hasEnded = true))
  onTestFinished(async () => {
    if (hasEnded) return
    // Ctrl-C ends a prompt. Any other command would continue during the next tests, which is an error.
    const interrupt = setInterval(() => stdin.isRaw && stdin.push(interruptKey), pollMs)
    const late = new Promise((resolve) => setTimeout(resolve, endMaxMs, 'late').unref())
    const outcome = await Promise.race([ended, late]).finally(() => clearInterval(interrupt))
    if (outcome === 'late') {
      throw new Error(`svc ${args.join(' ')} still runs after its test; use onPty`)
    }
  })
  let typing = Promise.resolve()
  const isReading = () => hasEnded || (stdin.isRaw && stdin.readableFlowing === true)
  const pushAfter = async (earlier: Promise<void>, keys: string) => {
    await earlier
    // Inquirer drops keys that arrive before a prompt is drawn, so they wait for the next prompt.
    if (!isReading()) {
      while (!isReading()) await pause(pollMs)
      await pause(pollMs)
    }
    // A list takes no key while it searches, which it does in the turn in which it is drawn.
    await pause(0)
    stdin.push(keys)
  }
  const type = (keys: string) => {
    if (keys.includes(interruptKey) && !stdin.isRaw)
      throw new Error('Ctrl-C outside of a prompt is a signal; use onPty')
    typing = pushAfter(typing, keys)
  }
  return {...recorder, ended, type}
}

// Runs the built program on a pseudo-terminal. `program` is the path of another copy of svc.
export function onPty(
  home: Home,
  args: readonly string[],
  {cols = colsDefault, env = {}, program = bin}: TerminalOptions & {program?: string} = {},
): SpawnedScreen {
  addSandbox(home, args, env)
  const recorder = recordScreen()
  const child = pty.spawn(process.execPath, [program, ...args], {
    cols,
    rows,
    cwd: home.folder,
    env: {...home.env, TERM: 'xterm-256color', ...env},
  })
  child.onData(recorder.add)
  // As a shell counts them.
  const ended = new Promise<number>((resolve) =>
    child.onExit(({exitCode, signal}) => resolve(signal ? 128 + signal : exitCode)),
  )
  return {...recorder, ended, type: (keys) => child.write(keys), kill: (signal) => child.kill(signal)}
}

// Records the output, and resolves the waits for a text.
function recordScreen(): Recorder {
  let raw = ''
  const waiting = new Set<() => void>()
  const text = () => stripVTControlCharacters(raw).replaceAll('\r\n', '\n')
  return {
    text,
    words: () => text().replaceAll(/\s*\n\s*/g, ' '),
    raw: () => raw,
    add(written: string) {
      raw += written
      for (const check of waiting) check()
    },
    waitFor(wanted: string | RegExp): Promise<void> {
      const isSeen = () => (typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text()))
      if (isSeen()) return Promise.resolve()
      return new Promise((resolve) => {
        const check = () => {
          if (!isSeen()) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
      })
    },
  }
}

// Behaves like process.stdin on a terminal.
function openKeyboard() {
  const keyboard = Object.assign(new Readable({read() {}}), {
    isTTY: true,
    isRaw: false,
    setRawMode(isRaw: boolean) {
      keyboard.isRaw = isRaw
      return keyboard
    },
    ref: () => keyboard,
    unref: () => keyboard,
  })
  return keyboard
}

// Behaves like process.stdout on a terminal, which turns each line feed into a carriage return and a line feed.
function openDisplay(columns: number, write: (text: string) => void): Writable {
  const display = new Writable({
    write(chunk: Buffer, _encoding, done) {
      write(chunk.toString().replaceAll('\n', '\r\n'))
      done()
    },
  })
  return Object.assign(display, {
    // Marks it as a standard stream, which a pipe into it does not close.
    _isStdio: true,
    isTTY: true,
    columns,
    rows,
  })
}

// The sequence that erases a line before it is rewritten.
export const eraseLine = '\r\u001b[K'

// The text that remains after such lines were erased.
export const readRemainingRaw = (screen: Screen) =>
  screen
    .raw()
    .split('\n')
    .map((line) => line.split(eraseLine).at(-1))
    .join('\n')
