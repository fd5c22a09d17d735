// The transactions, and the page of one: what moved, for which price, and its statuses over time.
import {Big} from 'big.js'
import {roundDecimal, roundRate} from '../../../values/currencies.ts'
import {addAmounts, describeArrival, parsePositiveDecimal} from '../../../values/money.ts'
import {readText} from '../../../values/records.ts'
import {readCode, getCurrencyLabel} from '../../../contract/loose.ts'
import {transactionStatuses} from '../../../contract/transactions.ts'
import {type Content, html} from '../../html.ts'
import {type ConsoleContext, type ConsolePage, paths, readNewest, tryRead} from '../context.ts'
import {formatLag, formatMoney, getTone, renderCode, renderStatus, renderTime, toText, toTime} from '../../format.ts'
import {
  type Column,
  type Moment,
  renderCard,
  renderFacts,
  renderOutcome,
  renderTable,
  renderTimeline,
  renderTransactionLink,
} from '../../parts.ts'
import type {JournalPayment, LooseTransaction, StatusChange} from '../source.ts'
import {
  type CustomerNames,
  createCustomerNameColumns,
  findCustomerNames,
  renderList,
  renderOwnerLink,
  renderOwnerNote,
  renderItem,
  renderPartyLink,
} from './list-page.ts'

export const formatSource = (t: LooseTransaction) => formatMoney(t.source?.sourceAmount, t.source?.sourceCurrency)

const formatRoute = ({source, destination}: LooseTransaction) =>
  [toText(source?.sourcePaymentMethod), toText(destination?.destinationPaymentMethod)].filter(Boolean).join(' → ')

const finalStatuses = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'])
const isFinal = (status: unknown) => finalStatuses.has(readCode(status))

// What a transaction that goes on has as received may change until it is completed.
function formatDestination({transactionStatus: status, destination}: LooseTransaction): string {
  const money = formatMoney(destination?.destinationAmount, destination?.destinationCurrency)
  return isFinal(status) || toText(destination?.destinationAmount) === '' ? money : describeArrival(money, undefined)
}

const formatTook = ({transactionStatus, createdAt, updatedAt}: LooseTransaction) => {
  const [from, to] = [toTime(createdAt), toTime(updatedAt)]
  return from === undefined || to === undefined || to < from || !isFinal(transactionStatus) ? '' : formatLag(to - from)
}

const createTransactionColumns = (context: ConsoleContext, names?: CustomerNames): Column<LooseTransaction>[] => [
  {header: 'Created (UTC)', render: ({createdAt}) => renderTime(createdAt)},
  ...createCustomerNameColumns(context, names),
  {header: 'Status', render: ({transactionStatus}) => renderStatus(transactionStatus)},
  {header: 'Sent', render: formatSource, isNumber: true},
  {header: 'Received', render: formatDestination, isNumber: true},
  {header: 'Route', render: formatRoute, isMinor: true},
  {header: 'Took', render: formatTook, isMinor: true, isShort: true},
  {
    header: 'ID',
    render: ({transactionId, customerId}) => renderTransactionLink(context, transactionId, customerId),
    isShort: true,
  },
]

export const renderTransactions = async (context: ConsoleContext): Promise<ConsolePage> => {
  const {source, query} = context
  const owner = query['customer']
  return renderList<LooseTransaction>(context, {
    command: 'svc transactions list --all',
    search: {
      label: 'Id, quote, account, reference or currency',
      choice: {name: 'status', label: 'Status', values: transactionStatuses},
      kept: {customer: owner},
    },
    listTexts: ({transactionId, quoteId, customerId, correlationId, source: from, destination: to}) => [
      transactionId,
      quoteId,
      customerId,
      correlationId,
      from?.sourcePaymentAccountId,
      from?.sourceReferenceId,
      from?.sourceAmount,
      from?.sourcePaymentMethod,
      getCurrencyLabel(from?.sourceCurrency),
      to?.destinationPaymentAccountId,
      to?.destinationReferenceId,
      to?.destinationAmount,
      to?.destinationPaymentMethod,
      getCurrencyLabel(to?.destinationCurrency),
    ],
    hasChoice: ({transactionStatus}, value) => readCode(transactionStatus) === value,
    readPage: (page) => source.listTransactions({...page, customerId: owner}),
    prepareColumns: async (items) => createTransactionColumns(context, await findCustomerNames(context, items)),
    empty: html`There are no transactions. <code>svc pay</code> makes one.`,
    above: owner && (await renderOwnerNote(context, owner)),
  })
}

export interface RelatedTransactions {
  title: string
  // Of the table.
  id: string
  query: {customerId?: string; paymentAccountId?: string}
  countMax: number
  empty: string
  note?: string
  // Shown if there are more than these.
  more?: Content
}

// The newest transactions of another item, on its page.
export async function renderRelatedTransactions(
  context: ConsoleContext,
  {title, id, query, countMax, empty, note, more}: RelatedTransactions,
): Promise<Content> {
  const read = await tryRead(context, () => context.source.listTransactions({...query, pageSize: countMax}))
  const render = renderOutcome(read, ({items, nextPageToken}) => [
    renderTable({
      id,
      caption: title,
      columns: createTransactionColumns(context),
      items: items.slice(0, countMax),
      empty,
    }),
    nextPageToken !== undefined && more,
  ])
  return renderCard(title, render, {note})
}

// A service without a history tells only when it was created and when it last changed.
function listStatuses(transaction: LooseTransaction, changes: readonly StatusChange[]): Moment[] {
  const {transactionStatus: status, createdAt, updatedAt, expiresAt} = transaction
  const first = changes[0]?.from
  const isUnchanged = toText(createdAt) === toText(updatedAt)
  const beginning: Moment = first
    ? {at: createdAt, what: html`Created as ${renderStatus(first)}`, tone: getTone(first)}
    : {at: createdAt, what: isUnchanged ? html`Created as ${renderStatus(status)}` : 'Created', tone: 'quiet'}
  const later: Moment[] = first
    ? changes.map(({at, to}) => ({at, what: renderStatus(to), tone: getTone(to)}))
    : isUnchanged
      ? []
      : [{at: updatedAt, what: renderStatus(status), tone: getTone(status)}]
  const deadline: Moment[] =
    toText(expiresAt) === '' || isFinal(status)
      ? []
      : [{at: expiresAt, what: 'Expires if no money has arrived', tone: 'open'}]
  return [beginning, ...later, ...deadline]
}

async function findTransaction({source, query}: ConsoleContext, id: string): Promise<LooseTransaction | undefined> {
  if (source.findTransaction) return source.findTransaction(id)
  const {items} = await readNewest(
    (page) => source.listTransactions({...page, customerId: query['customer']}),
    source.readMax,
  )
  return items.find(({transactionId}) => readText(transactionId).toLowerCase() === id.toLowerCase())
}

const renderPaymentLink = ({link}: ConsoleContext, {key}: JournalPayment): Content =>
  html`<a href="${link(paths.payment, {key})}"><code>${toText(key)}</code></a>`

// Such as "1 USDC is 0.9235 EUR", with the exact rate behind it.
function describeRate({source, destination}: LooseTransaction): Content {
  const rate = toText(destination?.exchangeRate)
  const [from, to] = [getCurrencyLabel(source?.sourceCurrency), getCurrencyLabel(destination?.destinationCurrency)]
  if (rate === '' || from === to) return ''
  return html`<span title="Exactly ${rate}">1 ${toText(from)} is ${roundRate(rate)} ${toText(to)}</span>`
}

// What both fees are of what was sent.
function describeFeeShare({source, fees}: LooseTransaction): string {
  const sent = parsePositiveDecimal(toText(source?.sourceAmount))
  const amounts = [fees?.svcFee?.feeAmount, fees?.developerFee?.feeAmount].map(toText).filter(Boolean)
  const charged = amounts.length > 0 ? addAmounts(amounts) : undefined
  const isSame = getCurrencyLabel(fees?.feeCurrency) === getCurrencyLabel(source?.sourceCurrency)
  if (!sent || sent.eq('0') || charged === undefined || !isSame) return ''
  return `${roundDecimal(new Big(charged).times('100').div(sent).toFixed(), 2)} % of what was sent`
}

async function renderMoneyCards(context: ConsoleContext, transaction: LooseTransaction): Promise<Content> {
  const {source, destination, fees} = transaction
  const [from, to] = await Promise.all([
    renderPartyLink(context, source?.sourcePaymentAccountId, transaction),
    renderPartyLink(context, destination?.destinationPaymentAccountId, transaction),
  ])
  return [
    renderCard(
      'From',
      renderFacts([
        ['Amount', formatSource(transaction)],
        ['Method', toText(source?.sourcePaymentMethod)],
        ['Account', from],
        ['Reference', toText(source?.sourceReferenceId) && renderCode(toText(source?.sourceReferenceId))],
      ]),
    ),
    renderCard(
      'To',
      renderFacts([
        ['Amount', formatDestination(transaction)],
        ['Method', toText(destination?.destinationPaymentMethod)],
        ['Payee', to],
        [
          'Reference',
          toText(destination?.destinationReferenceId) && renderCode(toText(destination?.destinationReferenceId)),
        ],
      ]),
    ),
    renderCard(
      'Price',
      renderFacts([
        ['Rate', describeRate(transaction)],
        ['Service fee', fees?.svcFee && formatMoney(fees.svcFee.feeAmount, fees.feeCurrency)],
        ['Developer fee', fees?.developerFee && formatMoney(fees.developerFee.feeAmount, fees.feeCurrency)],
        ['Both fees', describeFeeShare(transaction)],
      ]),
    ),
  ]
}

async function renderDetails(context: ConsoleContext, transaction: LooseTransaction): Promise<Content> {
  const {source} = context
  const [customer, payment] = await Promise.all([
    renderOwnerLink(context, transaction),
    tryRead(context, async () => source.journal?.findPaymentOf(readText(transaction.transactionId))),
  ])
  return renderFacts([
    ['ID', renderCode(toText(transaction.transactionId))],
    ['Customer', customer],
    ['Quote', renderCode(toText(transaction.quoteId))],
    ['Correlation', toText(transaction.correlationId) && renderCode(toText(transaction.correlationId))],
    ['Payment in the journal', payment.failure ?? (payment.value && renderPaymentLink(context, payment.value))],
    [
      'Transfer instructions',
      transaction.transferInstructions &&
        html`<code>svc transactions get ${toText(transaction.transactionId)}</code> shows them`,
    ],
  ])
}

export async function renderTransaction(context: ConsoleContext): Promise<ConsolePage> {
  const {source, query} = context
  const id = query['id'] ?? ''
  return renderItem(context, {
    find: () => findTransaction(context, id),
    missing: html`${renderCode(toText(id))} is not among the newest ${source.readMax} transactions.
      <code>svc transactions get</code> searches all of them.`,
    render: async (transaction) => {
      const [details, cards, changes] = await Promise.all([
        renderDetails(context, transaction),
        renderMoneyCards(context, transaction),
        tryRead(context, async () => (await source.listStatusChanges?.(id)) ?? []),
      ])
      const timeline = renderOutcome(changes, (value) =>
        renderTimeline('transaction-timeline', listStatuses(transaction, value), 'Nothing has happened yet.'),
      )
      return {
        title: `${formatSource(transaction)} → ${formatDestination(transaction)}`,
        beside: renderStatus(transaction.transactionStatus),
        body: [
          html`<div class="columns" id="transaction" data-live>
            ${renderCard('Details', details)} ${renderCard('Timeline', timeline)}
          </div>`,
          html`<div class="columns three">${cards}</div>`,
          context.renderActions?.('transaction', id),
        ],
      }
    },
  })
}
