// Runs `svc payouts run` as a process of its own, and kills it (SIGKILL) at a moment that a plan chose.
import {spawn} from 'node:child_process'

// Most processes are killed while they pay, some earlier: while they start, read the file or look for earlier payments.
const atWorkShare = 0.8
const workMaxMs = 700
const lifeMaxMs = 2500

export interface KillMoment {
  // Counted from the start of the process, or from the first row that it has paid.
  startMs?: number
  workMs?: number
}

export const pickKillMoment = (random: () => number, lifeMs = lifeMaxMs): KillMoment =>
  random() < atWorkShare ? {workMs: random() * workMaxMs} : {startMs: random() * lifeMs}

export interface KilledRun {
  code: number | null
  killed: boolean
  // Whether it had reported a row that it paid itself.
  atWork: boolean
  stderr: string
}

export interface RunProgram {
  // The program and its first arguments that start svc.
  command: readonly [string, ...string[]]
  env: NodeJS.ProcessEnv
}

export function runUntilKilled(
  {command: [file, ...first], env}: RunProgram,
  args: readonly string[],
  moment: KillMoment = {},
): Promise<KilledRun> {
  const child = spawn(file, [...first, ...args], {env, stdio: ['ignore', 'pipe', 'pipe']})
  const end = () => void child.kill('SIGKILL')
  // Nothing of it is left if this process ends first.
  process.once('exit', end)
  let [atWork, killed, tail, stderr] = [false, false, '', '']
  let timer: NodeJS.Timeout | undefined
  const killIn = (ms: number) => {
    timer ??= setTimeout(() => {
      killed = true
      end()
    }, ms)
  }
  if (moment.startMs !== undefined) killIn(moment.startMs)
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (tail + chunk.toString()).split('\n')
    tail = lines.pop() ?? ''
    atWork ||= lines.some((line) => line.includes('"CREATED"') && !line.includes('"madeBefore"'))
    if (atWork && moment.workMs !== undefined) killIn(moment.workMs)
  })
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(timer)
      process.off('exit', end)
      resolve({code, killed: killed && code === null, atWork, stderr})
    })
  })
}
