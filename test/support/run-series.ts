// A program that runs commands of svc one after the other in one process. Each loads svc anew, and ends when nothing is left to
// do, as in a process of its own. A command that exits before that ends this process too.
import fs from 'node:fs'
import {createRequire} from 'node:module'
import path from 'node:path'
import process from 'node:process'

const [program = '', file = ''] = process.argv.slice(2)
const load = createRequire(import.meta.url)
const root = path.resolve(path.dirname(program), '..')
const commands = JSON.parse(fs.readFileSync(file, 'utf8')) as string[][]

// Node calls it at the end of process.exit().
const ending = process as unknown as {reallyExit: (code: number) => void; _exiting: boolean}
const endProcess = ending.reallyExit.bind(process)

const emitters: readonly NodeJS.EventEmitter[] = [process, process.stdin, process.stdout, process.stderr]
const listListeners = (emitter: NodeJS.EventEmitter) =>
  emitter.eventNames().flatMap((name) => emitter.rawListeners(name).map((listener) => ({name, listener})))
const listenersAtStart = emitters.map(listListeners)
const emitWarning = Object.getOwnPropertyDescriptor(process, 'emitWarning') ?? {}
const environmentAtStart = {...process.env}
const folderAtStart = process.cwd()

let isIdle = false
let hasEnded = false

// As it was when the process started.
function restoreProcess(): void {
  for (const [index, emitter] of emitters.entries()) {
    const known = listenersAtStart[index]?.map(({listener}) => listener) ?? []
    for (const {name, listener} of listListeners(emitter)) {
      if (!known.includes(listener)) emitter.removeListener(name, listener as () => void)
    }
  }
  for (const name of Object.keys(load.cache)) if (name.startsWith(root)) Reflect.deleteProperty(load.cache, name)
  if (process.stdin.isRaw) process.stdin.setRawMode(false)
  process.stdin.pause().unref()
  for (const name of Object.keys(process.env)) if (!(name in environmentAtStart)) delete process.env[name]
  Object.assign(process.env, environmentAtStart)
  process.chdir(folderAtStart)
  Object.defineProperty(process, 'emitWarning', emitWarning)
  process.exitCode = undefined
  ending._exiting = false
}

function endCommand(): void {
  if (hasEnded) return
  hasEnded = true
  fs.writeSync(1, `\u001B]svc;${process.exitCode ?? 0}\u0007`)
  setImmediate(startNext)
}

ending.reallyExit = (code) => (isIdle ? endCommand() : endProcess(code))

function startNext(): void {
  restoreProcess()
  const args = commands.shift()
  if (!args) return endProcess(0)
  isIdle = false
  hasEnded = false
  process.prependOnceListener('beforeExit', () => (isIdle = true))
  process.argv = [process.execPath, program, ...args]
  load(program)
  // After the listener of svc, which is added as it starts.
  process.on('beforeExit', () => process.exit())
}

startNext()
