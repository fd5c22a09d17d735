// Builds the documentation site in memory: a page for each of docs/ and for each command, a search index, and llms.txt.
import fs from 'node:fs'
import path from 'node:path'
import type {HelpSource} from '../../src/cli/help/help-source.ts'
import {base, darkColours, lightColours, sizes} from '../../src/web/stylesheet.ts'
import {root} from '../surface.ts'
import {createAllPage} from './all.ts'
import {findBrokenLinks} from './check-links.ts'
import {createCommandPages, toCommandPath} from './commands.ts'
import {type Frame, renderFrame} from './frame.ts'
import {createGroups, createGuides} from './guides.ts'
import {renderHome, tourFile} from './home.ts'
import {renderLlms, renderLlmsFull} from './llms.ts'
import {type SiteGroup, type SitePage, toMarkdownPath} from './page.ts'
import {renderMarkdown, renderPage, toSitePath} from './render-page.ts'
import {renderSearchIndex} from './search-index.ts'

export interface Site {
  // The content of every file, by its path.
  files: ReadonlyMap<string, string | Buffer>
  // Links that lead nowhere. A site with one is not published.
  problems: readonly string[]
}

const scripts = ['site.js', 'theme.js']
const assetsFolder = path.join(import.meta.dirname, 'assets')

// Colours, sizes and elements are those of the other pages of svc. A reader may choose light or dark against the system.
const createStylesheet = () =>
  [
    `:root { color-scheme: light dark;${lightColours}${sizes}}`,
    `@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) {${darkColours}} }`,
    `:root[data-theme=dark] { color-scheme: dark;${darkColours}}`,
    ':root[data-theme=light] { color-scheme: light; }',
    base,
    fs.readFileSync(path.join(assetsFolder, 'site.css'), 'utf8'),
  ].join('\n')

// The list of all pages has the commands too, but not each of them.
const createCommandGroup = (commands: readonly SitePage[], all: SitePage): SiteGroup => {
  const shown = new Set(['index', 'flags'].map(toCommandPath))
  return {title: 'Commands', tasks: commands.filter((page) => shown.has(page.path)), reference: [all]}
}

export function buildSite(help: HelpSource, version: string): Site {
  const guides = createGuides()
  const commands = createCommandPages(help, guides)
  const groups = createGroups(guides)
  const all = createAllPage(groups, commands)
  const searched = [...guides, ...commands]
  const pages = [...searched, all]
  const frame: Frame = {groups: [...groups, createCommandGroup(commands, all)], version}
  const map = {pages, commandIds: new Set(help.commands.flatMap(({id, isHidden}) => (isHidden ? [] : [id])))}
  const rendered = pages.map((page) => ({page, rendered: renderPage(page, map)}))

  const files = new Map<string, string | Buffer>()
  const home = {path: 'index.html', title: 'svc', summary: help.summary, headings: [], hasMarkdown: false}
  files.set(home.path, renderFrame({...home, html: renderHome(help.summary, groups)}, frame))
  for (const {
    page,
    rendered: {html, headings},
  } of rendered) {
    files.set(page.path, renderFrame({...page, html, headings, hasMarkdown: true}, frame))
    files.set(toMarkdownPath(page.path), renderMarkdown(page, map))
  }
  for (const file of new Set([tourFile, ...rendered.flatMap(({rendered: {files: shown}}) => shown)]))
    if (fs.existsSync(path.join(root, file))) files.set(toSitePath(file), fs.readFileSync(path.join(root, file)))
  for (const name of scripts) files.set(name, fs.readFileSync(path.join(assetsFolder, name), 'utf8'))
  files.set('site.css', createStylesheet())
  files.set('search-index.js', renderSearchIndex(rendered.filter(({page}) => page !== all)))
  files.set('llms.txt', renderLlms(help.summary, groups, commands))
  files.set('llms-full.txt', renderLlmsFull(searched))

  const broken = rendered.flatMap(({page, rendered: {broken: links}}) =>
    links.map((link) => `${page.source}: ${link} is no page and no file of the documentation`),
  )
  return {files, problems: [...new Set([...broken, ...findBrokenLinks(files)])]}
}
