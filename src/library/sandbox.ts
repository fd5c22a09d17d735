// The sandbox of `svc/sandbox`: the whole service inside the process that imports it, without a port and without a file unless
// one is named.
import {createEmbeddedFetch, embeddedUrl} from '../embedded-fetch.ts'
import {createSandbox as createInner} from '../sandbox/sandbox.ts'
import {createRequestLog} from '../sandbox/service/log/request-log.ts'
import type {Client} from './client-methods.ts'
import {openSandboxDatabase} from './sandbox-database.ts'
import {createEvents} from './sandbox-events.ts'
import type {
  Account,
  AccountOrder,
  Behaviours,
  Clock,
  Fault,
  FaultOrder,
  LoggedRequest,
  Outcome,
  RequestFilter,
  SandboxEvents,
  Settlement,
} from './sandbox-types.ts'
import type {Customer, Transaction} from './service-types.ts'
import {createTypedClient} from './typed-client.ts'

export {SvcError} from '../errors.ts'
export type * from './client-methods.ts'
export type * from './client-types.ts'
export type * from './service-types.ts'
export type * from './sandbox-types.ts'

export interface SandboxOptions {
  /** A database file that is kept. Without it, everything is in memory and gone when the sandbox is closed. */
  file?: string | undefined
  /** Ids, tokens and the API key follow from it. It is random if it is left out. */
  seed?: string | undefined
  /** The clock stands still at this instant until it is moved. Without it, the clock runs. */
  now?: Date | string | undefined
  /** What `snapshot` returned, here or on another machine, or the bytes of a file that `svc sandbox snapshot save` wrote. */
  snapshot?: Uint8Array | undefined
}

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
  clock: Clock
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
  events: SandboxEvents
  /** The requests that arrived, oldest first, without personal data. */
  requests(filter?: RequestFilter): LoggedRequest[]
  close(): void
  [Symbol.dispose](): void
}

const requestsMax = 10_000

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const database = openSandboxDatabase(options)
  const report = (error: unknown) => {
    throw error
  }
  const log = createRequestLog(database, {onFault: report})
  const inner = createInner(database, log, {url: embeddedUrl, keepsEvents: true})
  const {clock, faults, money} = inner
  const service = {
    baseUrl: embeddedUrl,
    fetch: createEmbeddedFetch(inner),
    credential: async () => inner.apiKey,
    renewable: false,
  }
  const events = createEvents(inner, database)
  return {
    baseUrl: embeddedUrl,
    get apiKey() {
      return inner.apiKey
    },
    get webhookSecret() {
      return events.getSecret()
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
      add: (fault) => faults.add({...fault, method: fault.method ?? '*'}),
      list: () => faults.list(),
      clear: (faultId) => faults.clear(faultId),
      behaviours: () => faults.behaviours(),
      behave: (changes) => faults.setBehaviours(changes),
    },
    verify: (customerId, outcome, details = {}) => inner.verification.force(customerId, {outcome, ...details}),
    addAccount: (order) => money.addAccount(order),
    fund: (accountId, amount, currency) => money.fund(accountId, amount, currency),
    balance: (accountId, currency) => money.balance(accountId, currency),
    settle: (transactionId, outcome) => money.settle(transactionId, outcome),
    snapshot: () => inner.snapshots.read(),
    restore: (snapshot) => inner.snapshots.load(snapshot),
    events: events.controls,
    requests: (filter) => {
      log.flush()
      return inner.requests.last(requestsMax, filter)
    },
    close: () => inner.close(),
    [Symbol.dispose]: () => inner.close(),
  }
}
