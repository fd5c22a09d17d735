// Decides when a read is retried, and after which wait. Writes are never retried here: only their caller knows how to check
// first whether the write happened.
import {readHttpDateMs} from '../values/time.ts'
import {type Reply, WireError, isCertificateFault} from './http.ts'

const triesMax = 4
const backoffFirstMs = 250
const backoffMaxMs = 4000
// If the service asks for a longer wait than this, svc reports the failure instead of waiting.
export const retryAfterMaxMs = 60_000

export const isFailing = (status: number) => status === 408 || status === 429 || status >= 500

// Failures that would only happen again.
const permanentCodes = new Set(['REPLY_TOO_LARGE', 'UNKNOWN_ENCODING'])

const isPermanent = (outcome: Reply | WireError) =>
  outcome instanceof WireError
    ? permanentCodes.has(outcome.code) || isCertificateFault(outcome.code)
    : !isFailing(outcome.status)

// The wait that the service asked for with Retry-After, in seconds or as a date. A date is by the service's clock, which the
// reply's Date shows and which may differ from this machine's.
export function retryAfterMs(headers: Reply['headers']): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  const at = readHttpDateMs(value)
  if (at === undefined) return undefined
  return Math.max(0, at - (readHttpDateMs(headers.get('date')) ?? Date.now()))
}

// The milliseconds to wait before the next attempt, or undefined if there is none.
export function waitBeforeRetry(
  method: string,
  attempts: number,
  outcome: Reply | WireError | undefined,
): number | undefined {
  if (method !== 'GET' || attempts >= triesMax || !outcome || isPermanent(outcome)) return undefined
  const requestedMs = outcome instanceof WireError ? undefined : retryAfterMs(outcome.headers)
  if (requestedMs !== undefined) return requestedMs <= retryAfterMaxMs ? requestedMs : undefined
  // Random jitter over the upper half, so that many clients that failed together do not come back together.
  const ceiling = Math.min(backoffMaxMs, backoffFirstMs * 2 ** (attempts - 1))
  return ceiling / 2 + Math.random() * (ceiling / 2)
}
