// Sends the requests of a scenario to the service in this process, as a client would. Time that a fault takes does not pass.
import type {Sandbox} from '../sandbox.ts'
import {isSuccess} from '../../values/urls.ts'

export interface ScenarioRequest {
  method: string
  // Path and query.
  target: string
  body?: unknown
  idempotencyKey?: string | undefined
}

// The service refused the request, or no reply arrived that could be read.
export class RequestFailure extends Error {
  override name = 'RequestFailure'
  // The service's own code, or NO_REPLY or UNREADABLE_REPLY.
  readonly error: string

  constructor(error: string, message: string) {
    super(message)
    this.error = error
  }
}

function parseReply(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new RequestFailure('UNREADABLE_REPLY', 'the reply is not JSON')
  }
}

export async function sendRequest(
  sandbox: Pick<Sandbox, 'apiKey' | 'handle'>,
  {method, target, body, idempotencyKey}: ScenarioRequest,
): Promise<Record<string, unknown>> {
  const headers: Readonly<Record<string, string | undefined>> = {
    authorization: `Bearer ${sandbox.apiKey}`,
    'content-type': body === undefined ? undefined : 'application/json',
    'x-idempotency-key': idempotencyKey,
  }
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
  const reply = await sandbox.handle({method, target, header: (name) => headers[name], body: async () => bytes})
  if (reply.fault?.breaks) throw new RequestFailure('NO_REPLY', 'the connection ended before a whole reply had arrived')
  const content = parseReply(typeof reply.body === 'string' ? reply.body : Buffer.from(reply.body).toString())
  if (isSuccess(reply.status)) return content
  const {error = `HTTP_${reply.status}`, message = ''} = content as {error?: string; message?: string}
  throw new RequestFailure(error, message)
}
