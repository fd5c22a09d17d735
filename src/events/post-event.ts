// Posts an event to a URL once, and reads what the handler answered if somebody wants to see it.
import type {IncomingMessage} from 'node:http'

const attemptMsMax = 15_000
// More of an answer than anybody reads in a terminal.
const responseBytesMax = 16 * 1024

export interface HandlerResponse {
  statusCode: number
  // The beginning of the body, as text.
  body: string
  // Whether there was more of it.
  cut?: true | undefined
}

export interface PostOutcome {
  // An HTTP status, or the name of the failure.
  outcome: string
  durationMs: number
  response?: HandlerResponse
}

interface Post {
  url: string
  // A list in which names and values alternate.
  headers: readonly string[]
  body: Uint8Array
  readsResponse: boolean
  stop?: AbortSignal
}

export const isAccepted = (outcome: string) => /^2\d\d$/.test(outcome)

// What arrives until the end, the limit or an error.
async function readResponse(response: IncomingMessage, statusCode: number): Promise<HandlerResponse> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > responseBytesMax) break
    }
  } catch {
    // The connection broke; what arrived is shown.
  }
  const body = Buffer.concat(chunks).subarray(0, responseBytesMax).toString()
  return {statusCode, body, cut: size > responseBytesMax || undefined}
}

// Redirects are not followed: their status is the outcome. A post that was stopped has no outcome.
export function postEvent({url, headers, body, readsResponse, stop}: Post): Promise<PostOutcome | undefined> {
  const timeout = AbortSignal.timeout(attemptMsMax)
  const startedMs = performance.now()
  const {request} = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http')
  const finish = (outcome: string): PostOutcome => ({outcome, durationMs: Math.round(performance.now() - startedMs)})
  return new Promise((resolve) => {
    const outgoing = request(url, {
      method: 'POST',
      headers,
      // A new connection for each attempt: the target may close a kept one at the moment it is used again.
      agent: false,
      signal: stop ? AbortSignal.any([timeout, stop]) : timeout,
    })
    outgoing.on('response', (response) => {
      const statusCode = response.statusCode ?? 0
      response.on('error', () => {})
      const finished = finish(String(statusCode))
      if (readsResponse) {
        void readResponse(response, statusCode).then((read) => resolve({...finished, response: read}))
      } else {
        response.resume()
        resolve(finished)
      }
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      resolve(stop?.aborted ? undefined : finish(timeout.aborted ? 'TIMEOUT' : (error.code ?? error.message)))
    })
    outgoing.end(body)
  })
}
