// One page with everything that the search knows by name: pages with their sections, and commands with their flags. It can be
// searched with the browser, and is there for who has no JavaScript.
import path from 'node:path'
import {toAnchor} from '../../src/cli/docs/render-html.ts'
import {parseMarkdown, toPlainText} from '../../src/cli/docs/markdown.ts'
import {type SiteGroup, type SitePage, listGroupPages} from './page.ts'

const folder = 'docs'
const toLink = (title: string, {source}: SitePage, anchor = '') =>
  `[${title}](${path.posix.relative(folder, source)}${anchor === '' ? '' : `#${anchor}`})`

// A page of a few headings shows them itself.
const headingsMin = 3

function renderPage(page: SitePage): string {
  const headings = parseMarkdown(page.markdown).flatMap((block) =>
    block.kind === 'heading' && block.level === 2 ? [toPlainText(block.text)] : [],
  )
  const links = [...new Set(headings)].map((text) => toLink(text, page, toAnchor(text)))
  const list = page.kind === 'Guide' && links.length >= headingsMin ? ` ${links.join(' · ')}` : ''
  return `- ${toLink(page.title, page)}: ${page.summary}${list}`
}

const flagRow = /^\| `(?:-\w, )?(--[a-z][a-z-]*)/gm

function renderCommand(page: SitePage): string {
  const flags = [...page.markdown.matchAll(flagRow)].map(([, name = '']) => toLink(name, page, `flag-${name.slice(2)}`))
  return `- ${toLink(page.title, page)}: ${page.summary} ${flags.join(' ')}`.trimEnd()
}

export function createAllPage(groups: readonly SiteGroup[], commands: readonly SitePage[]): SitePage {
  const summary = 'Every page with its sections, and every command with its flags.'
  const lists = groups.map((group) => `## ${group.title}\n\n${listGroupPages(group).map(renderPage).join('\n')}\n`)
  return {
    path: 'all.html',
    title: 'All pages',
    summary,
    markdown: [
      `# All pages\n\n${summary}\n`,
      ...lists,
      `## Commands\n\n${commands.map(renderCommand).join('\n')}\n`,
    ].join('\n'),
    source: `${folder}/all.md`,
    kind: 'Guide',
  }
}
