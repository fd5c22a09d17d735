// The sections of the console: clock, queue, webhooks, requests, faults and snapshots of the sandbox, and then customers, accounts,
// transactions and rules of the service.
import {formatBalances} from '../../values/text.ts'
import {renderCode, renderCodeWords} from '../../web/format.ts'
import {type Content, type Html, html} from '../../web/html.ts'
import {type Behaviours, behaviourFields} from '../service/faults/behaviour-table.ts'
import {findNextFiring} from '../service/rules/firing.ts'
import {type RuleRow, parseTemplate, parseTrigger} from '../service/rules/rule-store.ts'
import {
  type ConsoleView,
  describeNewest,
  formatDistance,
  formatRoundedUp,
  renderRowButton,
  renderStatus,
  renderTable,
  renderTime,
  toConsoleUrl,
} from './table.ts'

export function renderClock({state: {clock: status, queue}}: ConsoleView): Html {
  const {offsetMs} = status
  const ahead = offsetMs < 1_000 ? 'In step with real time.' : `${formatRoundedUp(offsetMs)} ahead of real time.`
  return html`<div id="clock" data-live class="clock">
    <p class="now">${renderTime(status.now)} <span class="zone">UTC</span></p>
    <p>
      ${status.frozen ? renderStatus('FROZEN') : renderStatus('RUNNING')} ${ahead} Tasks in the queue: ${queue.waiting}.
    </p>
  </div>`
}

// The fields of a payload that name what a task is about.
const subjects = ['customerId', 'transactionId', 'ruleId', 'deliveryId']

const findSubject = (payload: Readonly<Record<string, unknown>>) =>
  subjects.map((name) => payload[name]).find((value) => typeof value === 'string') ?? ''

export const renderQueue = ({context, state}: ConsoleView): Html =>
  renderTable({
    id: 'queue',
    caption: 'Queue: what happens next',
    headers: ['Due', 'When', 'Task', 'About'],
    rows: state.queue.tasks.map(({due, kind, payload}) => [
      renderTime(due),
      formatDistance(due - context.now),
      kind,
      renderCode(findSubject(payload)),
    ]),
    empty: 'The queue is empty.',
  })

export const renderEndpoints = ({state, forms}: ConsoleView): Html =>
  renderTable({
    id: 'endpoints',
    caption: 'Webhook endpoints',
    headers: ['URL', 'Status', 'Copies', 'Reordered', 'ID', 'Action'],
    rows: state.endpoints.map(({endpointId, url, status, copies, reorder}) => [
      url,
      renderStatus(status),
      copies,
      reorder ? 'yes' : 'no',
      renderCode(endpointId),
      renderRowButton(forms, 'webhooks-remove', {name: 'id', value: endpointId, label: 'Remove', about: url}),
    ]),
    empty: 'There are no webhook endpoints.',
  })

export const renderDeliveries = ({state, forms}: ConsoleView): Html =>
  renderTable({
    id: 'deliveries',
    caption: describeNewest('deliveries'),
    headers: ['Created', 'Event', 'Status', 'Attempts', 'Last result', 'Next attempt', 'To', 'Action'],
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
    empty: 'There are no deliveries yet.',
  })

const roundToTenth = (ms: number) => Math.round(ms * 10) / 10

export const renderRequests = ({state}: ConsoleView): Html =>
  renderTable({
    id: 'requests-table',
    caption: describeNewest('requests'),
    headers: ['Time', 'Request', 'Status', 'ms', 'Fault', 'Bodies'],
    rows: state.requests.map(({seq, at, method, path, status, durationMs, fault, request, reply}) => [
      renderTime(at),
      html`${method} ${renderCode(path)}`,
      status === 0 ? 'none' : status,
      roundToTenth(durationMs),
      fault,
      (request !== undefined || reply !== undefined) &&
        html`<details id="request-${seq}">
          <summary id="bodies-${seq}">Show<span class="unseen"> the bodies of ${method} ${path}</span></summary>
          <pre>${[request, reply].map((body) => body !== undefined && `${JSON.stringify(body, null, 1)}\n`)}</pre>
        </details>`,
    ]),
    empty: 'There are no requests yet.',
  })

export const renderFaults = ({state, forms}: ConsoleView): Html =>
  renderTable({
    id: 'faults-table',
    caption: 'Faults',
    headers: ['Kind', 'Requests', 'Times', 'Applied', 'ID', 'Action'],
    rows: state.faults.map(({faultId, kind, method, path, times, acted}) => [
      kind,
      html`${method} ${renderCode(path)}`,
      times ?? 'always',
      acted,
      renderCode(faultId),
      renderRowButton(forms, 'faults-clear', {name: 'id', value: faultId, label: 'Clear', about: `${kind} on ${path}`}),
    ]),
    empty: 'There are no faults.',
  })

export const renderBehaviours = ({state: {behaviours}}: ConsoleView): Html =>
  html`<p id="behaviours" data-live>
    ${Object.entries(behaviours).map(([name, value]) => {
      const {label, type} = behaviourFields[name as keyof Behaviours]
      return `${label}: ${value}${type === 'seconds' ? ' s' : ''}. `
    })}
  </p>`

export const renderSnapshots = ({state, forms}: ConsoleView): Html =>
  renderTable({
    id: 'snapshots-table',
    caption: 'Snapshots',
    headers: ['Name', 'Saved', 'Bytes', 'Compare', 'Action'],
    rows: state.snapshots.map(({name, savedAt, bytes}) => [
      name,
      renderTime(savedAt),
      bytes,
      html`<a id="diff-${name}" href="${toConsoleUrl({...forms.selection, since: name}, 'snapshots')}"
        >Show changes<span class="unseen"> since ${name}</span></a
      >`,
      renderRowButton(forms, 'snapshot-restore', {name: 'name', value: name, label: 'Restore', about: name}),
    ]),
    empty: 'There are no snapshots.',
  })

const renderCustomerLink = ({state, forms}: ConsoleView, customerId: string, idPrefix: string): Html =>
  html`<a id="${idPrefix}-${customerId}" href="${toConsoleUrl({...forms.selection, customer: customerId}, 'accounts')}"
    >${state.getCustomerName(customerId)}</a
  >`

const renderIssueCodes = ({
  verificationIssues: issues = [],
}: {
  verificationIssues?: readonly {code: string}[] | undefined
}): Content => issues.map((issue) => html`<div>${renderCodeWords(issue.code)}</div>`)

export const renderCounts = ({state}: ConsoleView): Html =>
  html`<p id="counts" data-live>
    ${Object.entries(state.counts).map(([status, count]) => html`${renderStatus(status)} ${count} `)}
  </p>`

export const renderCustomers = (view: ConsoleView): Html =>
  renderTable({
    id: 'customers-table',
    caption: describeNewest('customers'),
    headers: ['Name', 'Status', 'Type', 'Issues', 'Updated', 'Form', 'ID'],
    rows: view.state.customers.map((customer) => [
      renderCustomerLink(view, customer.customerId, 'customer'),
      renderStatus(customer.customerStatus),
      customer.customerType,
      renderIssueCodes(customer),
      renderTime(customer.updatedAt),
      html`<a id="form-${customer.customerId}" href="${customer.verificationLink}"
        >Form<span class="unseen"> of ${customer.name}</span></a
      >`,
      renderCode(customer.customerId),
    ]),
    empty: 'There are no customers.',
  })

export const renderFilterNote = ({state: {customer}, forms}: ConsoleView): Content =>
  customer &&
  html`<p class="only">
    Accounts, transactions and rules of <strong>${customer.name}</strong> only.
    <a href="${toConsoleUrl({...forms.selection, customer: undefined, account: undefined}, 'accounts')}">Show all</a>
  </p>`

export const renderAccounts = (view: ConsoleView): Html =>
  renderTable({
    id: 'accounts-table',
    caption: view.state.customer ? 'Accounts of the customer' : describeNewest('accounts'),
    headers: ['Account', 'Customer', 'Type', 'Status', 'Balance', 'ID'],
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
            href="${toConsoleUrl({...view.forms.selection, account: account.paymentAccountId}, 'fund')}"
            >${renderCode(account.paymentAccountId)}</a
          >`,
    ]),
    empty: 'There are no accounts.',
  })

export const renderTransactions = (view: ConsoleView): Html =>
  renderTable({
    id: 'transactions-table',
    caption: view.state.customer ? 'Transactions of the customer' : describeNewest('transactions'),
    headers: ['Created', 'Customer', 'Status', 'From', 'To', 'ID'],
    rows: view.state.transactions.map(({transactionId, source, destination, ...rest}) => [
      renderTime(rest.createdAt),
      renderCustomerLink(view, rest.customerId, `payer-${transactionId}`),
      renderStatus(rest.transactionStatus),
      `${source.sourceAmount} ${source.sourceCurrency.label} (${source.sourcePaymentMethod})`,
      `${destination.destinationAmount ?? '?'} ${destination.destinationCurrency.label} (${destination.destinationPaymentMethod})`,
      html`<a
        id="settle-${transactionId}"
        href="${toConsoleUrl({...view.forms.selection, transaction: transactionId}, 'settle')}"
        >${renderCode(transactionId)}</a
      >`,
    ]),
    empty: 'There are no transactions.',
  })

function renderNextFiring({context}: ConsoleView, row: RuleRow): Content {
  const trigger = parseTrigger(row)
  if (trigger.type !== 'TIME_BASED') {
    return `when the balance reaches ${trigger.thresholdAmount}${row.isArmed ? '' : ' again'}`
  }
  const due = findNextFiring(context.database, row.ruleId)
  return due === undefined ? 'never' : html`${renderTime(due)} (${formatDistance(due - context.now)})`
}

export const renderRules = (view: ConsoleView): Html =>
  renderTable({
    id: 'rules-table',
    caption: view.state.customer ? 'Rules of the customer' : describeNewest('rules'),
    headers: ['Rule', 'Customer', 'Fires next', 'Times fired', 'Last fired', 'Amount', 'ID'],
    rows: view.state.rules.map((row) => {
      const {amount, source} = parseTemplate(row)
      return [
        row.name,
        renderCustomerLink(view, row.customerId, `rule-customer-${row.ruleId}`),
        renderNextFiring(view, row),
        row.firedCount,
        html`${renderTime(row.lastFiredAt ?? undefined)} ${row.lastRefusal}`,
        amount.type === 'FLAT' ? `${amount.value} ${source.sourceCurrency}` : `${amount.value} %`,
        renderCode(row.ruleId),
      ]
    }),
    empty: 'There are no rules.',
  })
