// The request log: the last requests with their replies, without personal data.
import type {Fault} from '../faults/faults.ts'
import type {Arrival} from '../../http/credential.ts'
import {isBusy} from '../../../storage/busy.ts'
import type {Database} from '../../store/database.ts'
import {redactBody, redactTarget} from './redact.ts'

interface Entry {
  arrival: Arrival
  method: string
  path: string
  search: string
  status: number
  // When it arrived, by performance.now().
  started: number
  body?: unknown
  reply: unknown
  fault?: Fault | undefined
}

export interface LoggedRequest {
  at: number
  method: string
  path: string
  // 0 if there was no response.
  status: number
  durationMs: number
  request: string | null
  reply: string | null
  fault: string | null
}

export interface RequestLog {
  add(entry: Entry): void
  // Writes the waiting entries.
  flush(): void
}

export interface LogSettings {
  // A server writes its entries in batches, because a transaction for each request would be slow.
  batchMs?: number | undefined
  // Called for every request when it is answered.
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

// The log need not survive a power failure, so it is written without waiting for the disk.
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
      // A failing log must not change a response. If the database was busy, the next flush tries again.
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
