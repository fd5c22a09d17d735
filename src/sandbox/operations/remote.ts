// Calls the operations of control at a running server, over HTTP.
import {SvcError, noCredential} from '../../errors.ts'
import {isRecord} from '../../values/records.ts'
import {ControlError} from './control-error.ts'
import {controlPrefix} from './constants.ts'
import {getMethod} from './define.ts'
import {type CallOperation, type OperationName, getOperation} from './operations.ts'

export interface RemoteControl {
  // The base URL of the server, without a slash at the end.
  url: string
  token: string
}

// Moving the clock over years can take minutes.
const answerWaitMs = 600_000

const createUnreachableError = (url: string, why: string, cause?: unknown) =>
  new SvcError({
    error: 'UNREACHABLE',
    kind: 'unreachable',
    message: `The sandbox at ${url} does not answer (${why})`,
    hint: 'Start it with `svc sandbox start`, and check the address and the port',
    cause,
  })

const toQuery = (input: object) =>
  new URLSearchParams(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]): [string, string] => [field, String(value)]),
  ).toString()

async function sendRequest({url, token}: RemoteControl, name: OperationName, input: object) {
  const method = getMethod(getOperation(name))
  const address = `${url}${controlPrefix}/${name.replaceAll('.', '/')}`
  const query = method === 'GET' ? toQuery(input) : ''
  try {
    const response = await fetch(query === '' ? address : `${address}?${query}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        connection: 'close',
        ...(method === 'POST' && {'content-type': 'application/json'}),
      },
      ...(method === 'POST' && {body: JSON.stringify(input)}),
      redirect: 'error',
      signal: AbortSignal.timeout(answerWaitMs),
    })
    return {status: response.status, text: await response.text()}
  } catch (cause) {
    const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
    const code = reason instanceof Error && 'code' in reason ? String(reason.code) : 'no reply'
    throw createUnreachableError(url, code, cause)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isErrorBody = (body: unknown): body is {error: string; message: string} =>
  isRecord(body) && typeof body['error'] === 'string' && typeof body['message'] === 'string'

// The same errors that the operation would have thrown in this process.
function toError(url: string, status: number, body: unknown): Error {
  if (!isErrorBody(body)) return createUnreachableError(url, `status ${status}, and not from a sandbox`)
  const {error, message} = body
  if (status === 401 || status === 403) {
    return noCredential(
      `The sandbox at ${url} does not accept the control token`,
      'Set SVC_SANDBOX_CONTROL_TOKEN to the controlToken that `svc sandbox start --json` printed',
    )
  }
  if (status >= 500) {
    return new SvcError({error, kind: 'unreachable', effect: 'possible', message: `The sandbox at ${url}: ${message}`})
  }
  return new ControlError(message, {notFound: error === 'NOT_FOUND'})
}

export const createRemoteCall = (control: RemoteControl): CallOperation =>
  (async (name: OperationName, input: object) => {
    const {status, text} = await sendRequest(control, name, input)
    const body = parseJson(text)
    if (status === 200 && isRecord(body)) return body
    throw toError(control.url, status, body)
  }) as CallOperation
