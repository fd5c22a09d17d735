// The pages of docs/, which are part of the package.
import fs from 'node:fs'
import path from 'node:path'
import {badUsage} from '../../errors.ts'
import type {EmbeddedFiles} from '../config.ts'
import {findNearest} from '../help/find-nearest.ts'
import type {View} from '../output/view.ts'
import {toTopic} from './links.ts'
import {parseMarkdown, toPlainText} from './markdown.ts'

export interface DocsPage {
  // The name of the file without its ending, such as paying-once, and of a numbered file its number, such as adr/0001.
  topic: string
  // The file inside docs/, with slashes.
  name: string
  title: string
  summary: string
  // Missing in the single executable.
  file?: string
  text: string
}

const sentenceEnd = /(?<=[.!?:])\s/

function createPage(name: string, text: string, file?: string): DocsPage {
  const blocks = parseMarkdown(text)
  const title = blocks.find((block) => block.kind === 'heading')?.text ?? name
  const paragraph = blocks.find((block) => block.kind === 'paragraph')?.text ?? ''
  const [sentence = ''] = toPlainText(paragraph).split(sentenceEnd, 1)
  // A paragraph that begins with a word such as "Context." says less than the title.
  const summary = sentence.includes(' ') ? sentence.replace(/:$/, '.') : toPlainText(title)
  return {topic: toTopic(name), name, title: toPlainText(title), summary, text, ...(file !== undefined && {file})}
}

function readFolder(folder: string): DocsPage[] {
  return fs.globSync('**/*.md', {cwd: folder}).map((name) => {
    const file = path.join(folder, name)
    return createPage(name.split(path.sep).join('/'), fs.readFileSync(file, 'utf8'), file)
  })
}

const embeddedName = /^docs\/(.*\.md)$/

function readEmbeddedPages(embedded: EmbeddedFiles): DocsPage[] {
  return embedded.names.flatMap((name) => {
    const [, page] = embeddedName.exec(name) ?? []
    return page === undefined ? [] : [createPage(page, embedded.read(name).toString())]
  })
}

// `root` is the folder of the package. Pages in folders of docs/ come last.
export function listPages(root: string, embedded?: EmbeddedFiles): DocsPage[] {
  const isDeep = ({topic}: DocsPage) => topic.includes('/')
  const pages = embedded ? readEmbeddedPages(embedded) : readFolder(path.join(root, 'docs'))
  const sorted = pages.toSorted((a, b) => (a.topic < b.topic ? -1 : 1))
  return [...sorted.filter((page) => !isDeep(page)), ...sorted.filter(isDeep)]
}

// A page that leads to all others, for the browser.
export function createIndexPage(pages: readonly DocsPage[]): DocsPage {
  const items = pages.map(({name, title, summary}) => `- [${title}](${name})${summary === title ? '' : `: ${summary}`}`)
  const text = `# The documentation of svc\n\n${items.join('\n')}\n`
  return {topic: 'index', name: 'index.md', title: 'Documentation', summary: '', text}
}

// By its topic, by the last part of it, or as the name of its file.
export function findPage(pages: readonly DocsPage[], asked: string): DocsPage {
  const wanted = toTopic(asked.toLowerCase().replace(/^docs\//, ''))
  const found = pages.find(({topic}) => topic === wanted) ?? pages.find(({topic}) => topic.endsWith(`/${wanted}`))
  if (found) return found
  const nearest =
    findNearest(
      wanted,
      pages.map(({topic}) => topic),
    ) ?? pages.find(({topic, title}) => topic.includes(wanted) || title.toLowerCase().includes(wanted))?.topic
  throw badUsage(
    `There is no page "${asked}"`,
    nearest ? `Did you mean \`svc docs ${nearest}\`? \`svc docs\` lists all pages` : '`svc docs` lists all pages',
  )
}

// How the pages of docs/ are listed.
export const docsView: View<Pick<DocsPage, 'topic' | 'title' | 'summary'>> = {
  singular: 'page',
  plural: 'pages',
  remarks: () => ['`svc docs TOPIC` shows a page, --web opens it in the browser.'],
  columns: [
    {name: 'topic', header: 'TOPIC', value: (page) => page.topic, rank: 0},
    {name: 'title', header: 'TITLE', value: (page) => page.title, rank: 1, onRequest: true},
    {name: 'summary', header: 'ABOUT', value: (page) => page.summary, rank: 0, widthMin: 24, wraps: true},
  ],
}
