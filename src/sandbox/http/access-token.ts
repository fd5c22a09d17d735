// JWTs that the sandbox issues and accepts beside its API key, until they expire on the virtual clock.
import {createHmac, timingSafeEqual} from 'node:crypto'
import {deriveDigest} from '../store/ids.ts'
import {secondMs} from '../../values/time.ts'

const issuer = 'svc sandbox'

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

const header = encode({alg: 'HS256', typ: 'JWT'})

// Derived from the API key, so that a token ends with the key it stands for.
const sign = (apiKey: string, content: string) =>
  createHmac('sha256', deriveDigest(apiKey, 'access token')).update(content).digest()

export interface AccessToken {
  token: string
  expiresAt: string
}

export function createAccessToken(apiKey: string, now: number, lifetimeMs: number): AccessToken {
  const exp = Math.ceil((now + lifetimeMs) / secondMs)
  const content = `${header}.${encode({iss: issuer, iat: Math.floor(now / secondMs), exp})}`
  return {
    token: `${content}.${sign(apiKey, content).toString('base64url')}`,
    expiresAt: new Date(exp * secondMs).toISOString(),
  }
}

// Only what createAccessToken() wrote has a valid signature, so the claims of a valid one need no further checks.
export function checkAccessToken(token: string, apiKey: string, now: number): 'valid' | 'expired' | 'invalid' {
  const [head = '', claims = '', signature = ''] = token.split('.')
  const presented = Buffer.from(signature, 'base64url')
  const expected = sign(apiKey, `${head}.${claims}`)
  if (presented.length !== expected.length || !timingSafeEqual(presented, expected)) return 'invalid'
  const {exp} = JSON.parse(Buffer.from(claims, 'base64url').toString()) as {exp: number}
  return now < exp * secondMs ? 'valid' : 'expired'
}
