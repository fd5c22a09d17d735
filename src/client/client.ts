// The typed client: one function per endpoint, derived from the contract.
import type {z} from 'zod'
import type {Endpoint, Endpoints} from '../contract/endpoints.ts'
import type {LooseReply} from '../contract/loose.ts'
import {isValidBody} from '../contract/match-body.ts'
import {type Shape, check} from '../contract/shape.ts'
import {type WireEndpoint, definitions, wire} from '../contract/wire.frozen.ts'
import {SvcError, badUsage} from '../errors.ts'
import type {Connection, RequestLine} from './connection.ts'
import {ReplyError, describeCheck} from './failures.ts'
import {isRecord} from '../values/records.ts'
import {isWrite} from '../values/urls.ts'
import {type ParsedReply, type SendRequest, createSendRequest} from './send-request.ts'
import {type ReadOptions, checkReply, readReply} from './read-reply.ts'

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
    ? (input?: Input<E>) => Promise<EndpointReply<E>>
    : (input: Input<E>) => Promise<EndpointReply<E>>

type EndpointCalls = {
  [Topic in keyof Endpoints]: {[Verb in keyof Endpoints[Topic]]: EndpointCall<Endpoints[Topic][Verb]>}
}

export interface Client extends EndpointCalls {
  // Sends a request to any path of the service, for what the contract does not name.
  raw: SendRequest
}

export interface ClientOptions extends Connection, ReadOptions {
  // Sends bodies with fields that the contract does not have.
  allowsUnknownFields?: boolean | undefined
}

type CallEndpoint = (endpoint: WireEndpoint, input?: Record<string, unknown>) => Promise<unknown>

export function createClient(options: ClientOptions): Client {
  const {send, call} = createEndpointCaller(options)
  const topics = Object.entries(wire).map(([topic, verbs]) => [
    topic,
    Object.fromEntries(
      Object.entries(verbs).map(([verb, endpoint]) => [
        verb,
        (input?: Record<string, unknown>) => call(endpoint, input),
      ]),
    ),
  ])
  return {...Object.fromEntries(topics), raw: send} as Client
}

// Calls endpoints by their description, for clients whose functions are made from the contract.
export function createEndpointCaller(options: ClientOptions): {send: SendRequest; call: CallEndpoint} {
  const request = createSendRequest(options)
  const session: Session = {workingPaths: new Map()}
  const send: SendRequest = async (sent) => {
    const reply = await request(sent)
    if (sent.endpoint && isRecord(reply.body)) checkReply(options, sent.endpoint, reply.body)
    if (isWrite(sent.method)) session.lastWrite = {method: sent.method, path: sent.path}
    return reply
  }
  const call: CallEndpoint = (endpoint, input = {}) =>
    callEndpoint(options, session, send, endpoint, input).catch((error: unknown) => {
      throw session.lastWrite && isInvalidRequest(error) ? createIncompleteReply(session.lastWrite, error) : error
    })
  return {send, call}
}

interface Session {
  // For an endpoint with two possible paths: the one that worked last, by endpoint name.
  workingPaths: Map<string, string>
  // The last write that the service accepted.
  lastWrite?: RequestLine
}

const isInvalidRequest = (error: unknown): error is SvcError => error instanceof SvcError && error.kind === 'usage'

// A request after a write is built from its reply. If it is not valid, the reply lacked something, and something was sent.
const createIncompleteReply = (write: RequestLine, cause: SvcError) =>
  new SvcError({
    error: 'REPLY_INCOMPLETE',
    kind: 'unknownOutcome',
    effect: 'done',
    message: `The service accepted ${write.method} ${write.path}, but svc cannot continue: ${cause.message}`,
    hint: describeCheck(write),
    cause,
  })

async function callEndpoint(
  options: ClientOptions,
  session: Session,
  send: SendRequest,
  endpoint: WireEndpoint,
  input: Record<string, unknown>,
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
  const body = endpoint.hasBody ? await serializeBody(endpoint, input['body'], options) : undefined
  const request = {method: endpoint.method, query, headers: headers as Record<string, string>, body}
  const reply = await tryBothPaths(session, endpoint, (path) => send({...request, path: fillPath(path, params)}))
  return readReply(options, {...endpoint, path: fillPath(endpoint.path, params)}, reply)
}

const findProblemsIn = (value: unknown, shape: Shape | undefined) => (shape ? check(value, shape, {definitions}) : [])

function rejectProblems(problems: ReadonlyArray<{path: string; message: string}>) {
  if (problems.length === 0) return
  throw badUsage(problems.map(({path, message}) => `${path} ${message}`).join('; '), 'Nothing was sent')
}

async function serializeBody(
  {name}: WireEndpoint,
  body: unknown,
  {allowsUnknownFields = false}: ClientOptions,
): Promise<string> {
  if (isValidBody(name, body)) return JSON.stringify(body)
  const [{endpointEntries}, {findProblems}] = await Promise.all([
    import('../contract/endpoints.ts'),
    import('../contract/problems.ts'),
  ])
  const schema = endpointEntries.find((entry) => entry.name === name)?.endpoint.body
  if (!schema) throw new Error(`the contract has no body for ${name}`)
  const isAllowed = (kind: unknown) => allowsUnknownFields && (kind === 'unknownField' || kind === 'removedField')
  rejectProblems(findProblems(schema, body).filter(({kind}) => !isAllowed(kind)))
  return JSON.stringify(body)
}

function fillPath(path: string, params: Record<string, unknown>): string {
  if (!path.includes('{')) return path
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
  {workingPaths}: Session,
  {name, path, pathAlso}: WireEndpoint,
  send: (path: string) => Promise<ParsedReply>,
): Promise<ParsedReply> {
  if (!pathAlso) return send(path)
  const [first, second] = workingPaths.get(name) === pathAlso ? [pathAlso, path] : [path, pathAlso]
  try {
    return await send(first)
  } catch (error) {
    if (!isMissingRoute(error)) throw error
    const reply = await send(second).catch((other: unknown) => {
      throw chooseFailure(error, other)
    })
    workingPaths.set(name, second)
    return reply
  }
}

// If both paths fail, an error with a code of its own speaks of the thing itself, and not of a missing route.
const namesThing = ({kind, error}: ReplyError) => kind === 'notFound' && /^(?!NOT_FOUND$)[A-Z][A-Z\d_]*$/.test(error)

function chooseFailure(first: ReplyError, second: unknown): unknown {
  if (!isMissingRoute(second) || namesThing(second)) return second
  return first.kind === 'notFound' ? first : second
}
