// The endpoints as plain data, derived from the zod contract. The build evaluates this file once and keeps the result,
// so that calling an endpoint at run time needs no zod.
import {type Endpoint, endpoints} from './endpoints.ts'
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
])

// An object that takes fields of any name says so with an empty shape for them; `false` is what the judge assumes.
const isOpenObject = (key: string, value: unknown) => key === 'additionalProperties' && typeof value === 'object'

// Keeps what the judge reads; descriptions, examples and the like stay behind.
function keepShapeKeywords(node: unknown, isFields = false): unknown {
  if (Array.isArray(node) || typeof node !== 'object' || node === null) return node
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => isFields || shapeKeywords.has(key) || isOpenObject(key, value))
      .map(([key, value]) => [key, keepShapeKeywords(value, !isFields && key === 'properties')]),
  )
}

const toShape = (schema: Endpoint['reply']) => keepShapeKeywords(schemas.of(schema)) as Shape

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

export const wire = Object.fromEntries(
  Object.entries(endpoints).map(([topic, verbs]) => [
    topic,
    Object.fromEntries(
      Object.entries(verbs as Record<string, Endpoint>).map(([verb, endpoint]) => [
        verb,
        toWireEndpoint(`${topic}.${verb}`, endpoint),
      ]),
    ),
  ]),
) as Readonly<Record<string, Readonly<Record<string, WireEndpoint>>>>

export const definitions = Object.fromEntries(
  Object.entries(schemas.definitions).map(([id, definition]) => [id, keepShapeKeywords(definition) as Shape]),
)
