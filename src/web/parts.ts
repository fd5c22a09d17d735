// The parts that the pages of the console are made of: tables, facts, timelines, search forms and links to items.
import {readText} from '../values/records.ts'
import {countNoun, quoteForShell} from '../values/text.ts'
import {attributes, type Content, html, type Html} from './html.ts'
import type {ConsoleContext} from './console/context.ts'
import type {Words} from './console/words.ts'
import {renderTime, shortenId, toText} from './format.ts'
import type {Tone} from './tones.ts'

export interface Column<Item> {
  header: string
  render: (item: Item) => Content
  // Numbers are aligned to the right.
  isNumber?: boolean
  // Left out where the screen is narrow.
  isMinor?: boolean
  // Kept on one line.
  isShort?: boolean
  // Long words without spaces, such as addresses, which may break anywhere.
  isLong?: boolean
}

export interface Table<Item> {
  id: string
  caption: string
  columns: readonly Column<Item>[]
  items: readonly Item[]
  // Shown if there are no items.
  empty: Content
}

const getCellClass = ({isNumber, isMinor, isShort, isLong}: Omit<Column<never>, 'header' | 'render'>) =>
  [isNumber && 'number', isMinor && 'minor', isShort && 'short', isLong && 'long'].filter(Boolean).join(' ') ||
  undefined

const isPresent = (content: Content): boolean =>
  Array.isArray(content)
    ? content.some(isPresent)
    : content !== undefined && content !== null && content !== '' && content !== false

// The first column names the row. On a narrow screen each row becomes a card, where the header stands beside its value.
function renderRow<Item>(columns: readonly Column<Item>[], item: Item): Html {
  const [first, ...others] = columns
  return html`<tr>
    <th scope="row" ${attributes({class: first && getCellClass(first)})}>${first?.render(item)}</th>
    ${others.map((column) => {
      const content = column.render(item)
      const isEmpty = !isPresent(content)
      const name = [getCellClass(column), isEmpty && 'empty'].filter(Boolean).join(' ') || undefined
      return html`<td${attributes({class: name, 'data-label': column.header})}><div>${content}</div></td>`
    })}
  </tr> `
}

export function renderTable<Item>({id, caption, columns, items, empty}: Table<Item>): Html {
  if (items.length === 0) return html`<div id="${id}" data-live><p class="none">${empty}</p></div>`
  return html`<div id="${id}" data-live class="table">
    <table class="list">
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(
            (column) => html`<th scope="col" ${attributes({class: getCellClass(column)})}>${column.header}</th> `,
          )}
        </tr>
      </thead>
      <tbody>
        ${items.map((item) => renderRow(columns, item))}
      </tbody>
    </table>
  </div>`
}

// On paper, a long card may go on on the next page.
export const renderCard = (
  title: string,
  body: Content,
  {note, isLong = false}: {note?: Content; isLong?: boolean} = {},
): Html =>
  html`<section class="card${isLong && ' breaks'}">
    <h2>${title}</h2>
    ${note && html`<p class="note">${note}</p>`} ${body}
  </section> `

// One figure that is read at a glance, with what it means in a line or two.
export const renderFigure = (title: string, figure: Content, lines: readonly Content[]): Html =>
  renderCard(title, [
    html`<p class="figure">${figure}</p>`,
    lines.filter(isPresent).map((line) => html`<p class="note">${line}</p>`),
  ])

export const renderFailure = (failure: string): Html => html`<p class="failure" role="alert">${failure}</p>`

export type Fact = readonly [label: string, value: Content]

// Facts without a value are left out.
export function renderFacts(facts: readonly Fact[]): Html {
  return html`<dl class="facts">
    ${facts
      .filter(([, value]) => isPresent(value))
      .map(
        ([label, value]) =>
          html`<div>
            <dt>${label}</dt>
            <dd>${value}</dd>
          </div> `,
      )}
  </dl>`
}

export interface Moment {
  // Text that is not a time is shown as it is; without one the moment has not come yet.
  at: unknown
  what: Content
  detail?: Content
  tone?: Tone | undefined
  // What somebody made happen with a control of the sandbox is told from what would have happened by itself.
  isMadeUp?: boolean | undefined
}

export function renderTimeline(id: string, moments: readonly Moment[]): Html {
  if (moments.length === 0) return html`<p class="none" id="${id}" data-live>Nothing has happened yet.</p>`
  return html`<ol class="timeline" id="${id}" data-live>
    ${moments.map(({at, what, detail, tone = 'quiet', isMadeUp}) => {
      const when = renderTime(at, {withSeconds: true})
      return html`<li class="${tone}">
        <p class="what">${what} ${isMadeUp && html`<span class="mark">Made up in the sandbox</span>`}</p>
        ${isPresent(when) && html`<p class="when">${when}</p>`}
        ${isPresent(detail) && html`<div class="detail">${detail}</div>`}
      </li> `
    })}
  </ol>`
}

// What to do next, with the command for it.
export const renderNext = ({next, command = ''}: Words, id: string): Content =>
  next !== undefined && [
    next,
    command !== '' && html` <code>${command.replace('ID', quoteForShell(toText(id)))}</code>`,
  ]

// What the person came for, in one sentence at the top of the page, what to do next, and what else is known of it.
export const renderLead = (words: Words, id = '', more?: Content): Html =>
  html`<div class="lead ${words.tone}" id="lead" data-live>
    <p>${words.sentence}</p>
    ${isPresent(more) && html`<div>${more}</div>`}
    ${words.next !== undefined && html`<p><strong>Next:</strong> ${renderNext(words, id)}</p>`}
  </div>`

interface Bar {
  label: Content
  value: number
  tone?: Tone
}

// Horizontal bars with their figures, which need no table beside them.
export function renderBars(id: string, bars: readonly Bar[]): Html {
  const max = Math.max(1, ...bars.map(({value}) => value))
  return html`<dl class="bars" id="${id}" data-live>
    ${bars.map(
      ({label, value, tone = 'quiet'}) =>
        html`<div>
          <dt>${label}</dt>
          <dd>
            <svg${attributes({class: tone, viewbox: '0 0 100 8', preserveaspectratio: 'none', 'aria-hidden': 'true'})}>
              <rect class="track" width="100" height="8" />
              <rect class="fill" width="${Math.round((value / max) * 100)}" height="8" /></svg
            ><span><strong>${value}</strong></span>
          </dd>
        </div> `,
    )}
  </dl>`
}

export function renderSearch(
  context: ConsoleContext,
  label: string,
  choice: {name: string; label: string; values: readonly string[]} | undefined,
  kept: Readonly<Record<string, string | undefined>>,
): Html {
  const {path, query} = context
  const chosen = choice && query[choice.name]
  const isSet = Boolean(query['q'] || chosen)
  return html`<form class="search" role="search" aria-label="${label}" method="get" action="${context.link(path)}">
    ${Object.entries(kept).map(
      ([name, value]) => value !== undefined && html`<input${attributes({type: 'hidden', name, value})} />`,
    )}
    <label for="q" class="unseen">${label}</label>
    <input${attributes({type: 'search', id: 'q', name: 'q', value: query['q'] ?? '', placeholder: label, autocomplete: 'off'})} />
    ${
      choice &&
      html`<label for="${choice.name}" class="unseen">${choice.label}</label
        ><select${attributes({id: choice.name, name: choice.name})}>
          <option value="">${choice.label}: any</option>
          ${choice.values.map(
            (value) => html`<option${attributes({value, selected: value === chosen})}>${value}</option>`,
          )}
        </select>`
    }
    <button>Search</button>
    ${isSet && html`<a href="${context.link(path, kept)}">Clear</a>`}
  </form>`
}

// Says what is shown, and never lets a part pass for the whole.
export function renderCount(
  id: string,
  {noun, command}: {noun: string; command: string},
  {
    items,
    isFiltered,
    readCount,
    isCut,
  }: {items: readonly unknown[]; isFiltered: boolean; readCount: number; isCut: boolean},
): Html {
  const shown = countNoun(items.length, noun)
  const sentence = isFiltered
    ? `${shown} of the ${isCut ? 'newest ' : ''}${readCount} that were searched.`
    : `${shown}${isCut ? ', newest first' : ''}.`
  return html`<p class="note" id="${id}" data-live>
    ${sentence} ${isCut && isFiltered && html`Older ones were not searched: <code>${command}</code> reads all of them.`}
  </p>`
}

export function renderPaging(context: ConsoleContext, nextPageToken: string | undefined): Content {
  const {page, ...rest} = context.query
  if (nextPageToken === undefined && page === undefined) return undefined
  return html`<nav class="paging" aria-label="Pages">
    ${page !== undefined && html`<a href="${context.link(context.path, rest)}">Newest</a>`}
    ${
      nextPageToken !== undefined &&
      html`<a rel="next" href="${context.link(context.path, {...rest, page: nextPageToken})}">Older</a>`
    }
  </nav>`
}

interface ItemLink {
  // The page of the item, and its id there.
  path: string
  id: unknown
  // Shown instead of the beginning of the id.
  text?: string | undefined
  customerId?: unknown
}

// Links to the page of an item, with its whole id as the title. Without an id there is only the text.
export function renderItemLink({link}: ConsoleContext, {path, id: given, text, customerId}: ItemLink): Content {
  const id = readText(given)
  if (id === '') return text ?? ''
  const address = link(path, {id, customer: readText(customerId) || undefined})
  return html`<a${attributes({href: address, title: id})}>${text || html`<code>${shortenId(id)}</code>`}</a>`
}
