// The stored profiles: address, environment, credential and permissions.
import {badUsage} from '../errors.ts'
import {getDuplicateWindow} from '../controls/limits.ts'
import {SettingsFile} from '../storage/settings-file.ts'
import {lookUp} from '../values/records.ts'
import {normalizeBaseUrl, sandboxScheme} from '../values/urls.ts'
import {type Profile, type Settings, settingsShape} from './settings.frozen.ts'

export type {Profile} from './settings.frozen.ts'

export type Environment = Profile['environment']
export type SecretStore = NonNullable<Profile['credential']['storedIn']>

const settings = new SettingsFile<Settings>({
  name: 'config',
  schemaVersion: 1,
  shape: settingsShape,
  defaults: {schemaVersion: 1, profiles: {}},
})

export const getSettingsPath = () => settings.path
export const readSettings = () => settings.read()
export const updateSettings = (change: (value: Settings) => void | Promise<void>) => settings.update(change)

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
  const stored = lookUp(readSettings().profiles, name)
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

// Changes some fields of a profile. One that is undefined is removed. The change is made from the
// profile as it is under the lock, so that what another process changes meanwhile is not lost, such
// as a cap or the read-only mark.
export async function updateProfile(
  name: string,
  change: (before: Profile) => Partial<Profile> | Promise<Partial<Profile>>,
): Promise<{before: Profile; after: Profile}> {
  let before = requireProfile(name)
  await updateSettings(async ({profiles}) => {
    before = requireProfile(name)
    profiles[name] = {...before, ...(await change(before))}
  })
  return {before, after: requireProfile(name)}
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
