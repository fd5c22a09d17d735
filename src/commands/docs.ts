// Shows the pages of docs/, which are part of the package.
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {SvcCommand} from '../cli/command.ts'
import {
  type DocsPage,
  createIndexPage,
  docsHitView,
  docsView,
  findGroup,
  findPage,
  listPages,
  rejectUnknownPage,
  searchPages,
  toShortTopic,
} from '../cli/docs/pages.ts'
import {canShowLinks} from '../cli/docs/links.ts'
import {sortFlags} from '../cli/flags/shared.ts'
import {createPainter} from '../cli/output/colour.ts'
import {type Result, itemResult, listResult} from '../cli/output/result.ts'
import {getOutputWidth, writeOut} from '../cli/output/streams.ts'
import {getEmbeddedFiles} from '../cli/config.ts'
import {getExitCodes} from '../errors.ts'

const toRow = ({topic, title, summary}: DocsPage) => ({
  topic: toShortTopic(topic),
  title,
  summary,
  group: findGroup(topic),
})

export default class Docs extends SvcCommand {
  static override view = docsView
  static override exits = getExitCodes('usage')
  static override summary = 'Read the documentation; a word searches it'
  static override description =
    'Without a word, lists the pages in the order of reading: by task, then those to look things up in, then what only developers need. A word that names no page is searched for in titles and texts: the best page is shown, or the pages that have it. In a terminal, a page is shown in your pager (PAGER, or less); in a pipe it is printed as Markdown. Nothing is read from the network.'
  static override examples = [
    {description: 'List the pages', command: 'svc docs'},
    {description: 'Read a page', command: 'svc docs pay-an-invoice'},
    {description: 'Find what is said about limits', command: 'svc docs limits'},
    {description: 'Read it in the browser', command: 'svc docs paying-once --web'},
  ]
  static override args = {
    topic: Args.string({description: 'Page to show, or words to search for'}),
  }
  // Words to search for need no quotes.
  static override strict = false
  static override flags = {
    web: Flags.boolean({summary: 'Open the page in the browser, from a file'}),
    ...sortFlags,
  }

  async run(): Promise<Result> {
    const {argv, flags} = await this.parse(Docs)
    const asked = argv.join(' ')
    const pages = listPages(this.config.root, getEmbeddedFiles(this.config))
    if (asked === '' && !flags.web) return this.#list(pages, flags.sort !== undefined)
    const page = asked === '' ? createIndexPage(pages) : findPage(pages, asked)
    if (!page) return this.#search(pages, asked)
    if (flags.web) return this.#open(page, pages)
    return this.#show(page)
  }

  async #show(page: DocsPage): Promise<Result> {
    if (this.format !== 'table') return itemResult({...toRow(page), text: page.text})
    await this.#read(page)
    return undefined
  }

  async #list(pages: readonly DocsPage[], isSorted: boolean): Promise<Result> {
    const rows = listResult(pages.map(toRow), 'pages', docsView)
    if (this.format !== 'table' || this.columns !== undefined || isSorted) return rows
    const {renderPageList} = await import('../cli/docs/page-list.ts')
    await writeOut(await renderPageList(pages, process.stdout))
    return undefined
  }

  // A page whose title has the words, or that is the only one with them, is the one that is meant.
  async #search(pages: readonly DocsPage[], asked: string): Promise<Result> {
    const hits = searchPages(pages, asked)
    const [first, second] = hits
    if (!first) return rejectUnknownPage(pages, asked)
    if (second === undefined || (first.isTitle && !second.isTitle))
      return this.#show(findPage(pages, first.topic) ?? rejectUnknownPage(pages, asked))
    return listResult(hits, 'hits', docsHitView)
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
