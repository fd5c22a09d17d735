// The pages of docs/, which are part of the package.
import fs from 'node:fs'
import path from 'node:path'
import {badUsage} from '../errors.ts'
import type {EmbeddedFiles} from './config.ts'
import {wrapLines} from './help/command-help.ts'
import {type View, createColumn} from './output/view.ts'

export interface DocsPage {
  // The name of the file in docs/ without its ending, such as paying-once or tasks/pay-an-invoice.
  page: string
  title: string
  text: string
}

function readPages(root: string, embedded?: EmbeddedFiles): Array<[name: string, text: string]> {
  if (embedded) return embedded.names.map((name) => [name, embedded.read(name).toString()])
  const names = fs.globSync('docs/**/*.md', {cwd: root}).map((name) => name.split(path.sep).join('/'))
  return names.map((name) => [name, fs.readFileSync(path.join(root, name), 'utf8')])
}

// Tasks come first, decisions last.
const rankPage = ({page}: DocsPage) => (page.startsWith('tasks/') ? 0 : page.startsWith('adr/') ? 2 : 1)

// `root` is the folder of the package.
export const listPages = (root: string, embedded?: EmbeddedFiles): DocsPage[] =>
  readPages(root, embedded)
    .filter(([name]) => /^docs\/.*\.md$/.test(name))
    .map(([name, text]) => ({
      page: name.slice('docs/'.length, -'.md'.length),
      title: /^# (.*)/.exec(text)?.[1] ?? '',
      text,
    }))
    .toSorted((one, other) => rankPage(one) - rankPage(other) || (one.page < other.page ? -1 : 1))

// Finds a page by its name, by the last part of its name, by its file, or by the link that another page has to it.
export function findPage(pages: readonly DocsPage[], asked: string): DocsPage {
  const wanted = asked
    .toLowerCase()
    .replace(/^(?:docs|\.\.)\//, '')
    .replace(/\.md(?:#.*)?$/, '')
  const found = pages.find(({page}) => page === wanted) ?? pages.find(({page}) => page.endsWith(`/${wanted}`))
  if (found) return found
  throw badUsage(`There is no page "${asked}"`, '`svc docs` lists all pages')
}

// A line break within a paragraph or a list item. Headings and tables keep theirs.
const softBreak = /(?<=^(?! {4}|[#|]).+)\n {0,3}(?![\s#|]|- |\d+\. )/gm

// Wraps a page for a terminal. Blocks of code between fences are left alone.
export const fitPage = (text: string, width: number): string =>
  text
    .split(/^(```.*?^```$)/ms)
    .map((part, index) => (index % 2 === 1 ? part : wrapLines(part.replaceAll(softBreak, ' '), width).join('\n')))
    .join('')

export const docsView: View<Omit<DocsPage, 'text'>> = {
  singular: 'page',
  plural: 'pages',
  remarks: () => ['`svc docs PAGE` shows one of them.'],
  columns: [createColumn('page', 0), createColumn('title', 0, {kind: 'text'})],
}
