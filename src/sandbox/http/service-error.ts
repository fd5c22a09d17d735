// How the sandbox says no: an error that becomes the service's own error body.
import {type ServiceErrorCode, serviceErrors} from '../../contract/errors.ts'
import {type Problem, toSentence} from '../../contract/problems.ts'
import type {Reply} from './reply.ts'

function getStatusCode(code: ServiceErrorCode): number {
  const entry = serviceErrors.find(({error}) => error === code)
  if (!entry) throw new Error(`The contract has no error ${code}`)
  return entry.statusCode
}

export class ServiceError extends Error {
  override name = 'ServiceError'
  readonly error: ServiceErrorCode
  readonly headers: Readonly<Record<string, string>>
  // What the message says in one sentence, field by field, for whoever shows it beside the fields.
  readonly problems: readonly Problem[]

  constructor(
    error: ServiceErrorCode,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    problems: readonly Problem[] = [],
  ) {
    super(message)
    this.error = error
    this.headers = headers
    this.problems = problems
  }

  toReply(): Reply {
    const statusCode = getStatusCode(this.error)
    return {
      status: statusCode,
      headers: this.headers,
      value: {error: this.error, message: this.message, statusCode},
    }
  }
}

// Names every field at once, so that a caller mends a request in one go.
export const badRequest = (...problems: [Problem, ...Problem[]]) =>
  new ServiceError('BAD_REQUEST', problems.map(toSentence).join('; '), {}, problems)
