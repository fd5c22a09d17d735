// The idempotency key of a transaction that is created from a quote.
import {createHash} from 'node:crypto'
import {badUsage} from '../errors.ts'

const keyDigestLength = 40

// The same quote at the same service gives the same key on every run and host, so a repeated command sends the same request
// (docs/assumptions.md, M15).
export function deriveIdempotencyKey(serviceId: string, quoteId: string): string {
  const digest = createHash('sha256').update(`svc transactions create\n${serviceId}\n${quoteId}`).digest('hex')
  return `svc-${digest.slice(0, keyDigestLength)}`
}

// Headers carry only printable ASCII, and lose spaces at either end.
export function parseIdempotencyKey(key: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) return key
  throw badUsage(
    '--idempotency-key must be printable ASCII, without a space at either end',
    'Use letters, digits and punctuation, such as invoice-2026-0042; nothing was sent',
  )
}
