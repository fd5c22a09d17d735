// Runs a program once and says how long it took, on the clock and on the processor.
import {spawn} from 'node:child_process'
import type {Cost} from './row.ts'

// Node tells the CPU time of a child only in units of 10 ms, which is a quarter of the time of a bare Node. Bash tells it, and the
// time on the clock, in milliseconds, on file descriptor 3.
const script = `TIMEFORMAT='%R %U %S'; exec 4>&2 2>&3; time "$@" 2>&4 4>&- 3>&-; exit $?`

// In milliseconds. A server of the bench runs in this process, so the wait must not block it.
export function runTimed(command: readonly string[], env: NodeJS.ProcessEnv): Promise<Required<Cost>> {
  const child = spawn('bash', ['-c', script, 'bash', ...command], {env, stdio: ['ignore', 'ignore', 'pipe', 'pipe']})
  const [, , stderr, times] = child.stdio.map((stream) => {
    const chunks: Buffer[] = []
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk))
    return () => Buffer.concat(chunks).toString()
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code !== 0) return reject(new Error(`${command.join(' ')} ended with ${code}: ${stderr?.()}`))
      const [real = 0, user = 0, system = 0] = (times?.() ?? '').trim().split(' ').map(Number)
      return resolve({value: real * 1000, byCpu: (user + system) * 1000})
    })
  })
}

// The same cost as so many rows a second.
export const toRate = (rows: number, {value, byCpu}: Required<Cost>): Cost => ({
  value: rows / (value / 1000),
  byCpu: rows / (byCpu / 1000),
})
