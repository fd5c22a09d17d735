// The service's HTTP interface: the contract's routes, authentication, faults on demand, and one shape for every error.
import type {Endpoint, EndpointName} from '../../contract/endpoints.ts'
import {createFaultReply, applyFault} from '../faults/answers.ts'
import {type Fault, takeFault} from '../faults/faults.ts'
import {handlers} from '../handlers.ts'
import type {RequestLog} from '../log/request-log.ts'
import {createBatchRunner} from '../operation.ts'
import {pageAt} from '../pages/routes.ts'
import {isBusy} from '../store/database.ts'
import type {SandboxEnvironment, RequestContext} from '../request-context.ts'
import {arrivalAt, authenticate} from './credential.ts'
import {type SandboxResponse, type SandboxRequest, toSandboxResponse} from './exchange.ts'
import {ServiceError} from './refusal.ts'
import type {Reply} from './reply.ts'
import {type Incoming, readRequest} from './requests.ts'
import {routeOf} from './routes.ts'
import {SerializedJson} from './written-json.ts'

export interface AppSettings {
  // Where the service is to be found, for the document that describes it.
  url: string
  log: RequestLog
  // Who may show the sandbox's pages in a frame.
  frameAncestors?: readonly string[] | undefined
  // A fault of the sandbox itself is told to whoever runs it, and to the caller only that there was one.
  onFault: (error: unknown) => void
}

export type Answer = (asked: SandboxRequest) => Promise<SandboxResponse>

const documentPath = '/openapi.json'
const documentVersion = '1.0.0'

// The router knows an endpoint by its name only; that input and handler fit each other is checked in handlers.ts.
type AnyHandler = (turn: RequestContext, input: unknown) => unknown

// Requests come many to the second, and the text is the same for all of them.
let dated = {second: -1, text: ''}

function httpDate(instant: number): string {
  const second = Math.floor(instant / 1000)
  if (dated.second !== second) dated = {second, text: new Date(instant).toUTCString()}
  return dated.text
}

type Operate = ReturnType<typeof createBatchRunner>

async function carryOut(operate: Operate, name: EndpointName, endpoint: Endpoint, incoming: Incoming): Promise<Reply> {
  const handler = handlers[name] as AnyHandler
  const input = await readRequest(endpoint, incoming)
  const value = await operate((turn) => handler(turn, input))
  return value instanceof SerializedJson ? {status: 200, text: value.text, value: value.outline} : {status: 200, value}
}

// What a path takes may always be asked; any other method must be one of those.
function withoutEndpoint(method: string, path: string, allow: string): Reply {
  if (method === 'OPTIONS') return {status: 204, headers: {allow}, text: ''}
  throw new ServiceError('METHOD_NOT_ALLOWED', `${method} is not offered at ${path}: it takes ${allow}`, {allow})
}

function refusalFrom(error: unknown, onFault: AppSettings['onFault']): ServiceError {
  if (error instanceof ServiceError) return error
  if (isBusy(error)) {
    return new ServiceError(
      'SERVICE_UNAVAILABLE',
      'Another process is using the sandbox and does not let go: try again',
    )
  }
  onFault(error)
  return new ServiceError('INTERNAL_ERROR', 'A fault in the sandbox: the request was not carried out')
}

async function described(url: string): Promise<Reply> {
  const {buildOpenApiDocument: openApiDocument} = await import('../../contract/openapi.ts')
  return {status: 200, value: openApiDocument(url, documentVersion)}
}

const isDocument = (method: string, path: string) => path === documentPath && (method === 'GET' || method === 'HEAD')

interface Service extends Pick<AppSettings, 'url' | 'onFault'> {
  house: SandboxEnvironment
  operate: Operate
  frameAncestors: readonly string[]
}

interface Heard {
  path: string
  search: string
  body?: unknown
  fault?: Fault | undefined
}

function heardFrom(target: string): Heard {
  const queryAt = target.indexOf('?')
  return queryAt === -1
    ? {path: target, search: ''}
    : {path: target.slice(0, queryAt), search: target.slice(queryAt + 1)}
}

async function replyTo(service: Service, asked: SandboxRequest, heard: Heard, apiKey: string): Promise<Reply> {
  const {house, operate, url} = service
  const {method} = asked
  const {path, search} = heard
  if (isDocument(method, path)) return described(url)
  const page = pageAt(house, path, asked)
  if (page) return page({...service, asked, path, search})
  authenticate(asked.header('authorization'), apiKey)
  heard.fault = takeFault(house.database, method, path)
  const instead = heard.fault && createFaultReply(heard.fault)
  if (instead) return instead
  const route = routeOf(method, path)
  if ('allow' in route) return withoutEndpoint(method, path, route.allow)
  const onBody = (body: unknown) => (heard.body = body)
  return carryOut(operate, route.name, route.endpoint, {asked, search, params: route.params, onBody})
}

export function createApp(house: SandboxEnvironment, {url, log, frameAncestors = [], onFault}: AppSettings): Answer {
  const refused = (error: unknown) => refusalFrom(error, onFault).toReply()
  const service: Service = {house, operate: createBatchRunner(house), url, frameAncestors, onFault}
  return async (asked) => {
    const started = performance.now()
    const heard = heardFrom(asked.target)
    let reply: Reply
    let date: Record<string, string> = {}
    try {
      const arrival = arrivalAt(house.database)
      // The service's own clock, by which its quotes expire.
      date = {date: httpDate(arrival.at)}
      reply = await replyTo(service, asked, heard, arrival.apiKey).catch(refused)
      if (!reply.isUnlogged)
        log.add({...heard, arrival, method: asked.method, status: reply.status, started, reply: reply.value})
    } catch (error) {
      reply = refused(error)
    }
    const answered = toSandboxResponse({...reply, headers: {...date, ...reply.headers}})
    return heard.fault ? applyFault(heard.fault, answered) : answered
  }
}
