// Reads the parameters, query, headers and body of a request, and validates them with the schemas of the endpoint.
import {z} from 'zod'
import type {Endpoint} from '../../contract/endpoints.ts'
import {limits} from '../../contract/limits.ts'
import {type Problem, findProblems} from '../../contract/problems.ts'
import {isTooDeep} from '../../validation/exact-json.ts'
import {type SandboxRequest, createTooLargeError} from './exchange.ts'
import {badRequest, throwIfProblems} from './service-error.ts'

type Values = Record<string, unknown>

// Each part is validated by the endpoint's schema of the same name.
export interface RequestParts {
  params?: Values
  query?: Values
  headers?: Values
  body?: unknown
}

const partNames = ['params', 'query', 'headers', 'body'] as const

const getSchemaKind = (schema: z.core.$ZodType): string =>
  schema instanceof z.ZodOptional ? getSchemaKind(schema.unwrap()) : schema._zod.def.type

// Query values arrive as text. Text that does not match its type stays text, so that the schema rejects it by name.
function coerceQueryValue(schema: z.core.$ZodType, text: string): unknown {
  const kind = getSchemaKind(schema)
  if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

// Unknown query parameters are ignored.
function readQuery(schema: z.ZodObject, search: string): Values {
  const values: Values = {}
  if (search === '') return values
  const parameters = new URLSearchParams(search)
  for (const [field, fieldSchema] of Object.entries(schema.shape)) {
    const [text, ...more] = parameters.getAll(field)
    if (more.length > 0) throw badRequest({path: field, message: 'is given more than once'})
    if (text !== undefined) values[field] = coerceQueryValue(fieldSchema, text)
  }
  return values
}

const readHeaders = (schema: z.ZodObject, request: SandboxRequest): Values =>
  Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => {
      const value = request.header(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

const utf8 = new TextDecoder('utf-8', {fatal: true})

// A declared length that is too large is rejected at once. Otherwise the bytes are counted while they are read.
async function readJsonBody(request: SandboxRequest): Promise<unknown> {
  if (Number(request.header('content-length')) > limits.requestBytesMax) throw createTooLargeError()
  const bytes = await request.body()
  if (bytes.byteLength === 0) throw badRequest({path: '', message: 'is missing: send a JSON object'})
  let body: unknown
  try {
    body = JSON.parse(utf8.decode(bytes))
  } catch {
    throw badRequest({path: '', message: 'is not valid JSON'})
  }
  if (isTooDeep(body)) throw badRequest({path: '', message: 'is nested too deeply'})
  return body
}

export interface IncomingRequest {
  request: SandboxRequest
  search: string
  params: Values
  // Called with the parsed body, before it is validated.
  onBody(body: unknown): void
}

// One error names the problems of all parts. The body is read last, because it costs the most.
export async function readRequest(endpoint: Endpoint, incoming: IncomingRequest): Promise<RequestParts> {
  const {request, search, params} = incoming
  const parts: RequestParts = {}
  if (endpoint.params) parts.params = params
  if (endpoint.query) parts.query = readQuery(endpoint.query, search)
  if (endpoint.headers) parts.headers = readHeaders(endpoint.headers, request)
  if (endpoint.body) {
    parts.body = await readJsonBody(request)
    incoming.onBody(parts.body)
  }
  const problems = partNames.flatMap((part): Problem[] => {
    const schema = endpoint[part]
    return schema ? findProblems(schema, parts[part]) : []
  })
  throwIfProblems(problems)
  return parts
}
