// Gives the client of the command line the types of the interface, for programs that import it.
import {type ClientOptions as ConnectionOptions, createEndpointCaller} from '../client/client.ts'
import {requestTimeoutMsDefault} from '../client/connection.ts'
import {type Page, walkPages} from '../client/paging.ts'
import {type WireEndpoint, wire} from '../contract/wire.frozen.ts'
import type {Client} from './client-methods.ts'

// The name of a header among the options of a function: x-idempotency-key is given as idempotencyKey.
export const toOptionName = (header: string): string =>
  header.replace(/^x-/, '').replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())

// The arguments of a function are the parameters of the path, the body, and an object with the query and the headers.
function toInput({path, hasBody, headers}: WireEndpoint, values: readonly unknown[]): Record<string, unknown> {
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const names = hasBody ? [...params, 'body'] : params
  const input = Object.fromEntries(names.map((name, index) => [name, values[index]]))
  const options: Record<string, unknown> = {...Object(values[names.length])}
  for (const header of Object.keys(headers?.properties ?? {})) input[header] = options[toOptionName(header)]
  return {...options, ...input}
}

type Service = Pick<ConnectionOptions, 'baseUrl' | 'fetch' | 'credential' | 'renewable'> &
  Partial<Pick<ConnectionOptions, 'requestTimeoutMs' | 'retriesReads' | 'signal' | 'onContractViolation'>>

// Whoever calls a function of the client means it, so every write is allowed.
const allowEverything = {enforce: () => {}}

// The inner client types replies loosely, since any field may be missing. Here they have the types of the interface
// (client-methods.ts, derived from the same endpoints), and onContractViolation is told of a reply that does not follow it.
export function createTypedClient(service: Service): Client {
  const who = {gate: allowEverything, callerLabel: 'this client', userAgent: 'svc-client'}
  const {call} = createEndpointCaller({requestTimeoutMs: requestTimeoutMsDefault, ...who, ...service})
  async function* walk(endpoint: WireEndpoint, itemsKey: string, filter: unknown) {
    const fetchPage = async (paging: object) => (await call(endpoint, {...Object(filter), ...paging})) as Page
    for await (const {items} of walkPages(fetchPage, itemsKey, {all: true})) yield* items
  }
  const buildMethods = ([verb, endpoint]: [string, WireEndpoint]) => {
    const {items, query} = endpoint
    const method = [verb, (...values: unknown[]) => call(endpoint, toInput(endpoint, values))]
    if (items === undefined || !query?.properties?.['pageToken']) return [method]
    return [method, ['all', (filter?: unknown) => walk(endpoint, items, filter)]]
  }
  const topics = Object.entries(wire).map(([topic, verbs]) => [
    topic,
    Object.fromEntries(Object.entries(verbs).flatMap(buildMethods)),
  ])
  return Object.fromEntries(topics) as Client
}
