// Renders the pages of docs/ as files for the browser that need no network, and opens one of them.
import path from 'node:path'
import {pathToFileURL} from 'node:url'
import {getStateFolder} from '../../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../../storage/private-file.ts'
import {openPageFile} from '../browser.ts'
import {type Block, type Span, parseMarkdown, parseSpans} from './markdown.ts'
import {findDestination} from './links.ts'
import type {DocsPage} from './pages.ts'

const style = `
  :root { color-scheme: light dark; }
  body { font: 16px/1.55 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
  nav { font-size: .9rem; }
  code, pre { font: .9em/1.5 ui-monospace, monospace; background: color-mix(in srgb, currentColor 8%, transparent); }
  code { padding: .1em .3em; border-radius: 4px; }
  td:first-child code { white-space: nowrap; }
  pre { padding: .8em 1em; border-radius: 6px; overflow-x: auto; }
  pre code { padding: 0; background: none; font-size: inherit; }
  .scroll { overflow-x: auto; }
  table { border-collapse: collapse; }
  th, td { text-align: left; vertical-align: top; padding: .35em .7em; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
  img { max-width: 100%; }
`

// Pages lie beside each other as HTML, so a link to Markdown leads to the HTML of the same name.
const toHref = (target: string) => (/^https?:/.test(target) ? target : target.replace(/\.md(?=#|$)/, '.html'))

// Pictures stay where they are. Those of the single executable cannot be shown.
function renderImage(text: string, target: string, page: DocsPage): string {
  const url = findDestination(page, target)?.url
  return url === undefined ? '' : `<img src="${escapeHtml(url)}" alt="${text}">`
}

function renderSpan(span: Span, page: DocsPage): string {
  const text = escapeHtml(span.text)
  if (span.kind === 'code') return `<code>${text}</code>`
  if (span.kind === 'bold') return `<strong>${text}</strong>`
  if (span.kind === 'emphasis') return `<em>${text}</em>`
  if (span.kind === 'link' && span.isImage) return renderImage(text, span.target, page)
  return span.kind === 'link' ? `<a href="${escapeHtml(toHref(span.target))}">${text}</a>` : text
}

const renderText = (text: string, page: DocsPage) =>
  parseSpans(text)
    .map((span) => renderSpan(span, page))
    .join('')

// A list that was interrupted by code goes on with its number.
export function describeList([first]: ReadonlyArray<{marker: string}>): {name: string; start: string} {
  const number = Number.parseInt(first?.marker ?? '', 10)
  if (Number.isNaN(number)) return {name: 'ul', start: ''}
  return {name: 'ol', start: number > 1 ? ` start="${number}"` : ''}
}

function renderBlock(block: Block, page: DocsPage): string {
  if (block.kind === 'heading') {
    const {level, text} = block
    return `<h${level} id="${escapeHtml(toAnchor(text))}">${renderText(text, page)}</h${level}>`
  }
  if (block.kind === 'code') return `<pre><code>${escapeHtml(block.lines.join('\n'))}</code></pre>`
  if (block.kind === 'paragraph') return `<p>${renderText(block.text, page)}</p>`
  if (block.kind === 'list') {
    const {name, start} = describeList(block.items)
    return `<${name}${start}>${block.items.map(({text}) => `<li>${renderText(text, page)}</li>`).join('')}</${name}>`
  }
  const [header = [], ...rows] = block.rows
  const renderRow = (cells: readonly string[], name: string) =>
    `<tr>${cells.map((cell) => `<${name}>${renderText(cell, page)}</${name}>`).join('')}</tr>`
  return `<div class="scroll"><table>${renderRow(header, 'th')}${rows.map((row) => renderRow(row, 'td')).join('')}</table></div>`
}

export function renderHtml(page: DocsPage, pages: readonly DocsPage[]): string {
  const {title, text, topic} = page
  const up = '../'.repeat(topic.split('/').length - 1)
  const links = pages
    .filter((each) => !each.topic.startsWith('adr/'))
    .map((each) => `<a href="${up}${escapeHtml(each.topic)}.html">${escapeHtml(each.title)}</a>`)
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · svc</title>
<style>${style}</style>
<nav aria-label="Pages">${links.join(' · ')}</nav>
<main>
${parseMarkdown(text)
  .map((block) => renderBlock(block, page))
  .join('\n')}
</main>
</html>
`
}

// Text inside HTML, and the names of headings.
const escapes: Readonly<Record<string, string>> = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'}

export const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character] ?? character)

// As GitHub names the headings of a page, which links refer to.
export const toAnchor = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

// All pages are written, so that the links between them work. Returns the address, and why it was not opened, if so.
export async function openPage(
  page: DocsPage,
  pages: readonly DocsPage[],
  isOpening: boolean,
): Promise<{url: string; problem: string | undefined}> {
  const folder = path.join(getStateFolder(), 'docs')
  const toFile = ({name}: DocsPage) => path.join(folder, name.replace(/\.md$/, '.html'))
  for (const each of new Set([...pages, page])) {
    makePrivateFolder(path.dirname(toFile(each)))
    replacePrivateFile(toFile(each), renderHtml(each, pages))
  }
  const url = pathToFileURL(toFile(page)).href
  return {url, problem: isOpening ? await openPageFile(toFile(page)) : undefined}
}
