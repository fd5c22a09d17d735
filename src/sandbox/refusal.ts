// How the sandbox says no: an error that becomes the service's own error body.
import {serviceErrors} from '../contract/errors.ts'
import {type Problem, sentenceOf} from '../contract/problems.ts'

// The codes the sandbox uses so far; what each means and which status it has, the contract says.
type ErrorCode =
  | 'BAD_REQUEST'
  | 'PATCH_NOT_ALLOWED'
  | 'UNAUTHORIZED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'PAYLOAD_TOO_LARGE'
  | 'INTERNAL_ERROR'
  | 'NOT_IMPLEMENTED'
  | 'SERVICE_UNAVAILABLE'

function statusCodeOf(code: ErrorCode): number {
  const entry = serviceErrors.find(({error}) => error === code)
  if (!entry) throw new Error(`The contract has no error ${code}`)
  return entry.statusCode
}

export class Refusal extends Error {
  override name = 'Refusal'
  readonly error: ErrorCode
  readonly headers: Readonly<Record<string, string>>

  constructor(error: ErrorCode, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.error = error
    this.headers = headers
  }

  toResponse(): Response {
    const statusCode = statusCodeOf(this.error)
    return Response.json(
      {error: this.error, message: this.message, statusCode},
      {status: statusCode, headers: this.headers},
    )
  }
}

// Names every field at once, so that a caller mends a request in one go.
export const badRequest = (...problems: [Problem, ...Problem[]]) =>
  new Refusal('BAD_REQUEST', problems.map(sentenceOf).join('; '))
