// Checks events that arrived before, offline: their stored bytes against their stored headers, at the time of their arrival.
import fs from 'node:fs'
import {parseJson} from '../validation/exact-json.ts'
import {toInstantMs} from '../validation/instants.ts'
import {SvcError, badUsage} from '../errors.ts'
import {readStdin} from '../cli/output/streams.ts'
import {factsOf, untyped} from './event.ts'
import {type StoredEvent, eventById, eventsAfter, headersOf} from './record.ts'
import {type Headers, type Secrets, signatureHeaders} from './signature.ts'
import {EventStore} from './store.ts'

export interface Checked {
  id: string
  type: string
  receivedAt: string | undefined
  verified: boolean
  reason: string | undefined
  // What the signature is about, so that this can be checked anywhere else.
  headers: Headers
  body: string
}

const pageSize = 100

const signing = (headers: Headers): Headers =>
  Object.fromEntries(signatureHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))

function checked(
  secrets: Secrets,
  headers: Headers,
  body: Buffer,
  receivedAtMs: number | undefined,
): Omit<Checked, 'id'> {
  const verdict = secrets.judgeStored(headers, body, receivedAtMs)
  return {
    type: factsOf(body)?.type ?? untyped,
    receivedAt: receivedAtMs === undefined ? undefined : new Date(receivedAtMs).toISOString(),
    verified: verdict.verified,
    reason: verdict.verified ? undefined : verdict.reason,
    headers: signing(headers),
    body: body.toString(),
  }
}

const checkedEvent = (secrets: Secrets, {id, headers, body, receivedAt}: StoredEvent): Checked => ({
  id,
  ...checked(secrets, headersOf(JSON.parse(headers) as string[]), Buffer.from(body), receivedAt),
})

// An event in a file: its headers and its body as text, as `svc events verify ID --json` prints it.
function checkedText(secrets: Secrets, text: string, name: string): Checked {
  const wrong = (why: string, cause?: unknown) =>
    badUsage(`What is in ${name} is no event: ${why}`, 'Give {"headers": {…}, "body": "…"}, the body as text', cause)
  let value: Record<string, unknown>
  try {
    value = (parseJson(text) ?? {}) as Record<string, unknown>
  } catch (cause) {
    throw wrong('it is not JSON', cause)
  }
  const {headers, body, receivedAt} = value
  if (typeof body !== 'string' || typeof headers !== 'object' || headers === null) {
    throw wrong('it lacks headers or a body')
  }
  const named = headersOf(Object.entries(headers).flatMap(([key, header]) => [key, String(header)]))
  const result = checked(secrets, named, Buffer.from(body), toInstantMs(receivedAt))
  return {id: named['webhook-id'] ?? '(no id)', ...result}
}

// An id of the store, else a file, else standard input; all of the store where nothing is named.
export async function* verify(secrets: Secrets, what: string | undefined, file: string): AsyncGenerator<Checked[]> {
  if (what === '-') return yield [checkedText(secrets, await readStdin(), 'standard input')]
  const isFile = what !== undefined && fs.existsSync(what)
  const store = isFile && !fs.existsSync(file) ? undefined : new EventStore(file, {mustExist: true})
  try {
    if (what === undefined) return yield* all(secrets, store)
    const event = store && eventById(store, what)
    if (event) return yield [checkedEvent(secrets, event)]
    if (isFile) return yield [checkedText(secrets, fs.readFileSync(what, 'utf8'), what)]
    throw new SvcError({
      error: 'NOT_FOUND',
      kind: 'notFound',
      message: `There is no event ${what} in ${file}, and no file of that name`,
      hint: '`svc events verify` without an id checks all that are stored',
    })
  } finally {
    store?.close()
  }
}

async function* all(secrets: Secrets, store: EventStore | undefined): AsyncGenerator<Checked[]> {
  if (!store) return
  for (let from = 0; ;) {
    const page = eventsAfter(store, from, pageSize)
    if (page.length > 0) yield page.map((event) => checkedEvent(secrets, event))
    from = page.at(-1)?.seq ?? from
    if (page.length < pageSize) return
  }
}
