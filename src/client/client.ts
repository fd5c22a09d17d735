// The typed client: one function per endpoint of the contract, derived from it.
import type {z} from 'zod'
import type {Endpoint, Endpoints} from '../contract/endpoints.ts'
import {matchesShape} from '../contract/match-shape.ts'
import {type ShapeProblem, type Shape, findShapeProblems} from '../contract/shape.ts'
import {type WireEndpoint, definitions, wire} from '../contract/wire.frozen.ts'
import {SvcError, badUsage} from '../errors.ts'
import {type ParsedReply, type Connection, sendRequest} from './send-request.ts'
import {createUnreadableReply} from './failures.ts'
import {attachText} from './item-lines.ts'

// Replies are read tolerantly: a known set of values may have grown since this was built.
type Tolerant<T> = T extends string
  ? string extends T
    ? T
    : T | (string & {})
  : T extends readonly (infer Item)[]
    ? Tolerant<Item>[]
    : T extends object
      ? {[K in keyof T]: Tolerant<T[K]>}
      : T

type PartInput<E, K extends keyof Endpoint> = E extends Record<K, infer S extends z.ZodType> ? z.input<S> : object

type Input<E> = PartInput<E, 'params'> &
  PartInput<E, 'query'> &
  PartInput<E, 'headers'> &
  (E extends {body: infer B extends z.ZodType} ? {body: z.input<B>} : object)

type EndpointReply<E> = E extends {reply: infer S extends z.ZodType} ? Tolerant<z.output<S>> : never

type EndpointCall<E> =
  object extends Input<E>
    ? (input?: Input<E>, onNextToken?: OnNextToken) => Promise<EndpointReply<E>>
    : (input: Input<E>, onNextToken?: OnNextToken) => Promise<EndpointReply<E>>

// Told the token of the next page as soon as the text of this one is there.
type OnNextToken = (token: string) => void

type EndpointCalls = {
  [Topic in keyof Endpoints]: {[Verb in keyof Endpoints[Topic]]: EndpointCall<Endpoints[Topic][Verb]>}
}

export interface Client extends EndpointCalls {
  // Any path of the service, for what the contract does not name.
  raw(request: Parameters<typeof sendRequest>[1]): Promise<ParsedReply>
}

export interface ClientOptions extends Connection {
  // Which form of an endpoint with two paths worked last for this profile, by endpoint name.
  getRememberedPath?: (name: string) => string | undefined
  rememberPath?: (name: string, path: string) => void
  // Told when a reply breaks the contract; it is still handed on.
  onContractViolation?: (endpoint: string, findings: ShapeProblem[]) => void
}

export function createClient(options: ClientOptions): Client {
  const topics = Object.entries(wire).map(([topic, verbs]) => [
    topic,
    Object.fromEntries(
      Object.entries(verbs).map(([verb, endpoint]) => [
        verb,
        (input: Record<string, unknown> = {}, onNextToken?: OnNextToken) =>
          callEndpoint(options, endpoint, input, onNextToken),
      ]),
    ),
  ])
  return {
    ...Object.fromEntries(topics),
    raw: (request: Parameters<typeof sendRequest>[1]) => sendRequest(options, request),
  } as Client
}

async function callEndpoint(
  options: ClientOptions,
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
  rejectFindings([
    ...findProblems(params, endpoint.params),
    ...findProblems(query, endpoint.query),
    ...findProblems(headers, endpoint.headers),
  ])
  const body = endpoint.hasBody ? await serializeBody(endpoint, input['body']) : undefined
  const request = {
    method: endpoint.method,
    query,
    headers: headers as Record<string, string>,
    body,
    ...(onNextToken && {onText: readTokenAtEnd(onNextToken)}),
  }
  const reply = await tryBothPaths(options, endpoint, (path) =>
    sendRequest(options, {...request, path: fillPath(path, params)}),
  )
  return readReply(options, {...endpoint, path: fillPath(endpoint.path, params)}, reply)
}

// Longer tokens are found when the page has been read.
const tailLength = 1000
const tokenAtEnd = /"nextPageToken":"([^"\\]+)"\}\s*$/

const readTokenAtEnd = (onNextToken: OnNextToken) => (text: string) => {
  const token = tokenAtEnd.exec(text.slice(-tailLength))?.[1]
  if (token !== undefined) onNextToken(token)
}

const findProblems = (value: unknown, shape: Shape | undefined) =>
  shape ? findShapeProblems(value, shape, definitions) : []

function rejectFindings(findings: ReadonlyArray<{path: string; message: string}>) {
  if (findings.length === 0) return
  throw badUsage(findings.map(({path, message}) => `${path} ${message}`).join('; '), 'Nothing was sent')
}

// Bodies are checked by the contract's own schemas, which load only when there is something to write.
async function serializeBody({name}: WireEndpoint, body: unknown): Promise<string> {
  const [{endpointEntries}, {findProblems: problemsIn}] = await Promise.all([
    import('../contract/endpoints.ts'),
    import('../contract/problems.ts'),
  ])
  const schema = endpointEntries.find((entry) => entry.name === name)?.endpoint.body
  if (!schema) throw new Error(`the contract has no body for ${name}`)
  rejectFindings(problemsIn(schema, body))
  return JSON.stringify(body)
}

function fillPath(path: string, params: Record<string, unknown>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(params[name])
    // These two survive encoding, and a URL would climb on them.
    if (value === '.' || value === '..') throw badUsage(`${name} must not be "${value}"`, 'Nothing was sent')
    if (!value.isWellFormed()) throw badUsage(`${name} holds half a character`, 'Nothing was sent')
    return encodeURIComponent(value)
  })
}

const isMissingRoute = (error: unknown): error is SvcError =>
  error instanceof SvcError && (error.statusCode === 404 || error.statusCode === 405)

// The interface is not sure of one path (docs/assumptions.md, C1): the form that worked last goes first, the other follows
// on 404, or on 405 where the path exists for another method, and what worked is remembered.
async function tryBothPaths(
  options: ClientOptions,
  {name, path, pathAlso}: WireEndpoint,
  attempt: (path: string) => Promise<ParsedReply>,
): Promise<ParsedReply> {
  if (!pathAlso) return attempt(path)
  const remembered = options.getRememberedPath?.(name)
  const [first, second] = remembered === pathAlso ? [pathAlso, path] : [path, pathAlso]
  try {
    return await attempt(first)
  } catch (error) {
    if (!isMissingRoute(error)) throw error
    const reply = await attempt(second).catch((other: unknown) => {
      throw moreTelling(error, other)
    })
    options.rememberPath?.(name, second)
    return reply
  }
}

// How much a refusal says of the thing itself: a code of its own, as the interface writes codes, says most; then words
// beside the common code; a route that does not exist answers in its framework's manner, or with nothing.
function tellingOf({error, message}: SvcError): number {
  if (error === 'NOT_FOUND') return message.endsWith(`${error})`) ? 0 : 1
  return /^[A-Z][A-Z\d]*(_[A-Z\d]+)*$/.test(error) ? 2 : 0
}

// Of two refusals, the one that says "not found" about the thing itself beats one about the route.
function moreTelling(first: SvcError, second: unknown): unknown {
  if (!isMissingRoute(second)) return second
  if (first.exitCode !== second.exitCode) return first.kind === 'notFound' ? first : second
  return tellingOf(second) > tellingOf(first) ? second : first
}

// A number that keeps its digits is an object to JavaScript, but not to JSON.
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)

function readReply(options: ClientOptions, endpoint: WireEndpoint, reply: ParsedReply): unknown {
  const {body, status} = reply
  const failedRequest = {...endpoint, host: new URL(options.baseUrl).host, caller: options.callerLabel}
  if (!isObject(body)) {
    throw createUnreadableReply(
      failedRequest,
      status,
      body === undefined ? 'an empty body' : 'JSON that is not an object',
    )
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
