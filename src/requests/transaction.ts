// The creation of a transaction: the key under which it is made once, and what to do when nobody knows whether it was.
import {createHash} from 'node:crypto'
import type {Client} from '../client/client.ts'
import {SvcError, badUsage, exitCodes} from '../errors.ts'

const keyDigestLength = 40

// The same quote at the same service gives the same key, on every run and every host, so that a command which is run again
// sends what it sent before (docs/assumptions.md, M15).
export function keyForQuote(baseUrl: string, quoteId: string): string {
  const digest = createHash('sha256').update(`svc transactions create\n${baseUrl}\n${quoteId}`).digest('hex')
  return `svc-${digest.slice(0, keyDigestLength)}`
}

// It travels in a header, which carries no other characters, and drops blanks at either end.
export function checkedKey(key: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) return key
  throw badUsage(
    '--idempotency-key holds something else than printable ASCII, or a blank at an end, or nothing',
    'Use letters, digits and signs, such as invoice-2026-0042; nothing was sent',
  )
}

type Create = Client['transactions']['create']

// What the service answers; where it may have done it or not, the error says how that is settled.
export async function createdOnce(create: Create, key: string, body: Parameters<Create>[0]['body']) {
  try {
    return await create({'x-idempotency-key': key, body})
  } catch (error) {
    throw error instanceof SvcError ? withNextStep(error, body.quoteId) : error
  }
}

const conflict = 409

function withNextStep(error: SvcError, quoteId: string): SvcError {
  const hint = nextStep(error, quoteId)
  if (hint === undefined) return error
  const {exitCode, message, statusCode} = error
  return new SvcError({error: error.error, exitCode, message, statusCode, hint, cause: error.cause ?? error})
}

function nextStep({exitCode, statusCode}: SvcError, quoteId: string): string | undefined {
  if (exitCode === exitCodes.unknown)
    return 'Run the same command again: it sends the same key, so it makes no second one'
  if (statusCode !== conflict) return undefined
  return `An earlier run may have made it: look for quote ${quoteId} in \`svc transactions list\` before you try another`
}
