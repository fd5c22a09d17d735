// The stored profiles: who can call, and where.
import type {Shape} from '../contract/shape.ts'
import {badUsage} from '../errors.ts'
import {type ResendPolicy, type SpendingLimits, resendPolicies} from './spending-limits.ts'
import {SettingsFile, type Versioned} from '../storage/settings-file.ts'

export type Environment = 'live' | 'sandbox'
type CredentialKind = 'API_KEY' | 'JWT' | 'COMMAND'
export type SecretStore = 'keychain' | 'file'

export interface Profile {
  baseUrl: string
  environment: Environment
  credential: {kind: CredentialKind; storedIn?: SecretStore; command?: string}
  organization?: string
  // A profile that is marked so never writes, whatever the command.
  readOnly?: boolean
  limits?: SpendingLimits
  resend?: ResendPolicy
  // The form of the single-customer read that worked last.
  customerReadPath?: string
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
    resend: {type: 'string', enum: resendPolicies},
    customerReadPath: text,
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

// The profile that is always there. It must be named or chosen: a job that lost its settings must not pay play money.
export const sandboxName = 'sandbox'
export const sandboxAddress = 'sandbox:'
const sandboxProfile: Profile = {
  baseUrl: sandboxAddress,
  environment: 'sandbox',
  credential: {kind: 'API_KEY'},
}

// It has no address, no secret and no other name; what may be set of it is what it may write.
function createSandboxProfile({readOnly, limits, resend}: Partial<Profile> = {}): Profile {
  return {...sandboxProfile, ...(readOnly && {readOnly}), ...(limits && {limits}), ...(resend && {resend})}
}

const namePattern = /^[a-z0-9][a-z0-9._-]{0,63}$/i

export function validateProfileName(name: string): string {
  if (name === sandboxName) throw badUsage('The name "sandbox" is that of the built-in sandbox', 'Choose another name')
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

// The sandbox comes last, whether something is set of it or not.
const listNames = () => [...Object.keys(readSettings().profiles).filter((name) => name !== sandboxName), sandboxName]

export function requireProfile(name: string): Profile {
  const profile = findProfile(name)
  if (profile) return profile
  const known = listNames().join(', ')
  throw badUsage(`There is no profile "${name}"`, `Known profiles are ${known}; \`svc login -p ${name}\` makes one`)
}

// A profile as it may be shown: everything but the secret.
export interface ProfileSummary {
  name: string
  current: boolean
  environment: Environment
  baseUrl: string
  credential: CredentialKind
  storedIn?: SecretStore
  organization?: string
  readOnly: boolean
  limits?: SpendingLimits
  resend?: ResendPolicy
  customerReadPath?: string
}

export function summarizeProfile(name: string, profile: Profile): ProfileSummary {
  const {baseUrl, environment, credential, organization, readOnly, limits, resend, customerReadPath} = profile
  return {
    name,
    current: readSettings().current === name,
    environment,
    baseUrl,
    credential: credential.kind,
    ...(credential.storedIn && {storedIn: credential.storedIn}),
    ...(organization && {organization}),
    readOnly: readOnly ?? false,
    ...(limits && {limits}),
    ...(resend && {resend}),
    ...(customerReadPath && {customerReadPath}),
  }
}

// The names that can be offered to a shell, which would run what is not a name but looks like a command.
export const listSafeNames = () => listNames().filter((name) => namePattern.test(name))

export const listProfiles = (): ProfileSummary[] =>
  listNames().map((name) => summarizeProfile(name, requireProfile(name)))
