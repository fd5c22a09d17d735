// The replies of control: JSON, and one shape for every error.
import {isBusy} from '../../storage/sqlite-error.ts'
import {ControlError} from './control-error.ts'
import {type SandboxResponse, toSandboxResponse} from '../http/exchange.ts'
import {ServiceError} from '../http/service-error.ts'

export const controlErrors = {
  BAD_REQUEST: {status: 400, condition: 'The input is not valid; the message names every field'},
  UNAUTHORIZED: {status: 401, condition: 'The control token is missing or wrong'},
  FORBIDDEN: {status: 403, condition: 'The request comes from a web page, or names another machine'},
  NOT_FOUND: {status: 404, condition: 'There is no such endpoint, or nothing with this id'},
  METHOD_NOT_ALLOWED: {status: 405, condition: 'Reads are GET, everything else is POST'},
  PAYLOAD_TOO_LARGE: {status: 413, condition: 'The body is too large'},
  NOT_POSSIBLE: {status: 422, condition: 'The sandbox cannot do this; the message says why'},
  INTERNAL_ERROR: {status: 500, condition: 'An error in the sandbox itself'},
  SERVICE_UNAVAILABLE: {status: 503, condition: 'Another process uses the database: try again'},
} as const

export type ControlErrorCode = keyof typeof controlErrors

export class ControlRequestError extends Error {
  override name = 'ControlRequestError'
  readonly error: ControlErrorCode
  readonly headers: Readonly<Record<string, string>>

  constructor(error: ControlErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.error = error
    this.headers = headers
  }
}

// Results may contain secrets, such as those of webhook endpoints.
const headersOfEveryReply = {'cache-control': 'no-store', 'x-content-type-options': 'nosniff'}

export const createResult = (value: unknown): SandboxResponse =>
  toSandboxResponse({status: 200, headers: headersOfEveryReply, value})

function toRequestError(thrown: unknown, onFault: (error: unknown) => void): ControlRequestError {
  if (thrown instanceof ControlRequestError) return thrown
  if (thrown instanceof ControlError)
    return new ControlRequestError(thrown.notFound ? 'NOT_FOUND' : 'NOT_POSSIBLE', thrown.message)
  if (thrown instanceof ServiceError) {
    return new ControlRequestError(
      thrown.error in controlErrors ? (thrown.error as ControlErrorCode) : 'NOT_POSSIBLE',
      thrown.message,
    )
  }
  if (isBusy(thrown)) {
    return new ControlRequestError('SERVICE_UNAVAILABLE', 'Another process uses the database of the sandbox: try again')
  }
  onFault(thrown)
  return new ControlRequestError('INTERNAL_ERROR', 'An error in the sandbox itself')
}

export function createErrorReply(thrown: unknown, onFault: (error: unknown) => void = () => {}): SandboxResponse {
  const {error, message, headers} = toRequestError(thrown, onFault)
  const {status} = controlErrors[error]
  return toSandboxResponse({status, headers: {...headersOfEveryReply, ...headers}, value: {error, message}})
}
