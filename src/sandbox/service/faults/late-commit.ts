// Carries out a request some time after it was answered, as a service does whose gateway gave up before its queue.
import {handlers} from '../handlers.ts'
import {ServiceError} from '../../http/service-error.ts'
import type {RequestContext} from '../request-context.ts'
import type {LateCommit} from '../../time/task-payloads.ts'

type AnyHandler = (context: RequestContext, input: unknown) => unknown

// Nobody receives the reply, nor the error if the service rejects the request.
export function commitLate(context: RequestContext, {endpoint, input}: LateCommit) {
  const handler = handlers[endpoint] as AnyHandler
  try {
    context.database.savepoint(() => handler(context, input))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
}
