// Checks events that arrived before, offline: their stored bytes against their stored headers, at the time of their arrival.
import fs from 'node:fs'
import {parseJson} from '../validation/exact-json.ts'
import {toInstantMs} from '../validation/instants.ts'
import {SvcError, badUsage} from '../errors.ts'
import {readStdin} from '../cli/output/streams.ts'
import {parseEvent, untypedEvent} from './event.ts'
import {type StoredEvent, findEvent, listEventsAfter, toHeaders} from './record.ts'
import {type EventHeaders, type WebhookSecrets, signatureHeaders} from './signature.ts'
import {type EventStore, openExistingEventStore} from './store.ts'

export interface VerificationResult {
  id: string
  type: string
  receivedAt: string | undefined
  verified: boolean
  reason: string | undefined
  // What the signature is about, so that this can be checked anywhere else.
  headers: EventHeaders
  body: string
}

const pageSize = 100

const pickSignatureHeaders = (headers: EventHeaders): EventHeaders =>
  Object.fromEntries(signatureHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))

function verifySignature(
  secrets: WebhookSecrets,
  headers: EventHeaders,
  body: Buffer,
  receivedAtMs: number | undefined,
): Omit<VerificationResult, 'id'> {
  const verdict = secrets.verifyStored(headers, body, receivedAtMs)
  return {
    type: parseEvent(body)?.type ?? untypedEvent,
    receivedAt: receivedAtMs === undefined ? undefined : new Date(receivedAtMs).toISOString(),
    verified: verdict.verified,
    reason: verdict.verified ? undefined : verdict.reason,
    headers: pickSignatureHeaders(headers),
    body: body.toString(),
  }
}

const verifyStoredEvent = (
  secrets: WebhookSecrets,
  {id, headers, body, receivedAt}: StoredEvent,
): VerificationResult => ({
  id,
  ...verifySignature(secrets, toHeaders(JSON.parse(headers) as string[]), Buffer.from(body), receivedAt),
})

// An event in a file: its headers and its body as text, as `svc events verify ID --json` prints it.
function verifyEventText(secrets: WebhookSecrets, text: string, name: string): VerificationResult {
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
  const named = toHeaders(Object.entries(headers).flatMap(([key, header]) => [key, String(header)]))
  const result = verifySignature(secrets, named, Buffer.from(body), toInstantMs(receivedAt))
  return {id: named['webhook-id'] ?? '(no id)', ...result}
}

// An id of the store, else a file, else standard input; all of the store where nothing is named.
export async function* verifyEvents(
  secrets: WebhookSecrets,
  what: string | undefined,
  file: string,
): AsyncGenerator<VerificationResult[]> {
  if (what === '-') return yield [verifyEventText(secrets, await readStdin(), 'standard input')]
  const isFile = what !== undefined && fs.existsSync(what)
  const store = isFile && !fs.existsSync(file) ? undefined : openExistingEventStore(file)
  try {
    if (what === undefined) return yield* verifyAll(secrets, store)
    const event = store && findEvent(store, what)
    if (event) return yield [verifyStoredEvent(secrets, event)]
    if (isFile) return yield [verifyEventText(secrets, fs.readFileSync(what, 'utf8'), what)]
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

async function* verifyAll(
  secrets: WebhookSecrets,
  store: EventStore | undefined,
): AsyncGenerator<VerificationResult[]> {
  if (!store) return
  for (let from = 0; ;) {
    const page = listEventsAfter(store, from, pageSize)
    if (page.length > 0) yield page.map((event) => verifyStoredEvent(secrets, event))
    from = page.at(-1)?.seq ?? from
    if (page.length < pageSize) return
  }
}
