// Makes a profile the current one.
import {getExitCodes} from '../../errors.ts'
import {profileArgs} from '../../profiles/change.ts'
import {SvcCommand} from '../../cli/command.ts'
import {findProfileInUse} from '../../profiles/caller.ts'
import {requireProfile, summarizeProfile, updateSettings} from '../../profiles/profiles.ts'
import {itemResult} from '../../cli/output/result.ts'
import {profileView} from '../../profiles/view.ts'

export default class ProfilesUse extends SvcCommand {
  static override view = profileView
  static override summary = 'Switch to another profile'
  static override examples = [
    {description: 'Use the sandbox from now on', command: 'svc profiles use sandbox'},
    {description: 'Switch back to the real service', command: 'svc profiles use acme'},
  ]
  static override exits = getExitCodes('usage')
  static override args = profileArgs

  async run() {
    const {args} = await this.parse(ProfilesUse)
    const profile = requireProfile(args.name)
    await updateSettings((settings) => void (settings.current = args.name))
    const {name, chosenBy} = findProfileInUse()
    if (chosenBy !== undefined && name !== args.name) this.notice(`In this shell, ${chosenBy} still comes first.`)
    return this.finishWrite(itemResult(summarizeProfile(args.name, profile), profileView))
  }
}
