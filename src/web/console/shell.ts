// The HTML document around every page of the console: its header and its navigation.
import {attributes, type Content, html} from '../html.ts'
import {type ConsoleContext, type ConsolePage, paths} from './context.ts'

interface Tab {
  title: string
  path: string
  // The page of one item belongs to the tab of its list.
  itemPath?: string
}

export interface ShellSettings {
  stylesheets: readonly string[]
  script?: string | undefined
  // Further tabs, such as the controls of the sandbox.
  tabs?: readonly Tab[]
  // What was done, or why it was not.
  notice?: Content
  isError?: boolean
}

const listTabs = ({source}: ConsoleContext, more: readonly Tab[]): Tab[] => [
  {title: 'Overview', path: paths.overview},
  {title: 'Customers', path: paths.customers, itemPath: paths.customer},
  {title: 'Accounts', path: paths.accounts, itemPath: paths.account},
  {title: 'Transactions', path: paths.transactions, itemPath: paths.transaction},
  {title: 'Rules', path: paths.rules, itemPath: paths.rule},
  ...(source.events ? [{title: 'Events', path: paths.events, itemPath: paths.event}] : []),
  ...(source.journal ? [{title: 'Journal', path: paths.journal, itemPath: paths.payment}] : []),
  ...(source.requests ? [{title: 'Requests', path: paths.requests, itemPath: paths.request}] : []),
  ...more,
]

function renderTab({link, path}: ConsoleContext, tab: Tab) {
  const current = path === tab.path ? 'page' : path === tab.itemPath ? 'true' : undefined
  return html`<a${attributes({href: link(tab.path), 'aria-current': current})}>${tab.title}</a> `
}

export function renderShell(context: ConsoleContext, {title, body}: ConsolePage, settings: ShellSettings): string {
  const {source} = context
  const {stylesheets, script, tabs = [], notice, isError = false} = settings
  return html`<!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${isError && 'Not done: '}${title} · ${source.title}</title>
        <link rel="icon" href="data:," />
        ${stylesheets.map((path) => html`<link rel="stylesheet" href="${path}" /> `)}
        ${script && html`<script src="${script}" defer></script>`}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
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
        </main>
      </body>
    </html> `.toString()
}
