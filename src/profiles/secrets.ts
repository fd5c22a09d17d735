// Where secrets lie: the system's keychain where one works, else a file of mode 0600, which is then announced.
import {noCredential} from '../errors.ts'
import type {SecretPlace} from './profiles.ts'
import {StoredFile, type Versioned} from './stored-file.ts'

interface Secrets extends Versioned {
  secrets: Record<string, string>
  // Tokens that a credential command printed, kept until shortly before they expire.
  tokens: Record<string, string>
}

const file = new StoredFile<Secrets>({
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
  empty: {schemaVersion: 1, secrets: {}, tokens: {}},
})

export const secretsPath = () => file.path

const keychainService = 'svc'

// The native module is optional. On Linux it would fall back to a keyring that is gone after a restart: the real one or none.
async function keychainEntry(name: string) {
  const {AsyncEntry} = await import('@napi-rs/keyring')
  return new AsyncEntry(keychainService, name, {linux: {store: 'secret-service'}})
}

// Returns where the secret was put. The keychain is believed only after it gave the secret back.
export async function keepSecret(name: string, secret: string, wanted?: SecretPlace): Promise<SecretPlace> {
  if (wanted !== 'file' && (await keepInKeychain(name, secret, wanted === 'keychain'))) {
    await forgetInFile(name)
    return 'keychain'
  }
  await file.update(({secrets, tokens}) => {
    secrets[name] = secret
    delete tokens[name]
  })
  return 'file'
}

async function keepInKeychain(name: string, secret: string, must: boolean): Promise<boolean> {
  try {
    const entry = await keychainEntry(name)
    await entry.setPassword(secret)
    return (await entry.getPassword()) === secret
  } catch (cause) {
    // Not having a keychain is ordinary on servers, and the caller announces the file it used instead.
    if (must) throw noCredential('No keychain works here', 'Leave --store out, or use --store file', cause)
    return false
  }
}

export async function findSecret(name: string, place: SecretPlace): Promise<string | undefined> {
  if (place === 'file') return ownValue(file.read().secrets, name)
  try {
    const entry = await keychainEntry(name)
    return (await entry.getPassword()) ?? undefined
  } catch (cause) {
    throw noCredential(
      `The keychain that holds the credential of profile "${name}" cannot be read`,
      'Unlock it, or log in again with --store file',
      cause,
    )
  }
}

export async function forgetSecret(name: string, place: SecretPlace | undefined): Promise<void> {
  if (place === 'keychain') await forgetInKeychain(name)
  await forgetInFile(name)
}

async function forgetInKeychain(name: string): Promise<void> {
  try {
    const entry = await keychainEntry(name)
    await entry.deletePassword()
  } catch (cause) {
    throw noCredential(
      `The keychain that holds the credential of profile "${name}" cannot be reached, so nothing was removed`,
      'Unlock it, or log in again with --store file first',
      cause,
    )
  }
}

const forgetInFile = (name: string) =>
  file.update(({secrets, tokens}) => {
    delete secrets[name]
    delete tokens[name]
  })

// A profile may be called "constructor", and must not find what every object has by that name.
const ownValue = (values: Record<string, string>, name: string) =>
  Object.hasOwn(values, name) ? values[name] : undefined

export const findToken = (name: string) => ownValue(file.read().tokens, name)
export const keepToken = (name: string, token: string) => file.update(({tokens}) => void (tokens[name] = token))
