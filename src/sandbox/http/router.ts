// Decides what answers a request to a server: control or the sandbox itself.
import {isControlPath} from '../operations/constants.ts'
import type {ControlSettings} from '../operations/handler.ts'
import type {HandleRequest} from './app.ts'
import {toSandboxResponse} from './exchange.ts'
import {ServiceError} from './service-error.ts'

export function createRouter(settings: ControlSettings): HandleRequest {
  const {sandbox} = settings
  let control: Promise<HandleRequest> | undefined
  const loadControl = async () => {
    const {createControlHandler} = await import('../operations/handler.ts')
    return createControlHandler(settings)
  }

  return async (request) => {
    const foreignHeader = findForeignHeader({host: request.header('host'), origin: request.header('origin')})
    if (foreignHeader) return toSandboxResponse(new ServiceError('FORBIDDEN', foreignHeader).toReply())
    return isControlPath(request.target) ? (await (control ??= loadControl()))(request) : sandbox.handle(request)
  }
}

// Checks that a request comes from this machine and not from a web page, even if the page's host name resolves to 127.0.0.1.
const localNames = /^(?:(?:[a-z\d-]+\.)*localhost|127\.0\.0\.1|\[::1\])$/i

// A Host header is a name, optionally with a port.
function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && localNames.test(host.replace(/:\d*$/, ''))
}

// Only browsers send an Origin header. "null" is a page with a hidden origin.
function isLocalOrigin(origin: string | undefined): boolean {
  return origin === undefined || localNames.test(URL.parse(origin)?.hostname ?? '')
}

// Why a request is rejected; undefined if it is not.
function findForeignHeader(headers: {host?: string | undefined; origin?: string | undefined}): string | undefined {
  if (!isLocalHost(headers.host)) return 'The Host header names another machine: the sandbox only serves this one'
  if (!isLocalOrigin(headers.origin))
    return 'The Origin header names another site: the sandbox does not serve other web pages'
  return undefined
}
