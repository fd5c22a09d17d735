// Sends an event once, to URLs or to the endpoints of the sandbox, and says what became of it.
import {randomBytes} from 'node:crypto'
import {applyAssignment, convertUntyped} from '../cli/body/assignments.ts'
import {customer as customerSchema} from '../contract/customers.ts'
import {SvcError, badUsage} from '../errors.ts'
import type {Sandbox} from '../transport.ts'
import {parseJson} from '../values/json.ts'
import {toMadeUpEventId} from '../values/event-ids.ts'
import {stripQuery} from '../values/urls.ts'
import {createNotKnownError, withStore} from './history.ts'
import {isAccepted, postEvent} from './post-event.ts'
import {type StoredEvent, findEvent} from './record.ts'
import {WebhookSecrets, resendHeader} from './signature.ts'
import {buildForwardHeaders, parseRawHeaders} from './targets.ts'

// An event as it is posted.
export interface EventMessage {
  eventId: string
  type: string
  body: Uint8Array
}

export interface SentEvent {
  eventId: string
  type: string
  url: string
  accepted: boolean
  // An HTTP status, or the name of the failure.
  outcome: string
  durationMs: number
  // When the sandbox tries again, if it does.
  nextAttemptAt?: string
}

type OpenDelivery = ReturnType<Sandbox['webhooks']['openEvent']>[number]

const eventIdBytes = 12

export const createMadeUpEventId = () => toMadeUpEventId(`evt_${randomBytes(eventIdBytes).toString('hex')}`)

// The headers of an event that svc signs itself.
export function buildSignedHeaders(secrets: WebhookSecrets, message: EventMessage, isResend: boolean): string[] {
  const headers = {
    'content-type': 'application/json',
    'content-length': String(message.body.length),
    'user-agent': 'svc',
    ...secrets.sign(message.eventId, Buffer.from(message.body).toString()),
    ...(isResend && {[resendHeader]: 'true'}),
  }
  return Object.entries(headers).flat()
}

export async function sendToUrl(
  {eventId, type, body}: EventMessage,
  url: string,
  headers: readonly string[],
): Promise<SentEvent> {
  const posted = await postEvent({url, headers: ['host', new URL(url).host, ...headers], body})
  const {outcome = '', durationMs = 0} = posted ?? {}
  return {eventId, type, url: stripQuery(url), accepted: isAccepted(outcome), outcome, durationMs}
}

// Sends what the sandbox opened, all at once, and records each outcome. The sandbox retries what was not accepted.
export function sendToEndpoints({webhooks}: Sandbox, deliveries: readonly OpenDelivery[]): Promise<SentEvent[]> {
  return Promise.all(
    deliveries.map(async ({deliveryId, eventId, type, url, secret, body, isResend}) => {
      const message = {eventId, type, body: Buffer.from(body)}
      const headers = buildSignedHeaders(new WebhookSecrets([secret], 'The endpoint'), message, isResend)
      const sent = await sendToUrl(message, url, headers)
      const status = Number(sent.outcome)
      const outcome = Number.isInteger(status) ? {status} : {failure: sent.outcome}
      const {nextAttemptAt} = webhooks.closeDelivery(deliveryId, outcome)
      return {...sent, ...(nextAttemptAt !== undefined && {nextAttemptAt})}
    }),
  )
}

// The failure of a command that sent events, if one was not accepted.
export function describeNotAccepted(sent: readonly SentEvent[]): SvcError | undefined {
  const rejections = sent.filter(({accepted}) => !accepted)
  const [first] = rejections
  if (!first) return undefined
  const isAnswer = /^\d+$/.test(first.outcome)
  const what = isAnswer ? `${first.url} answered ${first.outcome}` : `${first.url} did not answer (${first.outcome})`
  return new SvcError({
    error: 'NOT_ACCEPTED',
    kind: 'finding',
    message:
      sent.length === 1
        ? `The event was not accepted: ${what}`
        : `${rejections.length} of ${sent.length} did not accept the event: ${what}`,
    hint: isAnswer ? 'A handler accepts an event with a 2xx status' : 'Check that the handler is running',
  })
}

const envelopeFields: readonly string[] = ['type', 'timestamp', 'data']
const customerFields = Object.keys(customerSchema.shape)

// Only the first name of a path is checked: a handler must cope with anything below.
function checkPath(assignment: string): void {
  const [, name = ''] = /^([^.[=:]+)/.exec(assignment) ?? []
  if (name === '' || envelopeFields.includes(name)) return
  const isCustomerField = customerFields.includes(name)
  throw badUsage(
    `The body of an event has no field ${name}`,
    isCustomerField
      ? `The customer is in data: write --set data.${assignment.replace(/=.*$/s, '=…')}`
      : `Its fields are ${envelopeFields.join(', ')}, and data holds the customer`,
  )
}

// Builds an event that the user makes up: a customer with the given fields changed, in the envelope that the sandbox uses.
export function buildOwnEvent(type: string, customer: object, nowMs: number, assignments: readonly string[]): string {
  for (const assignment of assignments) checkPath(assignment)
  const timestamp = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z')
  const body: Record<string, unknown> = {type, timestamp, data: parseJson(JSON.stringify(customer))}
  for (const assignment of assignments) applyAssignment(body, assignment, convertUntyped)
  return JSON.stringify(body)
}

// The secret that code behind a URL already verifies the events of the sandbox with: that of the endpoint with this URL, or else that
// of a running `svc events listen`, which forwards with its own signature.
export function findSandboxSecret({webhooks}: Sandbox, urls: readonly string[]): WebhookSecrets | undefined {
  const enabled = webhooks.list({showSecrets: true}).filter(({status}) => status === 'ENABLED')
  const own = urls.length === 1 ? enabled.find(({url}) => url === urls[0]) : undefined
  const secret = (own ?? enabled.find(({owner}) => owner !== undefined))?.secret
  return secret === undefined ? undefined : new WebhookSecrets([secret], 'The sandbox')
}

interface ResendOptions {
  id: string
  urls: readonly string[]
  secrets: WebhookSecrets | undefined
  notice: (text: string) => void
}

// A stored event keeps its own headers. Without the secret its signature is the old one, which says when it was made.
function buildHeaders(event: StoredEvent, message: EventMessage, url: string, options: ResendOptions): string[] {
  if (options.secrets) return buildSignedHeaders(options.secrets, message, true)
  const raw = [...parseRawHeaders(event.headers), resendHeader, 'true']
  const [, , ...headers] = buildForwardHeaders({...event, headers: JSON.stringify(raw)}, url)
  return headers
}

const oldSignature =
  'Its signature is the one that it arrived with. A handler that rejects signatures older than five minutes needs a new one: --secret-file.'

// Sends a stored event once more: to URLs, or to where it was forwarded before.
export async function resendEvent(storeFile: string, options: ResendOptions): Promise<SentEvent[]> {
  const {id} = options
  const [event, targets = []] =
    withStore(storeFile, (store) => {
      const stored = findEvent(store, id)
      const rows = store.all<{target: string}>('select target from deliveries where seq = ?', stored?.seq ?? 0)
      return [stored, rows.map(({target}) => target)] as const
    }) ?? []
  if (!event) throw createNotKnownError(id)
  const urls = options.urls.length > 0 ? options.urls : targets
  if (urls.length === 0) {
    throw badUsage(`The event ${id} was not forwarded to anything`, 'Say where it goes with --forward-to URL')
  }
  const message = {eventId: event.id, type: event.type, body: event.body}
  if (!options.secrets) options.notice(oldSignature)
  return Promise.all(urls.map((url) => sendToUrl(message, url, buildHeaders(event, message, url, options))))
}
