// Changes which service a profile belongs to: its address, which leaves the name of the service as it is, and the name itself.
import {badUsage} from '../errors.ts'
import {quoteForShell} from '../values/text.ts'
import {isSandboxId} from '../values/urls.ts'
import {type Profile, getServiceName, requireProfile, sandboxAddress, updateSettings} from './profiles.ts'
import {deleteSecret, getSecretKey} from './secrets.ts'

interface ServiceChange {
  // As parseBaseUrl returns it.
  baseUrl?: string | undefined
  // As parseServiceId returns it.
  serviceId?: string | undefined
}

// Visible ASCII that begins like a word, so that it can be an argument of a command.
const idPattern = /^[a-z0-9][\x21-\x7e]{0,199}$/i

export function parseServiceId(text: string, from: string): string {
  if (!idPattern.test(text)) {
    throw badUsage(
      `${from} ${JSON.stringify(text)} cannot name a service`,
      'Use at most 200 visible ASCII characters without blanks, beginning with a letter or a digit',
    )
  }
  if (isSandboxId(text)) throw badUsage(`${from} "${text}" belongs to the embedded sandbox`, 'Choose another id')
  return text
}

// How a caller states that its service has this id: a command, or a variable if it has no profile.
export const describeStatement = (profileName: string | undefined, serviceId: string) =>
  profileName === undefined
    ? `SVC_SERVICE=${quoteForShell(serviceId)}`
    : `svc profiles set ${quoteForShell(profileName)} --service ${quoteForShell(serviceId)}`

export async function updateService(name: string, {baseUrl, serviceId}: ServiceChange): Promise<void> {
  const before = requireProfile(name)
  if (before.baseUrl === sandboxAddress) {
    throw badUsage(
      'The embedded sandbox has an address and an identity of its own',
      'Leave out --base-url and --service, or name another profile; nothing was changed',
    )
  }
  const isMoved = baseUrl !== undefined && baseUrl !== before.baseUrl
  await updateSettings(({profiles}) => {
    const {customerReadPath, ...profile} = requireProfile(name)
    profiles[name] = {
      ...profile,
      ...(isMoved && {baseUrl}),
      service: serviceId ?? getServiceName(profile),
      ...(customerReadPath && !isMoved && {customerReadPath}),
    }
  })
}

// A secret is sent only to the address that accepted it, so one that was stored for the earlier address is removed with it.
// A credential command stays. Returns whether there was one.
export async function removeEarlierSecret(name: string, {baseUrl, credential}: Profile): Promise<boolean> {
  await deleteSecret(getSecretKey(name, baseUrl), credential.storedIn)
  return credential.storedIn !== undefined
}
