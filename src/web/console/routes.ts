// Finds the page at a path of the console.
import {html} from '../html.ts'
import {type ConsoleContext, type ConsolePage, paths} from './context.ts'
import {renderAccount, renderAccounts} from './views/accounts.ts'
import {renderCustomer, renderCustomers} from './views/customers.ts'
import {renderEvent, renderEvents} from './views/events.ts'
import {renderJournal, renderPayment} from './views/journal.ts'
import {renderOverview} from './views/overview.ts'
import {renderRequest, renderRequests} from './views/requests.ts'
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

export const isConsolePage = (path: string) => (Object.values(paths) as string[]).includes(path)

export const renderPage = async (context: ConsoleContext): Promise<ConsolePage> => {
  const {path} = context
  const render = Object.hasOwn(renderers, path) ? renderers[path] : undefined
  return (await (render?.(context) ?? findOptionalPage(context))) ?? missing
}
