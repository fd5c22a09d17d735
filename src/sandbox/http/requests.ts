// Reads a request by the contract: its parameters, query, headers and body are checked here by what the endpoint says.
import {z} from 'zod'
import type {Endpoint} from '../../contract/endpoints.ts'
import {limits} from '../../contract/limits.ts'
import {type Problem, problemsIn} from '../../contract/problems.ts'
import {badRequest, Refusal} from './refusal.ts'

type Values = Record<string, unknown>

// Pieces of one request, each judged by the schema of the same name.
export interface RequestParts {
  params?: Values
  query?: Values
  headers?: Values
  body?: unknown
}

const kindOf = (schema: z.core.$ZodType): string =>
  schema instanceof z.ZodOptional ? kindOf(schema.unwrap()) : schema._zod.def.type

// A query arrives as text. What does not read as its type stays text, for the schema to refuse by name.
function coerced(schema: z.core.$ZodType, text: string): unknown {
  const kind = kindOf(schema)
  if (kind === 'number' && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

// Only what the endpoint knows is read: unknown query parameters are ignored.
function queryOf(schema: z.ZodObject, search: URLSearchParams): Values {
  const values: Values = {}
  for (const [field, fieldSchema] of Object.entries(schema.shape)) {
    const [text, ...more] = search.getAll(field)
    if (more.length > 0) throw badRequest({path: field, message: 'is given more than once'})
    if (text !== undefined) values[field] = coerced(fieldSchema, text)
  }
  return values
}

const headersOf = (schema: z.ZodObject, headers: Headers): Values =>
  Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )

const tooLarge = () =>
  new Refusal('PAYLOAD_TOO_LARGE', `The body is larger than ${limits.requestBytesMax} bytes: send it in smaller parts`)

// The declared length is believed when it is too large; when it is not, the bytes themselves are counted.
async function bytesOf(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length')) > limits.requestBytesMax) throw tooLarge()
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of request.body ?? []) {
    total += chunk.byteLength
    if (total > limits.requestBytesMax) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, total)
}

async function jsonOf(request: Request): Promise<unknown> {
  const bytes = await bytesOf(request)
  if (bytes.byteLength === 0) throw badRequest({path: '', message: 'is missing: send a JSON object'})
  try {
    return JSON.parse(new TextDecoder('utf-8', {fatal: true}).decode(bytes))
  } catch {
    throw badRequest({path: '', message: 'is not valid JSON'})
  }
}

// Every problem of every part is named in one refusal. The body is read last: it is the part that costs something.
export async function readRequest(endpoint: Endpoint, request: Request, params: Values): Promise<RequestParts> {
  const parts: RequestParts = {
    ...(endpoint.params && {params}),
    ...(endpoint.query && {query: queryOf(endpoint.query, new URL(request.url).searchParams)}),
    ...(endpoint.headers && {headers: headersOf(endpoint.headers, request.headers)}),
    ...(endpoint.body && {body: await jsonOf(request)}),
  }
  const problems = (['params', 'query', 'headers', 'body'] as const).flatMap((part): Problem[] => {
    const schema = endpoint[part]
    return schema ? problemsIn(schema, parts[part]) : []
  })
  const [first, ...others] = problems
  if (first) throw badRequest(first, ...others)
  return parts
}
