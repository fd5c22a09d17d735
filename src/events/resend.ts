// Sends an event that is known here once more: to URLs, to the endpoints of the sandbox, or to where it was forwarded before.
import {badUsage} from '../errors.ts'
import type {Sandbox} from '../transport.ts'
import {isDeliveryId} from './find-delivery.ts'
import {type EventSources, createNotKnownError, withStore} from './history.ts'
import {type StoredEvent, findEvent} from './record.ts'
import {findSandboxSecret, formatSecretNotice} from './sandbox-secret.ts'
import {type EventMessage, type SentEvent, buildSignedHeaders, sendToEndpoints, sendToUrl} from './send-event.ts'
import {type WebhookSecrets, resendHeader} from './signature.ts'
import {buildForwardHeaders} from './targets.ts'

interface ResendOptions {
  id: string
  // Where to send it, instead of to the endpoints of the sandbox.
  urls: readonly string[]
  secrets: WebhookSecrets | undefined
  readsResponse: boolean
  notice: (text: string) => void
}

interface StoredRoute {
  event: StoredEvent
  targets: string[]
}

const findStoredRoute = (storeFile: string, id: string): StoredRoute | undefined =>
  withStore(storeFile, (store) => {
    const event = findEvent(store, id)
    if (!event) return undefined
    const rows = store.all<{target: string}>('select target from deliveries where seq = ? order by target', event.seq)
    return {event, targets: rows.map(({target}) => target)}
  })

const hasEndpoint = ({webhooks}: Sandbox) => webhooks.list().some(({status}) => status === 'ENABLED')

// A stored event keeps its own headers. Without the secret its signature is the old one, which says when it was made.
function buildHeaders(event: StoredEvent, message: EventMessage, url: string, options: ResendOptions): string[] {
  if (options.secrets) return buildSignedHeaders(options.secrets, message, true)
  const raw = [...(JSON.parse(event.headers) as string[]), resendHeader, 'true']
  const [, , ...headers] = buildForwardHeaders({...event, headers: JSON.stringify(raw)}, url)
  return headers
}

const oldSignature =
  'Its signature is the one that it arrived with. A handler that rejects signatures older than five minutes needs a new one: --secret-file.'

function sendStored({event}: StoredRoute, urls: readonly string[], options: ResendOptions): Promise<SentEvent[]> {
  const message = {eventId: event.id, type: event.type, body: event.body}
  if (!options.secrets) options.notice(oldSignature)
  return Promise.all(
    urls.map((url) => sendToUrl(message, url, buildHeaders(event, message, url, options), options.readsResponse)),
  )
}

function sendFromSandbox(sandbox: Sandbox, options: ResendOptions): Promise<SentEvent[]> {
  const event = sandbox.webhooks.findEvent(options.id)
  if (!event) throw createNotKnownError(options.id)
  const found = options.secrets ? undefined : findSandboxSecret(sandbox, options.urls)
  if (found) options.notice(formatSecretNotice(found))
  const secrets = options.secrets ?? found?.secrets
  if (!secrets) {
    throw badUsage('Missing --secret-file', 'Or set SVC_WEBHOOK_SECRET: an event of the sandbox is signed for each URL')
  }
  const message = {eventId: event.eventId, type: event.type, body: Buffer.from(event.body)}
  const headers = buildSignedHeaders(secrets, message, true)
  return Promise.all(options.urls.map((url) => sendToUrl(message, url, headers, options.readsResponse)))
}

export function resendEvent({sandbox, storeFile}: EventSources, options: ResendOptions): Promise<SentEvent[]> {
  const {id, urls} = options
  const stored = findStoredRoute(storeFile, id)
  if (urls.length > 0) {
    if (stored) return sendStored(stored, urls, options)
    if (sandbox) return sendFromSandbox(sandbox, options)
    throw createNotKnownError(id)
  }
  const isOfSandbox = sandbox?.webhooks.findEvent(id) !== undefined || isDeliveryId(id)
  if (sandbox && isOfSandbox && (hasEndpoint(sandbox) || !stored?.targets.length)) {
    return sendToEndpoints(sandbox, sandbox.webhooks.openResend(id), options.readsResponse)
  }
  if (!stored) throw createNotKnownError(id)
  if (stored.targets.length > 0) return sendStored(stored, stored.targets, options)
  throw badUsage(`The event ${id} was not forwarded to anything`, 'Say where it goes with --forward-to URL')
}
