// Finds the page at a path of the console.
import {type Content, attributes, html} from '../html.ts'
import {renderServedPage} from '../page.ts'
import {renderCard} from '../parts.ts'
import {toText} from '../format.ts'
import {countNoun} from '../../values/text.ts'
import {accounts} from './accounts.ts'
import {type ConsoleContext, type ConsolePage, paths} from './context.ts'
import {customers} from './customers.ts'
import {events} from './events.ts'
import {type NounPages, createPages, partMax} from './noun.ts'
import {renderOverview} from './overview.ts'
import {payments} from './payments.ts'
import {rules} from './rules.ts'
import {transactions} from './transactions.ts'

const nouns: readonly NounPages[] = [
  createPages(customers),
  createPages(accounts),
  createPages(transactions),
  createPages(rules),
  createPages(events),
  createPages(payments),
]

// Some sources have no journal or no events.
const listNouns = ({source}: ConsoleContext) => nouns.filter(({part}) => part === undefined || source[part])

const missing: ConsolePage = {
  title: 'This page does not exist',
  status: 404,
  body: html`<h1>This page does not exist</h1>
    <p>Choose one above.</p>`,
}

// Finds words in everything that has a list, and shows the first matches of each.
async function renderSearchPage(context: ConsoleContext): Promise<ConsolePage> {
  const words = toText(context.query['q'])
  const heading = html`<div class="head"><h1>${words === '' ? 'Search' : `Search: ${words}`}</h1></div>`
  if (words === '')
    return {title: 'Search', body: [heading, html`<p>Enter a name, an amount, an id or a key above.</p>`]}
  const found = await Promise.all(
    listNouns(context).map(async (noun) => ({
      noun,
      page: await noun.renderList({...context, path: noun.path, query: {q: words}}, true),
    })),
  )
  // What could not be read has no count, and says why.
  const shown = found.filter(({page: {count}}) => count !== 0)
  return {
    title: `Search: ${words}`,
    body: [
      heading,
      shown.length === 0 && html`<p class="none">Nothing matches among the newest items of each list.</p>`,
      shown.map(({noun, page: {body, count = 0}}) => [
        renderCard(noun.title, [
          body,
          count > partMax &&
            html`<p><a href="${context.link(noun.path, {q: words})}">All ${countNoun(count, noun.noun)}</a></p>`,
        ]),
      ]),
    ],
  }
}

export const isConsolePage = (path: string) => Object.values<string>(paths).includes(path)

export const renderPage = async (context: ConsoleContext): Promise<ConsolePage> => {
  const {path} = context
  if (path === paths.overview) return renderOverview(context)
  if (path === paths.search) return renderSearchPage(context)
  const noun = listNouns(context).find((each) => each.path === path || each.itemPath === path)
  if (!noun) return missing
  return path === noun.path ? noun.renderList(context) : noun.renderItem(context)
}

// The HTML document around every page of the console: its header and its navigation.
interface Tab {
  title: string
  path: string
  // The page of one item belongs to the tab of its list.
  itemPath?: string
}

interface ShellSettings {
  stylesheet: string
  script?: string | undefined
  // Further tabs, such as the controls of the sandbox.
  tabs?: readonly Tab[]
  // What was done, or why it was not.
  notice?: Content
  isError?: boolean
}

const listTabs = (context: ConsoleContext, more: readonly Tab[]): Tab[] => [
  {title: 'Overview', path: paths.overview},
  ...listNouns(context),
  ...more,
]

function renderTab({link, path}: ConsoleContext, tab: Tab) {
  const current = path === tab.path ? 'page' : path === tab.itemPath ? 'true' : undefined
  return html`<a${attributes({href: link(tab.path), 'aria-current': current})}>${tab.title}</a> `
}

const renderSearchField = ({link, path, query}: ConsoleContext) =>
  html`<form class="everything" role="search" aria-label="Everything" method="get" action="${link(paths.search)}">
    <label for="everything" class="unseen">Search everything</label>
    <input${attributes({
      type: 'search',
      id: 'everything',
      name: 'q',
      placeholder: 'Search everything',
      autocomplete: 'off',
      value: path === paths.search ? (query['q'] ?? '') : '',
    })} />
  </form>`

export function renderShell(context: ConsoleContext, {title, body}: ConsolePage, settings: ShellSettings): string {
  const {source} = context
  const {stylesheet, script, tabs = [], notice, isError = false} = settings
  return renderServedPage({
    title: html`${isError && 'Not done: '}${title} · ${source.title}`,
    stylesheet,
    script,
    body: html`<a class="skip" href="#main">Skip to the content</a>
      <header class="top">
        <div class="brand">
          <strong>${source.title}</strong> <span>${source.note}</span>
          ${!source.isReadOnly && html`<span id="live-status">Reload the page to see what is new.</span>`}
          ${renderSearchField(context)}
        </div>
        <nav class="tabs" aria-label="Console">${listTabs(context, tabs).map((tab) => renderTab(context, tab))}</nav>
      </header>
      <main id="main" class="console" tabindex="-1">
        <div
          id="notice"
          role="status"
          ${attributes({class: notice ? (isError ? 'notice error' : 'notice') : undefined})}
        >
          ${notice && html`<p>${isError && html`<strong>Not done:</strong> `}${notice}</p>`}
        </div>
        ${body}
      </main>`,
  })
}
