// The HTTP interface of the service: routes of the contract, authentication, faults, and one shape for every error.
import type {EndpointName} from '../../contract/endpoints.ts'
import type {WireEndpoint} from '../../contract/wire.frozen.ts'
import {type Fault, applyFault, createFaultReply, createReplyAfterCommit, takeFault} from '../service/faults/faults.ts'
import {getHandler} from '../service/handlers.ts'
import type {RequestLog} from '../service/log/request-log.ts'
import {createBatchRunner} from '../service/run.ts'
import type {SandboxEnvironment} from '../service/request-context.ts'
import {enqueue} from '../time/queue.ts'
import {secondMs} from '../../values/time.ts'
import {findAsset} from './assets.ts'
import {type Arrival, authenticate, readArrival} from './credential.ts'
import {type SandboxRequest, type SandboxResponse, toSandboxResponse} from './exchange.ts'
import type {PageRequest} from './page-request.ts'
import type {Reply} from './reply.ts'
import {type IncomingRequest, readRequest} from './requests.ts'
import {findRoute} from './routes.ts'
import {ServiceError, toServiceError} from './service-error.ts'

interface AppSettings {
  // The base URL of the service, for its OpenAPI document.
  url: string
  log: RequestLog
  // The origins whose pages may show the sandbox's pages in a frame.
  frameAncestors?: readonly string[] | undefined
  // Called with errors of the sandbox itself, which replies only show as INTERNAL_ERROR.
  onFault: (error: unknown) => void
}

export type HandleRequest = (request: SandboxRequest) => Promise<SandboxResponse>

const documentPath = '/openapi.json'

type Operate = ReturnType<typeof createBatchRunner>

async function runEndpoint(operate: Operate, endpoint: WireEndpoint, incoming: IncomingRequest): Promise<Reply> {
  const handler = getHandler(endpoint.name as EndpointName)
  const input = await readRequest(endpoint, incoming)
  const value = await operate((context) => handler(context, input), endpoint.method === 'GET')
  return {status: 200, value}
}

// The request is validated now and carried out later (see commitLate in service/run.ts).
async function queueEndpoint(
  operate: Operate,
  endpoint: WireEndpoint,
  incoming: IncomingRequest,
  afterMs: number,
): Promise<void> {
  const input = await readRequest(endpoint, incoming)
  const task = {endpoint: endpoint.name as EndpointName, input}
  await operate((context) => enqueue(context, 'request.commit', task, context.now + afterMs))
}

// OPTIONS is answered for every path; any other method without an endpoint is an error.
function replyWithoutEndpoint(method: string, path: string, allow: string): Reply {
  if (method === 'OPTIONS') return {status: 204, headers: {allow}, text: ''}
  throw new ServiceError('METHOD_NOT_ALLOWED', `${method} is not allowed at ${path}: use ${allow}`, {allow})
}

async function replyWithOpenApi(url: string): Promise<Reply> {
  const {buildOpenApiDocument} = await import('../../contract/openapi.ts')
  return {status: 200, value: buildOpenApiDocument(url)}
}

const isOpenApiRequest = (method: string, path: string) =>
  path === documentPath && (method === 'GET' || method === 'HEAD')

interface Service extends Pick<AppSettings, 'url' | 'onFault'> {
  environment: SandboxEnvironment
  operate: Operate
  frameAncestors: readonly string[]
}

interface RequestTrace {
  path: string
  search: string
  body?: unknown
  fault?: Fault | undefined
}

function parseTarget(target: string): RequestTrace {
  const queryAt = target.indexOf('?')
  return queryAt === -1
    ? {path: target, search: ''}
    : {path: target.slice(0, queryAt), search: target.slice(queryAt + 1)}
}

async function handleRequest(
  service: Service,
  request: SandboxRequest,
  trace: RequestTrace,
  arrival: Arrival,
): Promise<Reply> {
  const {environment, operate, url} = service
  const {method} = request
  const {path, search} = trace
  if (isOpenApiRequest(method, path)) return replyWithOpenApi(url)
  const page = findPage(environment, path, request)
  if (page) return page({...service, request, path, search})
  authenticate(request.header('authorization'), arrival)
  if (arrival.hasFaults) trace.fault = takeFault(environment.database, method, path)
  const {fault} = trace
  const instead = fault && createFaultReply(fault)
  if (instead && fault.commitAfterMs === null) return instead
  const route = findRoute(method, path)
  if ('allow' in route) return replyWithoutEndpoint(method, path, route.allow)
  const onBody = (body: unknown) => (trace.body = body)
  const incoming = {request, search, params: route.params, onBody}
  if (instead) {
    await queueEndpoint(operate, route.endpoint, incoming, fault.commitAfterMs ?? 0)
    return instead
  }
  const reply = await runEndpoint(operate, route.endpoint, incoming)
  return (fault && createReplyAfterCommit(fault)) ?? reply
}

// The virtual clock, by which quotes expire, unless `svc sandbox faults set` changes it.
function createDateHeader({at, behaviours: {dateSkewSeconds, dateHeader}}: Arrival): Record<string, string> {
  return dateHeader === 'left-out' ? {} : {date: new Date(at + dateSkewSeconds * secondMs).toUTCString()}
}

export function createApp(
  environment: SandboxEnvironment,
  {url, log, frameAncestors = [], onFault}: AppSettings,
): HandleRequest {
  const toErrorReply = (error: unknown) => toServiceError(error, onFault).toReply()
  // A request that was carried out is answered so, even if it cannot be logged and `onFault`
  // throws.
  const addToLog = (entry: Parameters<RequestLog['add']>[0]) => {
    try {
      log.add(entry)
    } catch {}
  }
  const service: Service = {environment, operate: createBatchRunner(environment), url, frameAncestors, onFault}
  return async (request) => {
    const started = performance.now()
    const trace = parseTarget(request.target)
    let reply: Reply
    let date: Record<string, string> = {}
    try {
      const arrival = readArrival(environment.database)
      date = createDateHeader(arrival)
      reply = await handleRequest(service, request, trace, arrival).catch(toErrorReply)
      if (!reply.isUnlogged)
        addToLog({...trace, arrival, method: request.method, status: reply.status, started, reply: reply.value})
    } catch (error) {
      reply = toErrorReply(error)
    }
    const response = toSandboxResponse({...reply, headers: {...date, ...reply.headers}})
    return trace.fault ? applyFault(trace.fault, response) : response
  }
}

// Finds the page at a path. Pages are for browsers and need no API key.
type PageHandler = (pageRequest: PageRequest) => Promise<Reply>

const formPath = /\/(?:verify|bank-account)\//

const getFormsFolder = ({formsUrl}: SandboxEnvironment): string =>
  (URL.parse(formsUrl)?.pathname ?? '').replace(/\/+$/, '')

// The handlers are imported on request, because most processes never serve a page.
function findForm(environment: SandboxEnvironment, path: string): PageHandler | undefined {
  if (!formPath.test(path)) return undefined
  const folder = getFormsFolder(environment)
  if (!path.startsWith(folder) || path.slice(folder.length).search(formPath) !== 0) return undefined
  return async (pageRequest) => (await import('../forms/form-handler.ts')).handleFormRequest(pageRequest, folder)
}

// The root is for a browser, which is told how to open the console. Another client that accepts JSON is answered as at any other path.
const isConsolePath = ({consoleEntrance}: SandboxEnvironment, path: string, request: SandboxRequest) =>
  path.startsWith('/console/') ||
  (path === '/' && /\btext\/html\b/.test(request.header('accept') ?? '')) ||
  (consoleEntrance !== undefined && path.startsWith(`${consoleEntrance.folder}/`))

const findConsole = (environment: SandboxEnvironment, path: string, request: SandboxRequest): PageHandler | undefined =>
  isConsolePath(environment, path, request)
    ? async (pageRequest) => (await import('../console/console-handler.ts')).handleConsoleRequest(pageRequest)
    : undefined

const findPage = (environment: SandboxEnvironment, path: string, request: SandboxRequest): PageHandler | undefined =>
  findAsset(path) ?? findConsole(environment, path, request) ?? findForm(environment, path)
