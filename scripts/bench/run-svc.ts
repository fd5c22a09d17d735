// Runs svc once and says how long it took, on the clock and on the processor, and how much memory it had at the most.
import {spawn} from 'node:child_process'
import path from 'node:path'
import {root} from '../surface.ts'

export const bin = path.join(root, 'bin/run.js')
const runner = path.join(root, 'scripts/bench/peak-memory.mjs')

export interface Ended {
  seconds: number
  cpuMs: number
  err: string
  peakMiB: number
}

export async function runSvc(
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  {input, codes = [0]}: {input?: string; codes?: readonly number[]} = {},
): Promise<Ended> {
  const begun = performance.now()
  const child = spawn(process.execPath, ['--import', runner, bin, ...args], {env, stdio: ['pipe', 'ignore', 'pipe']})
  let err = ''
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  child.stdin.end(input)
  const code = await new Promise((resolve) => child.once('close', resolve))
  const seconds = (performance.now() - begun) / 1000
  if (!codes.includes(Number(code))) throw new Error(`svc ${args.join(' ')} ended with ${String(code)}: ${err}`)
  const [, peak = '0', cpu = '0'] = /peak (\d+) KiB, (\d+) ms of CPU/.exec(err) ?? []
  return {seconds, cpuMs: Number(cpu), err, peakMiB: Number(peak) / 1024}
}
