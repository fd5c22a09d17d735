// The typed client: one function per endpoint, derived from the contract.
import type {z} from 'zod'
import type {Endpoint, Endpoints} from '../contract/endpoints.ts'
import type {LooseReply} from '../contract/loose.ts'
import {matchesShape} from '../contract/match-shape.ts'
import {type Shape, type ShapeProblem, findShapeProblems} from '../contract/shape.ts'
import {type WireEndpoint, definitions, wire} from '../contract/wire.frozen.ts'
import {badUsage} from '../errors.ts'
import type {Connection} from './connection.ts'
import {ReplyError, createUnreadableReply} from './failures.ts'
import {attachText} from './item-lines.ts'
import type {ParsedReply} from './parse-reply.ts'
import {type SendRequest, createSendRequest} from './send-request.ts'

type PartInput<E, K extends keyof Endpoint> = E extends Record<K, infer S extends z.ZodType> ? z.input<S> : object

type Input<E> = PartInput<E, 'params'> &
  PartInput<E, 'query'> &
  PartInput<E, 'headers'> &
  (E extends {body: infer B extends z.ZodType} ? {body: z.input<B>} : object)

type EndpointReply<E> = E extends {reply: infer S extends z.ZodObject}
  ? LooseReply<z.output<S>, E extends {items: infer ItemsKey} ? ItemsKey : undefined>
  : never

type EndpointCall<E> =
  object extends Input<E>
    ? (input?: Input<E>, onNextToken?: OnNextToken) => Promise<EndpointReply<E>>
    : (input: Input<E>, onNextToken?: OnNextToken) => Promise<EndpointReply<E>>

// Called with the token of the next page as soon as the text of this page has arrived.
type OnNextToken = (token: string) => void

type EndpointCalls = {
  [Topic in keyof Endpoints]: {[Verb in keyof Endpoints[Topic]]: EndpointCall<Endpoints[Topic][Verb]>}
}

export interface Client extends EndpointCalls {
  // Sends a request to any path of the service, for what the contract does not name.
  raw: SendRequest
}

export interface ClientOptions extends Connection {
  // For an endpoint with two possible paths: the one that worked last for this profile, by endpoint name.
  getRememberedPath?: (name: string) => string | undefined
  rememberPath?: (name: string, path: string) => void
  // Called if a reply violates the contract; the reply is returned all the same.
  onContractViolation?: (endpoint: string, problems: ShapeProblem[]) => void
}

export function createClient(options: ClientOptions): Client {
  const send = createSendRequest(options)
  const topics = Object.entries(wire).map(([topic, verbs]) => [
    topic,
    Object.fromEntries(
      Object.entries(verbs).map(([verb, endpoint]) => [
        verb,
        (input: Record<string, unknown> = {}, onNextToken?: OnNextToken) =>
          callEndpoint(options, send, endpoint, input, onNextToken),
      ]),
    ),
  ])
  return {...Object.fromEntries(topics), raw: send} as Client
}

async function callEndpoint(
  options: ClientOptions,
  send: SendRequest,
  endpoint: WireEndpoint,
  input: Record<string, unknown>,
  onNextToken?: OnNextToken,
): Promise<unknown> {
  const pick = (shape: Shape | undefined) =>
    Object.fromEntries(
      Object.keys(shape?.properties ?? {})
        .filter((name) => input[name] !== undefined)
        .map((name) => [name, input[name]]),
    )
  const params = pick(endpoint.params)
  const query = pick(endpoint.query) as Record<string, string | number | boolean>
  const headers = pick(endpoint.headers)
  rejectProblems([
    ...findProblemsIn(params, endpoint.params),
    ...findProblemsIn(query, endpoint.query),
    ...findProblemsIn(headers, endpoint.headers),
  ])
  const body = endpoint.hasBody ? await serializeBody(endpoint, input['body']) : undefined
  const request = {
    method: endpoint.method,
    query,
    headers: headers as Record<string, string>,
    body,
    ...(onNextToken && {onText: readTokenAtEnd(onNextToken)}),
  }
  const reply = await tryBothPaths(options, endpoint, (path) => send({...request, path: fillPath(path, params)}))
  return readReply(options, {...endpoint, path: fillPath(endpoint.path, params)}, reply)
}

// A longer token is found once the page has been parsed.
const tailLength = 1000
const tokenAtEnd = /"nextPageToken":"([^"\\]+)"\}\s*$/

const readTokenAtEnd = (onNextToken: OnNextToken) => (text: string) => {
  const token = tokenAtEnd.exec(text.slice(-tailLength))?.[1]
  if (token !== undefined) onNextToken(token)
}

const findProblemsIn = (value: unknown, shape: Shape | undefined) =>
  shape ? findShapeProblems(value, shape, definitions) : []

function rejectProblems(problems: ReadonlyArray<{path: string; message: string}>) {
  if (problems.length === 0) return
  throw badUsage(problems.map(({path, message}) => `${path} ${message}`).join('; '), 'Nothing was sent')
}

// Bodies are validated by the contract's zod schemas, which are loaded only if there is something to write.
async function serializeBody({name}: WireEndpoint, body: unknown): Promise<string> {
  const [{endpointEntries}, {findProblems}] = await Promise.all([
    import('../contract/endpoints.ts'),
    import('../contract/problems.ts'),
  ])
  const schema = endpointEntries.find((entry) => entry.name === name)?.endpoint.body
  if (!schema) throw new Error(`the contract has no body for ${name}`)
  rejectProblems(findProblems(schema, body))
  return JSON.stringify(body)
}

function fillPath(path: string, params: Record<string, unknown>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(params[name])
    // Encoding leaves these two as they are, and a URL would resolve them to another path.
    if (value === '.' || value === '..') throw badUsage(`${name} must not be "${value}"`, 'Nothing was sent')
    if (!value.isWellFormed()) throw badUsage(`${name} contains half a character`, 'Nothing was sent')
    return encodeURIComponent(value)
  })
}

const isMissingRoute = (error: unknown): error is ReplyError =>
  error instanceof ReplyError && (error.statusCode === 404 || error.statusCode === 405)

// The interface does not fix one path (docs/assumptions.md, C1). The path that worked last is tried first, then the other
// one on 404, or on 405 if the path exists for another method; the one that works is remembered.
async function tryBothPaths(
  options: ClientOptions,
  {name, path, pathAlso}: WireEndpoint,
  send: (path: string) => Promise<ParsedReply>,
): Promise<ParsedReply> {
  if (!pathAlso) return send(path)
  const remembered = options.getRememberedPath?.(name)
  const [first, second] = remembered === pathAlso ? [pathAlso, path] : [path, pathAlso]
  try {
    return await send(first)
  } catch (error) {
    if (!isMissingRoute(error)) throw error
    const reply = await send(second).catch((other: unknown) => {
      throw chooseFailure(error, other)
    })
    options.rememberPath?.(name, second)
    return reply
  }
}

// If both paths fail, the error about the thing itself is reported rather than one about a missing route.
function chooseFailure(first: ReplyError, second: unknown): unknown {
  if (!isMissingRoute(second)) return second
  if (first.kind !== second.kind) return first.kind === 'notFound' ? first : second
  return second.saysMoreThan(first) ? second : first
}

// A number that keeps its digits is an object to JavaScript, but not to JSON.
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

function readReply(options: ClientOptions, endpoint: WireEndpoint, reply: ParsedReply): unknown {
  const {body, status} = reply
  const failedRequest = {...endpoint, host: new URL(options.baseUrl).host, caller: options.callerLabel}
  if (!isObject(body)) {
    const what = body === undefined ? 'an empty body' : 'JSON that is not an object'
    throw createUnreadableReply(failedRequest, status, what)
  }
  if (endpoint.items) {
    const items = body[endpoint.items]
    if (!Array.isArray(items)) throw createUnreadableReply(failedRequest, status, `no list of ${endpoint.items}`)
    if (!items.every(isObject))
      throw createUnreadableReply(failedRequest, status, `${endpoint.items} that are not objects`)
    if (reply.text !== undefined) attachText(body, reply.text)
  }
  if (matchesShape(body, endpoint.reply, definitions)) return body
  const violations = findShapeProblems(body, endpoint.reply, definitions).filter(
    ({kind}) => kind === 'missing' || kind === 'wrong',
  )
  if (violations.length > 0) options.onContractViolation?.(endpoint.name, violations)
  return body
}
