// Finds the endpoint of the contract for a method and a path.
import {wire, type WireEndpoint} from '../../contract/wire.frozen.ts'
import {ServiceError} from './service-error.ts'

// Or the path exists, but not with this method.
export type Route = {endpoint: WireEndpoint; params: Record<string, string>} | {allow: string}

// {customerId} stands for one segment.
const toPattern = (path: string) => new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)

const routes = Object.values(wire)
  .flatMap((verbs) => Object.values(verbs))
  .flatMap((endpoint) =>
    [endpoint.path, endpoint.pathAlso].flatMap((path) =>
      path === undefined ? [] : [{endpoint, pattern: toPattern(path)}],
    ),
  )

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
  const found = routes.filter(({pattern}) => pattern.test(path))
  const route = found.find(({endpoint}) => endpoint.method === verb)
  if (route) {
    const segments = Object.entries(route.pattern.exec(path)?.groups ?? {})
    const params = Object.fromEntries(segments.map(([field, text]) => [field, decodeSegment(text)]))
    return {endpoint: route.endpoint, params}
  }
  if (found.length === 0) throw new ServiceError('NOT_FOUND', `There is no endpoint at ${path}`)
  return {allow: found.map(({endpoint}) => endpoint.method).join(', ')}
}
