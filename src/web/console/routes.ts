// Finds the page at a path of the console.
import {type Content, attributes, html} from '../html.ts'
import {renderServedPage} from '../page.ts'
import {accounts} from './accounts.ts'
import {type ConsoleContext, type ConsolePage, paths} from './context.ts'
import {customers} from './customers.ts'
import {events} from './events.ts'
import {type NounPages, createPages, isListed} from './noun.ts'
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

const listNouns = (context: ConsoleContext) => nouns.filter((noun) => isListed(context, noun))

const missing: ConsolePage = {
  title: 'This page does not exist',
  status: 404,
  body: html`<h1>This page does not exist</h1>
    <p>Choose one above.</p>`,
}

export const isConsolePage = (path: string) => Object.values<string>(paths).includes(path)

export const renderPage = async (context: ConsoleContext): Promise<ConsolePage> => {
  const {path} = context
  if (path === paths.overview) return renderOverview(context)
  const listed = listNouns(context).find((noun) => noun.path === path)
  if (listed) return listed.renderList(context)
  return nouns.find(({itemPath}) => itemPath === path)?.renderItem(context) ?? missing
}

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

// The HTML document around every page of the console: its header and its navigation.
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
