// Sends an event to an endpoint, signed according to Standard Webhooks.
import {Webhook} from 'standardwebhooks'
import {getSystemCode} from '../../../errors.ts'

export interface Message {
  eventId: string
  url: string
  secret: string
  body: string
  isResend: boolean
}

// An HTTP status, or the name of the failure.
export type Outcome = {status: number} | {failure: string}

// Tells a receiver that removes duplicates that this one was asked for. docs/events.md describes it.
const resendHeader = 'svc-event-resend'

const timedOut = 'TIMEOUT'

// Signed with real time, because receivers reject signatures that are more than five minutes old. The body has the virtual
// time of the event.
function buildHeaders({eventId, secret, body, isResend}: Message) {
  const sentAt = new Date()
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'svc-sandbox',
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(eventId, sentAt, body),
    ...(isResend && {[resendHeader]: 'true'}),
  }
}

// Redirects are not followed: their status is the outcome. An attempt that was stopped has no outcome.
export function sendAttempt(message: Message, timeoutMs: number, stop: AbortSignal): Promise<Outcome | undefined> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const {request} = process.getBuiltinModule(message.url.startsWith('https:') ? 'node:https' : 'node:http')
  return new Promise((resolve) => {
    const outgoing = request(message.url, {
      method: 'POST',
      headers: buildHeaders(message),
      // A new connection for each attempt: the endpoint may close a kept one at the moment it is used again.
      agent: false,
      signal: AbortSignal.any([timeout, stop]),
    })
    outgoing.on('response', (response) => {
      // The body is read and dropped, so that the endpoint can finish its response.
      response.on('error', () => {})
      response.resume()
      resolve({status: response.statusCode ?? 0})
    })
    outgoing.on('error', (error) => {
      if (stop.aborted) resolve(undefined)
      else resolve({failure: timeout.aborted ? timedOut : (getSystemCode(error) ?? String(error))})
    })
    outgoing.end(message.body)
  })
}
