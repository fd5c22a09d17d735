// Whether a request carries the API key of the sandbox, and what time it is there when it comes.
import {timingSafeEqual} from 'node:crypto'
import type {Database} from '../store/database.ts'
import {ServiceError} from './service-error.ts'

interface Row {
  apiKey: string
  offsetMs: number
  frozenAt: number | null
}

export interface Arrival {
  apiKey: string
  at: number
  // On a clock that stands still, nothing takes any time.
  frozen: boolean
}

// One read for both, since every request needs both.
export function readArrival(database: Database): Arrival {
  const {apiKey, offsetMs, frozenAt} = database.one<Row>('select apiKey, offsetMs, frozenAt from sandbox') as Row
  return {apiKey, at: frozenAt ?? Date.now() + offsetMs, frozen: frozenAt !== null}
}

// The comparison in constant time asks for two values of one length, and the length of a key is no secret.
function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

export function authenticate(authorization: string | undefined, apiKey: string) {
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  if (given !== undefined && isSame(given, apiKey)) return
  const message =
    given === undefined ? 'No credential: send Authorization: Bearer <API key>' : 'The credential is not valid'
  throw new ServiceError('UNAUTHORIZED', message, {'www-authenticate': 'Bearer'})
}
