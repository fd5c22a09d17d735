// The frame of every page: the bar with the search, the list of pages, the headings of this one, and its neighbours.
import {escapeHtml} from '../../src/cli/docs/render-html.ts'
import type {Heading} from './render-page.ts'
import {type SiteGroup, type SitePage, getWayUp, listGroupPages, toMarkdownPath} from './page.ts'

export interface Frame {
  groups: readonly SiteGroup[]
  version: string
}

const headingLevelMax = 3
// A shorter page needs no list of its headings.
const headingsMin = 3

function renderNavigation(current: string, {groups}: Frame): string {
  const up = getWayUp(current)
  const renderLink = (page: SitePage) => {
    const mark = page.path === current ? ' aria-current="page"' : ''
    return `<li><a href="${up}${page.path}"${mark}>${escapeHtml(page.title)}</a></li>`
  }
  const renderList = (pages: readonly SitePage[], name: string) =>
    pages.length === 0 ? '' : `<ul class="${name}">${pages.map(renderLink).join('')}</ul>`
  return groups
    .map(
      ({title, tasks, reference}) =>
        `<p class="group">${escapeHtml(title)}</p>${renderList(tasks, 'tasks')}${renderList(reference, 'look-up')}`,
    )
    .join('')
}

function renderContents(headings: readonly Heading[]): string {
  const shown = headings.filter(({level}) => level > 1 && level <= headingLevelMax)
  if (shown.length < headingsMin) return ''
  const items = shown.map(
    ({level, text, anchor}) =>
      `<li class="level-${level}"><a href="#${escapeHtml(anchor)}">${escapeHtml(text)}</a></li>`,
  )
  return `<nav class="contents" aria-label="On this page"><p class="group">On this page</p><ul>${items.join('')}</ul></nav>`
}

// The pages before and after this one, in the order of the list.
function renderNeighbours(current: string, {groups}: Frame): string {
  const all = groups.flatMap(listGroupPages)
  const at = all.findIndex(({path}) => path === current)
  if (at === -1) return ''
  const up = getWayUp(current)
  const renderLink = (page: SitePage | undefined, label: string) =>
    page
      ? `<a class="${label.toLowerCase()}" href="${up}${page.path}"><span>${label}</span> ${escapeHtml(page.title)}</a>`
      : ''
  return `<nav class="neighbours" aria-label="Next pages">${renderLink(all[at - 1], 'Previous')}${renderLink(all[at + 1], 'Next')}</nav>`
}

interface FramedPage extends Pick<SitePage, 'path' | 'title' | 'summary' | 'parents'> {
  html: string
  headings: readonly Heading[]
  hasMarkdown: boolean
}

function renderParents(current: string, parents: SitePage['parents'] = []): string {
  if (parents.length === 0) return ''
  const up = getWayUp(current)
  const links = parents.map(({title, path}) => `<a href="${up}${path}">${escapeHtml(title)}</a>`)
  return `<p class="crumbs">${links.join(' › ')}</p>\n`
}

export function renderFrame(
  {path, title, summary, parents, html, headings, hasMarkdown}: FramedPage,
  frame: Frame,
): string {
  const up = getWayUp(path)
  const contents = renderContents(headings)
  const markdown = hasMarkdown ? `<p><a href="${up}${toMarkdownPath(path)}">This page as Markdown</a></p>` : ''
  return `<!doctype html>
<html lang="en" data-up="${up}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}${path === 'index.html' ? '' : ' · svc'}</title>
<meta name="description" content="${escapeHtml(summary)}">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${up}site.css">
<script src="${up}theme.js"></script>
<script src="${up}site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header class="bar">
<a class="home" href="${up}index.html">svc</a>
<a class="all" href="${up}all.html">All pages</a>
<div class="search" role="search">
<input id="search" type="search" role="combobox" placeholder="Search pages, commands and flags" aria-label="Search the documentation" aria-controls="results" aria-expanded="false" aria-autocomplete="list" aria-keyshortcuts="/" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd>
<div id="results" role="listbox" aria-label="Results" hidden></div>
<p id="found" class="unseen" role="status"></p>
</div>
<button id="theme" class="plain" type="button" aria-label="Switch between light and dark">◐</button>
</header>
<div class="columns${contents === '' ? '' : ' with-contents'}">
<nav class="pages" aria-label="Pages">${renderNavigation(path, frame)}</nav>
<main id="content">
${renderParents(path, parents)}${html}
${renderNeighbours(path, frame)}
</main>
${contents}
</div>
<footer><p>svc ${escapeHtml(frame.version)}</p>${markdown}</footer>
</body>
</html>
`
}
