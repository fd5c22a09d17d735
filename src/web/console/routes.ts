// Finds the page at a path of the console.
import {type Content, attributes, html} from '../html.ts'
import {renderServedPage} from '../page.ts'
import {type ConsoleContext, type ConsolePage, paths, sections} from './context.ts'
import {renderAccount, renderAccounts} from './views/accounts.ts'
import {renderCustomer, renderCustomers} from './views/customers.ts'
import {renderEvent, renderEvents, renderRequest, renderRequests} from './views/events.ts'
import {renderJournal, renderPayment} from './views/journal.ts'
import {renderOverview} from './views/overview.ts'
import {renderRule, renderRules} from './views/rules.ts'
import {renderTransaction, renderTransactions} from './views/transactions.ts'

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

export const isConsolePage = (path: string) => Object.values<string>(paths).includes(path)

export const renderPage = async (context: ConsoleContext): Promise<ConsolePage> => {
  const {path} = context
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

const listTabs = ({source}: ConsoleContext, more: readonly Tab[]): Tab[] => [
  {title: 'Overview', path: paths.overview},
  ...sections.filter((section) => section.source === undefined || source[section.source]),
  ...more,
]

function renderTab({link, path}: ConsoleContext, tab: Tab) {
  const current = path === tab.path ? 'page' : path === tab.itemPath ? 'true' : undefined
  return html`<a${attributes({href: link(tab.path), 'aria-current': current})}>${tab.title}</a> `
}

export function renderShell(context: ConsoleContext, {title, body}: ConsolePage, settings: ShellSettings): string {
  const {source} = context
  const {stylesheet, script, tabs = [], notice, isError = false} = settings
  return renderServedPage({
    title: html`${isError && 'Not done: '}${title} · ${source.title}`,
    stylesheet,
    script,
    body: html`<a class="skip" href="#main">Skip to the content</a>
      <header class="top">
        <p class="brand">
          <strong>${source.title}</strong> <span>${source.note}</span>
          ${!source.isReadOnly && html`<span id="live-status">Reload the page to see what is new.</span>`}
        </p>
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
