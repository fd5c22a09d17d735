// Which endpoint of the contract answers at which method and path.
import {RegExpRouter} from 'hono/router/reg-exp-router'
import {type Endpoint, type EndpointName, endpointEntries} from '../../contract/endpoints.ts'
import {ServiceError} from './service-error.ts'

interface EndpointMatch {
  name: EndpointName
  endpoint: Endpoint
}

// A path that is there, with the methods it takes.
interface AllowedMethods {
  allow: string
}

export type Route = (EndpointMatch & {params: Record<string, string>}) | AllowedMethods

const toRouterPaths = ({path, pathAlso}: Endpoint) =>
  [path, ...(pathAlso ? [pathAlso] : [])].map((each) => each.replace(/\{(\w+)\}/g, ':$1'))

function buildRouter() {
  const router = new RegExpRouter<EndpointMatch | AllowedMethods>()
  const methodsByPath = new Map<string, string[]>()
  for (const {name, endpoint} of endpointEntries) {
    for (const path of toRouterPaths(endpoint)) {
      router.add(endpoint.method, path, {name, endpoint})
      methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), endpoint.method])
    }
  }
  // Registered last, so that it is found first only for methods which no endpoint has.
  for (const [path, methods] of methodsByPath) router.add('ALL', path, {allow: methods.join(', ')})
  return router
}

const router = buildRouter()

// What cannot be decoded is left as it came, for the schema of the parameter to refuse.
function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function findRoute(method: string, path: string): Route {
  // A HEAD is answered as a GET, and whoever carries the answer leaves the body out.
  const [[first] = [], stash = []] = router.match(method === 'HEAD' ? 'GET' : method, path)
  if (!first) throw new ServiceError('NOT_FOUND', `There is nothing at ${path}`)
  const [found, places] = first
  if ('allow' in found) return found
  const params: Record<string, string> = {}
  for (const [field, place] of Object.entries(places)) {
    params[field] = decodeSegment(typeof place === 'number' ? (stash[place] ?? '') : place)
  }
  return {...found, params}
}
