// Renders the Markdown of a page as HTML: headings with anchors, links to other pages, and links from commands to theirs.
import fs from 'node:fs'
import path from 'node:path'
import {imageSize} from 'image-size'
import {describeList, escapeHtml, toAnchor} from '../../src/cli/docs/render-html.ts'
import {type Block, type Span, isPicture, parseMarkdown, parseSpans, toPlainText} from '../../src/cli/docs/markdown.ts'
import {root} from '../surface.ts'
import {toCommandPath} from './commands.ts'
import {type SitePage, getWayUp, toMarkdownPath} from './page.ts'

export interface Heading {
  level: number
  text: string
  anchor: string
}

// A heading and the text below it, up to the next one. Flags and variables of a command have one each.
export interface Section {
  heading?: Heading
  text: string
  isFlag?: true
}

export interface RenderedPage {
  html: string
  headings: Heading[]
  sections: Section[]
  // Files of docs/ that are shown, such as docs/tour.svg.
  files: string[]
  // Links of which nobody knows where they lead.
  broken: string[]
}

export interface SiteMap {
  pages: readonly SitePage[]
  // The ids of commands that have a page.
  commandIds: ReadonlySet<string>
}

const isWeb = (target: string) => /^(https?|mailto):/.test(target)
const isShownFile = (file: string) => /^docs\/.*\.(svg|png|jpg|webp)$/.test(file)

// With its size, a picture has its place before it is loaded, and the text below it does not move.
export const measurePicture = (file: string) => imageSize(fs.readFileSync(path.join(root, file)))

export const toSitePath = (file: string) => file.replace(/^docs\//, '')

// The longest command that these words begin with: `svc customers list -p sandbox` names customers:list.
function findCommand(text: string, {commandIds}: SiteMap): string | undefined {
  const words = /^svc ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)*)/.exec(text)?.[1]?.split(' ') ?? []
  for (let count = words.length; count > 0; count--) {
    const id = words.slice(0, count).join(':')
    if (commandIds.has(id)) return id
  }
  return undefined
}

// A browser breaks lines behind hyphens, and would break the name of a flag.
const keepFlagsWhole = (html: string) => html.replaceAll(/(?<![\w-])--?[a-z][\w-]*/g, '<span class="flag">$&</span>')

// The page that a link of another page means, or the file that it shows.
function findTarget(target: string, page: SitePage, {pages}: SiteMap): {page?: SitePage; file: string} {
  const [name = ''] = target.split('#', 1)
  const file = path.posix.join(path.posix.dirname(page.source), name)
  const wanted = file === 'docs/adr/' ? 'docs/decisions.md' : file
  const found = pages.find(({source}) => source === wanted)
  return {file, ...(found && {page: found})}
}

const isOwn = (target: string) => !isWeb(target) && !target.startsWith('#')

// The Markdown of a page, with links that hold inside the site.
export function renderMarkdown(page: SitePage, map: SiteMap): string {
  const up = getWayUp(page.path)
  return page.markdown.replaceAll(/(\]\()([^)\s]+)(?=\))/g, (whole, open: string, target: string) => {
    if (!isOwn(target)) return whole
    const {page: found, file} = findTarget(target, page, map)
    const [, anchor] = target.split('#', 2)
    if (found) return `${open}${up}${toMarkdownPath(found.path)}${anchor === undefined ? '' : `#${anchor}`}`
    return isShownFile(file) ? `${open}${up}${toSitePath(file)}` : whole
  })
}

const flagCell = /^`(?:-\w, )?(?:--([a-z][a-z-]*)|(SVC_[A-Z_]+))/

// The flag or variable that a row of a command's page explains, which the search leads to.
function findFlag([first = '']: readonly string[], {kind}: SitePage): Heading | undefined {
  const [, flag, variable] = (kind === 'Command' && flagCell.exec(first)) || []
  if (flag !== undefined) return {level: 4, text: `--${flag}`, anchor: `flag-${flag}`}
  return variable === undefined ? undefined : {level: 4, text: variable, anchor: variable.toLowerCase()}
}

class PageRenderer {
  readonly files: string[] = []
  readonly broken: string[] = []
  readonly headings: Heading[] = []
  readonly #page: SitePage
  readonly #map: SiteMap

  constructor(page: SitePage, map: SiteMap) {
    this.#page = page
    this.#map = map
  }

  // Where a link leads, as written into the page.
  #toHref(target: string): string {
    if (!isOwn(target)) return target
    const {page, file} = findTarget(target, this.#page, this.#map)
    const [, anchor] = target.split('#', 2)
    const up = getWayUp(this.#page.path)
    if (page) return `${up}${page.path}${anchor === undefined ? '' : `#${anchor}`}`
    if (isShownFile(file)) {
      this.files.push(file)
      return `${up}${toSitePath(file)}`
    }
    this.broken.push(target)
    return target
  }

  #renderSpan(span: Span, isPlain: boolean): string {
    const text = escapeHtml(span.text)
    if (span.kind === 'bold') return `<strong>${keepFlagsWhole(text)}</strong>`
    if (span.kind === 'emphasis') return `<em>${keepFlagsWhole(text)}</em>`
    if (span.kind === 'code') return isPlain ? `<code>${text}</code>` : this.#renderCode(span.text)
    if (span.kind !== 'link') return keepFlagsWhole(text)
    const href = escapeHtml(this.#toHref(span.target))
    return span.isImage ? this.#renderImage(span.target, href, text) : `<a href="${href}">${text}</a>`
  }

  // On a telephone a picture is small, so it leads to itself, where it can be made larger.
  #renderImage(target: string, href: string, text: string): string {
    const {file} = findTarget(target, this.#page, this.#map)
    if (!fs.existsSync(path.join(root, file))) return `<img src="${href}" alt="${text}">`
    const {width, height} = measurePicture(file)
    return `<a class="picture" href="${href}"><img src="${href}" width="${width}" height="${height}" alt="${text}"></a>`
  }

  // A command leads to its page, except on that page.
  #renderCode(text: string): string {
    const id = findCommand(text, this.#map)
    const code = `<code>${escapeHtml(text)}</code>`
    if (id === undefined || toCommandPath(id) === this.#page.path) return code
    return `<a class="command" href="${getWayUp(this.#page.path)}${toCommandPath(id)}">${code}</a>`
  }

  #renderText = (text: string, isPlain = false) =>
    parseSpans(text)
      .map((span) => this.#renderSpan(span, isPlain))
      .join('')

  #renderHeading(level: number, text: string): string {
    const plain = toPlainText(text)
    const base = toAnchor(plain)
    const count = this.headings.filter(({anchor}) => anchor === base || anchor.startsWith(`${base}-`)).length
    const anchor = this.headings.some((heading) => heading.anchor === base) ? `${base}-${count}` : base
    this.headings.push({level, text: plain, anchor})
    const link =
      level === 1
        ? ''
        : ` <a class="anchor" href="#${escapeHtml(anchor)}" aria-label="Link to ${escapeHtml(plain)}">#</a>`
    return `<h${level} id="${escapeHtml(anchor)}">${this.#renderText(text, true)}${link}</h${level}>`
  }

  render(block: Block): string {
    if (block.kind === 'heading') return this.#renderHeading(block.level, block.text)
    if (block.kind === 'code') return renderCodeBlock(block.lines)
    if (block.kind === 'paragraph') return `<p>${this.#renderText(block.text)}</p>`
    if (block.kind === 'list') {
      const {name, start} = describeList(block.items)
      return `<${name}${start}>${block.items.map(({text}) => `<li>${this.#renderText(text)}</li>`).join('')}</${name}>`
    }
    return this.#renderTable(block.rows)
  }

  #renderRowId(cells: readonly string[]): string {
    const flag = findFlag(cells, this.#page)
    return flag ? ` id="${flag.anchor}"` : ''
  }

  // A table that is too wide can be moved with the keys, so it has a name for who does not see it.
  #renderTable([header = [], ...rows]: readonly string[][]): string {
    const renderHeader = (cell: string) =>
      cell === '' ? '<td></td>' : `<th scope="col">${this.#renderText(cell)}</th>`
    const renderRow = (cells: readonly string[]) =>
      `<tr${this.#renderRowId(cells)}>${cells.map((cell) => `<td>${this.#renderText(cell)}</td>`).join('')}</tr>`
    const name = escapeHtml(`Table: ${this.headings.at(-1)?.text ?? this.#page.title}`)
    const table = `<thead><tr>${header.map(renderHeader).join('')}</tr></thead><tbody>${rows.map(renderRow).join('')}</tbody>`
    return `<div class="scroll" role="group" aria-label="${name}" tabindex="0"><table>${table}</table></div>`
  }
}

// The sign in front of a command is not part of what is copied.
function renderCodeBlock(lines: readonly string[]): string {
  const shown = lines.map((line) => {
    const [, command] = /^\$ (.*)$/.exec(line) ?? []
    if (command !== undefined) return `<span class="prompt">$ </span><b>${escapeHtml(command)}</b>`
    return /^\s*# /.test(line) ? `<i>${escapeHtml(line)}</i>` : escapeHtml(line)
  })
  return `<div class="code"><pre tabindex="0"><code>${shown.join('\n')}</code></pre></div>`
}

const toRowText = (row: readonly string[]) => row.map(toPlainText).join(' ')

function toText(block: Block): string {
  if (block.kind === 'code') return block.lines.join(' ')
  if (block.kind === 'list') return block.items.map(({text}) => toPlainText(text)).join(' ')
  if (block.kind === 'table') return block.rows.map(toRowText).join(' ')
  return toPlainText(block.text)
}

const toFlagSections = (block: Block, page: SitePage): Section[] =>
  block.kind === 'table'
    ? block.rows.flatMap((row) => {
        const heading = findFlag(row, page)
        return heading ? [{heading, text: toRowText(row), isFlag: true as const}] : []
      })
    : []

export function renderPage(page: SitePage, map: SiteMap): RenderedPage {
  const renderer = new PageRenderer(page, map)
  const parts: string[] = []
  const sections: Section[] = []
  const flags: Section[] = []
  for (const block of parseMarkdown(page.markdown)) {
    parts.push(renderer.render(block))
    const heading = renderer.headings.at(-1)
    const flagsOfBlock = toFlagSections(block, page)
    flags.push(...flagsOfBlock)
    if (block.kind === 'heading') sections.push({...(heading && {heading}), text: ''})
    else if (flagsOfBlock.length === 0 && !isPicture(block)) {
      const last = sections.at(-1) ?? {text: ''}
      if (sections.length === 0) sections.push(last)
      last.text = `${last.text} ${toText(block)}`.trim()
    }
  }
  const {headings, files, broken} = renderer
  return {html: parts.join('\n'), headings, sections: [...sections, ...flags], files, broken}
}
