// Forgets the credential of a profile. Everything else about the profile stays.
import {SvcCommand} from '../cli/command.ts'
import {getExitCodes} from '../errors.ts'
import {itemResult} from '../cli/output/result.ts'
import {type Logout, forgetCredential} from '../profiles/login.ts'
import {summarizeProfile} from '../profiles/profiles.ts'
import {profileView} from '../profiles/view.ts'

export default class LogoutCommand extends SvcCommand {
  static override view = profileView
  static override summary = 'Forget the credential of a profile'
  static override description =
    'Removes the secret from the keychain or the file that holds it. The address, the limits and the other settings of the profile stay, and so do the payments in the journal. The service is not asked: a key stays valid there until it is revoked.'
  static override examples = [
    {description: 'Log out of the profile in use', command: 'svc logout'},
    {description: 'Log out of another profile', command: 'svc logout -p acme'},
  ]
  static override exits = getExitCodes('usage', 'unauthenticated')

  async run() {
    const {flags} = await this.parse(LogoutCommand)
    const logout = await forgetCredential(flags.profile)
    this.notice(describeForgotten(logout))
    this.notice(describeRest(logout))
    return this.finishWrite(itemResult(summarizeProfile(logout.name, logout.profile), profileView))
  }
}

function describeForgotten({name, forgotten}: Logout): string {
  if (forgotten === 'nothing') return `Nobody was logged in with the profile "${name}".`
  if (forgotten === 'tokens') return `Forgot the tokens of the profile "${name}".`
  return `Forgot the credential of the profile "${name}", which was in ${forgotten === 'keychain' ? 'the keychain' : 'a file of yours'}.`
}

function describeRest({name, profile, forgotten}: Logout): string {
  const remove = `\`svc profiles remove ${name}\` removes it`
  if (profile.credential.kind === 'COMMAND') {
    return `Its credential command stays and gets a new token when one is needed; ${remove}.`
  }
  const key = forgotten === 'nothing' ? '' : ' The secret itself stays valid until the service revokes it.'
  return `The profile stays, with its address and limits: \`svc login -p ${name}\` logs in again, ${remove}.${key}`
}
