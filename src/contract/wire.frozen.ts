// The endpoints as plain data, derived from the zod contract. The build evaluates this file and stores the result, so that
// calling an endpoint at run time does not load zod.
import {type Endpoint, endpointEntries, endpoints} from './endpoints.ts'
import {createSchemaCollector} from './json-schema.ts'
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
const shapeKeywords = new Set([
  '$ref',
  'type',
  'properties',
  'required',
  'items',
  'enum',
  'format',
  'minimum',
  'maximum',
  'minLength',
  'pattern',
])

// An object that allows any field has a shape for them. `false`, which allows none, is the default and is left out.
const isOpenObject = (key: string, value: unknown) => key === 'additionalProperties' && typeof value === 'object'

// Drops descriptions, examples and everything else that validation does not read.
function keepShapeKeywords(node: unknown, isFields = false): unknown {
  if (Array.isArray(node) || typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => isFields || shapeKeywords.has(key) || isOpenObject(key, value))
      .map(([key, value]) => [key, keepShapeKeywords(value, !isFields && key === 'properties')]),
  )
}

const toShape = (schema: Endpoint['reply']) => keepShapeKeywords(schemas.add(schema)) as Shape

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
  Object.entries(schemas.definitions).map(([id, definition]) => [id, keepShapeKeywords(definition) as Shape]),
)
