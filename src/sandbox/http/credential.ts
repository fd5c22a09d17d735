// Authenticates requests by the sandbox's API key, or by a JWT that it issued.
import {timingSafeEqual} from 'node:crypto'
import {parseBehaviours, selectBehaviourChanges} from '../service/faults/behaviours.ts'
import type {Behaviours} from '../service/faults/behaviour-table.ts'
import {selectLiveFaults} from '../service/faults/faults.ts'
import type {Database} from '../store/database.ts'
import {checkAccessToken} from './access-token.ts'
import {ServiceError} from './service-error.ts'

interface Row {
  apiKey: string
  offsetMs: number
  frozenAt: number | null
  changes: string | null
  hasFaults: number
}

export interface Arrival {
  apiKey: string
  at: number
  // On a frozen clock, a request takes no time.
  frozen: boolean
  behaviours: Behaviours
  // Whether any fault may act on a request.
  hasFaults: boolean
}

const selectArrival = `select apiKey, offsetMs, frozenAt, (${selectBehaviourChanges}) as changes,
  exists (${selectLiveFaults}) as hasFaults from sandbox`

const toArrival = ({apiKey, offsetMs, frozenAt, changes, hasFaults}: Row): Arrival => ({
  apiKey,
  at: frozenAt ?? Date.now() + offsetMs,
  frozen: frozenAt !== null,
  behaviours: parseBehaviours(changes),
  hasFaults: hasFaults === 1,
})

// One query reads what every request needs, and requests that arrive together share it. Whatever this process writes in between
// makes the next request read again.
export function createArrivalReader(database: Database): () => Arrival {
  let shared: {row: Row; writeCount: number} | undefined
  return () => {
    if (shared?.writeCount !== database.writeCount) {
      if (!shared) setImmediate(() => (shared = undefined))
      shared = {row: database.only<Row>(selectArrival), writeCount: database.writeCount}
    }
    return toArrival(shared.row)
  }
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
