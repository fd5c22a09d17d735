// The service's HTTP interface: a router made from the contract, with authentication and one shape for every error.
import {timingSafeEqual} from 'node:crypto'
import {type Context, Hono} from 'hono'
import {type Endpoint, type EndpointName, endpointEntries} from '../../contract/endpoints.ts'
import {isBusy} from '../store/database.ts'
import {handlers} from '../handlers.ts'
import {digestOf} from '../store/ids.ts'
import {operate} from '../operation.ts'
import {Refusal} from './refusal.ts'
import {readRequest} from './requests.ts'
import {apiKeyOf} from '../store/settings.ts'
import type {House, Turn} from '../turn.ts'

// The router knows an endpoint by its name only; that input and handler fit each other is checked in handlers.ts.
type AnyHandler = (turn: Turn, input: unknown) => unknown

const handlerOf = (name: EndpointName) =>
  (handlers as Partial<Record<EndpointName, unknown>>)[name] as AnyHandler | undefined

const pathsOf = ({path, pathAlso}: Endpoint) =>
  [path, ...(pathAlso ? [pathAlso] : [])].map((each) => each.replace(/\{(\w+)\}/g, ':$1'))

// Digests are compared, since the comparison in constant time asks for two values of one length.
function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => Buffer.from(digestOf('', text))) as [Buffer, Buffer]
  return timingSafeEqual(a, b)
}

function authenticate(house: House, authorization: string | undefined) {
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  if (given !== undefined && isSame(given, apiKeyOf(house.database))) return
  const message =
    given === undefined ? 'No credential: send Authorization: Bearer <API key>' : 'The credential is not valid'
  throw new Refusal('UNAUTHORIZED', message, {'www-authenticate': 'Bearer'})
}

async function answer(house: House, name: EndpointName, endpoint: Endpoint, context: Context): Promise<Response> {
  const handler = handlerOf(name)
  if (!handler) {
    throw new Refusal('NOT_IMPLEMENTED', `The sandbox does not offer ${endpoint.method} ${endpoint.path}`)
  }
  const input = await readRequest(endpoint, context.req.raw, context.req.param())
  return Response.json(operate(house, (turn) => handler(turn, input)))
}

// A fault is told to whoever runs the sandbox, and to the caller only that there was one.
function refusalFrom(error: unknown, onFault: (error: unknown) => void): Refusal {
  if (error instanceof Refusal) return error
  if (isBusy(error)) {
    return new Refusal('SERVICE_UNAVAILABLE', 'Another process is using the sandbox and does not let go: try again')
  }
  onFault(error)
  return new Refusal('INTERNAL_ERROR', 'A fault in the sandbox: the request was not carried out')
}

export function createApp(house: House, onFault: (error: unknown) => void): Hono {
  const app = new Hono()
  app.use(async (context, next) => {
    authenticate(house, context.req.header('authorization'))
    await next()
  })
  const methodsByPath = new Map<string, string[]>()
  for (const {name, endpoint} of endpointEntries) {
    for (const path of pathsOf(endpoint)) {
      app.on(endpoint.method, path, (context) => answer(house, name, endpoint, context))
      methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), endpoint.method])
    }
  }
  // Registered last, so that it hears only of methods which nothing above has answered.
  for (const [path, methods] of methodsByPath) {
    const allow = methods.join(', ')
    app.all(path, ({req}) => {
      throw new Refusal('METHOD_NOT_ALLOWED', `${req.method} is not offered at ${req.path}: it takes ${allow}`, {allow})
    })
  }
  app.notFound(({req}) => new Refusal('NOT_FOUND', `There is nothing at ${req.path}`).toResponse())
  app.onError((error) => refusalFrom(error, onFault).toResponse())
  return app
}
