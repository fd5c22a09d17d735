// For the tests of events: a listener in a process of its own, senders, and sample events.
import {type ChildProcess, spawn} from 'node:child_process'
import http from 'node:http'
import {DatabaseSync} from 'node:sqlite'
import {Webhook} from 'standardwebhooks'
import {onTestFinished} from 'vitest'
import {customer} from '../../support/service.ts'
import {type Home, bin} from '../../support/svc.ts'

export type Line = Record<string, unknown>

export interface Listener {
  url: string
  child: ChildProcess
  lines(): Line[]
  err(): string
  // Resolves when this many lines match.
  has(count: number, matches: (line: Line) => boolean): Promise<Line[]>
  ended: Promise<number | null>
}

const pollMs = 10
const busyMs = 60_000

export const isEvent = (line: Line) => 'receivedAt' in line

export async function startListener(
  home: Home,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Listener> {
  const child = spawn(process.execPath, [bin, 'events', 'listen', '-o', 'jsonl', ...args], {
    cwd: home.folder,
    env: {...home.env, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: Line[] = []
  let [rest, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) lines.push(JSON.parse(part) as Line)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const has: Listener['has'] = async (count, matches) => {
    for (;;) {
      const found = lines.filter(matches)
      if (found.length >= count) return found
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${err}`)
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
  }
  const [ready] = await has(1, ({state}) => state === 'listening')
  return {url: String(ready?.['url']), child, lines: () => lines, err: () => err, has, ended}
}

export const secret = `whsec_${Buffer.from('a secret of thirty-two letters..').toString('base64')}`

export const createUpdate = (number: number, more: Record<string, unknown> = {}) =>
  JSON.stringify({type: 'customer.updated', timestamp: '2026-11-01T12:00:00Z', data: customer(number, more)})

export function sign(id: string, body: string, at = new Date(), key = secret): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(key).sign(id, at, body),
  }
}

// The status of the reply; rejects if there was none.
export function post(url: string, body: string | Buffer, headers: Record<string, string> = {}, agent?: http.Agent) {
  return new Promise<number>((resolve, reject) => {
    const request = http.request(url, {method: 'POST', headers, agent: agent ?? false}, (response) => {
      response.resume()
      response.on('error', reject)
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
    request.on('error', reject)
    request.end(body)
  })
}

// Sends many events at a time over kept connections, until the listener is gone; returns those that got a 2xx reply.
export async function postAll(url: string, ids: readonly string[], createBody: (id: string) => string, sockets = 32) {
  const agent = new http.Agent({keepAlive: true, maxSockets: sockets})
  const acknowledged = new Set<string>()
  const waiting = ids.values()
  const sendAll = async () => {
    for (const id of waiting) {
      const status = await post(url, createBody(id), {'webhook-id': id}, agent).catch(() => 0)
      if (status === 0) return
      if (status >= 200 && status < 300) acknowledged.add(id)
    }
  }
  await Promise.all(Array.from({length: sockets}, sendAll))
  agent.destroy()
  return acknowledged
}

// Reads the store directly.
export function queryStore<Row>(file: string, sql: string): Row[] {
  const database = new DatabaseSync(file, {readOnly: true, timeout: busyMs})
  try {
    return database.prepare(sql).all() as Row[]
  } finally {
    database.close()
  }
}
