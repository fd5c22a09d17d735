// The request log: the last requests with their replies, without personal data.
import {isBusy} from '../../../storage/sqlite-error.ts'
import type {Arrival} from '../../http/credential.ts'
import {StoredList} from '../../http/reply.ts'
import type {Database} from '../../store/database.ts'
import type {Fault} from '../faults/faults.ts'

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

// Ids, states, codes, amounts and times are kept, which is enough to follow what happened. Every other value is replaced by a mark:
// sentences too, since they may quote what a caller sent.
const mark = '…'

// The fields that are kept, and the pattern that a value must match, because a caller can send anything in any field.
const id = /^[\w.:-]{1,120}$/
const code = /^[A-Z][A-Z\d_]{0,80}$/
const amount = /^-?\d{1,30}(\.\d{1,30})?$/

const keptFields: ReadonlyArray<readonly [pattern: RegExp, fields: string]> = [
  [id, 'id customerId organizationId paymentAccountId quoteId transactionId correlationId'],
  [id, 'sourcePaymentAccountId destinationPaymentAccountId sourceReferenceId destinationReferenceId'],
  [/^[\w-]{1,200}$/, 'nextPageToken'],
  [code, 'customerType customerStatus paymentAccountType paymentAccountStatus transactionStatus'],
  [code, 'type subtype code error sourceCurrency destinationCurrency bankAccountCurrency label chain'],
  [code, 'sourcePaymentMethod destinationPaymentMethod transferPaymentMethod developerFeeType'],
  [code, 'bankAccountPaymentMethod availablePaymentMethods'],
  [amount, 'sourceAmount destinationAmount feeAmount feeUSDAmount developerFeeAmount value'],
  [amount, 'thresholdAmount estimatedExchangeRate exchangeRate statusCode currencyDecimals'],
  [/^\d{4}-\d\d-\d\dT[\d:.]{5,15}Z$/, 'createdAt updatedAt expiresAt timestamp'],
  [/^[\d*,/A-Z -]{9,60}$/, 'cronSchedule'],
]

const patternByField = new Map(
  keptFields.flatMap(([pattern, fields]) => fields.split(' ').map((field) => [field, pattern] as const)),
)

// A caller can put a credential into any parameter, and no pattern tells it from an id, so that only the names of those of the
// interface are kept.
const isQueryName = (name: string) =>
  patternByField.has(name) || ['pageToken', 'pageSize', 'includePaymentMethods'].includes(name)

const textLengthMax = 200
const itemsMax = 3
const fieldsMax = 40
const depthMax = 8
const bodyLengthMax = 4_000

const plainField = /^[A-Za-z]\w{0,60}$/
const isPlain = (field: string) => patternByField.has(field) || plainField.test(field)
const plainSegment = /^[\w.~:{}-]{0,80}$/

const shorten = (text: string) => (text.length > textLengthMax ? `${text.slice(0, textLengthMax)}${mark}` : text)

function redactValue(field: string, value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value
  // Stored items are not parsed for the log: it would take a fifth of the time of a page.
  if (value instanceof StoredList) return [`${mark} ${value.texts.length} more`]
  if (Array.isArray(value)) return redactList(field, value, depth)
  if (typeof value === 'object') return redactObject(value, depth + 1)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return patternByField.get(field)?.test(text) ? value : mark
}

function redactList(field: string, list: readonly unknown[], depth: number): unknown {
  if (depth > depthMax) return mark
  const shown = list.slice(0, itemsMax).map((item) => redactValue(field, item, depth + 1))
  return list.length > itemsMax ? [...shown, `${mark} ${list.length - itemsMax} more`] : shown
}

function redactObject(value: object, depth: number): unknown {
  if (depth > depthMax) return mark
  const result: Record<string, unknown> = {}
  let count = 0
  for (const field of Object.keys(value)) {
    // The name of a field in a request can be anything, even the name of a person.
    if (count++ >= fieldsMax || !isPlain(field)) result[mark] = mark
    else result[field] = redactValue(field, (value as Record<string, unknown>)[field], depth)
  }
  return result
}

export function redactBody(body: unknown): string | null {
  if (body === undefined) return null
  const text = JSON.stringify(redactValue('', body, 0))
  return text.length > bodyLengthMax ? JSON.stringify(mark) : text
}

// Anybody with the token of a form can open it.
const formToken = /^form_/

const redactSegment = (segment: string) => (plainSegment.test(segment) && !formToken.test(segment) ? segment : mark)

// A path can contain anything as well.
const redactPath = (path: string) => shorten(path.split('/').map(redactSegment).join('/'))

const redactSearch = (search: string) =>
  [...new URLSearchParams(search)]
    .slice(0, fieldsMax)
    .map(([name]) => `${isQueryName(name) ? name : mark}=${mark}`)
    .join('&')

const redactTarget = (path: string, search: string): string =>
  search === '' ? redactPath(path) : `${redactPath(path)}?${redactSearch(search)}`
