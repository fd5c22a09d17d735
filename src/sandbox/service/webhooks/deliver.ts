// Delivers due webhooks on a timer, signed according to Standard Webhooks. One process at a time does it for a database: the one that
// holds its lock. An attempt stays queued until its outcome is recorded, so each event is delivered at least once.
import {createHmac} from 'node:crypto'
import {setTimeout as sleep} from 'node:timers/promises'
import {getSystemCode} from '../../../errors.ts'
import {type HeldLock, holdLock} from '../../../storage/process-lock.ts'
import {inMemory} from '../../../storage/sqlite.ts'
import {hourMs, minuteMs, secondMs} from '../../../values/time.ts'
import {isSuccess, stripQuery} from '../../../values/urls.ts'
import type {Database} from '../../store/database.ts'
import {readNow, toTimestamp} from '../../time/clock.ts'
import {enqueue} from '../../time/queue.ts'
import {run, runDueTasks} from '../run.ts'
import type {SandboxEnvironment} from '../request-context.ts'
import {
  disableEndpoint,
  insertEndpoint,
  listEnabledEndpoints,
  listEndpointRows,
  removeEndpoint,
  removeEndpointsLeftBehind,
} from './endpoints.ts'

// What is sent to an endpoint.
export interface Message {
  eventId: string
  url: string
  secret: string
  body: string
  isResend: boolean
}

// An HTTP status, or the name of the failure.
export type Outcome = {status: number} | {failure: string}

interface Attempt extends Message {
  // Of its row in the queue.
  seq: number
  deliveryId: string
  endpointId: string
  type: string
  attempts: number
}

type Consequence = 'delivered' | 'disabled' | 'failed' | {nextAttemptAt: string}

// The schedule of Standard Webhooks: the pause before each attempt.
const scheduleMs: readonly number[] = [
  0,
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs),
]

const firstDue = `
  select q.seq, d.deliveryId, d.attempts, d.isResend, e.eventId, e.type, e.body
  from queue q
  join webhookDeliveries d on d.deliveryId = q.payload ->> 'deliveryId'
  join webhookEvents e using (eventId)
  where q.kind = 'webhook.attempt' and q.payload ->> 'endpointId' = ? and q.due <= ?
  order by q.due, q.seq limit 1`

type DueRow = Pick<Attempt, 'seq' | 'deliveryId' | 'attempts' | 'eventId' | 'type' | 'body'> & {isResend: number}

const findFirstDue = (database: Database, endpointId: string) =>
  database.one<DueRow>(firstDue, endpointId, readNow(database))

// This only reads, so that an idle server does not take the write lock.
const listEndpointsDue = (database: Database) =>
  listEnabledEndpoints(database)
    .map(({endpointId}) => endpointId)
    .filter((endpointId) => findFirstDue(database, endpointId))

const findEnabledEndpoint = (database: Database, endpointId: string) =>
  listEnabledEndpoints(database).find((each) => each.endpointId === endpointId)

function findAttempt(database: Database, endpointId: string): Attempt | undefined {
  const endpoint = findEnabledEndpoint(database, endpointId)
  const row = endpoint && findFirstDue(database, endpointId)
  if (!endpoint || !row) return undefined
  const {url, secret} = endpoint
  return {...row, endpointId, url, secret, isResend: row.isResend === 1}
}

const statusGone = 410
const isDelivered = (outcome: Outcome) => 'status' in outcome && isSuccess(outcome.status)

export function applyOutcome(
  database: Database,
  {deliveryId, endpointId, attempts}: Pick<Attempt, 'deliveryId' | 'endpointId' | 'attempts'>,
  outcome: Outcome,
  at: number,
): Consequence {
  database.run(
    'update webhookDeliveries set attempts = attempts + 1, lastOutcome = ?, lastAttemptAt = ? where deliveryId = ?',
    'status' in outcome ? String(outcome.status) : outcome.failure,
    at,
    deliveryId,
  )
  const setStatus = (status: string) =>
    database.run('update webhookDeliveries set status = ? where deliveryId = ?', status, deliveryId)
  if (isDelivered(outcome)) {
    setStatus('DELIVERED')
    return 'delivered'
  }
  if ('status' in outcome && outcome.status === statusGone) {
    disableEndpoint(database, endpointId)
    return 'disabled'
  }
  // The endpoint may have been disabled while the event was under way.
  const endpoint = findEnabledEndpoint(database, endpointId)
  const waitMs = endpoint ? scheduleMs[attempts + 1] : undefined
  if (waitMs === undefined) {
    setStatus('FAILED')
    return 'failed'
  }
  enqueue({database, now: at}, 'webhook.attempt', {deliveryId, endpointId}, at + waitMs)
  return {nextAttemptAt: toTimestamp(at + waitMs)}
}

const dropAttempt = "delete from queue where seq = ? and payload ->> 'deliveryId' = ? returning seq"

// Times are those of the virtual clock. Nothing is written if the attempt is gone, because its endpoint was removed or the sandbox
// was reset.
const recordOutcome = (database: Database, attempt: Attempt, outcome: Outcome): Consequence | undefined =>
  database.transact(() =>
    database.one(dropAttempt, attempt.seq, attempt.deliveryId)
      ? applyOutcome(database, attempt, outcome, readNow(database))
      : undefined,
  )

// Tells a receiver that removes duplicates that this one was asked for. docs/events.md describes it.
const resendHeader = 'svc-event-resend'

// Signed with real time, because receivers reject signatures that are more than five minutes old. The body has the virtual
// time of the event.
export function buildHeaders({eventId, secret, body, isResend}: Omit<Message, 'url'>): Record<string, string> {
  // A resend is signed later than what it repeats, also in the same second: a listener believes no
  // other.
  const timestamp = String(Math.floor(Date.now() / 1000) + (isResend ? 1 : 0))
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${eventId}.${timestamp}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'svc-sandbox',
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
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
      else resolve({failure: timeout.aborted ? 'TIMEOUT' : (getSystemCode(error) ?? String(error))})
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
}

const settingsDefault: DeliverySettings = {
  tickMs: 200,
  timeoutMs: 15_000,
  endpointsMax: 8,
  stopGraceMs: 1_000,
  beforeTick: () => {},
}

const ends: Record<Consequence & string, string> = {
  delivered: '',
  disabled: ', the endpoint is disabled',
  failed: `, given up after ${scheduleMs.length} attempts`,
}

function describeAttempt({type, eventId, url}: Attempt, outcome: Outcome, consequence: Consequence): string {
  const end = typeof consequence === 'string' ? ends[consequence] : `, again at ${consequence.nextAttemptAt}`
  return `${type} ${eventId} → ${stripQuery(url)} ${'status' in outcome ? outcome.status : outcome.failure}${end}`
}

// Only this process has a database in memory.
const takeLock = ({file}: Database): HeldLock | undefined =>
  file === inMemory ? {release: () => {}} : holdLock(`${file}.webhooks.lock`, 0)

// Runs due tasks, and sends what is due to every endpoint unless another process does.
class Deliverer {
  readonly #environment: SandboxEnvironment
  readonly #notice: (text: string) => void
  readonly #settings: DeliverySettings
  readonly #inProgress = new Map<string, Promise<void>>()
  // The first stops new attempts, the second aborts those in progress.
  readonly #ending = new AbortController()
  readonly #cutting = new AbortController()
  readonly #timer: NodeJS.Timeout
  #lock: HeldLock | undefined
  #lastReported = ''

  constructor(environment: SandboxEnvironment, notice: (text: string) => void, settings: DeliverySettings) {
    this.#environment = environment
    this.#notice = notice
    this.#settings = settings
    this.#timer = setInterval(() => this.#tick(), settings.tickMs)
    this.#tick()
  }

  // Due tasks run here without any request, and may create events.
  #tick() {
    try {
      this.#settings.beforeTick()
      runDueTasks(this.#environment)
      this.#startAttempts()
      this.#lastReported = ''
    } catch (error) {
      this.#reportError(error)
    }
  }

  #startAttempts() {
    const {database} = this.#environment
    this.#lock ??= takeLock(database)
    if (!this.#lock) return
    for (const endpointId of listEndpointsDue(database)) {
      if (this.#inProgress.has(endpointId) || this.#inProgress.size >= this.#settings.endpointsMax) continue
      const work = this.#deliverTo(endpointId)
        .catch((error: unknown) => this.#reportError(error))
        .finally(() => this.#inProgress.delete(endpointId))
      this.#inProgress.set(endpointId, work)
    }
  }

  // An endpoint gets one attempt at a time, so that events arrive in order unless one fails.
  async #deliverTo(endpointId: string) {
    while (!this.#ending.signal.aborted) {
      const attempt = findAttempt(this.#environment.database, endpointId)
      const outcome = attempt && (await sendAttempt(attempt, this.#settings.timeoutMs, this.#cutting.signal))
      if (!attempt || !outcome) return
      const consequence = recordOutcome(this.#environment.database, attempt, outcome)
      if (consequence) this.#notice(describeAttempt(attempt, outcome, consequence))
    }
  }

  // An error that repeats at every tick is reported once.
  #reportError(error: unknown) {
    const text = `Webhooks cannot be sent: ${error instanceof Error ? error.message : String(error)}`
    if (text !== this.#lastReported && !this.#ending.signal.aborted) this.#notice(text)
    this.#lastReported = text
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    clearInterval(this.#timer)
    const rest = Promise.all(this.#inProgress.values())
    await Promise.race([rest, sleep(this.#settings.stopGraceMs, undefined, {ref: false})])
    this.#cutting.abort()
    await rest
    this.#lock?.release()
  }
}

export const startDelivery = (
  environment: SandboxEnvironment,
  notice: (text: string) => void,
  overrides: Partial<DeliverySettings> = {},
): Subscription => new Deliverer(environment, notice, {...settingsDefault, ...overrides})

// An endpoint of this process: added when it starts to listen, and removed when it stops.
export interface SubscriptionOptions {
  url: string
  // Called when the endpoint is added, and again if somebody reset the sandbox: the new one has another secret.
  onSecret: (secret: string) => void
  notice: (text: string) => void
}

export interface Subscription {
  stop(): Promise<void>
}

export function startSubscription(
  environment: SandboxEnvironment,
  {url, onSecret, notice}: SubscriptionOptions,
): Subscription {
  let endpointId = ''

  function addEndpoint() {
    const endpoint = run(environment, (context) => {
      removeEndpointsLeftBehind(context.database)
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
  const delivery = startDelivery(environment, () => {}, {beforeTick: checkEndpoint})
  return {
    async stop() {
      await delivery.stop()
      run(environment, ({database}) => removeEndpoint(database, endpointId))
    },
  }
}
