// Finds the caller of a command: the named profile, else the credential in the environment, else the current profile.
import type {Controls} from '../controls/decide.ts'
import {getDuplicateWindow, readDuplicateWindowMs} from '../controls/limits.ts'
import {SvcError, badUsage, noCredential} from '../errors.ts'
import {getSandboxFile} from '../storage/folders.ts'
import {svc} from '../values/text.ts'
import {parseBaseUrl} from '../values/urls.ts'
import {type GetCredential, createCredential, createFixedToken, parseSecret} from './credentials.ts'
import {type Profile, getServiceName, readSettings, requireProfile, sandboxAddress} from './profiles.ts'
import {describeStatement, parseServiceId, readResendAnswer} from './service.ts'

// `spending`, `approvals` and `coolDownMs` are those of the policy, too, once the caller was bound to it.
export interface Caller
  extends Controls, Omit<Profile, 'service' | 'readOnly' | 'limits' | 'credential' | 'duplicateWindow'> {
  profileName?: string | undefined
  // What chose the caller: a flag, a variable, or the current profile.
  chosenBy?: string | undefined
  // The name of the service. The embedded sandbox has one per database, which transport.ts knows.
  service: string
  // How long a payment is remembered to ask about a second one like it. 0 if it is not asked about.
  duplicateWindowMs: number
  credential: GetCredential
  // Whether a rejected credential can be renewed.
  renewable: boolean
}

// Each database of the embedded sandbox is a service of its own.
export const identifyService = ({baseUrl, service}: Pick<Caller, 'baseUrl' | 'service'>): string =>
  baseUrl === sandboxAddress ? `${sandboxAddress}${getSandboxFile()}` : service

// What chose the caller if nothing else did.
export const currentProfile = 'current profile'

export const noCaller = () =>
  noCredential(
    'No profile is set up and none was named',
    `Name the embedded sandbox with \`-p sandbox\`, or connect to the service with ${svc`login`} (or SVC_BASE_URL and SVC_API_KEY)`,
  )

// A profile that is named, with --profile or SVC_PROFILE, always wins over the environment and the current profile.
export function findCaller(profileName: string | undefined): Caller | undefined {
  if (profileName !== undefined) {
    const chosenBy = process.env['SVC_PROFILE'] === profileName ? 'SVC_PROFILE' : '--profile'
    return {...createProfileCaller(profileName, requireProfile(profileName)), chosenBy}
  }
  const fromEnvironment = createEnvironmentCaller()
  if (fromEnvironment) return fromEnvironment
  const name = readSettings().current
  if (name === undefined) {
    if (!process.env['SVC_BASE_URL']) return undefined
    throw noCredential('SVC_BASE_URL is set, but neither SVC_API_KEY nor SVC_ACCESS_TOKEN is', 'Set one of them')
  }
  const caller = createProfileCaller(name, requireProfile(name))
  const environmentUrl = process.env['SVC_BASE_URL']
  if (environmentUrl && parseBaseUrl(environmentUrl, 'SVC_BASE_URL') !== caller.baseUrl) {
    throw badUsage(
      `SVC_BASE_URL names ${environmentUrl}, but the profile "${name}" belongs to ${caller.baseUrl}`,
      'Set SVC_API_KEY along with it, unset it, or name a profile with -p',
    )
  }
  return {...caller, chosenBy: currentProfile}
}

export function createProfileCaller(name: string, profile: Profile): Caller {
  const isEmbedded = profile.baseUrl === sandboxAddress
  const {limits, duplicateWindow, ...stored} = profile
  return {
    ...stored,
    label: `profile "${name}"`,
    profileName: name,
    baseUrl: isEmbedded ? sandboxAddress : parseBaseUrl(profile.baseUrl, `The address of profile "${name}"`),
    service: isEmbedded ? sandboxAddress : findServiceName(name, profile),
    readOnly: profile.readOnly ?? false,
    spending: limits,
    resend: readResendAnswer(profile.resend),
    duplicateWindowMs: readDuplicateWindowMs(getDuplicateWindow({duplicateWindow})),
    credential: createCredential(name, profile),
    renewable: profile.credential.kind === 'COMMAND',
  }
}

const serviceVariable = 'SVC_SERVICE'

// SVC_SERVICE is for callers without a profile. One that differs from the profile is neither ignored nor preferred.
function findServiceName(name: string, profile: Profile): string {
  const service = getServiceName(profile)
  const stated = process.env[serviceVariable]
  if (!stated || stated === service) return service
  throw badUsage(
    `${serviceVariable} names the service ${stated}, but the profile "${name}" belongs to ${service}`,
    `Unset it, or run \`${describeStatement(name, parseServiceId(stated, serviceVariable))}\` if the profile means the same service`,
  )
}

// For containers and cron jobs, which need no profile. Such a caller counts as live.
function createEnvironmentCaller(): Caller | undefined {
  const {SVC_API_KEY: key, SVC_ACCESS_TOKEN: token, SVC_BASE_URL: address} = process.env
  if (!key && !token) return undefined
  if (key && token) throw badUsage('SVC_API_KEY and SVC_ACCESS_TOKEN are both set', 'Set one of them')
  const variable = key ? 'SVC_API_KEY' : 'SVC_ACCESS_TOKEN'
  if (!address)
    throw badUsage(`${variable} is set, but SVC_BASE_URL is not`, 'Set SVC_BASE_URL to the address of the service')
  const secret = parseSecret(key ?? token ?? '', variable)
  const baseUrl = parseBaseUrl(address, 'SVC_BASE_URL')
  const service = process.env[serviceVariable]
  return {
    label: 'the environment',
    chosenBy: variable,
    baseUrl,
    service: service ? parseServiceId(service, serviceVariable) : baseUrl,
    environment: 'live',
    readOnly: false,
    resend: readResendAnswer(undefined),
    duplicateWindowMs: readDuplicateWindowMs(undefined),
    credential: key ? async () => secret : createFixedToken(secret, 'the environment', `Set a new ${variable}`),
    renewable: false,
  }
}

// Which profile a command uses here if it names none with --profile, or why none can be used: a variable that is wrong
// must not keep a person from seeing the profiles.
export function findProfileInUse(): {name?: string | undefined; chosenBy?: string | undefined; problem?: SvcError} {
  try {
    const caller = findCaller(process.env['SVC_PROFILE'] || undefined)
    return {name: caller?.profileName, chosenBy: caller?.chosenBy}
  } catch (error) {
    if (error instanceof SvcError) return {problem: error}
    throw error
  }
}

export const describeService = ({baseUrl, label, environment}: Pick<Caller, 'baseUrl' | 'label' | 'environment'>) =>
  baseUrl === sandboxAddress ? 'the embedded sandbox' : `${baseUrl} (${label}, ${environment})`
