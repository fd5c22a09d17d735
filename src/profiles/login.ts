// Stores a verified login: first the secret, then the profile that refers to it.
import {readClaims} from './credentials.ts'
import {
  type Environment,
  type Profile,
  type SecretStore,
  getServiceIdentity,
  readSettings,
  updateSettings,
} from './profiles.ts'
import {deleteSecret, storeSecret, getSecretKey} from './secrets.ts'

export interface Login {
  name: string
  baseUrl: string
  environment: Environment
  // Accepted by the service, whether it was typed, piped in or printed by a command.
  secret: string
  command?: string
  store?: SecretStore
  organization?: string
  readOnly?: boolean
}

// Logging in again keeps the other settings of the profile. With another base URL it is another service: its identity is new,
// and what was known about the earlier one is dropped.
export async function storeLogin(login: Login): Promise<Profile> {
  const {name, baseUrl, environment, organization, readOnly} = login
  const {profiles} = readSettings()
  const before = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  const credential = await storeCredential(login, before)
  const isSameService = before?.baseUrl === baseUrl
  const {customerReadPath, knowledge, resend, ...unchanged} = before ?? {}
  const profile: Profile = {
    ...unchanged,
    baseUrl,
    service: isSameService ? getServiceIdentity(before) : {id: baseUrl},
    environment,
    credential,
    ...(organization && {organization}),
    ...(readOnly && {readOnly}),
    ...(resend && (isSameService || resend !== 'always') && {resend}),
    ...(knowledge && isSameService && {knowledge}),
    ...(customerReadPath && isSameService && {customerReadPath}),
  }
  await updateSettings((settings) => {
    settings.profiles[name] = profile
    settings.current ??= name
  })
  if (before && !isSameService) await deleteSecret(getSecretKey(name, before.baseUrl), before.credential.storedIn)
  return profile
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
