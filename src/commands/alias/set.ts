// Gives a command line a short name.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {aliasView, readAliases, storeAlias, validateAliasName, validateExpansion} from '../../cli/aliases.ts'
import {SvcCommand} from '../../cli/command.ts'
import {itemResult} from '../../cli/output/result.ts'
import {badUsage, getExitCodes} from '../../errors.ts'

export default class AliasSet extends SvcCommand {
  static override view = aliasView
  static override summary = 'Give a command a short name'
  static override description = `The command is one argument, so quote it. $1 to $9 are replaced by the arguments of the alias, and the other arguments follow at the end.
After the first example, \`svc by-status UNDER_REVIEW\` lists the customers under review. An alias never replaces a command of svc, cannot stand for another alias, and runs no shell.`
  static override examples = [
    {description: 'List customers by status', command: "svc alias set by-status 'customers list --status $1'"},
    {description: 'Give a topic a short name', command: 'svc alias set tx transactions'},
  ]
  static override exits = getExitCodes('usage')
  static override args = {
    name: Args.string({description: 'Name of the alias', required: true}),
    command: Args.string({description: 'Command that it stands for, in quotes', required: true}),
  }
  static override flags = {
    replace: Flags.boolean({summary: 'Replace an alias of the same name'}),
  }

  async run() {
    const {args, flags} = await this.parse(AliasSet)
    const commands = {
      ids: this.config.getPluginsList().flatMap(({commandIDs}) => commandIDs),
      topics: Object.keys(this.config.pjson.oclif.topics ?? {}),
    }
    const name = validateAliasName(args.name, commands)
    const alias = {name, expansion: validateExpansion(args.command, commands)}
    const aliases = readAliases()
    const before = Object.hasOwn(aliases, name) ? aliases[name] : undefined
    if (before !== undefined && before !== alias.expansion) {
      if (!flags.replace) {
        throw badUsage(
          `The alias ${name} stands for \`svc ${before}\``,
          'Replace it with --replace; nothing was changed',
        )
      }
      this.notice(`It stood for \`svc ${before}\` before.`)
    }
    await storeAlias(alias)
    return this.finishWrite(itemResult(alias, aliasView))
  }
}
