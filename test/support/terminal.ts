// Runs svc in a real pseudo-terminal, types into it, and reads what the person would see.
import {stripVTControlCharacters} from 'node:util'
import pty from '@lydell/node-pty'
import {type Home, bin} from './svc.ts'

export interface Screen {
  // Everything that was written so far, without its escape sequences.
  text(): string
  raw(): string
  type(keys: string): void
  // Resolves when the text has appeared.
  sees(text: string | RegExp): Promise<void>
  ended: Promise<number>
}

const pollMs = 20

// `program` is another copy of svc than the one that was built here.
export function onTerminal(home: Home, args: readonly string[], {cols = 80, env = {}, program = bin} = {}): Screen {
  let raw = ''
  const process_ = pty.spawn(process.execPath, [program, ...args], {
    cols,
    rows: 30,
    cwd: home.folder,
    env: {...home.env, TERM: 'xterm-256color', ...env},
  })
  process_.onData((data) => (raw += data))
  const ended = new Promise<number>((resolve) => process_.onExit(({exitCode}) => resolve(exitCode)))
  const text = () => stripVTControlCharacters(raw).replaceAll('\r\n', '\n')
  return {
    text,
    raw: () => raw,
    type: (keys) => process_.write(keys),
    async sees(wanted) {
      const found = () => (typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text()))
      while (!found()) await new Promise((resolve) => setTimeout(resolve, pollMs))
    },
    ended,
  }
}

// What erases a line that is rewritten in place.
export const eraseLine = '\r\u001b[K'

// What is left to read when such lines have come and gone.
export const leftOn = (screen: Screen) =>
  screen
    .raw()
    .split('\n')
    .map((line) => line.split(eraseLine).at(-1))
    .join('\n')
