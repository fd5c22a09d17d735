// Posts an event to a URL once.
const attemptMsMax = 15_000

export interface PostOutcome {
  // An HTTP status, or the name of the failure.
  outcome: string
  durationMs: number
}

interface Post {
  url: string
  // A list in which names and values alternate.
  headers: readonly string[]
  body: Uint8Array
  stop?: AbortSignal
}

export const isAccepted = (outcome: string) => /^2\d\d$/.test(outcome)

// Redirects are not followed: their status is the outcome. A post that was stopped has no outcome.
export function postEvent({url, headers, body, stop}: Post): Promise<PostOutcome | undefined> {
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
      response.on('error', () => {})
      response.resume()
      resolve(finish(String(response.statusCode ?? 0)))
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      resolve(stop?.aborted ? undefined : finish(timeout.aborted ? 'TIMEOUT' : (error.code ?? error.message)))
    })
    outgoing.end(body)
  })
}
