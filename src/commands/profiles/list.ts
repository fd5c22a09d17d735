// Lists the profiles, including the built-in sandbox.
import {SvcCommand} from '../../cli/command.ts'
import {listProfiles} from '../../profiles/profiles.ts'
import {listResult} from '../../cli/output/result.ts'
import {profileView} from '../../profiles/view.ts'

export default class ProfilesList extends SvcCommand {
  static override view = profileView
  static override summary = 'List profiles'
  static override examples = [
    {description: 'List profiles; a star marks the current one', command: 'svc profiles list'},
    {description: 'Print only the names', command: "svc profiles list --json | jq -r '.profiles[].name'"},
  ]

  async run() {
    await this.parse(ProfilesList)
    return listResult(listProfiles(), 'profiles', profileView)
  }
}
