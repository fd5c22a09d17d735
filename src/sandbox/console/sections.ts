// What each section of the console shows: clock and queue, customers, money, rules, webhooks, requests, faults, copies.
import {type Content, html, type Html} from '../pages/html.ts'
import {findNextFiring} from '../rules/firing.ts'
import {parseTemplate, parseTrigger, type RuleRow} from '../rules/rule-store.ts'
import type {RequestContext} from '../request-context.ts'
import type {SectionName} from './action.ts'
import {type ConsoleState, rowsMax} from './state.ts'
import {addressOf, code, type Desk, mark, rowButton, table, when} from './table.ts'

export interface Shown {
  turn: RequestContext
  state: ConsoleState
  desk: Desk
}

export interface Section {
  name: SectionName
  title: string
  parts: (shown: Shown) => Content
  // What stands below the buttons.
  below?: (shown: Shown) => Content
}

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

// How far off something is, in its largest unit.
function lengthOf(ms: number): string {
  const [size, unit] =
    ms >= dayMs ? [dayMs, 'd'] : ms >= hourMs ? [hourMs, 'h'] : ms >= minuteMs ? [minuteMs, 'min'] : [secondMs, 's']
  return `${Math.ceil(ms / size)} ${unit}`
}

const distance = (ms: number) => (ms <= 0 ? 'due' : `in ${lengthOf(ms)}`)

const newest = (what: string) => `The newest ${rowsMax} ${what}`

const person = ({state, desk}: Shown, customerId: string, place: string): Html =>
  html`<a id="${place}-${customerId}" href="${addressOf({...desk.chosen, customer: customerId}, 'accounts')}"
    >${state.nameOf(customerId)}</a
  >`

function clock({state: {clock: status, queue}}: Shown): Html {
  const {offsetMs} = status
  const ahead = offsetMs < secondMs ? 'As the wall has it.' : `${lengthOf(offsetMs)} ahead of the wall.`
  return html`<div id="clock" data-live class="clock">
    <p class="now">${when(status.now)} <span class="zone">UTC</span></p>
    <p>${status.frozen ? mark('FROZEN') : mark('RUNNING')} ${ahead} ${queue.waiting} waiting.</p>
  </div>`
}

// What a task is about, as its payload names it.
const subjects = ['customerId', 'transactionId', 'ruleId', 'deliveryId']

const subjectOf = (payload: Readonly<Record<string, unknown>>) =>
  subjects.map((name) => payload[name]).find((value) => typeof value === 'string') ?? ''

const queue = ({turn, state}: Shown): Html =>
  table({
    id: 'queue',
    caption: 'The queue: what happens next',
    headers: ['Due', 'When', 'What', 'Of'],
    rows: state.queue.tasks.map(({due, kind, payload}) => [
      when(due),
      distance(due - turn.now),
      kind,
      code(subjectOf(payload)),
    ]),
    empty: 'Nothing waits.',
  })

const issuesOf = ({verificationIssues: issues = []}: {verificationIssues?: readonly {code: string}[] | undefined}) =>
  issues.map((issue) => issue.code).join(', ')

const counts = ({state}: Shown): Html =>
  html`<p id="counts" data-live>
    ${Object.entries(state.counts).map(([status, count]) => html`${mark(status)} ${count} `)}
  </p>`

const customers = (shown: Shown): Html =>
  table({
    id: 'customers-table',
    caption: newest('customers'),
    headers: ['Name', 'Status', 'Type', 'Issues', 'Updated', 'Form', 'Id'],
    rows: shown.state.customers.map((customer) => [
      person(shown, customer.customerId, 'customer'),
      mark(customer.customerStatus),
      customer.customerType,
      issuesOf(customer),
      when(customer.updatedAt),
      html`<a id="form-${customer.customerId}" href="${customer.verificationLink}"
        >Form<span class="unseen"> of ${customer.name}</span></a
      >`,
      code(customer.customerId),
    ]),
    empty: 'There are no customers.',
  })

const sums = (balances: Readonly<Record<string, string>>) =>
  Object.entries(balances)
    .map(([currency, amount]) => `${amount} ${currency}`)
    .join(', ')

const onlyOf = ({state: {customer}, desk}: Shown): Content =>
  customer &&
  html`<p class="only">
    Only of <strong>${customer.name}</strong>, as transactions and rules are.
    <a href="${addressOf({...desk.chosen, customer: undefined, account: undefined}, 'accounts')}">Show all</a>
  </p>`

const accounts = (shown: Shown): Html =>
  table({
    id: 'accounts-table',
    caption: shown.state.customer ? 'Accounts of the customer' : newest('accounts'),
    headers: ['Account', 'Of', 'Kind', 'Status', 'Balance', 'Id'],
    rows: shown.state.accounts.map((account) => [
      account.nickname,
      person(shown, account.customerId, `owner-${account.paymentAccountId || account.nickname}`),
      account.paymentAccountType,
      mark(account.paymentAccountStatus),
      sums(account.balances),
      account.bankAccountFormLink
        ? html`<a href="${account.bankAccountFormLink}">Form<span class="unseen"> of ${account.nickname}</span></a>`
        : html`<a
            id="fund-${account.paymentAccountId}"
            href="${addressOf({...shown.desk.chosen, account: account.paymentAccountId}, 'fund')}"
            >${code(account.paymentAccountId)}</a
          >`,
    ]),
    empty: 'There are no accounts.',
  })

const transactions = (shown: Shown): Html =>
  table({
    id: 'transactions-table',
    caption: shown.state.customer ? 'Transactions of the customer' : newest('transactions'),
    headers: ['Created', 'Of', 'Status', 'From', 'To', 'Id'],
    rows: shown.state.transactions.map(({transactionId, source, destination, ...rest}) => [
      when(rest.createdAt),
      person(shown, rest.customerId, `payer-${transactionId}`),
      mark(rest.transactionStatus),
      `${source.sourceAmount} ${source.sourceCurrency.label} (${source.sourcePaymentMethod})`,
      `${destination.destinationAmount ?? '?'} ${destination.destinationCurrency.label} (${destination.destinationPaymentMethod})`,
      html`<a
        id="settle-${transactionId}"
        href="${addressOf({...shown.desk.chosen, transaction: transactionId}, 'settle')}"
        >${code(transactionId)}</a
      >`,
    ]),
    empty: 'There are no transactions.',
  })

function firing({turn}: Shown, row: RuleRow): Content {
  const trigger = parseTrigger(row)
  if (trigger.type !== 'TIME_BASED') {
    return `when the balance reaches ${trigger.thresholdAmount}${row.isArmed ? '' : ', after it was below'}`
  }
  const due = findNextFiring(turn.database, row.ruleId)
  return due === undefined ? 'never' : html`${when(due)} (${distance(due - turn.now)})`
}

const rules = (shown: Shown): Html =>
  table({
    id: 'rules-table',
    caption: shown.state.customer ? 'Rules of the customer' : newest('rules'),
    headers: ['Rule', 'Of', 'Fires next', 'Fired', 'Last', 'Moves', 'Id'],
    rows: shown.state.rules.map((row) => {
      const {amount, source} = parseTemplate(row)
      return [
        row.name,
        person(shown, row.customerId, `ruler-${row.ruleId}`),
        firing(shown, row),
        row.firedCount,
        html`${when(row.lastFiredAt ?? undefined)} ${row.lastRefusal}`,
        amount.type === 'FLAT' ? `${amount.value} ${source.sourceCurrency}` : `${amount.value} %`,
        code(row.ruleId),
      ]
    }),
    empty: 'There are no rules.',
  })

const endpoints = ({state, desk}: Shown): Html =>
  table({
    id: 'endpoints',
    caption: 'Webhook endpoints',
    headers: ['Address', 'Status', 'Copies', 'Swapped', 'Id', 'Do'],
    rows: state.endpoints.map(({endpointId, url, status, copies, reorder}) => [
      url,
      mark(status),
      copies,
      reorder ? 'yes' : 'no',
      code(endpointId),
      rowButton(desk, 'webhooks-remove', {name: 'id', value: endpointId, label: 'Remove', about: url}),
    ]),
    empty: 'Nobody is told of events.',
  })

const deliveries = ({state, desk}: Shown): Html =>
  table({
    id: 'deliveries',
    caption: newest('deliveries'),
    headers: ['Created', 'Event', 'Status', 'Attempts', 'Last', 'Next', 'To', 'Do'],
    rows: state.deliveries.map((delivery) => [
      when(delivery.createdAt),
      html`${delivery.type} ${code(delivery.eventId)}`,
      mark(delivery.status),
      delivery.attempts,
      delivery.lastOutcome,
      when(delivery.nextAttemptAt),
      delivery.url,
      rowButton(desk, 'webhooks-resend', {
        name: 'id',
        value: delivery.deliveryId,
        label: 'Send again',
        about: delivery.deliveryId,
      }),
    ]),
    empty: 'Nothing was delivered yet.',
  })

const tenth = 10

const requests = ({state}: Shown): Html =>
  table({
    id: 'requests-table',
    caption: newest('requests'),
    headers: ['At', 'Request', 'Status', 'ms', 'Fault', 'Bodies'],
    rows: state.requests.map(({seq, at, method, path, status, durationMs, fault, request, reply}) => [
      when(at),
      html`${method} ${code(path)}`,
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

const faults = ({state, desk}: Shown): Html =>
  table({
    id: 'faults-table',
    caption: 'Faults',
    headers: ['Kind', 'Requests', 'Times', 'Acted', 'Id', 'Do'],
    rows: state.faults.map(({faultId, kind, method, path, times, acted}) => [
      kind,
      html`${method} ${code(path)}`,
      times ?? 'always',
      acted,
      code(faultId),
      rowButton(desk, 'faults-clear', {name: 'id', value: faultId, label: 'Clear', about: `${kind} on ${path}`}),
    ]),
    empty: 'Nothing goes wrong on purpose.',
  })

const behaviours = ({state: {behaviours: set}}: Shown): Html =>
  html`<p id="behaviours" data-live>
    A reused key: ${set.idempotency}. Uses of a quote: ${set.quoteUse}. Expired quotes: ${set.expiredQuotes}. Lag of
    lists: ${set.listLagSeconds} s. Tier: ${set.tier}.
  </p>`

const copies = ({state, desk}: Shown): Html =>
  table({
    id: 'copies-table',
    caption: 'Copies of the sandbox',
    headers: ['Name', 'Saved at', 'Bytes', 'Compare', 'Do'],
    rows: state.snapshots.map(({name, savedAt, bytes}) => [
      name,
      when(savedAt),
      bytes,
      html`<a id="diff-${name}" href="${addressOf({...desk.chosen, since: name}, 'copies')}"
        >What has changed<span class="unseen"> since ${name}</span></a
      >`,
      rowButton(desk, 'snapshot-restore', {name: 'name', value: name, label: 'Go back', about: `to ${name}`}),
    ]),
    empty: 'There are no copies.',
  })

export const sections: readonly Section[] = [
  {name: 'time', title: 'Clock and queue', parts: clock, below: queue},
  {name: 'customers', title: 'Customers', parts: (shown) => [counts(shown), customers(shown)]},
  {name: 'accounts', title: 'Accounts and balances', parts: (shown) => [onlyOf(shown), accounts(shown)]},
  {name: 'transactions', title: 'Transactions', parts: transactions},
  {name: 'rules', title: 'Rules', parts: rules},
  {name: 'webhooks', title: 'Webhooks and deliveries', parts: (shown) => [endpoints(shown), deliveries(shown)]},
  {name: 'requests', title: 'Requests', parts: requests},
  {name: 'faults', title: 'Faults and behaviours', parts: (shown) => [behaviours(shown), faults(shown)]},
  {name: 'copies', title: 'Copies, and a new beginning', parts: copies},
  // What it says never changes, so it comes with the page.
  {name: 'magic', title: 'Magic values', parts: () => undefined},
]
