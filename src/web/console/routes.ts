// Finds the page at a path of the console.
import {type Content, attributes, html} from '../html.ts'
import {renderServedPage} from '../page.ts'
import {renderCard} from '../parts.ts'
import {toText} from '../format.ts'
import {countNoun} from '../../values/text.ts'
import {type ConsoleContext, type ConsolePage, type Section, paths, sections} from './context.ts'
import {renderAccount, renderAccounts} from './views/accounts.ts'
import {renderCustomer} from './views/customer.ts'
import {renderCustomers} from './views/customers.ts'
import {renderEvent, renderEvents, renderRequest, renderRequests} from './views/events.ts'
import {renderJournal, renderPayment} from './views/journal.ts'
import {renderOverview} from './views/overview.ts'
import {partMax} from './views/list-page.ts'
import {renderRule, renderRules} from './views/rules.ts'
import {renderTransaction} from './views/transaction.ts'
import {renderTransactions} from './views/transactions.ts'

type RenderPage = (context: ConsoleContext) => Promise<ConsolePage>

const renderers: Readonly<Record<string, RenderPage>> = {
  [paths.overview]: renderOverview,
  [paths.customers]: renderCustomers,
  [paths.customer]: renderCustomer,
  [paths.accounts]: renderAccounts,
  [paths.account]: renderAccount,
  [paths.transactions]: renderTransactions,
  [paths.transaction]: renderTransaction,
  [paths.rules]: renderRules,
  [paths.rule]: renderRule,
}

const missing: ConsolePage = {
  title: 'This page does not exist',
  status: 404,
  body: html`<h1>This page does not exist</h1>
    <p>Choose one above.</p>`,
}

// Pages about what only some sources have.
function findOptionalPage(context: ConsoleContext): Promise<ConsolePage> | undefined {
  const {path, source} = context
  if (source.events && path === paths.events) return renderEvents(context, source.events)
  if (source.events && path === paths.event) return renderEvent(context, source.events)
  if (source.journal && path === paths.journal) return renderJournal(context, source.journal)
  if (source.journal && path === paths.payment) return renderPayment(context, source.journal)
  if (source.requests && path === paths.requests) return renderRequests(context, source.requests)
  if (source.requests && path === paths.request) return renderRequest(context, source.requests)
  return undefined
}

const listSections = ({source}: ConsoleContext): Section[] =>
  sections.filter((section) => section.source === undefined || source[section.source])

// The folder of a console, whose name is new with every start, and the path of the page in it.
const pageAddress = /^\/[\w-]{32}(\/.*)$/

// The own page for the address of a page that somebody copied from another console. An address opens nothing by itself.
function findPastedPage({link}: ConsoleContext, text: string): string | undefined {
  const url = /^https?:/.test(text) ? URL.parse(text) : undefined
  const path = pageAddress.exec(url?.pathname ?? '')?.[1] ?? ''
  return url && isConsolePage(path) ? link(path, Object.fromEntries(url.searchParams)) : undefined
}

// Finds words in everything that has a list, and shows the first matches of each.
async function renderSearchPage(context: ConsoleContext): Promise<ConsolePage> {
  const location = findPastedPage(context, context.query['q']?.trim() ?? '')
  if (location !== undefined) return {title: 'Search', body: '', location}
  const words = toText(context.query['q'])
  const heading = html`<div class="head"><h1>${words === '' ? 'Search' : `Search: ${words}`}</h1></div>`
  if (words === '')
    return {
      title: 'Search',
      body: [
        heading,
        html`<p>Enter a name, an amount, an id, a key, or the address of a page of another console above.</p>`,
      ],
    }
  const found = await Promise.all(
    listSections(context).map(async (section) => ({
      section,
      page: await renderPage({...context, path: section.path, query: {q: words}, isPart: true}),
    })),
  )
  // What could not be read has no count, and says why.
  const shown = found.filter(({page: {count}}) => count !== 0)
  return {
    title: `Search: ${words}`,
    body: [
      heading,
      shown.length === 0 && html`<p class="none">Nothing matches among the newest items of each list.</p>`,
      shown.map(({section, page: {body, count = 0}}) => [
        renderCard(section.title, [
          body,
          count > partMax &&
            html`<p>
              <a href="${context.link(section.path, {q: words})}">All ${countNoun(count, section.noun)}</a>
            </p>`,
        ]),
      ]),
    ],
  }
}

export const isConsolePage = (path: string) => Object.values<string>(paths).includes(path)

export const renderPage = async (context: ConsoleContext): Promise<ConsolePage> => {
  const {path} = context
  if (path === paths.search) return renderSearchPage(context)
  const render = Object.hasOwn(renderers, path) ? renderers[path] : undefined
  return (await (render?.(context) ?? findOptionalPage(context))) ?? missing
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
  ...listSections(context),
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
