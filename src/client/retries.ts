// When a read is tried again, and after what wait. Writes never are: only their caller knows how to look first.
import {type Reply, WireError, isCertificateFault} from './http.ts'

const triesMax = 4
const backoffFirstMs = 250
const backoffMaxMs = 4000
// A service that asks for more patience than this is reported instead of waited for.
export const retryAfterMaxMs = 60_000

export const isFailing = (status: number) => status === 408 || status === 429 || status >= 500

// What would only fail again: the same certificate, the same flood, the same encoding.
const permanentCodes = new Set(['REPLY_TOO_LARGE', 'UNKNOWN_ENCODING'])

const isPermanent = (outcome: Reply | WireError) =>
  outcome instanceof WireError
    ? permanentCodes.has(outcome.code) || isCertificateFault(outcome.code)
    : !isFailing(outcome.status)

// The form of a date in HTTP. Date.parse alone would read a date into nearly any text with a number in it.
const httpDate = /^[A-Z][a-z]{2,8}, .*GMT$/

// The wait that the service asked for, in seconds or as a date.
export function retryAfterMs(headers: Reply['headers'], now: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  const at = httpDate.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

// The milliseconds to wait before the next try, or undefined if this was the last. `tried` counts the tries made so far.
export function waitBeforeRetry(
  method: string,
  attempts: number,
  outcome: Reply | WireError | undefined,
): number | undefined {
  if (method !== 'GET' || attempts >= triesMax || !outcome || isPermanent(outcome)) return undefined
  const requestedMs = outcome instanceof WireError ? undefined : retryAfterMs(outcome.headers, Date.now())
  if (requestedMs !== undefined) return requestedMs <= retryAfterMaxMs ? requestedMs : undefined
  // Full jitter over the upper half: many clients that failed together must not come back together.
  const ceiling = Math.min(backoffMaxMs, backoffFirstMs * 2 ** (attempts - 1))
  return ceiling / 2 + Math.random() * (ceiling / 2)
}
