// Authenticates requests by the sandbox's API key.
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
  // On a frozen clock, a request takes no time.
  frozen: boolean
}

// Every request needs the key and the time, so one query reads both.
export function readArrival(database: Database): Arrival {
  const {apiKey, offsetMs, frozenAt} = database.one<Row>('select apiKey, offsetMs, frozenAt from sandbox') as Row
  return {apiKey, at: frozenAt ?? Date.now() + offsetMs, frozen: frozenAt !== null}
}

// timingSafeEqual needs values of equal length. The length of a key is not secret.
function isSame(presented: string, expected: string): boolean {
  const [a, b] = [Buffer.from(presented), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

export function authenticate(authorization: string | undefined, apiKey: string) {
  const presented = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  if (presented !== undefined && isSame(presented, apiKey)) return
  const message =
    presented === undefined ? 'No credential: send Authorization: Bearer <API key>' : 'The credential is not valid'
  throw new ServiceError('UNAUTHORIZED', message, {'www-authenticate': 'Bearer'})
}
