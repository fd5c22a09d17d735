// Forgets the credential of a profile. Everything else about the profile stays.
import {SvcCommand} from '../cli/command.ts'
import {getExitCodes} from '../errors.ts'
import {itemResult} from '../cli/output/result.ts'
import {forgetCredential} from '../profiles/login.ts'
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
    const {name, profile, hadSecret} = await forgetCredential(flags.profile)
    this.notice(
      hadSecret
        ? `Forgot what was stored of the credential of "${name}". The secret itself stays valid until the service revokes it.`
        : `Nobody was logged in with the profile "${name}".`,
    )
    this.notice(
      profile.credential.kind === 'COMMAND'
        ? `Its credential command stays and gets a new token when one is needed; \`svc profiles remove ${name}\` removes it.`
        : `The profile stays, with its address and limits: \`svc login -p ${name}\` logs in again, \`svc profiles remove ${name}\` removes it.`,
    )
    return this.finishWrite(itemResult(summarizeProfile(name, profile), profileView))
  }
}
