// Runs a program once and says how long it took, on the clock and on the processor, and how much memory it used at most.
import {spawn} from 'node:child_process'
import path from 'node:path'
import {root} from '../surface.ts'

export interface TimedRun {
  ms: number
  cpuMs: number
  // Zero unless it was asked for.
  megabytes: number
  stderr: string
}

export interface TimedOptions {
  env?: NodeJS.ProcessEnv
  // Loads a module into the program, which has to run in Node, that tells its memory at the end.
  memory?: boolean
  codes?: readonly number[]
}

// Node tells the CPU time of a child only in units of 10 ms, which is a quarter of the time of a bare Node. Bash tells it, and the
// time on the clock, in milliseconds. File descriptor 5 takes the times, and 3 the memory.
const script = `TIMEFORMAT='%R %U %S'; exec 4>&2 2>&5; time "$@" 2>&4 4>&- 5>&-; exit $?`
const tellMemory = path.join(root, 'scripts/bench/tell-memory.mjs')
const kilobytesPerMegabyte = 1024
const memoryDescriptor = 3
const timesDescriptor = 5

// A server of the bench runs in this process, so the wait must not block it.
export function runTimed(
  [program = '', ...args]: readonly string[],
  {env = process.env, memory = false, codes = [0]}: TimedOptions = {},
): Promise<TimedRun> {
  const command = [program, ...(memory ? ['--import', tellMemory] : []), ...args]
  const child = spawn('bash', ['-c', script, 'bash', ...command], {
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'ignore', 'pipe'],
  })
  const texts = new Map<number, string>()
  for (const descriptor of [2, memoryDescriptor, timesDescriptor])
    child.stdio[descriptor]?.on('data', (chunk: Buffer) =>
      texts.set(descriptor, (texts.get(descriptor) ?? '') + chunk.toString()),
    )
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      const stderr = texts.get(2) ?? ''
      if (!codes.includes(code ?? -1)) return reject(new Error(`${command.join(' ')} ended with ${code}: ${stderr}`))
      const [real = 0, user = 0, system = 0] = (texts.get(timesDescriptor) ?? '').trim().split(' ').map(Number)
      const megabytes = Number(texts.get(memoryDescriptor) ?? 0) / kilobytesPerMegabyte
      resolve({ms: real * 1000, cpuMs: (user + system) * 1000, megabytes, stderr})
    })
  })
}

export const toCost = ({ms, cpuMs}: TimedRun) => ({value: ms, byCpu: cpuMs})
