// Shows the pages of docs/, which are part of the package.
import * as Args from '@oclif/core/args'
import {SvcCommand} from '../cli/command.ts'
import {toSvcConfig} from '../cli/config.ts'
import {docsView, findPage, fitPage, listPages} from '../cli/docs.ts'
import {getPageWidth} from '../cli/help/command-help.ts'
import {showInPager} from '../cli/output/pager.ts'
import {type Result, itemResult, listResult} from '../cli/output/result.ts'
import {getTraits, writeOut} from '../cli/output/streams.ts'
import {getExitCodes} from '../errors.ts'

export default class Docs extends SvcCommand {
  static override view = docsView
  static override exits = getExitCodes('usage')
  static override summary = 'Read the documentation'
  static override description =
    'Without a page, lists all of them. A page is Markdown: in a terminal it is shown in your pager (PAGER, or less), in a pipe it is printed. Nothing is read from the network.'
  static override examples = [
    {description: 'List the pages', command: 'svc docs'},
    {description: 'Read a page', command: 'svc docs pay-an-invoice'},
  ]
  static override args = {
    page: Args.string({description: 'Page to show'}),
  }

  async run(): Promise<Result> {
    const {args} = await this.parse(Docs)
    const pages = listPages(this.config.root, toSvcConfig(this.config).embedded)
    if (args.page === undefined)
      return listResult(
        pages.map(({page, title}) => ({page, title})),
        'pages',
        docsView,
      )
    const page = findPage(pages, args.page)
    if (this.format !== 'table') return itemResult(page)
    const output = getTraits('stdout')
    await (output.isTTY ? showInPager(fitPage(page.text, getPageWidth(output))) : writeOut(page.text))
    return undefined
  }
}
