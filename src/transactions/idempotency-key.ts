// The creation of a transaction: the key under which it is made once.
import {createHash} from 'node:crypto'
import {badUsage} from '../errors.ts'

const keyDigestLength = 40

// The same quote at the same service gives the same key, on every run and every host, so that a command which is run again
// sends what it sent before (docs/assumptions.md, M15).
export function deriveIdempotencyKey(baseUrl: string, quoteId: string): string {
  const digest = createHash('sha256').update(`svc transactions create\n${baseUrl}\n${quoteId}`).digest('hex')
  return `svc-${digest.slice(0, keyDigestLength)}`
}

// It travels in a header, which carries no other characters, and drops blanks at either end.
export function parseIdempotencyKey(key: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) return key
  throw badUsage(
    '--idempotency-key holds something else than printable ASCII, or a blank at an end, or nothing',
    'Use letters, digits and signs, such as invoice-2026-0042; nothing was sent',
  )
}
