// Removes a profile and its secret.
import {getExitCodes} from '../../errors.ts'
import {profileArgs} from '../../profiles/change.ts'
import {SvcCommand} from '../../cli/command.ts'
import {validateProfileName, requireProfile, summarizeProfile, updateSettings} from '../../profiles/profiles.ts'
import {deleteSecret, getSecretKey} from '../../profiles/secrets.ts'
import {removedResult} from '../../cli/output/result.ts'
import {profileView} from '../../profiles/view.ts'

export default class ProfilesRemove extends SvcCommand {
  static override view = profileView
  static override summary = 'Remove a profile and its secret'
  static override examples = [
    {description: 'Remove a profile', command: 'svc profiles remove acme'},
    {description: 'Remove a profile from a script, without output', command: 'svc profiles remove acme --quiet'},
  ]
  static override exits = getExitCodes('usage')
  static override args = profileArgs

  async run() {
    const {args} = await this.parse(ProfilesRemove)
    const name = validateProfileName(args.name)
    const profile = requireProfile(name)
    const removed = summarizeProfile(name, profile)
    // The secret goes first: a profile without a secret can be repaired, a secret without a profile is never found again.
    await deleteSecret(getSecretKey(name, profile.baseUrl), profile.credential.storedIn)
    await updateSettings((settings) => {
      delete settings.profiles[name]
      if (settings.current === name) delete settings.current
    })
    if (removed.current) this.notice(`"${name}" was the current profile; now there is none.`)
    const sentence = `Removed the profile "${name}" and what was stored of its credential. The journal keeps its payments.`
    return this.finishWrite(removedResult(removed, profileView, sentence))
  }
}
