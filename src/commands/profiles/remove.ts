// Removes a profile and its secret.
import {exitCodes} from '../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {checkedName, requireProfile, summaryOf, updateSettings} from '../../profiles/profiles.ts'
import {forgetSecret, secretKey} from '../../profiles/secrets.ts'
import {itemResult} from '../../cli/output/result.ts'
import {profileView} from '../../profiles/view.ts'

export default class ProfilesRemove extends SvcCommand {
  static override view = profileView
  static override summary = 'Remove a profile and its secret'
  static override examples = [
    {description: 'Forget a profile for good', command: 'svc profiles remove acme'},
    {description: 'Without a word, in a script', command: 'svc profiles remove acme --quiet'},
  ]
  static override exits = exitCodes('usage')
  static override args = {
    name: Args.string({description: 'Name of the profile', required: true}),
  }

  async run() {
    const {args} = await this.parse(ProfilesRemove)
    const name = checkedName(args.name)
    const profile = requireProfile(name)
    const removed = summaryOf(name, profile)
    // The secret goes first: a profile without a secret can be mended, a secret without a profile is forgotten.
    await forgetSecret(secretKey(name, profile.baseUrl), profile.credential.storedIn)
    await updateSettings((settings) => {
      delete settings.profiles[name]
      if (settings.current === name) delete settings.current
    })
    if (removed.current) this.notice(`"${name}" was the current profile; now there is none.`)
    return this.written(itemResult(removed, profileView))
  }
}
