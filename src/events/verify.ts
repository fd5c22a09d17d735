// Verifies stored events offline: their bytes and headers, as of the time at which they arrived.
import fs from 'node:fs'
import {parseJson} from '../values/json.ts'
import {svc} from '../values/text.ts'
import {toInstantMs} from '../values/time.ts'
import {SvcError, badUsage} from '../errors.ts'
import {readStdin} from '../cli/output/streams.ts'
import {parseEvent, untypedEvent} from './event.ts'
import {type StoredEvent, findEvent, listEventPages, toHeaders} from './record.ts'
import {type EventHeaders, type WebhookSecrets, signatureHeaders} from './signature.ts'
import {type EventStore, openExistingEventStore} from './store.ts'
import {readRegularFile} from '../storage/read-regular-file.ts'
import {isRecord} from '../values/records.ts'
import {parseRawHeaders} from './targets.ts'

export interface VerificationResult {
  id: string
  type: string
  receivedAt: string | undefined
  verified: boolean
  reason: string | undefined
  // What the signature covers, so that it can be verified on another machine.
  headers: EventHeaders
  body: string
}

const pickSignatureHeaders = (headers: EventHeaders): EventHeaders =>
  Object.fromEntries(signatureHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])))

function verifySignature(
  secrets: WebhookSecrets,
  headers: EventHeaders,
  body: Buffer,
  receivedAtMs: number | undefined,
): Omit<VerificationResult, 'id'> {
  const check = secrets.verify(headers, body, receivedAtMs ?? 'unknown')
  return {
    type: parseEvent(body)?.type ?? untypedEvent,
    receivedAt: receivedAtMs === undefined ? undefined : new Date(receivedAtMs).toISOString(),
    verified: check.verified,
    reason: check.verified ? undefined : check.reason,
    headers: pickSignatureHeaders(headers),
    body: body.toString(),
  }
}

const verifyStoredEvent = (
  secrets: WebhookSecrets,
  {id, headers, body, receivedAt}: StoredEvent,
): VerificationResult => ({
  id,
  ...verifySignature(secrets, toHeaders(parseRawHeaders(headers)), Buffer.from(body), receivedAt),
})

// Verifies an event in a file, which has the shape that `svc events verify ID --json` prints.
function verifyEventText(secrets: WebhookSecrets, text: string, name: string): VerificationResult {
  const createInputError = (why: string, cause?: unknown) =>
    badUsage(`What is in ${name} is no event: ${why}`, 'Give {"headers": {…}, "body": "…"}, the body as text', cause)
  let value: unknown
  try {
    value = parseJson(text)
  } catch (cause) {
    throw createInputError('it is not JSON', cause)
  }
  const {headers, body, receivedAt} = isRecord(value) ? value : {}
  if (typeof body !== 'string' || typeof headers !== 'object' || headers === null) {
    throw createInputError('it lacks headers or a body')
  }
  const lowerCaseHeaders = toHeaders(Object.entries(headers).flatMap(([key, header]) => [key, String(header)]))
  const result = verifySignature(secrets, lowerCaseHeaders, Buffer.from(body), toInstantMs(receivedAt))
  return {id: lowerCaseHeaders['webhook-id'] ?? '(no id)', ...result}
}

// `what` is the id of a stored event, a file, or "-" for standard input. Without it, all stored events are verified.
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
    if (isFile) return yield [verifyEventText(secrets, readRegularFile(what).toString(), what)]
    throw new SvcError({
      error: 'NOT_FOUND',
      kind: 'notFound',
      message: `There is no event ${what} in ${file}, and no file of that name`,
      hint: `${svc`events verify`} without an id verifies all stored events`,
    })
  } finally {
    store?.close()
  }
}

function* verifyAll(secrets: WebhookSecrets, store: EventStore | undefined): Generator<VerificationResult[]> {
  for (const page of store ? listEventPages(store) : []) yield page.map((event) => verifyStoredEvent(secrets, event))
}
