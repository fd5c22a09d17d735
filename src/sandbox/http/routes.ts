// Which endpoint of the contract answers at which method and path.
import {RegExpRouter} from 'hono/router/reg-exp-router'
import {type Endpoint, type EndpointName, endpointEntries} from '../../contract/endpoints.ts'
import {ServiceError} from './refusal.ts'

interface Found {
  name: EndpointName
  endpoint: Endpoint
}

// A path that is there, with the methods it takes.
interface Place {
  allow: string
}

export type Route = (Found & {params: Record<string, string>}) | Place

const pathsOf = ({path, pathAlso}: Endpoint) =>
  [path, ...(pathAlso ? [pathAlso] : [])].map((each) => each.replace(/\{(\w+)\}/g, ':$1'))

function routerOf() {
  const router = new RegExpRouter<Found | Place>()
  const methodsByPath = new Map<string, string[]>()
  for (const {name, endpoint} of endpointEntries) {
    for (const path of pathsOf(endpoint)) {
      router.add(endpoint.method, path, {name, endpoint})
      methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), endpoint.method])
    }
  }
  // Registered last, so that it is found first only for methods which no endpoint has.
  for (const [path, methods] of methodsByPath) router.add('ALL', path, {allow: methods.join(', ')})
  return router
}

const router = routerOf()

// What cannot be decoded is left as it came, for the schema of the parameter to refuse.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export function routeOf(method: string, path: string): Route {
  // A HEAD is answered as a GET, and whoever carries the answer leaves the body out.
  const [[first] = [], stash = []] = router.match(method === 'HEAD' ? 'GET' : method, path)
  if (!first) throw new ServiceError('NOT_FOUND', `There is nothing at ${path}`)
  const [found, places] = first
  if ('allow' in found) return found
  const params: Record<string, string> = {}
  for (const [field, place] of Object.entries(places)) {
    params[field] = decoded(typeof place === 'number' ? (stash[place] ?? '') : place)
  }
  return {...found, params}
}
