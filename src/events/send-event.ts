// Sends an event once, to URLs or to the endpoints of the sandbox, and says what became of it.
import {randomBytes} from 'node:crypto'
import {SvcError} from '../errors.ts'
import type {Sandbox} from '../transport.ts'
import {isAccepted, postEvent, toResponseJson} from './post-event.ts'
import {WebhookSecrets, resendHeader} from './signature.ts'
import {stripQuery} from '../values/urls.ts'

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
  response?: {statusCode: number; body: string; cut?: true}
}

type OpenDelivery = ReturnType<Sandbox['webhooks']['openEvent']>[number]

const eventIdBytes = 12

export const createEventId = () => `evt_${randomBytes(eventIdBytes).toString('hex')}`

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
  message: EventMessage,
  url: string,
  headers: readonly string[],
  readsResponse: boolean,
): Promise<SentEvent> {
  const posted = await postEvent({
    url,
    headers: ['host', new URL(url).host, ...headers],
    body: message.body,
    readsResponse,
  })
  const {outcome = '', durationMs = 0, response} = posted ?? {}
  return {
    eventId: message.eventId,
    type: message.type,
    url: stripQuery(url),
    accepted: isAccepted(outcome),
    outcome,
    durationMs,
    ...(response && {response: toResponseJson(response)}),
  }
}

// Sends what the sandbox opened, all at once, and records each outcome. The sandbox retries what was not accepted.
export function sendToEndpoints(
  {webhooks}: Sandbox,
  deliveries: readonly OpenDelivery[],
  readsResponse: boolean,
): Promise<SentEvent[]> {
  return Promise.all(
    deliveries.map(async ({deliveryId, eventId, type, url, secret, body, isResend}) => {
      const message = {eventId, type, body: Buffer.from(body)}
      const headers = buildSignedHeaders(new WebhookSecrets([secret], 'The endpoint'), message, isResend)
      const sent = await sendToUrl(message, url, headers, readsResponse)
      const status = Number(sent.outcome)
      const outcome = Number.isInteger(status) ? {status} : {failure: sent.outcome}
      const {nextAttemptAt} = webhooks.closeDelivery(deliveryId, outcome)
      return {...sent, ...(nextAttemptAt !== undefined && {nextAttemptAt})}
    }),
  )
}

// The failure of a command that sent events, if one was not accepted.
export function describeNotAccepted(sent: readonly SentEvent[], isResponseShown: boolean): SvcError | undefined {
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
    hint: isAnswer
      ? `A handler accepts an event with a 2xx status${isResponseShown ? '' : '; --print-response shows what it answered'}`
      : 'Check that the handler is running',
  })
}
