// Checks of this machine: settings, profile, credential and the sandbox.
import {type Caller, findCaller, noCaller} from '../profiles/caller.ts'
import {readClaims} from '../profiles/credentials.ts'
import {findProfile, getSettingsPath, readSettings, sandboxAddress} from '../profiles/profiles.ts'
import {assertSecretsReadable, getSecretsPath} from '../profiles/secrets.ts'
import {openEmbeddedSandbox} from '../transport.ts'
import {capitalize, countNoun} from '../values/text.ts'
import {type CheckContext, type CheckResult, failed, ok, warning} from './run-checks.ts'

// A token that expires within the life of a quote may expire in the middle of a payment.
const tokenLifeShortMs = 5 * 60_000

export function checkSettings(): CheckResult {
  const count = Object.keys(readSettings().profiles).length
  assertSecretsReadable()
  return ok(`${getSettingsPath()}, ${countNoun(count, 'profile')}`)
}

export function checkProfile(context: CheckContext): CheckResult {
  const caller = findCaller(context.profileName)
  if (!caller) throw noCaller()
  context.caller = caller
  return ok(`${capitalize(caller.label)}, ${caller.environment}${caller.readOnly ? ', read-only' : ''}`)
}

// Every check that needs the caller runs after checkProfile.
export function requireCaller({caller}: CheckContext): Caller {
  if (!caller) throw new Error('a check needs a caller before there is one')
  return caller
}

export const isEmbedded = ({baseUrl}: Caller) => baseUrl === sandboxAddress

export async function checkCredential(context: CheckContext): Promise<CheckResult> {
  const caller = requireCaller(context)
  if (isEmbedded(caller)) return ok('The key of the embedded sandbox')
  const claims = await readClaims(await caller.credential(false, context.timeoutMs))
  const what = `${claims ? 'A JWT' : 'An API key'} ${describeStore(caller)}`
  if (!claims?.expiresAt) return ok(what)
  const leftMs = claims.expiresAt.getTime() - Date.now()
  const until = claims.expiresAt.toISOString()
  const next = caller.profileName ? `Log in again with \`svc login -p ${caller.profileName}\`` : 'Set a new one'
  if (leftMs <= 0) return failed(`${what}, which expired at ${until}`, next)
  if (leftMs < tokenLifeShortMs && !caller.renewable) return warning(`${what}, valid only until ${until}`, next)
  return ok(`${what}, valid until ${until}`)
}

function describeStore({profileName}: Caller): string {
  if (!profileName) return `from ${process.env['SVC_API_KEY'] ? 'SVC_API_KEY' : 'SVC_ACCESS_TOKEN'}`
  const {kind, storedIn} = findProfile(profileName)?.credential ?? {}
  if (kind === 'COMMAND') return 'from the credential command'
  return storedIn === 'keychain' ? 'in the keychain' : `in ${getSecretsPath()}`
}

export async function checkSandbox(context: CheckContext): Promise<CheckResult | undefined> {
  if (!context.caller || !isEmbedded(context.caller)) return undefined
  const embeddedSandbox = await openEmbeddedSandbox()
  try {
    const {file, schemaVersion, customers} = embeddedSandbox.status()
    const count = Object.values(customers).reduce((sum, each) => sum + each, 0)
    return ok(`${file}, schema ${schemaVersion}, ${countNoun(count, 'customer')}`)
  } finally {
    embeddedSandbox.close()
  }
}
