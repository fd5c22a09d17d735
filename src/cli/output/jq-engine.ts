// Runs jq, compiled to WebAssembly, on JSON in memory. It is loaded only for --jq.
import createJq from 'jq-wasm/dist/build/jq.js'

export interface JqRun {
  // One JSON value per line.
  output: string
  // What jq wrote to its standard error: the reason of a failure, or what `debug` prints.
  messages: string
  failure?: 'compile' | 'run'
}

// What is used of WebAssembly. The types of Node do not include it.
declare const WebAssembly: {
  instantiate: unknown
  compile: (program: Uint8Array) => Promise<Program>
  Instance: new (program: Program, imports: object) => Instance
}
type Program = object
interface Memory {
  buffer: ArrayBuffer
}
interface Instance {
  exports: Readonly<Record<string, unknown>>
}

// The parts of Emscripten's module object that are used here.
interface JqModule {
  callMain(args: string[]): number
}

type Imports = Record<string, Record<string, (...args: number[]) => number>>

// The names that jq-wasm 1.0.1 gives to what its program imports and exports.
const importNames = {group: 'a', read: 'g', write: 'd', memory: 'E'}

const standardOutput = 1
const compileErrorCode = 3
const outputBytesMax = 256 * 1024 * 1024

class OutputTooLarge extends Error {}

// The package keeps the program to itself and passes it to WebAssembly.instantiate when it is loaded, so it is taken from
// there. Its own reading and writing takes time that grows with the square of the text.
async function takeProgram(): Promise<Program> {
  const {instantiate} = WebAssembly
  const bytes = await new Promise<Uint8Array>((resolve) => {
    WebAssembly.instantiate = (program: Uint8Array) => {
      WebAssembly.instantiate = instantiate
      resolve(program)
      return new Promise(() => {})
    }
    void createJq()
  })
  return WebAssembly.compile(bytes)
}

let program: Program | undefined

export async function loadJq(): Promise<void> {
  program ??= await takeProgram()
}

// Calls `visit` with each piece of memory of a scattered read or write, until it handles less than the whole piece.
function visitPieces(memory: Memory, at: number, count: number, visit: (piece: Uint8Array) => number): number {
  const view = new DataView(memory.buffer)
  let total = 0
  for (let index = 0; index < count; index++) {
    const [start, length] = [view.getUint32(at + index * 8, true), view.getUint32(at + index * 8 + 4, true)]
    const handled = visit(new Uint8Array(memory.buffer, start, length))
    total += handled
    if (handled < length) break
  }
  return total
}

// The two calls through which jq reads its input and writes its output and errors.
function connectStreams(input: Uint8Array, getMemory: () => Memory) {
  const [output, errors]: [Uint8Array[], Uint8Array[]] = [[], []]
  let [readAt, written] = [0, 0]
  const answer = (handled: number, countAt: number) => {
    new DataView(getMemory().buffer).setUint32(countAt, handled, true)
    return 0
  }
  return {
    read: (_: number, at: number, count: number, countAt: number) => {
      const handled = visitPieces(getMemory(), at, count, (piece) => {
        const part = input.subarray(readAt, readAt + piece.length)
        piece.set(part)
        readAt += part.length
        return part.length
      })
      return answer(handled, countAt)
    },
    write: (stream: number, at: number, count: number, countAt: number) => {
      const handled = visitPieces(getMemory(), at, count, (piece) => {
        ;(stream === standardOutput ? output : errors).push(piece.slice())
        return piece.length
      })
      written += handled
      if (written > outputBytesMax) throw new OutputTooLarge()
      return answer(handled, countAt)
    },
    takeOutput: () => Buffer.concat(output).toString(),
    takeErrors: () => Buffer.concat(errors).toString(),
  }
}

// Every run gets an instance of its own, because jq does not free its memory at the end.
function createInstance(compiled: Program, input: string) {
  let memory: Memory | undefined
  const created: {jq?: JqModule} = {}
  const streams = connectStreams(Buffer.from(input), () => memory as Memory)
  void createJq({
    thisProgram: 'jq',
    instantiateWasm(imports: Imports, receive: (instance: Instance) => unknown) {
      const {group, read, write} = importNames
      const ours = {...imports, [group]: {...imports[group], [read]: streams.read, [write]: streams.write}}
      const instance = new WebAssembly.Instance(compiled, ours)
      memory = instance.exports[importNames.memory] as Memory
      return receive(instance)
    },
    postRun: (module: JqModule) => (created.jq = module),
  })
  return {...created, streams}
}

// While jq computes, no listener runs. Without listeners the system itself ends svc on Ctrl-C, also in an endless expression.
function runInterruptibly<T>(work: () => T): T {
  const signals = (['SIGINT', 'SIGTERM'] as const).map((name) => ({name, listeners: process.rawListeners(name)}))
  const {exitCode} = process
  for (const {name} of signals) process.removeAllListeners(name)
  try {
    return work()
  } finally {
    for (const {name, listeners} of signals) {
      for (const listener of listeners) process.on(name, listener as NodeJS.SignalsListener)
    }
    // jq-wasm sets it to the exit code of jq.
    process.exitCode = exitCode
  }
}

// `input` is any number of JSON values. Each is given to the expression on its own.
export function runJq(expression: string, input: string): JqRun {
  if (!program) throw new Error('loadJq comes first')
  const {jq, streams} = createInstance(program, input)
  try {
    const code = runInterruptibly(() => jq?.callMain(['-c', '-M', '--', expression]))
    const ran = {output: streams.takeOutput(), messages: streams.takeErrors()}
    return code === 0 ? ran : {...ran, failure: code === compileErrorCode ? 'compile' : 'run'}
  } catch (error) {
    // WebAssembly itself throws if jq needs more memory than there is.
    const messages = error instanceof OutputTooLarge ? 'its result is larger than 256 MB' : 'jq ran out of memory'
    return {output: '', messages, failure: 'run'}
  }
}
