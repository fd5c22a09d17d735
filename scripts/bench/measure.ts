// Measures one run of a program, and the load that a server takes.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import type {Cost} from './row.ts'

// Node tells the CPU time of a child only in units of 10 ms, which is a quarter of the time of a bare Node. Bash tells it, and the
// time on the clock, in milliseconds, on file descriptor 3.
const script = `TIMEFORMAT='%R %U %S'; exec 4>&2 2>&3; time "$@" 2>&4 4>&- 3>&-; exit $?`

// In milliseconds.
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

const clockTickMs = 10

// The CPU time that a process has used so far, user and system, where the system tells it.
export function readCpuMs(pid: number | undefined): number {
  try {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
    return (Number(fields?.[11]) + Number(fields?.[12])) * clockTickMs
  } catch {
    return Number.NaN
  }
}

export interface LoadRequest {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

type Send = (request: LoadRequest) => Promise<string>

// Keep-alive connections that each go on with `work` until it says that nothing is left. Returns how often it was done in a second.
export async function runLoad(
  {url, apiKey}: {url: string; apiKey: string},
  connections: number,
  work: (send: Send) => Promise<boolean>,
): Promise<number> {
  const agent = new http.Agent({keepAlive: true, maxSockets: connections})
  const send: Send = ({method, path, headers = {}, body}) =>
    new Promise((resolve, reject) => {
      const type = body !== undefined && {'content-type': 'application/json', 'content-length': Buffer.byteLength(body)}
      const all = {authorization: `Bearer ${apiKey}`, ...headers, ...type}
      const request = http.request(`${url}${path}`, {method, agent, headers: all}, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`${method} ${path} was answered ${response.statusCode}: ${text}`))
        })
      })
      request.on('error', reject)
      request.end(body)
    })
  const begun = performance.now()
  let done = 0
  const goOn = async () => {
    while (await work(send)) done++
  }
  await Promise.all(Array.from({length: connections}, goOn))
  agent.destroy()
  return done / ((performance.now() - begun) / 1000)
}
