// Stores secrets in the system's keychain if it works, else in a file of mode 0600, which `svc login` then announces.
import {noCredential} from '../errors.ts'
import type {SecretStore} from './profiles.ts'
import {SettingsFile} from '../storage/settings-file.ts'
import {lookUp} from '../values/records.ts'
import {type Secrets, secretsShape} from './settings.frozen.ts'

const file = new SettingsFile<Secrets>({
  name: 'credentials',
  schemaVersion: 1,
  shape: secretsShape,
  defaults: {schemaVersion: 1, secrets: {}, tokens: {}},
})

export const getSecretsPath = () => file.path

// A secret is stored under the profile and the address that accepted it, so it is never found for another address, even if
// svc stops between two writes.
export const getSecretKey = (profile: string, baseUrl: string) => `${profile} at ${baseUrl}`

// Rejects a damaged file before a login starts that would have to write into it.
export const assertSecretsReadable = () => void file.read()

const keychainService = 'svc'

// The native module is optional. On Linux it would fall back to a keyring that is lost on restart, so the store is named.
async function openKeychainEntry(key: string) {
  const {AsyncEntry} = await import('@napi-rs/keyring')
  return new AsyncEntry(keychainService, key, {linux: {store: 'secret-service'}})
}

// Returns where the secret was stored. The keychain counts only if it returns the secret afterwards.
export async function storeSecret(key: string, secret: string, preferredStore?: SecretStore): Promise<SecretStore> {
  if (preferredStore !== 'file' && (await storeInKeychain(key, secret, preferredStore === 'keychain'))) {
    await deleteFromFile(key)
    return 'keychain'
  }
  await file.update(({secrets, tokens}) => {
    secrets[key] = secret
    delete tokens[key]
  })
  return 'file'
}

async function storeInKeychain(key: string, secret: string, isRequired: boolean): Promise<boolean> {
  try {
    const entry = await openKeychainEntry(key)
    await entry.setPassword(secret)
    return (await entry.getPassword()) === secret
  } catch (cause) {
    // Servers usually have no keychain; the caller announces the file that is used instead.
    if (isRequired) throw noCredential('No keychain works here', 'Leave --store out, or use --store file', cause)
    return false
  }
}

type KeychainEntry = Awaited<ReturnType<typeof openKeychainEntry>>

async function useKeychain<T>(key: string, use: (entry: KeychainEntry) => Promise<T>): Promise<T> {
  try {
    return await use(await openKeychainEntry(key))
  } catch (cause) {
    throw noCredential(
      `The keychain that holds the credential of ${key} cannot be reached, so nothing was changed`,
      'Unlock it, or log in again with --store file',
      cause,
    )
  }
}

export const findSecret = async (key: string, store: SecretStore): Promise<string | undefined> =>
  store === 'file'
    ? lookUp(file.read().secrets, key)
    : ((await useKeychain(key, (entry) => entry.getPassword())) ?? undefined)

export async function deleteSecret(key: string, store: SecretStore | undefined): Promise<void> {
  if (store === 'keychain') await useKeychain(key, (entry) => entry.deletePassword())
  await deleteFromFile(key)
}

const deleteFromFile = (key: string) =>
  file.update(({secrets, tokens}) => {
    delete secrets[key]
    delete tokens[key]
  })

export const findToken = (key: string) => lookUp(file.read().tokens, key)
export const storeToken = (key: string, token: string) => file.update(({tokens}) => void (tokens[key] = token))
