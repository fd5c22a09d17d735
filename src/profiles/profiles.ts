// The stored profiles: address, environment, credential and permissions.
import type {Shape} from '../contract/shape.ts'
import {badUsage} from '../errors.ts'
import {getDuplicateWindow} from '../controls/limits.ts'
import {listLagDefaultMs, resendAnswers} from './service.ts'
import {type FromShape, SettingsFile} from '../storage/settings-file.ts'
import {normalizeBaseUrl, sandboxScheme} from '../values/urls.ts'

const text = {type: 'string', minLength: 1} as const
const amountsByCurrency = {type: 'object', additionalProperties: text} as const

const profileShape = {
  type: 'object',
  properties: {
    baseUrl: text,
    // The name of the service, which payment keys belong to. It stays the same when the address changes: it is the base URL with
    // which the profile was made, unless a person gave it another name.
    service: text,
    environment: {type: 'string', enum: ['live', 'sandbox']},
    credential: {
      type: 'object',
      properties: {
        kind: {type: 'string', enum: ['API_KEY', 'JWT', 'COMMAND']},
        storedIn: {type: 'string', enum: ['keychain', 'file']},
        command: text,
      },
      required: ['kind'],
    },
    organization: text,
    // A read-only profile never writes, whatever the command.
    readOnly: {type: 'boolean'},
    limits: {
      type: 'object',
      properties: {
        paymentMax: amountsByCurrency,
        dayMax: amountsByCurrency,
        destinations: {type: 'array', items: text},
      },
    },
    // Whether the service is known to honour idempotency keys.
    resend: {type: 'string', enum: resendAnswers},
    // How long the service may take to list a transaction.
    listLagMaxMs: {type: 'integer', minimum: listLagDefaultMs},
    // How long a payment is remembered to ask about a second one like it, such as 3d.
    duplicateWindow: text,
    // The one of two possible paths at which a customer was last read.
    customerReadPath: text,
    // If it is not that of this machine: its address without a password, and a command that prints the password.
    journal: {type: 'object', properties: {address: text, passwordCommand: text}, required: ['address']},
    // The program that is told what needs a person, and how long the outcome of a payment may be unknown before that.
    notify: {
      type: 'object',
      properties: {command: text, afterMs: {type: 'integer', minimum: 1}},
      required: ['command'],
    },
  },
  required: ['baseUrl', 'environment', 'credential'],
} as const satisfies Shape

const settingsShape = {
  type: 'object',
  properties: {
    schemaVersion: {type: 'integer', minimum: 1},
    current: text,
    profiles: {type: 'object', additionalProperties: profileShape},
  },
  required: ['schemaVersion', 'profiles'],
} as const satisfies Shape

export type Profile = FromShape<typeof profileShape>
export type Environment = Profile['environment']
export type SecretStore = NonNullable<Profile['credential']['storedIn']>
type Settings = FromShape<typeof settingsShape>

const settings = new SettingsFile<Settings>({
  name: 'config',
  schemaVersion: 1,
  shape: settingsShape,
  defaults: {schemaVersion: 1, profiles: {}},
})

export const getSettingsPath = () => settings.path
export const readSettings = () => settings.read()
export const updateSettings = (change: (value: Settings) => void) => settings.update(change)

// The built-in profile. It is used only if it is named or chosen: a job that lost its settings must fail, not pay play money
// and report success.
export const sandboxName = 'sandbox'
export const sandboxAddress = sandboxScheme

// What the file says about the sandbox can be its limits, its journal and who is notified, and nothing of these.
const sandboxProfile: Profile = {
  baseUrl: sandboxAddress,
  service: undefined,
  environment: 'sandbox',
  credential: {kind: 'API_KEY'},
  organization: undefined,
  customerReadPath: undefined,
}

const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/i

export function validateProfileName(name: string): string {
  if (name === sandboxName) throw badUsage('The name "sandbox" belongs to the built-in sandbox', 'Choose another name')
  if (!namePattern.test(name) || name === '__proto__') {
    throw badUsage(`"${name}" cannot name a profile`, 'Use letters, digits, dots, dashes and underscores, 64 at most')
  }
  return name
}

export function findProfile(name: string): Profile | undefined {
  const {profiles} = readSettings()
  const stored = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  return name === sandboxName ? {...stored, ...sandboxProfile} : stored
}

// The sandbox comes last, whether it is stored or not.
const listNames = () => [...Object.keys(readSettings().profiles).filter((name) => name !== sandboxName), sandboxName]

export function requireProfile(name: string): Profile {
  const profile = findProfile(name)
  if (profile) return profile
  const known = listNames().join(', ')
  throw badUsage(`There is no profile "${name}"`, `Known profiles are ${known}; \`svc login -p ${name}\` creates one`)
}

// Changes some fields of a profile. One that is undefined is removed.
export async function updateProfile(name: string, patch: Partial<Profile>): Promise<Profile> {
  await updateSettings(({profiles}) => void (profiles[name] = {...requireProfile(name), ...patch}))
  return requireProfile(name)
}

export const getServiceName = ({service, baseUrl}: Pick<Profile, 'service' | 'baseUrl'>): string =>
  service ?? normalizeBaseUrl(baseUrl)

// A profile without its secret, for printing.
export function summarizeProfile(name: string, {credential, journal, ...profile}: Profile) {
  return {
    name,
    current: readSettings().current === name,
    ...profile,
    service: getServiceName(profile),
    credential: credential.kind,
    storedIn: credential.storedIn,
    readOnly: profile.readOnly ?? false,
    duplicateWindow: getDuplicateWindow(profile),
    journal: journal?.address,
    journalPasswordCommand: journal?.passwordCommand,
  }
}

// In a list, `usedBy` is what makes it the profile in use here, if it is.
export type ProfileSummary = ReturnType<typeof summarizeProfile> & {usedBy?: string | undefined}

export const listProfiles = (): ProfileSummary[] =>
  listNames().map((name) => summarizeProfile(name, requireProfile(name)))
