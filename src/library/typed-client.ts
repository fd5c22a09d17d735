// Gives the client of the command line the types of the interface, for programs that import it.
import {type Client as InnerClient, type ClientOptions as InnerOptions, createClient} from '../client/client.ts'
import {requestTimeoutMsDefault} from '../client/connection.ts'
import {walkPages} from '../client/paging.ts'
import type {Client, ClientOptions} from './client-types.ts'

type Call = (input: Record<string, unknown>) => Promise<unknown>

// The inner client types replies loosely, since any field may be missing. Here they have the types of the interface, and
// onWarning is told of a reply that does not follow it.
function typeClient(inner: InnerClient): Client {
  const call = <T>(endpoint: unknown, input: object = {}) => (endpoint as Call)({...input}) as Promise<T>
  async function* walk<T>(endpoint: unknown, itemsKey: string, filter: object = {}): AsyncIterableIterator<T> {
    const fetchPage = (paging: object) => call<Record<string, unknown>>(endpoint, {...filter, ...paging})
    for await (const {items} of walkPages(fetchPage, itemsKey, {all: true})) yield* items as T[]
  }
  const {customers, accounts, quotes, transactions, rules} = inner
  return {
    customers: {
      create: (body) => call(customers.create, {body}),
      get: (customerId, options) => call(customers.get, {customerId, ...options}),
      update: (customerId, body) => call(customers.update, {customerId, body}),
      list: (query) => call(customers.list, query),
      all: (filter) => walk(customers.list, 'customers', filter),
    },
    accounts: {
      list: (query) => call(accounts.list, query),
      all: (filter) => walk(accounts.list, 'paymentAccounts', filter),
    },
    quotes: {create: (body) => call(quotes.create, {body})},
    transactions: {
      create: (body, {idempotencyKey}) => call(transactions.create, {body, 'x-idempotency-key': idempotencyKey}),
      list: (query) => call(transactions.list, query),
      all: (filter) => walk(transactions.list, 'transactions', filter),
    },
    rules: {
      create: (body) => call(rules.create, {body}),
      get: (ruleId) => call(rules.get, {ruleId}),
      update: (ruleId, body) => call(rules.update, {ruleId, body}),
      delete: (ruleId) => call(rules.delete, {ruleId}),
      list: (filter) => call(rules.list, filter),
    },
  }
}

type Service = Pick<InnerOptions, 'baseUrl' | 'fetch' | 'credential' | 'renewable'>

// Whoever calls a function of the client means it, so every write is allowed.
const allowEverything = {enforce: () => {}}

export function createTypedClient(service: Service, options: Omit<ClientOptions, 'baseUrl' | 'credential'>): Client {
  const {timeoutMs = requestTimeoutMsDefault, retries, signal, onWarning} = options
  const inner = createClient({
    ...service,
    gate: allowEverything,
    callerLabel: 'this client',
    userAgent: 'svc-client',
    requestTimeoutMs: timeoutMs,
    retriesReads: retries,
    signal,
    onContractViolation: (endpoint, problems) =>
      onWarning?.(`The reply to ${endpoint} ${problems.map(({path, message}) => `${path} ${message}`).join('; ')}`),
  })
  return typeClient(inner)
}
