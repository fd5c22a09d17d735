// Shows the pages of docs/, which are part of the package.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../cli/command.ts'
import {type DocsPage, createIndexPage, docsView, findPage, listPages} from '../cli/docs/pages.ts'
import {canShowLinks} from '../cli/docs/links.ts'
import {sortFlags} from '../cli/flags/shared.ts'
import {createPainter} from '../cli/output/colour.ts'
import {type Result, itemResult, listResult} from '../cli/output/result.ts'
import {getOutputWidth, writeOut} from '../cli/output/streams.ts'
import {getEmbeddedFiles} from '../cli/config.ts'
import {getExitCodes} from '../errors.ts'

const toRow = ({topic, title, summary}: DocsPage) => ({topic, title, summary})

export default class Docs extends SvcCommand {
  static override view = docsView
  static override exits = getExitCodes('usage')
  static override summary = 'Read the documentation'
  static override description =
    'Without a topic, lists the pages. In a terminal, a page is shown in your pager (PAGER, or less); in a pipe it is printed as Markdown. Nothing is read from the network.'
  static override examples = [
    {description: 'List the pages', command: 'svc docs'},
    {description: 'Read how svc pays once', command: 'svc docs paying-once'},
    {description: 'Read it in the browser', command: 'svc docs paying-once --web'},
  ]
  static override args = {
    topic: Args.string({description: 'Page to show'}),
  }
  static override flags = {
    web: Flags.boolean({summary: 'Open the page in the browser, from a file'}),
    ...sortFlags,
  }

  async run(): Promise<Result> {
    const {args, flags} = await this.parse(Docs)
    const pages = listPages(this.config.root, getEmbeddedFiles(this.config))
    if (args.topic === undefined && !flags.web) return listResult(pages.map(toRow), 'pages', docsView)
    const page = args.topic === undefined ? createIndexPage(pages) : findPage(pages, args.topic)
    if (flags.web) return this.#open(page, pages)
    if (this.format !== 'table') return itemResult({...toRow(page), text: page.text})
    await this.#read(page)
    return undefined
  }

  async #read(page: DocsPage): Promise<void> {
    const width = getOutputWidth()
    if (width === undefined) return writeOut(page.text)
    const [{renderPage}, {showInPager}, painter] = await Promise.all([
      import('../cli/docs/render-terminal.ts'),
      import('../cli/docs/pager.ts'),
      createPainter(process.stdout),
    ])
    return showInPager(renderPage(page, {painter, width, hasLinks: canShowLinks(process.env)}))
  }

  async #open(page: DocsPage, pages: readonly DocsPage[]): Promise<Result> {
    const {openPage} = await import('../cli/docs/render-html.ts')
    const isOpening = this.isInteractive && process.stdout.isTTY
    const {url, problem} = await openPage(page, pages, isOpening)
    if (isOpening) this.notice(problem ? `The page was not opened: ${problem}.` : 'The page was opened in the browser.')
    return itemResult({topic: page.topic, url})
  }
}
