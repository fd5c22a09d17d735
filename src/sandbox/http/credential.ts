// Authenticates requests by the sandbox's API key, or by a JWT that it issued.
import {createHmac} from 'node:crypto'
import {isEqualSecret} from '../../values/text.ts'
import {secondMs} from '../../values/time.ts'
import type {Behaviours} from '../service/faults/behaviour-table.ts'
import {parseBehaviours, selectBehaviourChanges} from '../service/faults/behaviours.ts'
import {selectLiveFaults} from '../service/faults/faults.ts'
import type {Database} from '../store/database.ts'
import {deriveDigest} from '../store/ids.ts'
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

// One query reads what every request needs.
export function readArrival(database: Database): Arrival {
  const {apiKey, offsetMs, frozenAt, changes, hasFaults} = database.only<Row>(selectArrival)
  return {
    apiKey,
    at: frozenAt ?? Date.now() + offsetMs,
    frozen: frozenAt !== null,
    behaviours: parseBehaviours(changes),
    hasFaults: hasFaults === 1,
  }
}

const tokenForm = /^[\w-]+\.[\w-]+\.[\w-]+$/

function checkCredential(presented: string, {apiKey, at}: Arrival): 'valid' | 'expired' | 'invalid' {
  if (isEqualSecret(presented, apiKey)) return 'valid'
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

// JWTs that the sandbox issues and accepts beside its API key, until they expire on the virtual clock.
const issuer = 'svc sandbox'

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

const header = encode({alg: 'HS256', typ: 'JWT'})

// Derived from the API key, so that a token ends with the key it stands for.
const sign = (apiKey: string, content: string) =>
  createHmac('sha256', deriveDigest(apiKey, 'access token')).update(content).digest('base64url')

export interface AccessToken {
  token: string
  expiresAt: string
}

export function createAccessToken(apiKey: string, now: number, lifetimeMs: number): AccessToken {
  const exp = Math.ceil((now + lifetimeMs) / secondMs)
  const content = `${header}.${encode({iss: issuer, iat: Math.floor(now / secondMs), exp})}`
  return {
    token: `${content}.${sign(apiKey, content)}`,
    expiresAt: new Date(exp * secondMs).toISOString(),
  }
}

// Only what createAccessToken() wrote has a valid signature, so the claims of a valid one need no further checks.
function checkAccessToken(token: string, apiKey: string, now: number): 'valid' | 'expired' | 'invalid' {
  const [head = '', claims = '', signature = ''] = token.split('.')
  if (!isEqualSecret(signature, sign(apiKey, `${head}.${claims}`))) return 'invalid'
  const {exp} = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {exp: number}
  return now < exp * secondMs ? 'valid' : 'expired'
}
