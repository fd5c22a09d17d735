// An error that is sent to the client in the service's error format.
import {type ServiceErrorCode, serviceErrors} from '../../contract/service-errors.ts'
import {type Problem, toSentence} from '../../contract/problems.ts'
import {isBusy} from '../../storage/sqlite-error.ts'
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
  // The problems in the message by field, for forms that show them beside their inputs.
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

// Names every problem at once, so that a caller can correct the whole request.
export const badRequest = (...problems: [Problem, ...Problem[]]) =>
  new ServiceError('BAD_REQUEST', problems.map(toSentence).join('; '), {}, problems)

export function throwIfProblems([first, ...others]: readonly Problem[]) {
  if (first) throw badRequest(first, ...others)
}

// The error of a reply. An error of the sandbox itself is passed on, and the reply only says that there was one.
export function toServiceError(error: unknown, onFault: (error: unknown) => void): ServiceError {
  if (error instanceof ServiceError) return error
  if (isBusy(error)) {
    return new ServiceError(
      'SERVICE_UNAVAILABLE',
      'The database of the sandbox is in use by another process: try again',
    )
  }
  onFault(error)
  return new ServiceError('INTERNAL_ERROR', 'An error in the sandbox itself: the request was not carried out')
}
