// The transactions: the list of all, and the newest of another item.
import {describeArrival} from '../../../values/money.ts'
import {readCode, getCurrencyLabel} from '../../../contract/loose.ts'
import {transactionStatuses} from '../../../contract/transactions.ts'
import {type Content, html} from '../../html.ts'
import {type ConsoleContext, type ConsolePage, tryRead} from '../context.ts'
import {formatLag, formatMoney, renderStatus, renderTime, toText, toTime} from '../../format.ts'
import {type Column, renderCard, renderOutcome, renderTable, renderTransactionLink} from '../../parts.ts'
import type {LooseTransaction} from '../source.ts'
import {
  type CustomerNames,
  createCustomerNameColumns,
  findCustomerNames,
  renderList,
  renderOwnerNote,
} from './list-page.ts'

export const formatSource = (t: LooseTransaction) => formatMoney(t.source?.sourceAmount, t.source?.sourceCurrency)

const formatRoute = ({source, destination}: LooseTransaction) =>
  [toText(source?.sourcePaymentMethod), toText(destination?.destinationPaymentMethod)].filter(Boolean).join(' → ')

const finalStatuses = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'])
export const isFinal = (status: unknown) => finalStatuses.has(readCode(status))

export const hasEndedBadly = ({transactionStatus: status}: LooseTransaction) =>
  isFinal(status) && readCode(status) !== 'COMPLETED'

// What a transaction that goes on has as received may change until it is completed.
export function formatDestination({transactionStatus: status, destination}: LooseTransaction): string {
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
