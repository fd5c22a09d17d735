// The sandbox of `svc/sandbox`: the whole service inside the process that imports it, without a port and without a file unless
// one is named.
import {Webhook} from 'standardwebhooks'
import {createEmbeddedFetch, embeddedUrl} from '../embedded-fetch.ts'
import {createSandbox as createInner} from '../sandbox/sandbox.ts'
import {createRequestLog} from '../sandbox/service/log/request-log.ts'
import {deriveListenerSecret} from '../sandbox/service/webhooks/endpoints.ts'
import type {Client} from './client-methods.ts'
import {openSandboxDatabase} from './sandbox-database.ts'
import type {
  Account,
  AccountOrder,
  Behaviours,
  Fault,
  FaultOrder,
  LoggedRequest,
  Outcome,
  RequestFilter,
  SandboxEvent,
  SandboxOptions,
  Settlement,
} from './sandbox-types.ts'
import type {Customer, Transaction} from './service-types.ts'
import {createTypedClient} from './typed-client.ts'

export {SvcError} from '../errors.ts'
export type * from './client-methods.ts'
export type * from './client-types.ts'
export type * from './service-types.ts'
export type * from './sandbox-types.ts'

export interface Sandbox {
  /** Any address works with `fetch`; this one is what links and the client use. */
  baseUrl: string
  apiKey: string
  /** What the events of `events` are signed with. */
  webhookSecret: string
  /** The service, for code that takes a fetch. It needs the API key, as the service does. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>
  /** A client that is connected to this sandbox. */
  client: Client
  clock: {
    now(): Date
    /** Moves the clock forward, and runs everything that becomes due. */
    advance(ms: number): void
    /** Moves the clock to the next thing that is due. */
    toNext(): void
    /** Moves the clock until nothing is under way any more. Rules still fire later. */
    untilIdle(): void
    freeze(at?: Date | string): void
    run(): void
  }
  faults: {
    /** Simulates a failure, such as `{method: 'POST', path: '/transactions', kind: 'lose', times: 1}`. */
    add(fault: FaultOrder): Fault
    list(): Fault[]
    /** Clears all faults, or one of them. */
    clear(faultId?: string): Fault[]
    /** How the service behaves where the interface leaves it open. */
    behaviours(): Behaviours
    behave(changes: Partial<Behaviours>): Behaviours
  }
  /** Ends the verification of a customer at once. */
  verify(customerId: string, outcome: Outcome, options?: {codes?: readonly string[]; message?: string}): Customer
  /** Adds a payment account, as if its form had been submitted. */
  addAccount(order: AccountOrder): Account
  /** Money arrives from outside: in a wallet, or for a transaction that waits for this amount from this account. */
  fund(paymentAccountId: string, amount: string, currency?: string): Account | Transaction
  /** The balance of a wallet; undefined if the account holds none in this currency. */
  balance(paymentAccountId: string, currency: string): string | undefined
  /** Ends a transaction at once. */
  settle(transactionId: string, outcome: Settlement): Transaction
  /** Everything as bytes, for `restore` or for another sandbox. */
  snapshot(): Uint8Array
  restore(snapshot: Uint8Array): void
  events: {
    /** The events so far, oldest first. */
    list(filter?: {customerId?: string | undefined}): SandboxEvent[]
    /** The event as the request that an endpoint gets, signed now with the secret of the sandbox. */
    toRequest(event: SandboxEvent, url?: string): Request
  }
  /** The requests that arrived, oldest first, without personal data. */
  requests(filter?: RequestFilter): LoggedRequest[]
  close(): void
  [Symbol.dispose](): void
}

const requestsMax = 10_000
const eventsMax = 100_000

function createEventRequest({eventId, body}: SandboxEvent, url: string, secret: string): Request {
  const sentAt = new Date()
  const headers = {
    'content-type': 'application/json',
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(eventId, sentAt, body),
  }
  return new Request(url, {method: 'POST', body, headers})
}

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const database = openSandboxDatabase(options)
  const log = createRequestLog(database, {
    onFault: (error) => {
      throw error
    },
  })
  const inner = createInner(database, log, {url: embeddedUrl, keepsEvents: true})
  const {clock, faults, money} = inner
  const service = {
    baseUrl: embeddedUrl,
    fetch: createEmbeddedFetch(inner),
    credential: async () => inner.apiKey,
    renewable: false,
  }
  return {
    baseUrl: embeddedUrl,
    get apiKey() {
      return inner.apiKey
    },
    get webhookSecret() {
      return deriveListenerSecret(database)
    },
    fetch: (input, init) => inner.fetch(new Request(input, init)),
    client: createTypedClient(service, {}),
    clock: {
      now: () => new Date(clock.status().now),
      advance: (ms) => void clock.advance(ms),
      toNext: () => void clock.toNext(),
      untilIdle: () => void clock.untilIdle(),
      freeze: (at) => void clock.freeze(at === undefined ? undefined : new Date(at)),
      run: () => void clock.run(),
    },
    faults: {
      add: faults.add,
      list: faults.list,
      clear: faults.clear,
      behaviours: faults.behaviours,
      behave: faults.setBehaviours,
    },
    verify: (customerId, outcome, details = {}) => inner.verification.force(customerId, {outcome, ...details}),
    addAccount: money.addAccount,
    fund: money.fund,
    balance: money.balance,
    settle: money.settle,
    snapshot: () => inner.snapshots.read(),
    restore: (snapshot) => inner.snapshots.load(snapshot),
    events: {
      list: ({customerId} = {}) => inner.webhooks.events({customerId, limit: eventsMax}).events.toReversed(),
      toRequest: (event, url = 'http://localhost/webhooks') =>
        createEventRequest(event, url, deriveListenerSecret(database)),
    },
    requests: (filter) => {
      log.flush()
      return inner.requests.last(requestsMax, filter)
    },
    close: () => inner.close(),
    [Symbol.dispose]: () => inner.close(),
  }
}
