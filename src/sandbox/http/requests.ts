// Reads the parameters, query, headers and body of a request, and validates them with the schemas of the endpoint.
import type {Endpoint} from '../../contract/endpoints.ts'
import {isValidBody} from '../../contract/match-body.ts'
import {type Shape, check} from '../../contract/shape.ts'
import {type Problem, findProblems} from '../../contract/problems.ts'
import {definitions, type WireEndpoint} from '../../contract/wire.frozen.ts'
import {isNestedTooDeep, rejectDeepNesting} from '../../values/json.ts'
import {type SandboxRequest, readBodyBytes} from './exchange.ts'
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

// Whether everything is valid without a doubt. Most requests are, and then zod is not loaded.
const isPlainlyValid = (endpoint: WireEndpoint, parts: RequestParts) =>
  (!endpoint.hasBody || isValidBody(endpoint.name, parts.body)) &&
  (['params', 'query', 'headers'] as const).every((part) => {
    const shape = endpoint[part]
    return !shape || check(parts[part], shape, {definitions, strict: true}).length === 0
  })

// Kept, since importing a loaded module again takes as long as the validation.
let endpointsByName: Promise<ReadonlyMap<string, Endpoint>> | undefined

const loadEndpoints = () =>
  (endpointsByName ??= import('../../contract/endpoints.ts').then(
    ({endpointEntries}) => new Map(endpointEntries.map(({name, endpoint}) => [name, endpoint])),
  ))

async function findRequestProblems(name: string, parts: RequestParts): Promise<Problem[]> {
  const endpoint = (await loadEndpoints()).get(name)
  return partNames.flatMap((part) => {
    const schema = endpoint?.[part]
    return schema ? findProblems(schema, parts[part]) : []
  })
}

// Values of a query arrive as text. Text that does not match its type stays text, so that the schema rejects it by name.
function coerceQueryValue(type: unknown, text: string): unknown {
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

// Parameters that the shape does not have are left out, unless something else rejects them.
export function readQuery({properties = {}}: Shape, search: string, keepsUnknown = false): Values {
  const values: Values = {}
  if (search === '') return values
  const parameters = new URLSearchParams(search)
  for (const field of keepsUnknown ? new Set(parameters.keys()) : Object.keys(properties)) {
    const [text, ...more] = parameters.getAll(field)
    if (more.length > 0) throw badRequest({path: field, message: 'is given more than once'})
    const type = Object.hasOwn(properties, field) ? properties[field]?.type : undefined
    if (text !== undefined) values[field] = coerceQueryValue(type, text)
  }
  return values
}

const readHeaders = ({properties = {}}: Shape, request: SandboxRequest): Values =>
  Object.fromEntries(
    Object.keys(properties).flatMap((name) => {
      const value = request.header(name)
      return value === undefined ? [] : [[name, value]]
    }),
  )

const utf8 = new TextDecoder('utf-8', {fatal: true})

// `reject` makes the error of bytes that are no JSON.
export function parseJsonBytes(bytes: Uint8Array, reject: (message: string) => Error): unknown {
  try {
    const body: unknown = JSON.parse(utf8.decode(bytes))
    rejectDeepNesting([body])
    return body
  } catch (error) {
    throw reject(isNestedTooDeep(error) ? 'is nested too deeply' : 'is not valid JSON')
  }
}

async function readJsonBody(request: SandboxRequest): Promise<unknown> {
  const bytes = await readBodyBytes(request)
  if (bytes.byteLength === 0) throw badRequest({path: '', message: 'is missing: send a JSON object'})
  return parseJsonBytes(bytes, (message) => badRequest({path: '', message}))
}

export interface IncomingRequest {
  request: SandboxRequest
  search: string
  params: Values
  // Called with the parsed body, before it is validated.
  onBody(body: unknown): void
}

// One error names the problems of all parts. The body is read last, because it costs the most.
export async function readRequest(endpoint: WireEndpoint, incoming: IncomingRequest): Promise<RequestParts> {
  const {request, search, params} = incoming
  const parts: RequestParts = {}
  if (endpoint.params) parts.params = params
  if (endpoint.query) parts.query = readQuery(endpoint.query, search)
  if (endpoint.headers) parts.headers = readHeaders(endpoint.headers, request)
  if (endpoint.hasBody) {
    parts.body = await readJsonBody(request)
    incoming.onBody(parts.body)
  }
  if (!isPlainlyValid(endpoint, parts)) throwIfProblems(await findRequestProblems(endpoint.name, parts))
  return parts
}
