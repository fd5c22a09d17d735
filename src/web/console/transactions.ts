// Transactions: how one went, what it cost, and its payment in the journal.
import {Big} from 'big.js'
import {hasFinalStatus, readBadEnding, readCode} from '../../contract/loose.ts'
import {transactionStatuses} from '../../contract/transactions.ts'
import {describeNotArrived, parseDecimal} from '../../values/money.ts'
import {isRecord, readText} from '../../values/records.ts'
import {endSentence, quoteForShell} from '../../values/text.ts'
import {adviseTransfer, describeMethod, listInstructions} from '../../values/transfer-instructions.ts'
import {formatMoney, renderCode, renderStatus, renderTime, toCurrency, toText} from '../format.ts'
import {getTone} from '../tones.ts'
import {type Content, html} from '../html.ts'
import {type Moment, renderCard, renderFacts, renderItemLink, renderLead} from '../parts.ts'
import {type ConsoleContext, paths, readNewest, tryRead} from './context.ts'
import {type Noun, accountField, createIdFields, customerField} from './noun.ts'
import {linkPayment} from './payments.ts'
import type {LooseTransaction, StatusChange} from './source.ts'
import {findWords} from './words.ts'

const formatSource = (t: LooseTransaction) => formatMoney(t.source?.sourceAmount, t.source?.sourceCurrency)

export const linkTransaction = (context: ConsoleContext, transaction: LooseTransaction): Content => {
  const {transactionId: id, customerId} = transaction
  return renderItemLink(context, {path: paths.transaction, id, customerId, text: formatSource(transaction)})
}

const formatDestination = ({destination}: LooseTransaction) =>
  formatMoney(destination?.destinationAmount, destination?.destinationCurrency)

// Nobody has sent the money yet, or the service has not begun to.
export const isToBeSent = ({transactionStatus}: LooseTransaction) => adviseTransfer(transactionStatus) === 'send'

// An expired transaction is one whose money did not come in time.
function describeSent(transaction: LooseTransaction): string {
  const money = formatSource(transaction)
  if (readBadEnding(transaction) === 'EXPIRED') return describeNotArrived(money)
  return money !== '' && isToBeSent(transaction) ? `${money} to send` : money
}

function describeReceived(transaction: LooseTransaction): string {
  const money = formatDestination(transaction)
  if (readBadEnding(transaction)) return describeNotArrived(money)
  const isOpen = isToBeSent(transaction) || readCode(transaction.transactionStatus) === 'PROCESSING'
  return money !== '' && isOpen ? `${money} to arrive` : money
}

const formatPart = (money: string, method: unknown) => [money, describeMethod(method)].filter(Boolean).join(' ')

const formatArrival = (transaction: LooseTransaction) =>
  formatPart(formatDestination(transaction), transaction.destination?.destinationPaymentMethod)

const rateDigitsShown = 6

// Such as 1 USDC = 0.9235 EUR. There is nothing to say without a rate, or within one currency.
function describeRate({source, destination}: LooseTransaction): string {
  const rate = toText(destination?.exchangeRate)
  const [from, to] = [toCurrency(source?.sourceCurrency), toCurrency(destination?.destinationCurrency)]
  const rounded = parseDecimal(rate)?.prec(rateDigitsShown, Big.roundHalfUp).toFixed() ?? rate
  return rate === '' || from.toUpperCase() === to.toUpperCase() ? '' : `1 ${from} = ${rounded} ${to}`
}

const describeFees = ({fees}: LooseTransaction): string =>
  [[fees?.svcFee?.feeAmount, 'of the service'] as const, [fees?.developerFee?.feeAmount, 'of your own'] as const]
    .filter(([amount]) => toText(amount) !== '')
    .map(([amount, whose]) => `${formatMoney(amount, fees?.feeCurrency)} ${whose}`)
    .join(', ') || 'not known'

// A service without a history tells only when it was created and when it last changed.
function listStatuses(transaction: LooseTransaction, changes: readonly StatusChange[], cause: string): Moment[] {
  const {transactionStatus: status, createdAt, updatedAt, expiresAt} = transaction
  const isUnchanged = toText(createdAt) === toText(updatedAt)
  const first = changes[0]?.from ?? (isUnchanged ? status : undefined)
  const last: Array<Omit<StatusChange, 'from'>> = isUnchanged ? [] : [{at: toText(updatedAt), to: toText(status)}]
  const details: Readonly<Record<string, string>> = {
    COMPLETED: `${formatArrival(transaction)} arrived.`,
    FAILED: cause,
    CANCELLED: cause,
  }
  const made: Moment = {
    at: createdAt,
    what: html`The service made it${first !== undefined && html`: ${renderStatus(first)}`}`,
    tone: getTone(first),
  }
  const later = (changes.length > 0 ? changes : last).map(({at, to, isMadeUp}): Moment => ({
    at,
    what: renderStatus(to),
    detail: details[readCode(to)],
    tone: getTone(to),
    isMadeUp,
  }))
  const deadline: Moment = {at: expiresAt, what: 'Still to come: it expires if no money has arrived', tone: 'open'}
  return [made, ...later, ...(toText(expiresAt) !== '' && !hasFinalStatus(transaction) ? [deadline] : [])]
}

// What must not be sent, since the transaction waits for it no more, is not shown.
function renderInstructions(transaction: LooseTransaction): Content {
  const {transferInstructions: instructions, transactionStatus: status, expiresAt, source} = transaction
  const advice = adviseTransfer(status)
  if (!isRecord(instructions) || advice === 'over') return undefined
  const method = instructions['transferPaymentMethod'] ?? source?.sourcePaymentMethod
  const what = html`<strong>${formatPart(formatSource(transaction), method)}</strong>`
  const deadline = toText(expiresAt) !== '' && html` until ${renderTime(expiresAt)} UTC`
  const sentence =
    advice === 'send'
      ? html`Send ${what}${deadline}, exactly as below:`
      : html`svc does not know the status ${toText(status)}: ask the service first whether to send ${what}.`
  const fields = listInstructions(instructions).map(
    ([label, value]) => [label, html`<span class="copied">${toText(value)}</span>`] as const,
  )
  return renderCard('What to do now', [html`<p>${sentence}</p>`, renderFacts(fields)])
}

const unknownToJournal =
  'The journal of this machine has no payment of it. A rule, another machine or another program may have made it.'

const renderId = (id: unknown) => toText(id) !== '' && renderCode(toText(id))

export const transactions: Noun<LooseTransaction> = {
  title: 'Transactions',
  noun: 'transaction',
  path: paths.transactions,
  itemPath: paths.transaction,
  command: 'svc transactions list --all',
  searchLabel: 'Id, quote, account, reference or currency',
  choice: {
    name: 'status',
    label: 'Status',
    values: transactionStatuses,
    read: ({transactionStatus}) => readCode(transactionStatus),
  },
  empty: html`There are no transactions. <code>svc pay</code> makes one.`,
  list: (source, query, owner) => source.listTransactions({...query, customerId: owner}),
  fields: (context, names) => [
    {header: 'Created (UTC)', render: ({createdAt}) => renderTime(createdAt)},
    ...customerField(context, names),
    {header: 'Status', render: ({transactionStatus}) => renderStatus(transactionStatus), only: 'list'},
    {header: 'Sent', render: describeSent, isNumber: true, only: 'list'},
    {header: 'Received', render: describeReceived, isNumber: true, only: 'list'},
    {
      header: 'Route',
      render: ({source, destination}) =>
        [source?.sourcePaymentMethod, destination?.destinationPaymentMethod].map(toText).filter(Boolean).join(' → '),
      isMinor: true,
      only: 'list',
    },
    {header: 'Amount', render: (t) => formatPart(formatSource(t), t.source?.sourcePaymentMethod), only: 'page'},
    accountField(context, names, 'From', ({source}) => source?.sourcePaymentAccountId),
    {header: 'Fees in it', render: describeFees, only: 'page'},
    {header: 'Rate', render: describeRate, only: 'page'},
    {header: 'Arrival', render: (t) => !readBadEnding(t) && formatArrival(t), only: 'page'},
    accountField(context, names, 'To', ({destination}) => destination?.destinationPaymentAccountId),
    ...createIdFields<LooseTransaction>(context, paths.transaction, ({transactionId}) => transactionId),
    {header: 'Quote', render: ({quoteId}) => renderId(quoteId), only: 'page'},
    {header: 'Correlation', render: ({correlationId}) => renderId(correlationId), only: 'page'},
    {header: 'Reference of the source', render: ({source}) => renderId(source?.sourceReferenceId), only: 'page'},
    {
      header: 'Reference of the destination',
      render: ({destination}) => renderId(destination?.destinationReferenceId),
      only: 'page',
    },
  ],
  find: async ({source, query}, id) => {
    if (source.findTransaction) return source.findTransaction(id)
    const read = readNewest((page) => source.listTransactions({...page, customerId: query['customer']}), source.readMax)
    return (await read).items.find(({transactionId}) => readText(transactionId).toLowerCase() === id.toLowerCase())
  },
  missing: ({source}, id) =>
    html`${renderCode(toText(id))} is not among the newest ${source.readMax} transactions.
      <code>svc transactions get ${quoteForShell(toText(id))}</code> searches all of them.`,
  show: async (context, transaction) => {
    const {source} = context
    const id = readText(transaction.transactionId)
    const [changes, payment, dealtWith] = await Promise.all([
      tryRead(context, async () => (await source.listStatusChanges?.(id)) ?? []),
      tryRead(context, async () => source.journal?.findPaymentOf(id)),
      tryRead(context, async () => source.journal?.listDealtWith()),
    ])
    const cause = changes.value?.at(-1)?.isMadeUp
      ? 'Somebody set this outcome with a control of the sandbox.'
      : endSentence(source.explainEnding?.(transaction) ?? 'The service does not say why')
    const state = dealtWith.value?.has(id) ? 'DEALT_WITH' : transaction.transactionStatus
    const made =
      payment.value && html`The payment ${linkPayment(context, payment.value)} of the journal has what came before.`
    return {
      title: `${formatSource(transaction)} → ${formatDestination(transaction)}`,
      status: renderStatus(transaction.transactionStatus),
      lead: renderLead(findWords('transaction', state), '', readBadEnding(transaction) && cause),
      first: renderInstructions(transaction),
      timeline: {moments: listStatuses(transaction, changes.value ?? [], cause), note: changes.failure},
      note: payment.failure ?? made ?? (source.journal && unknownToJournal),
      actions: 'transaction',
    }
  },
}
