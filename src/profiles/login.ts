// Stores what a login proved: first the secret, then the profile that names it.
import {claimsOf} from './credentials.ts'
import {type Environment, type Profile, type SecretPlace, readSettings, updateSettings} from './profiles.ts'
import {forgetSecret, keepSecret, secretKey} from './secrets.ts'

export interface Login {
  name: string
  baseUrl: string
  environment: Environment
  // Proved by the service, whether it was typed, piped in or printed by the command.
  secret: string
  command?: string
  store?: SecretPlace
  organization?: string
  readOnly?: boolean
}

// Logging in again keeps what the login does not speak of, and forgets the read path where the address changed.
export async function storeLogin(login: Login): Promise<Profile> {
  const {name, baseUrl, environment, organization, readOnly} = login
  const {profiles} = readSettings()
  const before = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  const credential = await storeCredential(login, before)
  const {customerReadPath, ...kept} = before ?? {}
  const profile: Profile = {
    ...kept,
    baseUrl,
    environment,
    credential,
    ...(organization && {organization}),
    ...(readOnly && {readOnly}),
    ...(customerReadPath && before?.baseUrl === baseUrl && {customerReadPath}),
  }
  await updateSettings((settings) => {
    settings.profiles[name] = profile
    settings.current ??= name
  })
  if (before && before.baseUrl !== baseUrl)
    await forgetSecret(secretKey(name, before.baseUrl), before.credential.storedIn)
  return profile
}

async function storeCredential({name, baseUrl, secret, command, store}: Login, before: Profile | undefined) {
  const key = secretKey(name, baseUrl)
  if (command) {
    await forgetSecret(key, before?.credential.storedIn)
    return {kind: 'COMMAND' as const, command}
  }
  const kind = (await claimsOf(secret)) ? ('JWT' as const) : ('API_KEY' as const)
  return {kind, storedIn: await keepSecret(key, secret, store)}
}
