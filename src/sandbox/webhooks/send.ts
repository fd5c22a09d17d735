// Sends one attempt over HTTP, signed after Standard Webhooks.
import {Webhook} from 'standardwebhooks'

export interface Message {
  eventId: string
  url: string
  secret: string
  body: string
}

// What came of it: a status, or the name of what kept it from coming.
export type Outcome = {status: number} | {failure: string}

const timedOut = 'TIMEOUT'

// In wall time, since receivers refuse what is more than five minutes off; the event itself says when it happened.
function buildHeaders({eventId, secret, body}: Message) {
  const sentAt = new Date()
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'user-agent': 'svc-sandbox',
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(eventId, sentAt, body),
  }
}

const toFailureName = (error: unknown) =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : String(error)

// Nothing is followed: a redirect is an answer like any other. An attempt that was stopped has no outcome.
export function sendAttempt(message: Message, timeoutMs: number, stop: AbortSignal): Promise<Outcome | undefined> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const {request} = process.getBuiltinModule(message.url.startsWith('https:') ? 'node:https' : 'node:http')
  return new Promise((resolve) => {
    const outgoing = request(message.url, {
      method: 'POST',
      headers: buildHeaders(message),
      // A connection of its own: one that is kept may be closed by the other side just when it is used again.
      agent: false,
      signal: AbortSignal.any([timeout, stop]),
    })
    outgoing.on('response', (response) => {
      // The status is the answer; what follows it is read only so that the other side can finish.
      response.on('error', () => {})
      response.resume()
      resolve({status: response.statusCode ?? 0})
    })
    outgoing.on('error', (error) => {
      if (stop.aborted) resolve(undefined)
      else resolve({failure: timeout.aborted ? timedOut : toFailureName(error)})
    })
    outgoing.end(message.body)
  })
}
