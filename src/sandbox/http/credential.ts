// Authenticates requests by the sandbox's API key.
import {timingSafeEqual} from 'node:crypto'
import type {Database} from '../store/database.ts'
import {ServiceError} from './service-error.ts'

interface Row {
  apiKey: string
  offsetMs: number
  frozenAt: number | null
  hasOwnDate: number
}

export interface Arrival {
  apiKey: string
  at: number
  // On a frozen clock, a request takes no time.
  frozen: boolean
  // Whether the Date of replies differs from the clock.
  hasOwnDate: boolean
}

const selectArrival = `select apiKey, offsetMs, frozenAt,
  exists (select 1 from behaviours where name in ('dateSkewSeconds', 'dateHeader')) as hasOwnDate from sandbox`

// Every request needs the key and the time, so one query reads both.
export function readArrival(database: Database): Arrival {
  const {apiKey, offsetMs, frozenAt, hasOwnDate} = database.one<Row>(selectArrival) as Row
  const at = frozenAt ?? Date.now() + offsetMs
  return {apiKey, at, frozen: frozenAt !== null, hasOwnDate: hasOwnDate === 1}
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
