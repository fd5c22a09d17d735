// The credential of a profile at the moment it is needed: a key, a token that has not expired, or what a command prints.

import {badUsage, noCredential} from '../errors.ts'
import {configFolder} from './folders.ts'
import {withLock} from './lock.ts'
import type {Profile} from './profiles.ts'
import {findSecret, findToken, keepToken} from './secrets.ts'

// A token is renewed this long before it expires, so that it outlives the request it is put on.
const renewalMarginMs = 60_000
const commandTimeoutMs = 60_000

// Hands out the credential before each request; `refused` says that the service has just refused the last one.
export type Credential = (refused: boolean) => Promise<string>

// A secret travels in a header, so it must be of visible ASCII; it is never repeated in the refusal.
export function checkedSecret(secret: string, from: string): string {
  const trimmed = secret.trim()
  if (trimmed === '') throw badUsage(`${from} is empty`, 'Give the API key or token')
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw badUsage(`${from} holds characters that no credential has`, 'Give the API key or token alone')
  }
  return trimmed
}

// What a JWT says of itself, or undefined for an opaque key.
export async function claimsOf(token: string): Promise<{expiresAt?: Date} | undefined> {
  if (token.split('.').length !== 3) return undefined
  const {decodeJwt} = await import('jose/jwt/decode')
  try {
    const {exp} = decodeJwt(token)
    return exp === undefined ? {} : {expiresAt: new Date(exp * 1000)}
  } catch {
    // Three parts and yet no JWT: an opaque key with dots in it, of which nothing can be read.
    return undefined
  }
}

// A fixed token is refused here once it has expired, with the way to a new one.
export function fixedToken(token: string, whose: string, next: string): Credential {
  return async () => {
    const expiresAt = (await claimsOf(token))?.expiresAt
    if (expiresAt && expiresAt.getTime() <= Date.now()) {
      throw noCredential(`The token of ${whose} expired at ${expiresAt.toISOString()}`, next)
    }
    return token
  }
}

export function credentialOf(name: string, profile: Profile): Credential {
  const {kind, storedIn, command} = profile.credential
  if (kind === 'COMMAND') return commandCredential(name, command ?? '')
  let kept: Promise<Credential> | undefined
  const load = async (): Promise<Credential> => {
    const secret = storedIn && (await findSecret(name, storedIn))
    const next = `Log in again with \`svc login -p ${name}\``
    if (!secret) throw noCredential(`The credential of profile "${name}" is gone`, next)
    return kind === 'JWT' ? fixedToken(secret, `profile "${name}"`, next) : async () => secret
  }
  return async (refused) => {
    kept ??= load()
    return (await kept)(refused)
  }
}

const isFresh = async (token: string) => {
  const expiresAt = (await claimsOf(token))?.expiresAt
  return expiresAt !== undefined && expiresAt.getTime() - renewalMarginMs > Date.now()
}

// Runs the profile's command when there is no token that still lives. Many processes that find it stale at once run it
// once: the first takes the lock, and the others find the token it kept.
function commandCredential(name: string, command: string): Credential {
  let held: string | undefined
  return async (refused) => {
    // A token without an expiry serves this process to its end; only the service can say that it has died.
    if (held && !refused && ((await claimsOf(held))?.expiresAt === undefined || (await isFresh(held)))) return held
    const stale = refused ? held : undefined
    const kept = findToken(name)
    if (kept && kept !== stale && (await isFresh(kept))) return (held = kept)
    held = await withLock(configFolder(), `token-${name}`, async () => {
      const meanwhile = findToken(name)
      if (meanwhile && meanwhile !== stale && (await isFresh(meanwhile))) return meanwhile
      const token = checkedSecret(await outputOf(name, command), `What the credential command of "${name}" printed`)
      if (await isFresh(token)) await keepToken(name, token)
      return token
    })
    return held
  }
}

export function outputOf(name: string, command: string): Promise<string> {
  const next = 'Run it by hand to see why, then try again'
  return new Promise((resolve, reject) => {
    // Its standard error is the person's: a command may have something to say, or a code to ask for.
    const {spawn} = process.getBuiltinModule('node:child_process')
    const child = spawn(command, {shell: true, stdio: ['ignore', 'pipe', 'inherit'], timeout: commandTimeoutMs})
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (cause) =>
      reject(noCredential(`The credential command of profile "${name}" could not be started`, next, cause)),
    )
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(Buffer.concat(chunks).toString())
      const how = signal ? `was ended by ${signal}` : `ended with code ${code}`
      reject(noCredential(`The credential command of profile "${name}" ${how}`, next))
    })
  })
}
