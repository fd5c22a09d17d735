// Gets the credential of a profile when it is needed: an API key, a token that has not expired, or the output of a command.
import {SvcError, badSettings, badUsage, noCredential} from '../errors.ts'
import {getConfigFolder} from '../storage/folders.ts'
import {withLock} from '../storage/process-lock.ts'
import {omitSecretVariables} from '../values/environment.ts'
import {type Profile, getSettingsPath} from './profiles.ts'
import {findSecret, findToken, getSecretKey, storeToken} from './secrets.ts'

// A token is renewed this long before it expires, so that it is valid until its request ends.
const renewalMarginMs = 60_000

// Called before each request. `wasRejected` is true if the service has just rejected the previous credential; `limitMs` is
// what is left of --timeout.
export type GetCredential = (wasRejected: boolean, limitMs?: number) => Promise<string>

// A secret is sent in a header, so it must be visible ASCII. Messages never repeat it.
export function parseSecret(secret: string, from: string): string {
  const trimmed = secret.trim()
  if (trimmed === '') throw badUsage(`${from} is empty`, 'Give the API key or token')
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw badUsage(`${from} contains characters that no credential has`, 'Give only the API key or token')
  }
  return trimmed
}

// Reads the expiry of a JWT; undefined for an opaque key.
export async function readClaims(token: string): Promise<{expiresAt?: Date} | undefined> {
  if (token.split('.').length !== 3) return undefined
  const {decodeJwt} = await import('jose/jwt/decode')
  try {
    const {exp} = decodeJwt(token)
    const expiresAt = typeof exp === 'number' ? new Date(exp * 1000) : undefined
    return expiresAt && !Number.isNaN(expiresAt.getTime()) ? {expiresAt} : {}
  } catch {
    // Three parts, but not a JWT: an opaque key with dots in it.
    return undefined
  }
}

// A token that cannot be renewed. Once it has expired, svc does not send it any more.
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
  const next = `Log in again with \`svc login -p ${name}\``
  if (kind === 'COMMAND') {
    if (command !== undefined) return createCommandCredential(name, key, command)
    throw badSettings(`The profile "${name}" in ${getSettingsPath()} names no credential command`, next)
  }
  let stored: Promise<GetCredential> | undefined
  const load = async (): Promise<GetCredential> => {
    const secret = storedIn && (await findSecret(key, storedIn))
    if (!secret) throw noCredential(`The credential of profile "${name}" is missing`, next)
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

// Runs the profile's command if there is no valid token. If many processes find the token expired at the same time, only
// the first one runs the command, under a lock; the others use the token that it stored.
function createCommandCredential(name: string, key: string, command: string): GetCredential {
  let current: string | undefined
  return async (wasRejected, limitMs = Number.POSITIVE_INFINITY) => {
    // A token without an expiry is used until the service rejects it.
    if (current && !wasRejected && ((await readClaims(current))?.expiresAt === undefined || (await isFresh(current))))
      return current
    const stale = wasRejected ? current : undefined
    const findFresh = async () => {
      const stored = findToken(key)
      return stored && stored !== stale && (await isFresh(stored)) ? stored : undefined
    }
    const endsAt = performance.now() + limitMs
    const renew = async () => {
      const renewedElsewhere = await findFresh()
      if (renewedElsewhere) return renewedElsewhere
      const printed = await runSecretCommand(nameCommand(name), command, endsAt - performance.now())
      const token = parseSecret(printed, `What the credential command of "${name}" printed`)
      if (await isFresh(token)) await storeToken(key, token)
      // The command itself may print a token that has already expired.
      return createFixedToken(token, `profile "${name}", as its credential command printed it,`, runByHand)(false)
    }
    const limit = {
      waitMs: Math.min(limitMs, commandTimeoutMs),
      createError: () => (limitMs < commandTimeoutMs ? createCommandTimeout(nameCommand(name)) : createHeldError(name)),
    }
    return (current = (await findFresh()) ?? (await withLock(getConfigFolder(), `token-${name}`, renew, limit)))
  }
}

export const nameCommand = (name: string) => `The credential command of profile "${name}"`

const commandTimeoutMs = 60_000
// Longer than any token. A command that prints more is stopped.
const commandOutputMax = 64 * 1024

const runByHand = 'Run it by hand to see why, then try again'

// The process that holds the lock runs the command.
const createHeldError = (name: string) =>
  noCredential(`${nameCommand(name)} has been run by another svc for a minute`, runByHand)

// Nothing was sent, so this is reported like a service that does not answer within --timeout.
const createCommandTimeout = (label: string) =>
  new SvcError({
    error: 'UNREACHABLE',
    kind: 'unreachable',
    message: `${label} did not end within --timeout`,
    hint: 'Run it by hand to see why, or allow more with --timeout',
  })

// Runs a command that prints a secret: a token, or the password of a database. `label` is how messages name the command. `limitMs` is
// what is left of --timeout. The command also has a limit of its own; the shorter one applies. Standard error goes to the terminal,
// since a command may print a message or ask for a code.
export async function runSecretCommand(
  label: string,
  command: string,
  limitMs = Number.POSITIVE_INFINITY,
  ownLimitMs = commandTimeoutMs,
): Promise<string> {
  const fail = (how: string, cause?: unknown) => noCredential(`${label} ${how}`, runByHand, cause)
  const timeout = AbortSignal.timeout(Math.max(0, Math.floor(Math.min(limitMs, ownLimitMs))))
  const {spawn} = process.getBuiltinModule('node:child_process')
  try {
    const env = omitSecretVariables(process.env)
    const child = spawn(command, {shell: true, env, stdio: ['ignore', 'pipe', 'inherit']})
    const ended = new Promise<number | string | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, signal) => resolve(signal ?? code))
    })
    ended.catch(() => {})
    // A process that the shell started may live on and keep the pipe open, so the pipe is closed as well.
    const stop = () => {
      child.kill()
      child.stdout.destroy()
      child.unref()
    }
    timeout.addEventListener('abort', stop)
    let output = ''
    for await (const chunk of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
      output += chunk
      if (output.length <= commandOutputMax) continue
      stop()
      throw fail('printed more than a token')
    }
    const ending = await ended
    if (ending === 0) return output
    throw fail(typeof ending === 'string' ? `was ended by ${ending}` : `ended with code ${ending}`)
  } catch (cause) {
    if (timeout.aborted)
      throw limitMs < ownLimitMs ? createCommandTimeout(label) : fail(`did not end within ${ownLimitMs / 1000} s`)
    throw cause instanceof SvcError ? cause : fail('could not be started', cause)
  }
}
