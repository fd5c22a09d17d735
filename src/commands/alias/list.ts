// Lists the aliases.
import {aliasView, listAliases} from '../../cli/aliases.ts'
import {SvcCommand} from '../../cli/command.ts'
import {sortFlags} from '../../cli/flags/shared.ts'
import {listResult} from '../../cli/output/result.ts'

export default class AliasList extends SvcCommand {
  static override view = aliasView
  static override summary = 'List aliases'
  static override examples = [
    {description: 'List aliases and what they stand for', command: 'svc alias list'},
    {description: 'Print only the names', command: "svc alias list --jq '.aliases[].name'"},
  ]

  static override flags = sortFlags

  async run() {
    await this.parse(AliasList)
    return listResult(listAliases(), 'aliases', aliasView)
  }
}
