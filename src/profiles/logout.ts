// Forgets the credential of a profile, and nothing else.
import {badUsage} from '../errors.ts'
import {findCaller, noCaller} from './caller.ts'
import {type Profile, type SecretStore, requireProfile, sandboxName, updateSettings} from './profiles.ts'
import {deleteSecret, findToken, getSecretKey} from './secrets.ts'

export interface Logout {
  name: string
  // As it is now, without its secret.
  profile: Profile
  // Where the secret was; a credential command has only tokens.
  forgotten: SecretStore | 'tokens' | 'nothing'
}

function chooseProfile(named: string | undefined): string {
  if (named !== undefined) return named
  const caller = findCaller(undefined)
  if (!caller) throw noCaller()
  if (caller.profileName !== undefined) return caller.profileName
  throw badUsage(
    `The credential comes from ${caller.chosenBy}, which svc cannot change`,
    'Unset the variable, or name a profile with -p; nothing was changed',
  )
}

// The secret goes first: if svc stops in between, the profile names a secret that is gone, and asks for a login.
export async function forgetCredential(named: string | undefined): Promise<Logout> {
  const name = chooseProfile(named)
  if (name === sandboxName)
    throw badUsage('The built-in sandbox has no credential to forget', 'It needs no login either')
  const {baseUrl, credential} = requireProfile(name)
  const key = getSecretKey(name, baseUrl)
  const hadToken = findToken(key) !== undefined
  await deleteSecret(key, credential.storedIn)
  await updateSettings(({profiles}) => {
    delete profiles[name]?.credential.storedIn
  })
  return {name, profile: requireProfile(name), forgotten: credential.storedIn ?? (hadToken ? 'tokens' : 'nothing')}
}
