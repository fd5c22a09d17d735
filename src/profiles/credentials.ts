// The credential of a profile at the moment it is needed: a key, a token that has not expired, or what a command prints.

import {SvcError, badSettings, badUsage, noCredential} from '../errors.ts'
import {configFolder} from '../storage/folders.ts'
import {withLock} from '../storage/process-lock.ts'
import {type Profile, getSettingsPath} from './profiles.ts'
import {findSecret, findToken, storeToken, getSecretKey} from './secrets.ts'

// A token is renewed this long before it expires, so that it outlives the request it is put on.
const renewalMarginMs = 60_000
const commandTimeoutMs = 60_000
// No token is longer; a command that prints without end is stopped here.
const commandOutputBytesMax = 64 * 1024

// Hands out the credential before each request; `refused` says that the service has just refused the last one, and
// `limitMs` how much is left of --timeout, where one was given.
export type GetCredential = (wasRejected: boolean, limitMs?: number) => Promise<string>

// A secret travels in a header, so it must be of visible ASCII; it is never repeated in the refusal.
export function parseSecret(secret: string, from: string): string {
  const trimmed = secret.trim()
  if (trimmed === '') throw badUsage(`${from} is empty`, 'Give the API key or token')
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw badUsage(`${from} holds characters that no credential has`, 'Give the API key or token alone')
  }
  return trimmed
}

// What a JWT says of itself, or undefined for an opaque key.
export async function readClaims(token: string): Promise<{expiresAt?: Date} | undefined> {
  if (token.split('.').length !== 3) return undefined
  const {decodeJwt} = await import('jose/jwt/decode')
  try {
    const {exp} = decodeJwt(token)
    const expiresAt = typeof exp === 'number' ? new Date(exp * 1000) : undefined
    return expiresAt && !Number.isNaN(expiresAt.getTime()) ? {expiresAt} : {}
  } catch {
    // Three parts and yet no JWT: an opaque key with dots in it, of which nothing can be read.
    return undefined
  }
}

// A fixed token is refused here once it has expired, with the way to a new one.
export function createFixedToken(token: string, whose: string, next: string): GetCredential {
  return async () => {
    const expiresAt = (await readClaims(token))?.expiresAt
    if (expiresAt && expiresAt.getTime() <= Date.now()) {
      throw noCredential(`The token of ${whose} expired at ${expiresAt.toISOString()}`, next)
    }
    return token
  }
}

export function createCredential(name: string, profile: Profile): GetCredential {
  const {kind, storedIn, command} = profile.credential
  const key = getSecretKey(name, profile.baseUrl)
  if (kind === 'COMMAND') {
    if (command !== undefined) return createCommandCredential(name, key, command)
    throw badSettings(
      `The profile "${name}" in ${getSettingsPath()} names no credential command`,
      `Log in again with \`svc login -p ${name}\``,
    )
  }
  let stored: Promise<GetCredential> | undefined
  const load = async (): Promise<GetCredential> => {
    const secret = storedIn && (await findSecret(key, storedIn))
    const next = `Log in again with \`svc login -p ${name}\``
    if (!secret) throw noCredential(`The credential of profile "${name}" is gone`, next)
    return kind === 'JWT' ? createFixedToken(secret, `profile "${name}"`, next) : async () => secret
  }
  return async (wasRejected) => {
    stored ??= load()
    return (await stored)(wasRejected)
  }
}

const isFresh = async (token: string) => {
  const expiresAt = (await readClaims(token))?.expiresAt
  return expiresAt !== undefined && expiresAt.getTime() - renewalMarginMs > Date.now()
}

// Runs the profile's command when there is no token that still lives. Many processes that find it stale at once run it
// once: the first takes the lock, and the others find the token it kept.
function createCommandCredential(name: string, key: string, command: string): GetCredential {
  let current: string | undefined
  return async (wasRejected, limitMs) => {
    // A token without an expiry serves this process to its end; only the service can say that it has died.
    if (current && !wasRejected && ((await readClaims(current))?.expiresAt === undefined || (await isFresh(current))))
      return current
    const stale = wasRejected ? current : undefined
    const stored = findToken(key)
    if (stored && stored !== stale && (await isFresh(stored))) return (current = stored)
    const endsAt = performance.now() + (limitMs ?? Number.POSITIVE_INFINITY)
    const renew = async () => {
      const renewedElsewhere = findToken(key)
      if (renewedElsewhere && renewedElsewhere !== stale && (await isFresh(renewedElsewhere))) return renewedElsewhere
      const left = limitMs === undefined ? undefined : endsAt - performance.now()
      const token = parseSecret(
        await runCredentialCommand(name, command, left),
        `What the credential command of "${name}" printed`,
      )
      if (await isFresh(token)) await storeToken(key, token)
      // A command may hand out what it kept too long; that is no better than a stored token that has expired.
      return createFixedToken(token, `profile "${name}", as its credential command printed it,`, runByHand)(false)
    }
    const limit = limitMs === undefined ? undefined : {waitMs: limitMs, createError: () => createCommandTimeout(name)}
    current = await withLock(configFolder(), `token-${name}`, renew, limit)
    return current
  }
}

const runByHand = 'Run it by hand to see why, then try again'

// Nothing was sent, and nobody knows whether there is a credential: as with a service that does not answer within --timeout.
const createCommandTimeout = (name: string) =>
  new SvcError({
    error: 'UNREACHABLE',
    kind: 'unreachable',
    message: `The credential command of profile "${name}" did not end within --timeout`,
    hint: 'Run it by hand to see why, or allow more with --timeout',
  })

// `limitMs` is what is left of --timeout; without it, or with more, the command has its own limit.
export function runCredentialCommand(
  name: string,
  command: string,
  limitMs?: number,
  ownLimitMs = commandTimeoutMs,
): Promise<string> {
  const isShorter = limitMs !== undefined && limitMs < ownLimitMs
  const timeoutMs = isShorter ? Math.max(limitMs, 0) : ownLimitMs
  return new Promise((resolve, reject) => {
    const fail = (how: string, cause?: unknown) =>
      reject(noCredential(`The credential command of profile "${name}" ${how}`, runByHand, cause))
    const child = spawnCommand(command)
    if (child instanceof Error) return fail('could not be started', child)
    // What the shell started may outlive it and keep the pipe open, so the pipe is given up as well.
    const stop = () => {
      clearTimeout(limit)
      child.kill()
      child.stdout.destroy()
      child.unref()
    }
    const onLimit = () => {
      stop()
      if (isShorter) reject(createCommandTimeout(name))
      else fail(`did not end within ${timeoutMs / 1000} s`)
    }
    const limit = setTimeout(onLimit, timeoutMs)
    const chunks: Buffer[] = []
    let size = 0
    child.stdout.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      if ((size += chunk.length) <= commandOutputBytesMax) return
      stop()
      fail('printed more than a token')
    })
    child.on('error', (cause) => {
      clearTimeout(limit)
      fail('could not be started', cause)
    })
    child.on('close', (code, signal) => {
      clearTimeout(limit)
      if (code === 0) return resolve(Buffer.concat(chunks).toString())
      fail(signal ? `was ended by ${signal}` : `ended with code ${code}`)
    })
  })
}

// Its standard error is the person's: a command may have something to say, or a code to ask for.
function spawnCommand(command: string) {
  const {spawn} = process.getBuiltinModule('node:child_process')
  try {
    return spawn(command, {shell: true, stdio: ['ignore', 'pipe', 'inherit']})
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause))
  }
}
