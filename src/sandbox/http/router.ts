// Decides what answers a request to a server: control, a space, or the sandbox itself.
import {isSealValid} from '../forms/links.ts'
import {isControlPath, spaceHeader, spaceMark} from '../operations/constants.ts'
import {ControlError} from '../operations/control-error.ts'
import {createErrorReply} from '../operations/control-reply.ts'
import type {ControlSettings} from '../operations/handler.ts'
import {readSpaceName, splitCredential} from '../operations/space-name.ts'
import type {Sandbox} from '../sandbox.ts'
import type {HandleRequest} from './app.ts'
import {type SandboxRequest, toSandboxResponse} from './exchange.ts'
import {ServiceError} from './service-error.ts'
import type {Space, Spaces} from './spaces.ts'

interface RouterSettings extends Pick<ControlSettings, 'url' | 'onFault'> {
  sandbox: Sandbox
  controlToken: string
  spaces: Spaces | undefined
}

const noSpaces = new ServiceError('BAD_REQUEST', 'This server has no spaces: `svc sandbox start --spaces` serves some')

// A space accepts the API key of the server, also while a reset changes its own. What else it accepts, such as its own JWTs, it
// checks itself.
function adaptRequest(request: SandboxRequest, apiKey: string): SandboxRequest {
  const {credential} = splitCredential(request.header('authorization'))
  if (credential === undefined) return request
  return {
    ...request,
    header: (name) => (name === 'authorization' ? `Bearer ${credential}` : request.header(name)),
    isAuthenticated: isSealValid(credential, apiKey),
  }
}

// Only who has the API key can make a space.
async function openSpace(spaces: Spaces, name: string, request: SandboxRequest, apiKey: string): Promise<Space> {
  const existing = await spaces.find(name)
  if (existing) return existing
  const {credential} = splitCredential(request.header('authorization'))
  if (credential === undefined || !isSealValid(credential, apiKey)) {
    const message = `The credential is not the API key of the server, and there is no space "${name}" yet`
    throw new ServiceError('UNAUTHORIZED', message, {'www-authenticate': 'Bearer'})
  }
  return spaces.open(name)
}

function toErrorReply(error: unknown) {
  if (error instanceof ServiceError) return error.toReply()
  if (error instanceof ControlError) return new ServiceError('SERVICE_UNAVAILABLE', error.message).toReply()
  throw error
}

export function createRouter({sandbox, controlToken, spaces, url, onFault}: RouterSettings): HandleRequest {
  // Without spaces, any name in front of localhost is this machine, as it always was.
  const findSpaceName = (request: SandboxRequest) => {
    if (spaces) return readSpaceName(request)
    if (request.header(spaceHeader) !== undefined || request.header('authorization')?.includes(spaceMark)) {
      throw noSpaces
    }
    return {spaceName: undefined, isByHostOnly: false}
  }

  let control: Promise<HandleRequest> | undefined
  const loadControl = async () => {
    const {createControlHandler} = await import('../operations/handler.ts')
    return createControlHandler({
      url,
      token: controlToken,
      spaces,
      onFault,
      sandbox,
      findSandbox: async (request) => {
        const {spaceName} = findSpaceName(request)
        if (spaceName === undefined || !spaces) return {sandbox, use: (work) => work()}
        return {...(await spaces.open(spaceName)), spaceName}
      },
    })
  }

  const handleForService: HandleRequest = async (request) => {
    const {spaceName, isByHostOnly} = findSpaceName(request)
    if (spaceName === undefined || !spaces) return sandbox.handle(request)
    const {apiKey} = sandbox
    if (isByHostOnly) {
      const existing = await spaces.find(spaceName)
      if (!existing) throw new ServiceError('NOT_FOUND', `There is no space "${spaceName}"`)
      return existing.use(() => existing.sandbox.handle(adaptRequest(request, apiKey)))
    }
    const space = await openSpace(spaces, spaceName, request, apiKey)
    return space.use(() => space.sandbox.handle(adaptRequest(request, apiKey)))
  }

  return async (request) => {
    const isControl = isControlPath(request.target)
    try {
      const foreignHeader = findForeignHeader({host: request.header('host'), origin: request.header('origin')})
      if (foreignHeader) throw new ServiceError('FORBIDDEN', foreignHeader)
      if (isControl) return await (await (control ??= loadControl()))(request)
      return await handleForService(request)
    } catch (error) {
      return isControl ? createErrorReply(error, onFault) : toSandboxResponse(toErrorReply(error))
    }
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
