// The sections of the console, in the order in which the page shows them.
import type {Content} from '../../web/html.ts'
import type {SectionName} from './action.ts'
import {
  renderBehaviours,
  renderClock,
  renderDeliveries,
  renderEndpoints,
  renderFaults,
  renderQueue,
  renderRequests,
  renderSnapshots,
} from './sandbox-sections.ts'
import {
  renderAccounts,
  renderCounts,
  renderCustomers,
  renderFilterNote,
  renderRules,
  renderTransactions,
} from './service-sections.ts'
import type {ConsoleView} from './view.ts'

export interface Section {
  name: SectionName
  title: string
  render: (view: ConsoleView) => Content
  // Shown below the buttons.
  renderBelow?: (view: ConsoleView) => Content
}

export const sections: readonly Section[] = [
  {name: 'time', title: 'Clock and queue', render: renderClock, renderBelow: renderQueue},
  {name: 'customers', title: 'Customers', render: (view) => [renderCounts(view), renderCustomers(view)]},
  {name: 'accounts', title: 'Accounts and balances', render: (view) => [renderFilterNote(view), renderAccounts(view)]},
  {name: 'transactions', title: 'Transactions', render: renderTransactions},
  {name: 'rules', title: 'Rules', render: renderRules},
  {
    name: 'webhooks',
    title: 'Webhooks and deliveries',
    render: (view) => [renderEndpoints(view), renderDeliveries(view)],
  },
  {name: 'requests', title: 'Requests', render: renderRequests},
  {name: 'faults', title: 'Faults and behaviours', render: (view) => [renderBehaviours(view), renderFaults(view)]},
  {name: 'snapshots', title: 'Snapshots and reset', render: renderSnapshots},
  // Rendered with the page, because its content never changes.
  {name: 'magic', title: 'Magic values', render: () => undefined},
]
