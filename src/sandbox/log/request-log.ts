// The log of requests: each is put down with what was asked and answered, and only the last ones are kept.
import type {Fault} from '../faults/faults.ts'
import type {Arrival} from '../http/credential.ts'
import {isBusy} from '../../storage/busy.ts'
import type {Database} from '../store/database.ts'
import {redactBody, redactTarget} from './redact.ts'

interface Entry {
  arrival: Arrival
  method: string
  path: string
  search: string
  status: number
  // When it came, on the clock of performance.now().
  started: number
  body?: unknown
  reply: unknown
  fault?: Fault | undefined
}

export interface LoggedRequest {
  at: number
  method: string
  path: string
  // 0 where nothing was answered.
  status: number
  durationMs: number
  request: string | null
  reply: string | null
  fault: string | null
}

export interface RequestLog {
  add(entry: Entry): void
  // Puts down what waits.
  flush(): void
}

export interface LogSettings {
  // Whoever answers many requests puts them down together, so that the log costs next to nothing.
  batchMs?: number | undefined
  // Hears of every request as it is answered.
  onRequest?: ((request: LoggedRequest) => void) | undefined
  onFault: (error: unknown) => void
}

const rowsMax = 10_000
const batchMax = 500
const methodLengthMax = 20
const microsecondsPerMillisecond = 1_000

const insert =
  'insert into requests (at, method, path, status, durationMs, request, reply, fault) values (?, ?, ?, ?, ?, ?, ?, ?)'
const trim = 'delete from requests where seq <= (select max(seq) from requests) - ?'

const toMicroseconds = (ms: number) => Math.round(ms * microsecondsPerMillisecond) / microsecondsPerMillisecond

function toLoggedRequest({arrival, method, path, search, status, started, body, reply, fault}: Entry): LoggedRequest {
  return {
    at: arrival.at,
    method: method.slice(0, methodLengthMax),
    path: redactTarget(path, search),
    status,
    durationMs: arrival.frozen ? 0 : toMicroseconds(performance.now() - started),
    request: redactBody(body),
    reply: redactBody(reply),
    fault: fault?.kind ?? null,
  }
}

function insertRequests(database: Database, requests: readonly LoggedRequest[]) {
  database.transact(() => {
    for (const {at, method, path, status, durationMs, request, reply, fault} of requests) {
      database.run(insert, at, method, path, status, durationMs, request, reply, fault)
    }
    database.run(trim, rowsMax)
  })
}

// The log alone need not survive a power cut, so it is kept without waiting for the disk.
function insertWithoutSync(database: Database, requests: readonly LoggedRequest[]) {
  database.run('pragma synchronous = normal')
  try {
    insertRequests(database, requests)
  } finally {
    database.run('pragma synchronous = full')
  }
}

export function createRequestLog(database: Database, {batchMs, onRequest, onFault}: LogSettings): RequestLog {
  let waiting: LoggedRequest[] = []
  let timer: NodeJS.Timeout | undefined

  function flush() {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return
    const requests = waiting
    waiting = []
    try {
      insertWithoutSync(database, requests)
    } catch (error) {
      // An answer is never held up or changed for the sake of the log.
      if (!isBusy(error)) return onFault(error)
      waiting = [...requests, ...waiting].slice(-rowsMax)
    }
  }

  return {
    add(entry) {
      const request = toLoggedRequest(entry)
      waiting.push(request)
      onRequest?.(request)
      if (batchMs === undefined || waiting.length >= batchMax) flush()
      else timer ??= setTimeout(flush, batchMs)
    },
    flush,
  }
}
