// Shows one profile, without its secret and without a request.
import {getExitCodes} from '../../errors.ts'
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../../cli/command.ts'
import {noCaller} from '../../profiles/caller.ts'
import {readSettings, requireProfile, summarizeProfile} from '../../profiles/profiles.ts'
import {itemResult} from '../../cli/output/result.ts'
import {profileView} from '../../profiles/view.ts'

export default class ProfilesShow extends SvcCommand {
  static override view = profileView
  static override summary = 'Show a profile, without its secret'
  static override examples = [
    {description: 'Show the profile in use', command: 'svc profiles show'},
    {description: 'Show another profile', command: 'svc profiles show sandbox'},
  ]
  static override exits = getExitCodes('usage', 'unauthenticated')
  static override args = {
    name: Args.string({description: 'Name of the profile; the one in use here by default'}),
  }

  async run() {
    const {args, flags} = await this.parse(ProfilesShow)
    const name = args.name ?? flags.profile ?? readSettings().current
    if (name === undefined) throw noCaller()
    return itemResult(summarizeProfile(name, requireProfile(name)), profileView)
  }
}
