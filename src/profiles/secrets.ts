// Where secrets lie: the system's keychain where one works, else a file of mode 0600, which is then announced.
import {noCredential} from '../errors.ts'
import type {SecretStore} from './profiles.ts'
import {SettingsFile, type Versioned} from '../storage/settings-file.ts'

interface Secrets extends Versioned {
  secrets: Record<string, string>
  // Tokens that a credential command printed, kept until shortly before they expire.
  tokens: Record<string, string>
}

const file = new SettingsFile<Secrets>({
  name: 'credentials',
  schemaVersion: 1,
  shape: {
    type: 'object',
    properties: {
      schemaVersion: {type: 'integer', minimum: 1},
      secrets: {type: 'object', additionalProperties: {type: 'string'}},
      tokens: {type: 'object', additionalProperties: {type: 'string'}},
    },
    required: ['schemaVersion', 'secrets', 'tokens'],
  },
  defaults: {schemaVersion: 1, secrets: {}, tokens: {}},
})

export const getSecretsPath = () => file.path

// A secret is kept under the profile and the address it was proved at: whatever happens between two writes, it can never
// be found for, and so never sent to, another address.
export const getSecretKey = (profile: string, baseUrl: string) => `${profile} at ${baseUrl}`

// Refused here if damaged, before anything is done that would have to be written into it.
export const assertSecretsReadable = () => void file.read()

const keychainService = 'svc'

// The native module is optional. On Linux it would fall back to a keyring that is gone after a restart: the real one or none.
async function openKeychainEntry(key: string) {
  const {AsyncEntry} = await import('@napi-rs/keyring')
  return new AsyncEntry(keychainService, key, {linux: {store: 'secret-service'}})
}

// Returns where the secret was put. The keychain is believed only after it gave the secret back.
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
    // Not having a keychain is ordinary on servers, and the caller announces the file it used instead.
    if (isRequired) throw noCredential('No keychain works here', 'Leave --store out, or use --store file', cause)
    return false
  }
}

export async function findSecret(key: string, store: SecretStore): Promise<string | undefined> {
  if (store === 'file') return getOwnValue(file.read().secrets, key)
  try {
    const entry = await openKeychainEntry(key)
    return (await entry.getPassword()) ?? undefined
  } catch (cause) {
    throw noCredential(
      `The keychain that holds the credential of ${key} cannot be read`,
      'Unlock it, or log in again with --store file',
      cause,
    )
  }
}

export async function deleteSecret(key: string, store: SecretStore | undefined): Promise<void> {
  if (store === 'keychain') await deleteFromKeychain(key)
  await deleteFromFile(key)
}

async function deleteFromKeychain(key: string): Promise<void> {
  try {
    const entry = await openKeychainEntry(key)
    await entry.deletePassword()
  } catch (cause) {
    throw noCredential(
      `The keychain that holds the credential of ${key} cannot be reached, so nothing was removed`,
      'Unlock it, or log in again with --store file first',
      cause,
    )
  }
}

const deleteFromFile = (key: string) =>
  file.update(({secrets, tokens}) => {
    delete secrets[key]
    delete tokens[key]
  })

// A profile may be called "constructor", and must not find what every object has by that key.
const getOwnValue = (values: Record<string, string>, key: string) =>
  Object.hasOwn(values, key) ? values[key] : undefined

export const findToken = (key: string) => getOwnValue(file.read().tokens, key)
export const storeToken = (key: string, token: string) => file.update(({tokens}) => void (tokens[key] = token))
