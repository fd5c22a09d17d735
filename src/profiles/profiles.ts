// The stored profiles: address, environment, credential and permissions.
import type {Shape} from '../contract/shape.ts'
import {badUsage} from '../errors.ts'
import {type SpendingLimits, getDuplicateWindow} from '../controls/limits.ts'
import {type ResendAnswer, listLagDefaultMs, resendAnswers} from './service-knowledge.ts'
import {SettingsFile, type Versioned} from '../storage/settings-file.ts'
import {normalizeBaseUrl, sandboxScheme} from '../values/urls.ts'

export type Environment = 'live' | 'sandbox'
type CredentialKind = 'API_KEY' | 'JWT' | 'COMMAND'
export type SecretStore = 'keychain' | 'file'

export interface Profile {
  baseUrl: string
  // The name of the service, which payment keys belong to. It stays the same when the address changes: it is the base URL with which
  // the profile was made, unless a person gave it another name.
  service?: string
  environment: Environment
  credential: {kind: CredentialKind; storedIn?: SecretStore; command?: string}
  organization?: string
  // A read-only profile never writes, whatever the command.
  readOnly?: boolean
  limits?: SpendingLimits
  // Whether the service is known to honour idempotency keys.
  resend?: ResendAnswer
  // How long the service may take to list a transaction.
  listLagMaxMs?: number
  // How long a payment is remembered to ask about a second one like it, such as 3d.
  duplicateWindow?: string
  // The one of two possible paths at which a customer was last read.
  customerReadPath?: string
  journal?: ProfileJournal
  notify?: ProfileNotify
}

// The program that is told what needs a person.
export interface ProfileNotify {
  command: string
  // How long the outcome of a payment may be unknown before it is told.
  afterMs?: number
}

// The journal of a profile, if it is not that of this machine. The address contains no password.
export interface ProfileJournal {
  address: string
  // A command that prints the password of the database.
  passwordCommand?: string
}

interface Settings extends Versioned {
  current?: string
  profiles: Record<string, Profile>
}

const text: Shape = {type: 'string', minLength: 1}

const amountsByCurrency: Shape = {type: 'object', additionalProperties: text}

const profileShape: Shape = {
  type: 'object',
  properties: {
    baseUrl: text,
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
    readOnly: {type: 'boolean'},
    limits: {
      type: 'object',
      properties: {
        paymentMax: amountsByCurrency,
        dayMax: amountsByCurrency,
        destinations: {type: 'array', items: text},
      },
    },
    resend: {type: 'string', enum: resendAnswers},
    listLagMaxMs: {type: 'integer', minimum: listLagDefaultMs},
    duplicateWindow: text,
    customerReadPath: text,
    journal: {type: 'object', properties: {address: text, passwordCommand: text}, required: ['address']},
    notify: {
      type: 'object',
      properties: {command: text, afterMs: {type: 'integer', minimum: 1}},
      required: ['command'],
    },
  },
  required: ['baseUrl', 'environment', 'credential'],
}

const settings = new SettingsFile<Settings>({
  name: 'config',
  schemaVersion: 1,
  shape: {
    type: 'object',
    properties: {
      schemaVersion: {type: 'integer', minimum: 1},
      current: text,
      profiles: {type: 'object', additionalProperties: profileShape},
    },
    required: ['schemaVersion', 'profiles'],
  },
  defaults: {schemaVersion: 1, profiles: {}},
})

export const getSettingsPath = () => settings.path
export const readSettings = () => settings.read()
export const updateSettings = (change: (value: Settings) => void) => settings.update(change)

// The built-in profile. It is used only if it is named or chosen: a job that lost its settings must fail, not pay play money
// and report success.
export const sandboxName = 'sandbox'
export const sandboxAddress = sandboxScheme

const sandboxProfile: Profile = {
  baseUrl: sandboxAddress,
  environment: 'sandbox',
  credential: {kind: 'API_KEY'},
}

// Only the permissions and the journal of the sandbox profile can be set.
function createSandboxProfile(stored: Partial<Profile> = {}): Profile {
  const {readOnly, limits, resend, listLagMaxMs, duplicateWindow, journal, notify} = stored
  return {
    ...sandboxProfile,
    ...(readOnly && {readOnly}),
    ...(limits && {limits}),
    ...(resend && {resend}),
    ...(listLagMaxMs && {listLagMaxMs}),
    ...(duplicateWindow && {duplicateWindow}),
    ...(journal && {journal}),
    ...(notify && {notify}),
  }
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
  return name === sandboxName ? createSandboxProfile(stored) : stored
}

// The sandbox comes last, whether it is stored or not.
const listNames = () => [...Object.keys(readSettings().profiles).filter((name) => name !== sandboxName), sandboxName]

export function requireProfile(name: string): Profile {
  const profile = findProfile(name)
  if (profile) return profile
  const known = listNames().join(', ')
  throw badUsage(`There is no profile "${name}"`, `Known profiles are ${known}; \`svc login -p ${name}\` creates one`)
}

// Puts back the profile as it was if the work on it fails, so that an error that says so leaves nothing changed.
export async function restoreOnFailure<T>(name: string, work: () => Promise<T>): Promise<T> {
  const {profiles} = readSettings()
  const before = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  try {
    return await work()
  } catch (error) {
    await updateSettings((changed) => {
      if (before) changed.profiles[name] = before
      else delete changed.profiles[name]
    })
    throw error
  }
}

export const getServiceName = ({service, baseUrl}: Pick<Profile, 'service' | 'baseUrl'>): string =>
  service ?? normalizeBaseUrl(baseUrl)

// A profile without its secret, for printing.
export interface ProfileSummary {
  name: string
  current: boolean
  // In a list: what makes it the profile in use here, if it is.
  usedBy?: string
  environment: Environment
  baseUrl: string
  // The name of the service that payment keys belong to.
  service: string
  credential: CredentialKind
  storedIn?: SecretStore
  organization?: string
  readOnly: boolean
  limits?: SpendingLimits
  resend?: ResendAnswer
  listLagMaxMs?: number
  duplicateWindow: string
  customerReadPath?: string
  // The address of its journal, if it has one of its own, and the command that prints the password.
  journal?: string
  journalPasswordCommand?: string
  notify?: ProfileNotify
}

export function summarizeProfile(name: string, profile: Profile): ProfileSummary {
  const {
    baseUrl,
    environment,
    credential,
    organization,
    readOnly,
    limits,
    resend,
    listLagMaxMs,
    customerReadPath,
    journal,
    notify,
  } = profile
  return {
    name,
    current: readSettings().current === name,
    environment,
    baseUrl,
    service: getServiceName(profile),
    credential: credential.kind,
    ...(credential.storedIn && {storedIn: credential.storedIn}),
    ...(organization && {organization}),
    readOnly: readOnly ?? false,
    ...(limits && {limits}),
    ...(resend && {resend}),
    ...(listLagMaxMs && {listLagMaxMs}),
    duplicateWindow: getDuplicateWindow(profile),
    ...(customerReadPath && {customerReadPath}),
    ...(journal && {journal: journal.address}),
    ...(journal?.passwordCommand && {journalPasswordCommand: journal.passwordCommand}),
    ...(notify && {notify}),
  }
}

export const listProfiles = (): ProfileSummary[] =>
  listNames().map((name) => summarizeProfile(name, requireProfile(name)))
