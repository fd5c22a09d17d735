// The sandbox of `svc/sandbox`: the whole service inside the process that imports it, without a port and without a file unless
// one is named.
import fs from 'node:fs'
import {createEmbeddedFetch, embeddedUrl} from '../embedded-fetch.ts'
import {badUsage} from '../errors.ts'
import type {Result} from '../sandbox-results.ts'
import {runOperation} from '../sandbox/operations/run-operation.ts'
import type {AccountOrder, FaultOrder, RequestFilter} from '../sandbox/orders.ts'
import {createSandbox as createInner, openSeededDatabase} from '../sandbox/sandbox.ts'
import type {Outcome} from '../sandbox/service/customers/outcomes.ts'
import type {Behaviours, FaultKind, Settlement} from '../sandbox/service/faults/behaviour-table.ts'
import {createRequestLog} from '../sandbox/service/log/request-log.ts'
import {buildHeaders} from '../sandbox/service/webhooks/deliver.ts'
import {deriveListenerSecret} from '../sandbox/service/webhooks/endpoints.ts'
import {type Database, openDatabase} from '../sandbox/store/database.ts'
import {renewSeed, writeSettings} from '../sandbox/store/settings.ts'
import {loadImage, readImage} from '../sandbox/store/snapshots.ts'
import {showRealTime} from '../sandbox/time/clock.ts'
import {inMemory} from '../storage/sqlite.ts'
import type {Client} from './client-methods.ts'
import type {Customer, PaymentAccount, Transaction} from './service-types.ts'
import {createTypedClient} from './typed-client.ts'

export {SvcError} from '../errors.ts'
export type {AccountOrder, FaultOrder, RequestFilter} from '../sandbox/orders.ts'
export type {Outcome} from '../sandbox/service/customers/outcomes.ts'
export type {Behaviours, FaultKind, Settlement} from '../sandbox/service/faults/behaviour-table.ts'
export type {ClientOptions, NextPage, PageQuery} from './client.ts'
export type * from './client-methods.ts'
export type * from './service-types.ts'

/** Only a service-managed wallet holds a balance. Amounts are decimal texts, by currency. */
export interface Account extends PaymentAccount {
  balances: Record<string, string>
}

export type Fault = Result<'Fault'> & {kind: FaultKind}
export type LoggedRequest = Result<'Request'>
export type SandboxEvent = Result<'WebhookEvent'>

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

// Filling a database with the demo data takes longer than everything else, so the first one of each kind is kept as a template for
// the others of this process. A program that gives every sandbox another time must not keep them all.
const templatesMax = 8
const templates = new Map<string, Uint8Array>()

function openSandboxDatabase({file = inMemory, seed, now, snapshot}: SandboxOptions): Database {
  const frozenAt = now === undefined ? undefined : new Date(now)
  if (snapshot && (seed !== undefined || frozenAt))
    throw badUsage('A snapshot has its own seed and its own time', 'Leave out seed and now')
  if (snapshot) return openFromImage(file, snapshot)
  const kind = JSON.stringify([seed, String(frozenAt?.getTime())])
  const template = file === inMemory ? templates.get(kind) : undefined
  if (!template) {
    const first = openSeededDatabase({file, seed, frozenAt})
    if (file === inMemory && templates.size < templatesMax) templates.set(kind, readImage(first))
    return first
  }
  const database = openFromImage(file, template)
  showRealTime(database)
  if (seed === undefined) renewSeed(database)
  return database
}

function openFromImage(file: string, image: Uint8Array): Database {
  if (fs.existsSync(file))
    throw badUsage(`${file} is a sandbox already, and a snapshot would replace it`, 'Name another file, or use restore')
  // No demo data: everything is replaced at once.
  const database = openDatabase(file, (fresh) => writeSettings(fresh, {}))
  try {
    loadImage(database, image)
    return database
  } catch (error) {
    database.close()
    fs.rmSync(file, {force: true})
    throw error
  }
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
    client: createTypedClient(service),
    clock: {
      ...clock,
      now: () => new Date(clock.status().now),
      freeze: (at) => void clock.freeze(at === undefined ? undefined : new Date(at)),
    },
    faults: {
      // As control takes it, with the same limits.
      add: (fault) => runOperation(inner, 'faults.add', fault),
      list: faults.list,
      clear: faults.clear,
      behaviours: faults.behaviours,
      behave: (changes) => runOperation(inner, 'faults.set', changes),
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
      toRequest: ({eventId, body}, url = 'http://localhost/webhooks') => {
        const headers = buildHeaders({eventId, body, secret: deriveListenerSecret(database), isResend: false})
        return new Request(url, {method: 'POST', body, headers})
      },
    },
    requests: (filter) => {
      log.flush()
      return inner.requests.last(requestsMax, filter)
    },
    close: () => inner.close(),
    [Symbol.dispose]: () => inner.close(),
  }
}
