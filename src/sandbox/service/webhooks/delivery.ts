// Delivers due webhooks from a running server, on a timer, signed according to Standard Webhooks.
import {setTimeout as sleep} from 'node:timers/promises'
import {Webhook} from 'standardwebhooks'
import {getSystemCode} from '../../../errors.ts'
import {stripQuery} from '../../../values/urls.ts'
import {loadLateHandlers, runDueTasks, runOperation} from '../operation.ts'
import type {SandboxEnvironment} from '../request-context.ts'
import {
  type Attempt,
  type Consequence,
  type Message,
  type Outcome,
  claimAttempt,
  listEndpointsDue,
  recordOutcome,
  releaseAttempt,
  scheduleMs,
} from './attempts.ts'
import {insertEndpoint, listEndpointRows, removeEndpoint, removeLeftovers} from './endpoint-store.ts'

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
function sendAttempt(message: Message, timeoutMs: number, stop: AbortSignal): Promise<Outcome | undefined> {
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

export interface DeliverySettings {
  tickMs: number
  // How long an endpoint may take to answer.
  timeoutMs: number
  // How many endpoints are sent to at the same time.
  endpointsMax: number
  // How long an attempt may take after the server was asked to stop.
  stopGraceMs: number
  beforeTick: () => void
  // Called before the attempts to an endpoint.
  beforeDelivery: () => Promise<void>
  // Whether this process sends to the endpoint. A server sends to all of them.
  sendsTo: (endpointId: string) => boolean
}

const settingsDefault: DeliverySettings = {
  tickMs: 200,
  timeoutMs: 15_000,
  endpointsMax: 8,
  stopGraceMs: 1_000,
  beforeTick: () => {},
  beforeDelivery: async () => {},
  sendsTo: () => true,
}

// A lease lasts longer than the attempt, so that its outcome can be recorded.
const leaseMarginMs = 5_000

const ends: Record<Consequence & string, string> = {
  delivered: '',
  disabled: ', the endpoint is disabled',
  failed: `, given up after ${scheduleMs.length} attempts`,
}

function describeAttempt({type, eventId, url}: Attempt, outcome: Outcome, consequence: Consequence): string {
  const end = typeof consequence === 'string' ? ends[consequence] : `, again at ${consequence.nextAttemptAt}`
  return `${type} ${eventId} → ${stripQuery(url)} ${'status' in outcome ? outcome.status : outcome.failure}${end}`
}

export function startDelivery(
  environment: SandboxEnvironment,
  notice: (text: string) => void,
  overrides: Partial<DeliverySettings> = {},
): {stop(): Promise<void>} {
  const settings = {...settingsDefault, ...overrides}
  const {tickMs, timeoutMs, endpointsMax, stopGraceMs} = settings
  const inProgress = new Map<string, Promise<void>>()
  // The first stops new attempts, the second aborts those in progress.
  const ending = new AbortController()
  const cutting = new AbortController()
  let lastReported = ''

  // An error that repeats at every tick is reported once.
  function reportError(error: unknown) {
    const text = `Webhooks cannot be sent: ${error instanceof Error ? error.message : String(error)}`
    if (text !== lastReported && !ending.signal.aborted) notice(text)
    lastReported = text
  }

  async function deliverTo(endpointId: string) {
    await settings.beforeDelivery()
    while (!ending.signal.aborted) {
      const attempt = claimAttempt(environment, endpointId, timeoutMs + leaseMarginMs)
      if (!attempt) return
      const outcome = await sendAttempt(attempt, timeoutMs, cutting.signal)
      if (!outcome) return releaseAttempt(environment, attempt)
      const consequence = recordOutcome(environment, attempt, outcome)
      if (consequence) notice(describeAttempt(attempt, outcome, consequence))
    }
  }

  // Due tasks run here without any request, and may create events.
  async function tick() {
    try {
      await loadLateHandlers(environment)
      if (ending.signal.aborted) return
      settings.beforeTick()
      runDueTasks(environment)
      for (const endpointId of listEndpointsDue(environment).filter(settings.sendsTo)) {
        if (inProgress.has(endpointId) || inProgress.size >= endpointsMax) continue
        const work = deliverTo(endpointId)
        inProgress.set(
          endpointId,
          work.catch(reportError).finally(() => inProgress.delete(endpointId)),
        )
      }
      lastReported = ''
    } catch (error) {
      reportError(error)
    }
  }

  const timer = setInterval(() => void tick(), tickMs)
  void tick()
  return {
    async stop() {
      ending.abort()
      clearInterval(timer)
      const rest = Promise.all(inProgress.values())
      await Promise.race([rest, sleep(stopGraceMs, undefined, {ref: false})])
      cutting.abort()
      await rest
    },
  }
}

// An endpoint of this process: added when it starts to listen, delivered to by the process itself, removed when it stops.
export interface SubscriptionOptions {
  url: string
  // Called when the endpoint is added, and again if somebody reset the sandbox: the new one has another secret.
  onSecret: (secret: string) => void
  notice: (text: string) => void
  // Called before events are sent, so that links in them lead to a server that was started later.
  beforeDelivery: () => Promise<void>
}

export interface Subscription {
  stop(): Promise<void>
}

export function startSubscription(
  environment: SandboxEnvironment,
  {url, onSecret, notice, beforeDelivery}: SubscriptionOptions,
  overrides: Partial<DeliverySettings> = {},
): Subscription {
  let endpointId = ''

  function addEndpoint() {
    const {database} = environment
    const endpoint = runOperation(environment, (context) => {
      removeLeftovers(database)
      return insertEndpoint(context, {url, isOwned: true})
    })
    endpointId = endpoint.endpointId
    onSecret(endpoint.secret)
  }

  // A reset or a restored snapshot removes the endpoint, and nobody would notice that no more events arrive.
  function checkEndpoint() {
    if (listEndpointRows(environment.database).some((row) => row.endpointId === endpointId)) return
    addEndpoint()
    notice('The sandbox no longer had the endpoint, so it was added again. Earlier events are gone.')
  }

  addEndpoint()
  const delivery = startDelivery(environment, () => {}, {
    ...overrides,
    beforeTick: checkEndpoint,
    beforeDelivery,
    sendsTo: (id) => id === endpointId,
  })
  return {
    async stop() {
      await delivery.stop()
      runOperation(environment, ({database}) => removeEndpoint(database, endpointId))
    },
  }
}
