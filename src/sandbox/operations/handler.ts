// Answers requests to control: checks the token, reads and validates the input, and runs the operation.
import {z} from 'zod'
import {findProblems} from '../../contract/problems.ts'
import type {Shape} from '../../contract/shape.ts'
import {type SandboxRequest, type SandboxResponse, hasOwnOrigin, toSandboxResponse} from '../http/exchange.ts'
import type {Reply} from '../http/reply.ts'
import {parseJsonBytes, readQuery} from '../http/requests.ts'
import {challengeHeader, proofHeader, signChallenge} from '../http/server-address.ts'
import {ServiceError, badRequest, throwIfProblems, toServiceError} from '../http/service-error.ts'
import type {Sandbox} from '../sandbox.ts'
import {isEqualSecret} from '../../values/text.ts'
import {controlDocumentPath, controlPrefix} from './constants.ts'
import {ControlError} from './control-error.ts'
import {getMethod} from './define.ts'
import {type OperationName, getOperation, operationNames} from './operations.ts'
import {buildControlDocument} from './openapi.ts'
import {createInputSchema} from './schema-kit.ts'

export interface ControlSettings {
  url: string
  token: string
  sandbox: Sandbox
  onFault: (error: unknown) => void
}

const paths = new Map(operationNames.map((name) => [`${controlPrefix}/${name.replaceAll('.', '/')}`, name]))

function checkToken(request: SandboxRequest, token: string): void {
  const credential = /^Bearer +(\S+) *$/i.exec(request.header('authorization') ?? '')?.[1]
  if (credential !== undefined && isEqualSecret(credential, token)) return
  const message =
    credential === undefined
      ? 'No control token: send Authorization: Bearer <controlToken>, which `svc sandbox status --json` names'
      : 'The control token is not valid: a server has a new one each time it starts'
  throw new ServiceError('UNAUTHORIZED', message, {'www-authenticate': 'Bearer'})
}

// The token would stop a page, but it has no business here.
function checkOrigin(request: SandboxRequest): void {
  if (hasOwnOrigin(request)) return
  throw new ServiceError('FORBIDDEN', 'The request comes from a web page: control is for programs')
}

// An operation that needs no input needs no body.
async function readBody(request: SandboxRequest): Promise<unknown> {
  const bytes = await request.body()
  if (bytes.byteLength === 0) return {}
  return parseJsonBytes(bytes, (message) => badRequest({path: '', message}))
}

async function readInput(name: OperationName, request: SandboxRequest, search: string): Promise<unknown> {
  const {isRead, input: fields} = getOperation(name)
  const schema = createInputSchema(fields)
  const input = isRead
    ? readQuery(z.toJSONSchema(schema, {io: 'input'}) as Shape, search, true)
    : await readBody(request)
  throwIfProblems(findProblems(schema, input))
  return schema.parse(input)
}

async function runRequest(settings: ControlSettings, request: SandboxRequest): Promise<object> {
  const {method, target} = request
  const [path = '', search = ''] = target.split(/\?(.*)/s, 2)
  checkOrigin(request)
  // The document names no secret, and tools that read it rarely can send a token.
  if (path === controlDocumentPath && method === 'GET') return buildControlDocument(settings.url)
  checkToken(request, settings.token)
  const name = paths.get(path)
  if (name === undefined) {
    throw new ServiceError('NOT_FOUND', `There is no endpoint at ${path}: ${controlDocumentPath} lists them all`)
  }
  const allow = getMethod(getOperation(name))
  if (method !== allow) {
    throw new ServiceError('METHOD_NOT_ALLOWED', `${method} is not allowed at ${path}: use ${allow}`, {allow})
  }
  const input = await readInput(name, request, search)
  const {sandbox} = settings
  // What a caller did before is logged by now.
  sandbox.flushLog()
  return getOperation(name).run(sandbox, input) as object
}

// Results may contain secrets, such as those of webhook endpoints.
const headersOfEveryReply = {'cache-control': 'no-store', 'x-content-type-options': 'nosniff'}

function toErrorReply(error: unknown, onFault: ControlSettings['onFault']): Reply {
  if (!(error instanceof ControlError)) return toServiceError(error, onFault).toReply()
  const {message, notFound} = error
  if (notFound) return new ServiceError('NOT_FOUND', message).toReply()
  const status = 422
  return {status, value: {error: 'NOT_POSSIBLE', message, statusCode: status}}
}

export const createControlHandler =
  (settings: ControlSettings) =>
  async (request: SandboxRequest): Promise<SandboxResponse> => {
    const {headers, ...reply} = await runRequest(settings, request).then(
      (value): Reply => ({status: 200, value}),
      (error: unknown) => toErrorReply(error, settings.onFault),
    )
    // A client that asks has no token to send yet, so a refusal is signed too.
    const challenge = request.header(challengeHeader)
    const proof = challenge && {
      [proofHeader]: signChallenge(challenge, {url: settings.url, controlToken: settings.token}),
    }
    return toSandboxResponse({...reply, headers: {...headersOfEveryReply, ...headers, ...proof}})
  }
