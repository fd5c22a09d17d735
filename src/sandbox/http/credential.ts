// Authenticates requests by the sandbox's API key, or by a JWT that it issued.
import {timingSafeEqual} from 'node:crypto'
import type {Database} from '../store/database.ts'
import {checkAccessToken} from './access-token.ts'
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

// Two searches are faster than one in a list of names.
const selectArrival = `select apiKey, offsetMs, frozenAt,
  exists (select 1 from behaviours where name = 'dateSkewSeconds')
  or exists (select 1 from behaviours where name = 'dateHeader') as hasOwnDate from sandbox`

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

const tokenForm = /^[\w-]+\.[\w-]+\.[\w-]+$/

function checkCredential(presented: string, {apiKey, at}: Arrival): 'valid' | 'expired' | 'invalid' {
  if (isSame(presented, apiKey)) return 'valid'
  return tokenForm.test(presented) ? checkAccessToken(presented, apiKey, at) : 'invalid'
}

const messages = {expired: 'The credential has expired', invalid: 'The credential is not valid'} as const

export function authenticate(authorization: string | undefined, arrival: Arrival) {
  const presented = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  const state = presented === undefined ? undefined : checkCredential(presented, arrival)
  if (state === 'valid') return
  const message = state === undefined ? 'No credential: send Authorization: Bearer <API key or JWT>' : messages[state]
  throw new ServiceError('UNAUTHORIZED', message, {'www-authenticate': 'Bearer'})
}
