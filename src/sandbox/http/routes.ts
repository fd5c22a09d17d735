// Finds the endpoint of the contract for a method and a path.
import {RegExpRouter} from 'hono/router/reg-exp-router'
import type {EndpointName} from '../../contract/endpoints.ts'
import {wire, type WireEndpoint} from '../../contract/wire.frozen.ts'
import {ServiceError} from './service-error.ts'

export interface EndpointMatch {
  name: EndpointName
  endpoint: WireEndpoint
}

// The path exists, but not with this method.
interface AllowedMethods {
  allow: string
}

export type Route = (EndpointMatch & {params: Record<string, string>}) | AllowedMethods

const toRouterPaths = ({path, pathAlso}: WireEndpoint) =>
  [path, ...(pathAlso ? [pathAlso] : [])].map((each) => each.replace(/\{(\w+)\}/g, ':$1'))

const endpoints: readonly WireEndpoint[] = Object.values(wire).flatMap((verbs) => Object.values(verbs))

const toMatch = (endpoint: WireEndpoint): EndpointMatch => ({name: endpoint.name as EndpointName, endpoint})

// Paths without parameters are found without the router, which takes longer to build than a list to read.
const fixedRoutes: ReadonlyMap<string, Route> = new Map(
  endpoints.flatMap((endpoint) =>
    toRouterPaths(endpoint)
      .filter((path) => !path.includes(':'))
      .map((path) => [`${endpoint.method} ${path}`, {...toMatch(endpoint), params: {}}] as const),
  ),
)

function buildRouter() {
  const router = new RegExpRouter<EndpointMatch | AllowedMethods>()
  const methodsByPath = new Map<string, string[]>()
  for (const endpoint of endpoints) {
    for (const path of toRouterPaths(endpoint)) {
      router.add(endpoint.method, path, toMatch(endpoint))
      methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), endpoint.method])
    }
  }
  // Registered last, so that endpoints have precedence.
  for (const [path, methods] of methodsByPath) router.add('ALL', path, {allow: methods.join(', ')})
  return router
}

let router: ReturnType<typeof buildRouter> | undefined

// Text that cannot be decoded is kept, so that the schema of the parameter rejects it.
function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function findRoute(method: string, path: string): Route {
  // HEAD is handled as GET; the transport leaves the body out.
  const verb = method === 'HEAD' ? 'GET' : method
  const fixed = fixedRoutes.get(`${verb} ${path}`)
  if (fixed) return fixed
  router ??= buildRouter()
  const [[first] = [], stash = []] = router.match(verb, path)
  if (!first) throw new ServiceError('NOT_FOUND', `There is no endpoint at ${path}`)
  const [match, positions] = first
  if ('allow' in match) return match
  const params: Record<string, string> = {}
  for (const [field, position] of Object.entries(positions)) {
    params[field] = decodeSegment(typeof position === 'number' ? (stash[position] ?? '') : position)
  }
  return {...match, params}
}
