// Lists the profiles, including the built-in sandbox.
import {SvcCommand} from '../../cli/command.ts'
import {currentProfile, findProfileInUse} from '../../profiles/caller.ts'
import {listProfiles} from '../../profiles/profiles.ts'
import {listResult} from '../../cli/output/result.ts'
import {profileListView} from '../../profiles/view.ts'

export default class ProfilesList extends SvcCommand {
  static override view = profileListView
  static override summary = 'List profiles'
  static override description =
    'The profile in use is the one of SVC_PROFILE, else the current one (`svc profiles use`).'
  static override examples = [
    {description: 'List profiles; a star marks the one in use here', command: 'svc profiles list'},
    {description: 'Print only the names', command: "svc profiles list --jq '.profiles[].name'"},
  ]

  async run() {
    await this.parse(ProfilesList)
    const known = listProfiles()
    const {name, chosenBy, problem} = findProfileInUse()
    if (problem) this.notice(`${problem.sentence}. ${problem.hint ?? ''}.`)
    else if (name === undefined && chosenBy) this.notice(`No profile is in use here: ${chosenBy} is set.`)
    else if (name !== undefined && chosenBy !== currentProfile)
      this.notice(`"${name}" is in use here, chosen by ${chosenBy}.`)
    const profiles = known.map((each) => ({
      ...each,
      ...(each.name === name && chosenBy && {usedBy: chosenBy}),
    }))
    return listResult(profiles, 'profiles', profileListView)
  }
}
