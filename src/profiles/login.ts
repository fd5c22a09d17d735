// Stores a verified login: first the secret, then the profile that refers to it.
import {badUsage} from '../errors.ts'
import {findCaller, noCaller} from './caller.ts'
import {readClaims} from './credentials.ts'
import {
  type Environment,
  type Profile,
  type SecretStore,
  findProfile,
  getServiceName,
  requireProfile,
  sandboxName,
  updateProfile,
  updateSettings,
} from './profiles.ts'
import {deleteSecret, findToken, getSecretKey, storeSecret} from './secrets.ts'

export interface Login {
  name: string
  baseUrl: string
  environment: Environment
  // Accepted by the service, whether it was typed, piped in or printed by a command.
  secret: string
  command?: string | undefined
  store?: SecretStore | undefined
  organization?: string | undefined
  readOnly?: boolean | undefined
  // The profile that is replaced, as it was when a person could still be asked about it. Absent if
  // any may be.
  replaces?: {profile: Profile | undefined} | undefined
}

// Logging in again keeps the other settings of the profile. With another base URL it is another service: its identity is new,
// and what was said about the earlier one, such as the organization, is dropped.
export async function storeLogin(login: Login): Promise<Profile> {
  const {name, baseUrl, environment, organization, readOnly} = login
  let before: Profile | undefined
  await updateSettings(async (settings) => {
    before = findProfile(name)
    if (before && login.replaces) rejectChanged(login, before, login.replaces.profile)
    const known = before?.baseUrl === baseUrl ? before : undefined
    settings.profiles[name] = {
      ...before,
      baseUrl,
      service: known ? getServiceName(known) : baseUrl,
      environment,
      credential: await storeCredential(login, before),
      organization: organization ?? known?.organization,
      readOnly: readOnly || before?.readOnly,
      resend: known?.resend,
      listLagMaxMs: known?.listLagMaxMs,
    }
    settings.current ??= name
  })
  if (before && before.baseUrl !== baseUrl)
    await deleteSecret(getSecretKey(name, before.baseUrl), before.credential.storedIn)
  return requireProfile(name)
}

// While the credential was checked, another process may have moved the profile or made it live.
function rejectChanged({name, baseUrl, environment}: Login, now: Profile, seen: Profile | undefined): void {
  const wasMoved = now.baseUrl !== seen?.baseUrl && now.baseUrl !== baseUrl
  const wasMadeLive = now.environment === 'live' && seen?.environment !== 'live' && environment === 'sandbox'
  if (!wasMoved && !wasMadeLive) return
  throw badUsage(
    `Another process has changed profile "${name}" meanwhile: it is ${now.environment}, at ${now.baseUrl}`,
    'Log in again; nothing was stored',
  )
}

async function storeCredential({name, baseUrl, secret, command, store}: Login, before: Profile | undefined) {
  const key = getSecretKey(name, baseUrl)
  if (command) {
    await deleteSecret(key, before?.credential.storedIn)
    return {kind: 'COMMAND' as const, command}
  }
  const kind = (await readClaims(secret)) ? ('JWT' as const) : ('API_KEY' as const)
  return {kind, storedIn: await storeSecret(key, secret, store)}
}

function chooseProfile(named: string | undefined): string {
  if (named !== undefined) return named
  const caller = findCaller(undefined)
  if (!caller) throw noCaller()
  if (caller.profileName !== undefined) return caller.profileName
  throw badUsage(
    `The credential comes from ${caller.chosenBy}, which svc cannot change`,
    'Unset the variable, or name a profile with -p; nothing was changed',
  )
}

// Forgets the credential of a profile, and nothing else. The secret goes first: if svc stops in between, the profile names a secret
// that is gone, and asks for a login.
export async function forgetCredential(named: string | undefined) {
  const name = chooseProfile(named)
  if (name === sandboxName)
    throw badUsage('The built-in sandbox has no credential to forget', 'It needs no login either')
  let hadSecret = false
  const {after: profile} = await updateProfile(name, async ({baseUrl, credential}) => {
    const key = getSecretKey(name, baseUrl)
    hadSecret = credential.storedIn !== undefined || findToken(key) !== undefined
    await deleteSecret(key, credential.storedIn)
    return {credential: {...credential, storedIn: undefined}}
  })
  return {name, profile, hadSecret}
}
