// Turns the pages of docs/ into pages of the site, in the groups of `svc docs`.
import fs from 'node:fs'
import path from 'node:path'
import {listPages} from '../../src/cli/docs/pages.ts'
import {pageGroups} from '../../src/cli/help/groups.ts'
import {root} from '../surface.ts'
import type {PageKind, SiteGroup, SitePage} from './page.ts'

// Pages of the site that are not in docs/ stand at the beginning and at the end.
const outsideDocs: Readonly<Record<string, {first?: readonly string[]; last?: readonly string[]}>> = {
  'Every day': {first: ['start']},
  Developers: {last: ['changes', 'contributing', 'decisions']},
}

const groups = pageGroups.map(({title, tasks, reference}) => {
  const {first = [], last = []} = outsideDocs[title] ?? {}
  return {title, tasks: [...first, ...tasks], reference: [...reference, ...last]}
})

const otherGroup = 'More'

const findGroup = (topic: string) =>
  groups.find(({tasks, reference}) => [...tasks, ...reference].includes(topic))?.title ?? otherGroup

// Files outside docs/ that belong to the documentation, and what their pages are called.
const otherFiles: ReadonlyArray<Omit<SitePage, 'markdown' | 'group'>> = [
  {
    path: 'start.html',
    title: 'Getting started',
    summary: 'Install svc, and what it does in five steps.',
    source: 'README.md',
    kind: 'Guide',
  },
  {
    path: 'changes.html',
    title: 'Changes',
    summary: 'What changed in each version.',
    source: 'CHANGELOG.md',
    kind: 'Changes',
  },
  {
    path: 'contributing.html',
    title: 'Working on svc',
    summary: 'The layout of the code, and how to add a command or an endpoint.',
    source: 'CONTRIBUTING.md',
    kind: 'Guide',
  },
]

const toPath = (name: string) => name.replace(/\.md$/, '.html')
const toGroupKey = (file: string) => file.replace(/\.html$/, '')

const isDecision = (name: string) => name.startsWith('adr/')

const findKind = (name: string): PageKind =>
  isDecision(name) ? 'Decision' : name.startsWith('tasks/') ? 'Task' : 'Guide'

// The decisions are reached from a page of their own.
function createDecisionsPage(pages: ReadonlyArray<{name: string; title: string}>): SitePage {
  const items = pages.filter(({name}) => isDecision(name)).map(({name, title}) => `- [${title}](${name})`)
  return {
    path: 'decisions.html',
    title: 'Decisions',
    summary: 'Why svc is built as it is.',
    markdown: `# Decisions\n\nWhy svc is built as it is, one page for each decision.\n\n${items.join('\n')}\n`,
    source: 'docs/decisions.md',
    group: findGroup('decisions'),
    kind: 'Guide',
  }
}

export function createGuides(): SitePage[] {
  const docs = listPages(root)
  const pages = docs.map(({name, title, summary, text}) => ({
    path: toPath(name),
    title,
    summary,
    markdown: text,
    source: `docs/${name}`,
    kind: findKind(name),
    ...(!isDecision(name) && {group: findGroup(toGroupKey(toPath(name)))}),
  }))
  const others = otherFiles.map((page) => ({
    ...page,
    markdown: fs.readFileSync(path.join(root, page.source), 'utf8'),
    group: findGroup(toGroupKey(page.path)),
  }))
  const all = [...others, ...pages, createDecisionsPage(docs)]
  const order = groups.flatMap(({tasks, reference}) => [...tasks, ...reference])
  const isOrdered = ({path: file}: SitePage) => order.includes(toGroupKey(file))
  const ordered = order.flatMap((key) => all.filter((page) => toGroupKey(page.path) === key))
  return [...ordered, ...all.filter((page) => !isOrdered(page))]
}

// The pages in the groups of `svc docs`. A page of docs/ that is in none of them comes last.
export function createGroups(guides: readonly SitePage[]): SiteGroup[] {
  const find = (topics: readonly string[]) => guides.filter((page) => topics.includes(toGroupKey(page.path)))
  const others = guides.filter(({group}) => group === otherGroup)
  return [
    ...groups.map(({title, tasks, reference}) => ({title, tasks: find(tasks), reference: find(reference)})),
    ...(others.length > 0 ? [{title: otherGroup, tasks: [], reference: others}] : []),
  ]
}
