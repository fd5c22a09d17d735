// Deletes an alias.
import * as Args from '@oclif/core/args'
import {aliasView, deleteAlias} from '../../cli/aliases.ts'
import {SvcCommand} from '../../cli/command.ts'
import {removedResult} from '../../cli/output/result.ts'
import {getExitCodes} from '../../errors.ts'

export default class AliasDelete extends SvcCommand {
  static override view = aliasView
  static override summary = 'Delete an alias'
  static override examples = [
    {description: 'Delete an alias', command: 'svc alias delete by-status'},
    {description: 'Delete an alias from a script, without output', command: 'svc alias delete by-status --quiet'},
  ]
  static override exits = getExitCodes('usage')
  static override args = {
    name: Args.string({description: 'Name of the alias', required: true}),
  }

  async run() {
    const {args} = await this.parse(AliasDelete)
    const deleted = await deleteAlias(args.name)
    const sentence = `Deleted the alias ${deleted.name}, which stood for \`svc ${deleted.expansion}\`.`
    return this.finishWrite(removedResult(deleted, aliasView, sentence))
  }
}
