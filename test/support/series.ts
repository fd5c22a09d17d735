// Runs commands of the built program on one pseudo-terminal, one after the other in one process (see run-series.ts), because
// most of the time of a short command is the start of its process.
import fs from 'node:fs'
import path from 'node:path'
import pty from '@lydell/node-pty'
import {type Home, addSandbox, bin, root} from './svc.ts'
import {readText} from './terminal.ts'

interface SeriesResult {
  code: number
  // Without escape sequences.
  text: string
}

export interface Series {
  // In the order of the commands.
  results: readonly Promise<SeriesResult>[]
  // Kills the command with this index if it still runs, so that the next one starts.
  kill(index: number): void
  // Kills the command that runs. No other starts.
  stop(): void
}

const seriesProgram = path.join(root, 'test/support/run-series.ts')
// Written after the output of each command, with its exit code.
const [escape, bell] = ['\u001B', '\u0007']
const endMark = new RegExp(`${escape}\\]svc;(\\d+)${bell}`)
const cols = 200
const rows = 30

// A command that ends the process is followed by a new process.
export function runSeries(home: Home, commands: readonly (readonly string[])[]): Series {
  for (const args of commands) addSandbox(home, args)
  const waiting = commands.map((args) => ({args, ...Promise.withResolvers<SeriesResult>()}))
  const results = waiting.map(({promise}) => promise)
  const finish = (code: number, raw: string) => waiting.shift()?.resolve({code, text: readText(raw)})
  let child: pty.IPty | undefined
  const start = () => {
    const list = path.join(home.folder, 'commands.json')
    fs.writeFileSync(list, JSON.stringify(waiting.map(({args}) => args)))
    child = pty.spawn(process.execPath, [seriesProgram, bin, list], {
      cols,
      rows,
      cwd: home.folder,
      env: {...home.env, TERM: 'xterm-256color'},
    })
    let raw = ''
    child.onData((written) => {
      raw += written
      for (let mark = endMark.exec(raw); mark; mark = endMark.exec(raw)) {
        finish(Number(mark[1]), raw.slice(0, mark.index))
        raw = raw.slice(mark.index + mark[0].length)
      }
    })
    child.onExit(({exitCode}) => {
      if (waiting.length === 0) return
      finish(exitCode, raw)
      if (waiting.length > 0) start()
    })
  }
  start()
  return {
    results,
    kill(index) {
      if (commands.length - waiting.length === index) child?.kill('SIGKILL')
    },
    stop() {
      if (waiting.splice(0).length > 0) child?.kill('SIGKILL')
    },
  }
}
