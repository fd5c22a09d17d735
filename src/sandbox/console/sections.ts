// What each section of the console shows: clock and queue, customers, money, rules, webhooks, requests, faults, copies.
import {type Content, html, type Html} from '../pages/html.ts'
import {findNextFiring} from '../rules/firing.ts'
import {parseTemplate, parseTrigger, type RuleRow} from '../rules/rule-store.ts'
import type {RequestContext} from '../request-context.ts'
import type {SectionName} from './action.ts'
import {type ConsoleState, rowsMax} from './state.ts'
import {
  toConsoleUrl,
  renderCode,
  type FormContext,
  renderStatus,
  renderRowButton,
  renderTable,
  renderTime,
} from './table.ts'

export interface ConsoleView {
  context: RequestContext
  state: ConsoleState
  forms: FormContext
}

export interface Section {
  name: SectionName
  title: string
  render: (view: ConsoleView) => Content
  // What stands below the buttons.
  renderBelow?: (view: ConsoleView) => Content
}

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

// How far off something is, in its largest unit.
function formatDuration(ms: number): string {
  const [size, unit] =
    ms >= dayMs ? [dayMs, 'd'] : ms >= hourMs ? [hourMs, 'h'] : ms >= minuteMs ? [minuteMs, 'min'] : [secondMs, 's']
  return `${Math.ceil(ms / size)} ${unit}`
}

const formatDistance = (ms: number) => (ms <= 0 ? 'due' : `in ${formatDuration(ms)}`)

const describeNewest = (what: string) => `The newest ${rowsMax} ${what}`

const renderCustomerLink = ({state, forms}: ConsoleView, customerId: string, place: string): Html =>
  html`<a id="${place}-${customerId}" href="${toConsoleUrl({...forms.chosen, customer: customerId}, 'accounts')}"
    >${state.getCustomerName(customerId)}</a
  >`

function renderClock({state: {clock: status, queue}}: ConsoleView): Html {
  const {offsetMs} = status
  const ahead = offsetMs < secondMs ? 'As the wall has it.' : `${formatDuration(offsetMs)} ahead of the wall.`
  return html`<div id="clock" data-live class="clock">
    <p class="now">${renderTime(status.now)} <span class="zone">UTC</span></p>
    <p>${status.frozen ? renderStatus('FROZEN') : renderStatus('RUNNING')} ${ahead} ${queue.waiting} waiting.</p>
  </div>`
}

// What a task is about, as its payload names it.
const subjects = ['customerId', 'transactionId', 'ruleId', 'deliveryId']

const findSubject = (payload: Readonly<Record<string, unknown>>) =>
  subjects.map((name) => payload[name]).find((value) => typeof value === 'string') ?? ''

const renderQueue = ({context, state}: ConsoleView): Html =>
  renderTable({
    id: 'queue',
    caption: 'The queue: what happens next',
    headers: ['Due', 'When', 'What', 'Of'],
    rows: state.queue.tasks.map(({due, kind, payload}) => [
      renderTime(due),
      formatDistance(due - context.now),
      kind,
      renderCode(findSubject(payload)),
    ]),
    empty: 'Nothing waits.',
  })

const listIssueCodes = ({
  verificationIssues: issues = [],
}: {
  verificationIssues?: readonly {code: string}[] | undefined
}) => issues.map((issue) => issue.code).join(', ')

const renderCounts = ({state}: ConsoleView): Html =>
  html`<p id="counts" data-live>
    ${Object.entries(state.counts).map(([status, count]) => html`${renderStatus(status)} ${count} `)}
  </p>`

const renderCustomers = (view: ConsoleView): Html =>
  renderTable({
    id: 'customers-table',
    caption: describeNewest('customers'),
    headers: ['Name', 'Status', 'Type', 'Issues', 'Updated', 'Form', 'Id'],
    rows: view.state.customers.map((customer) => [
      renderCustomerLink(view, customer.customerId, 'customer'),
      renderStatus(customer.customerStatus),
      customer.customerType,
      listIssueCodes(customer),
      renderTime(customer.updatedAt),
      html`<a id="form-${customer.customerId}" href="${customer.verificationLink}"
        >Form<span class="unseen"> of ${customer.name}</span></a
      >`,
      renderCode(customer.customerId),
    ]),
    empty: 'There are no customers.',
  })

const formatBalances = (balances: Readonly<Record<string, string>>) =>
  Object.entries(balances)
    .map(([currency, amount]) => `${amount} ${currency}`)
    .join(', ')

const renderFilterNote = ({state: {customer}, forms}: ConsoleView): Content =>
  customer &&
  html`<p class="only">
    Only of <strong>${customer.name}</strong>, as transactions and rules are.
    <a href="${toConsoleUrl({...forms.chosen, customer: undefined, account: undefined}, 'accounts')}">Show all</a>
  </p>`

const renderAccounts = (view: ConsoleView): Html =>
  renderTable({
    id: 'accounts-table',
    caption: view.state.customer ? 'Accounts of the customer' : describeNewest('accounts'),
    headers: ['Account', 'Of', 'Kind', 'Status', 'Balance', 'Id'],
    rows: view.state.accounts.map((account) => [
      account.nickname,
      renderCustomerLink(view, account.customerId, `owner-${account.paymentAccountId || account.nickname}`),
      account.paymentAccountType,
      renderStatus(account.paymentAccountStatus),
      formatBalances(account.balances),
      account.bankAccountFormLink
        ? html`<a href="${account.bankAccountFormLink}">Form<span class="unseen"> of ${account.nickname}</span></a>`
        : html`<a
            id="fund-${account.paymentAccountId}"
            href="${toConsoleUrl({...view.forms.chosen, account: account.paymentAccountId}, 'fund')}"
            >${renderCode(account.paymentAccountId)}</a
          >`,
    ]),
    empty: 'There are no accounts.',
  })

const renderTransactions = (view: ConsoleView): Html =>
  renderTable({
    id: 'transactions-table',
    caption: view.state.customer ? 'Transactions of the customer' : describeNewest('transactions'),
    headers: ['Created', 'Of', 'Status', 'From', 'To', 'Id'],
    rows: view.state.transactions.map(({transactionId, source, destination, ...rest}) => [
      renderTime(rest.createdAt),
      renderCustomerLink(view, rest.customerId, `payer-${transactionId}`),
      renderStatus(rest.transactionStatus),
      `${source.sourceAmount} ${source.sourceCurrency.label} (${source.sourcePaymentMethod})`,
      `${destination.destinationAmount ?? '?'} ${destination.destinationCurrency.label} (${destination.destinationPaymentMethod})`,
      html`<a
        id="settle-${transactionId}"
        href="${toConsoleUrl({...view.forms.chosen, transaction: transactionId}, 'settle')}"
        >${renderCode(transactionId)}</a
      >`,
    ]),
    empty: 'There are no transactions.',
  })

function renderNextFiring({context}: ConsoleView, row: RuleRow): Content {
  const trigger = parseTrigger(row)
  if (trigger.type !== 'TIME_BASED') {
    return `when the balance reaches ${trigger.thresholdAmount}${row.isArmed ? '' : ', after it was below'}`
  }
  const due = findNextFiring(context.database, row.ruleId)
  return due === undefined ? 'never' : html`${renderTime(due)} (${formatDistance(due - context.now)})`
}

const renderRules = (view: ConsoleView): Html =>
  renderTable({
    id: 'rules-table',
    caption: view.state.customer ? 'Rules of the customer' : describeNewest('rules'),
    headers: ['Rule', 'Of', 'Fires next', 'Fired', 'Last', 'Moves', 'Id'],
    rows: view.state.rules.map((row) => {
      const {amount, source} = parseTemplate(row)
      return [
        row.name,
        renderCustomerLink(view, row.customerId, `ruler-${row.ruleId}`),
        renderNextFiring(view, row),
        row.firedCount,
        html`${renderTime(row.lastFiredAt ?? undefined)} ${row.lastRefusal}`,
        amount.type === 'FLAT' ? `${amount.value} ${source.sourceCurrency}` : `${amount.value} %`,
        renderCode(row.ruleId),
      ]
    }),
    empty: 'There are no rules.',
  })

const renderEndpoints = ({state, forms}: ConsoleView): Html =>
  renderTable({
    id: 'endpoints',
    caption: 'Webhook endpoints',
    headers: ['Address', 'Status', 'Copies', 'Swapped', 'Id', 'Do'],
    rows: state.endpoints.map(({endpointId, url, status, copies, reorder}) => [
      url,
      renderStatus(status),
      copies,
      reorder ? 'yes' : 'no',
      renderCode(endpointId),
      renderRowButton(forms, 'webhooks-remove', {name: 'id', value: endpointId, label: 'Remove', about: url}),
    ]),
    empty: 'Nobody is told of events.',
  })

const renderDeliveries = ({state, forms}: ConsoleView): Html =>
  renderTable({
    id: 'deliveries',
    caption: describeNewest('deliveries'),
    headers: ['Created', 'Event', 'Status', 'Attempts', 'Last', 'Next', 'To', 'Do'],
    rows: state.deliveries.map((delivery) => [
      renderTime(delivery.createdAt),
      html`${delivery.type} ${renderCode(delivery.eventId)}`,
      renderStatus(delivery.status),
      delivery.attempts,
      delivery.lastOutcome,
      renderTime(delivery.nextAttemptAt),
      delivery.url,
      renderRowButton(forms, 'webhooks-resend', {
        name: 'id',
        value: delivery.deliveryId,
        label: 'Send again',
        about: delivery.deliveryId,
      }),
    ]),
    empty: 'Nothing was delivered yet.',
  })

const tenth = 10

const renderRequests = ({state}: ConsoleView): Html =>
  renderTable({
    id: 'requests-table',
    caption: describeNewest('requests'),
    headers: ['At', 'Request', 'Status', 'ms', 'Fault', 'Bodies'],
    rows: state.requests.map(({seq, at, method, path, status, durationMs, fault, request, reply}) => [
      renderTime(at),
      html`${method} ${renderCode(path)}`,
      status === 0 ? 'none' : status,
      Math.round(durationMs * tenth) / tenth,
      fault,
      (request !== undefined || reply !== undefined) &&
        html`<details id="request-${seq}">
          <summary id="bodies-${seq}">Show<span class="unseen"> the bodies of ${method} ${path}</span></summary>
          <pre>${[request, reply].map((body) => body !== undefined && `${JSON.stringify(body, null, 1)}\n`)}</pre>
        </details>`,
    ]),
    empty: 'Nothing was asked yet.',
  })

const renderFaults = ({state, forms}: ConsoleView): Html =>
  renderTable({
    id: 'faults-table',
    caption: 'Faults',
    headers: ['Kind', 'Requests', 'Times', 'Acted', 'Id', 'Do'],
    rows: state.faults.map(({faultId, kind, method, path, times, acted}) => [
      kind,
      html`${method} ${renderCode(path)}`,
      times ?? 'always',
      acted,
      renderCode(faultId),
      renderRowButton(forms, 'faults-clear', {name: 'id', value: faultId, label: 'Clear', about: `${kind} on ${path}`}),
    ]),
    empty: 'Nothing goes wrong on purpose.',
  })

const renderBehaviours = ({state: {behaviours: set}}: ConsoleView): Html =>
  html`<p id="behaviours" data-live>
    A reused key: ${set.idempotency}. Uses of a quote: ${set.quoteUse}. Expired quotes: ${set.expiredQuotes}. Lag of
    lists: ${set.listLagSeconds} s. Tier: ${set.tier}.
  </p>`

const renderSnapshots = ({state, forms}: ConsoleView): Html =>
  renderTable({
    id: 'copies-table',
    caption: 'Copies of the sandbox',
    headers: ['Name', 'Saved at', 'Bytes', 'Compare', 'Do'],
    rows: state.snapshots.map(({name, savedAt, bytes}) => [
      name,
      renderTime(savedAt),
      bytes,
      html`<a id="diff-${name}" href="${toConsoleUrl({...forms.chosen, since: name}, 'copies')}"
        >What has changed<span class="unseen"> since ${name}</span></a
      >`,
      renderRowButton(forms, 'snapshot-restore', {name: 'name', value: name, label: 'Go back', about: `to ${name}`}),
    ]),
    empty: 'There are no copies.',
  })

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
  {name: 'copies', title: 'Copies, and a new beginning', render: renderSnapshots},
  // What it says never changes, so it comes with the page.
  {name: 'magic', title: 'Magic values', render: () => undefined},
]
