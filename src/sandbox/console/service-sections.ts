// The sections of the console about the service: customers, accounts, transactions and rules.
import {renderCode, renderCodeWords} from '../../web/format.ts'
import {type Content, html, type Html} from '../../web/html.ts'
import {findNextFiring} from '../service/rules/firing.ts'
import {parseTemplate, parseTrigger, type RuleRow} from '../service/rules/rule-store.ts'
import {renderStatus, renderTable, renderTime, toConsoleUrl} from './table.ts'
import {type ConsoleView, describeNewest, formatDistance} from './view.ts'
import {formatBalances} from '../../values/text.ts'

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
