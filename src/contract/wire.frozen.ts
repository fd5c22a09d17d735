// The endpoints as plain data, derived from the zod contract. The build evaluates this file and stores the result, so that
// calling an endpoint at run time does not load zod.
import {type Endpoint, endpointEntries, endpoints} from './endpoints.ts'
import {createSchemaCollector, keepShapeKeywords} from './json-schema.ts'
import type {Shape} from './shape.ts'

export interface WireEndpoint {
  name: string
  method: Endpoint['method']
  path: string
  pathAlso?: string
  params?: Shape
  query?: Shape
  headers?: Shape
  hasBody: boolean
  reply: Shape
  items?: string
}

const schemas = createSchemaCollector('')
const toShape = (schema: Endpoint['reply']) => keepShapeKeywords(schemas.add(schema))

// The bodies of which the shape says everything that zod checks, as a test makes sure. Any other is left to zod.
const wholeBodies = new Set<string>(['quotes.create', 'transactions.create'])

export const bodies: Readonly<Record<string, Shape>> = Object.fromEntries(
  endpointEntries.flatMap(({name, endpoint: {body}}) => (body && wholeBodies.has(name) ? [[name, toShape(body)]] : [])),
)

function toWireEndpoint(name: string, endpoint: Endpoint): WireEndpoint {
  const {method, path, pathAlso, params, query, headers, body, reply, items} = endpoint
  return {
    name,
    method,
    path,
    ...(pathAlso && {pathAlso}),
    ...(params && {params: toShape(params)}),
    ...(query && {query: toShape(query)}),
    ...(headers && {headers: toShape(headers)}),
    hasBody: body !== undefined,
    reply: toShape(reply),
    ...(items && {items}),
  }
}

export const wire: Readonly<Record<string, Readonly<Record<string, WireEndpoint>>>> = Object.fromEntries(
  Object.entries(endpoints).map(([topic, verbs]) => [
    topic,
    Object.fromEntries(
      Object.entries<Endpoint>(verbs).map(([verb, endpoint]) => [verb, toWireEndpoint(`${topic}.${verb}`, endpoint)]),
    ),
  ]),
)

export const definitions = Object.fromEntries(
  Object.entries(schemas.definitions).map(([id, definition]) => [id, keepShapeKeywords(definition)]),
)
