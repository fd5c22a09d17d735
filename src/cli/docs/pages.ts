// The pages of docs/, which are part of the package.
import fs from 'node:fs'
import path from 'node:path'
import {badUsage} from '../../errors.ts'
import type {EmbeddedFiles} from '../config.ts'
import {findNearest} from '../help/find-nearest.ts'
import {pageGroups} from '../help/groups.ts'
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

const readingOrder = pageGroups.flatMap(({tasks, reference}) => [...tasks, ...reference])

// `root` is the folder of the package. Pages that are in no group, such as decisions, come last.
export function listPages(root: string, embedded?: EmbeddedFiles): DocsPage[] {
  const pages = embedded ? readEmbeddedPages(embedded) : readFolder(path.join(root, 'docs'))
  const sorted = pages.toSorted((a, b) => (a.topic < b.topic ? -1 : 1))
  const ordered = readingOrder.flatMap((topic) => sorted.filter((page) => page.topic === topic))
  return [...ordered, ...sorted.filter(({topic}) => !readingOrder.includes(topic))]
}

const lastGroup = 'Decisions'

export const findGroup = (topic: string) =>
  pageGroups.find(({tasks, reference}) => [...tasks, ...reference].includes(topic))?.title ?? lastGroup

// A page that leads to all others, for the browser.
export function createIndexPage(pages: readonly DocsPage[]): DocsPage {
  const items = pages.map(({name, title, summary}) => `- [${title}](${name})${summary === title ? '' : `: ${summary}`}`)
  const text = `# The documentation of svc\n\n${items.join('\n')}\n`
  return {topic: 'index', name: 'index.md', title: 'Documentation', summary: '', text}
}

// Nobody has to type the folder of a page.
export const toShortTopic = (topic: string) => topic.replace(/^tasks\//, '')

// By its topic, by the last part of it, or as the name of its file.
export function findPage(pages: readonly DocsPage[], asked: string): DocsPage | undefined {
  const wanted = toTopic(asked.toLowerCase().replace(/^docs\//, '')).replaceAll(' ', '-')
  return pages.find(({topic}) => topic === wanted) ?? pages.find(({topic}) => topic.endsWith(`/${wanted}`))
}

export interface DocsHit {
  topic: string
  title: string
  // The heading that has all words, or the line that has most of them.
  line: string
  // Whether all words are in the title.
  isTitle: boolean
}

const excerptMax = 100
// Before the word, so that it is seen on a narrow terminal too.
const excerptBefore = 24

// The part of a line around the first of the words.
function cutExcerpt(line: string, words: readonly string[]): string {
  const plain = toPlainText(line.replace(/^[#|\s-]+/, '').replace(/[|\s]+$/, ''))
  const at = Math.max(
    0,
    Math.min(...words.map((word) => plain.toLowerCase().indexOf(word)).filter((index) => index >= 0)),
  )
  const start = at <= excerptBefore ? 0 : Math.max(0, plain.lastIndexOf(' ', at - excerptBefore) + 1)
  const part = plain.slice(start, start + excerptMax)
  return `${start > 0 ? '…' : ''}${part}${start + excerptMax < plain.length ? '…' : ''}`
}

// What a reader sees first counts most: the title, then a heading, then how often the words are there.
function searchPage(
  {topic, title, text}: DocsPage,
  words: readonly string[],
): {hit: DocsHit; weight: number} | undefined {
  const count = (line: string) => words.filter((word) => line.toLowerCase().includes(word)).length
  if (count(`${title}\n${text}`) < words.length) return undefined
  const lines = text.split('\n').filter((line) => count(line) > 0)
  const isTitle = count(title) === words.length
  const heading = lines.find((line) => line.startsWith('#') && count(line) === words.length)
  const best = heading ?? lines.toSorted((a, b) => count(b) - count(a))[0] ?? title
  const weight = (isTitle ? 2_000 : heading === undefined ? 0 : 1_000) + lines.length
  return {hit: {topic: toShortTopic(topic), title, line: cutExcerpt(best, words), isTitle}, weight}
}

// The best first, and those that are equally good in the order of reading.
export function searchPages(pages: readonly DocsPage[], asked: string): DocsHit[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
  const found = pages.flatMap((page) => searchPage(page, words) ?? [])
  return found.toSorted((a, b) => b.weight - a.weight).map(({hit}) => hit)
}

export function rejectUnknownPage(pages: readonly DocsPage[], asked: string): never {
  const nearest = findNearest(
    asked,
    pages.map(({topic}) => toShortTopic(topic)),
  )
  throw badUsage(
    `No page has "${asked}"`,
    nearest ? `Did you mean \`svc docs ${nearest}\`? \`svc docs\` lists all pages` : '`svc docs` lists all pages',
  )
}

export const docsHitView: View<DocsHit> = {
  singular: 'page',
  plural: 'pages',
  remarks: () => ['`svc docs PAGE` shows one of them.'],
  columns: [
    {name: 'topic', header: 'PAGE', value: (hit) => hit.topic, rank: 0},
    {name: 'title', header: 'TITLE', value: (hit) => hit.title, rank: 1, onRequest: true},
    {name: 'line', header: 'LINE', value: (hit) => hit.line, rank: 0, widthMin: 24},
  ],
}

// How the pages of docs/ are listed.
export const docsView: View<Pick<DocsPage, 'topic' | 'title' | 'summary'> & {group: string}> = {
  singular: 'page',
  plural: 'pages',
  remarks: () => ['`svc docs TOPIC` shows a page, --web opens it in the browser.'],
  columns: [
    {name: 'topic', header: 'TOPIC', value: (page) => page.topic, rank: 0},
    {name: 'title', header: 'TITLE', value: (page) => page.title, rank: 1, onRequest: true},
    {name: 'group', header: 'GROUP', value: (page) => page.group, rank: 1, onRequest: true},
    {name: 'summary', header: 'ABOUT', value: (page) => page.summary, rank: 0, widthMin: 24, wraps: true},
  ],
}
