// Transactions: the story of one from the quote to the settlement, what it cost, and what the journal says of it.
import {readCode} from '../../contract/loose.ts'
import {transactionStatuses} from '../../contract/transactions.ts'
import {describeArrival} from '../../values/money.ts'
import {isRecord, readText} from '../../values/records.ts'
import {endSentence, quoteForShell} from '../../values/text.ts'
import {adviseTransfer, describeMethod, listInstructions} from '../../values/transfer-instructions.ts'
import {
  formatLag,
  formatMoney,
  getTone,
  renderCode,
  renderStatus,
  renderTime,
  toCurrency,
  toText,
  toTime,
} from '../format.ts'
import {type Content, html} from '../html.ts'
import {type Fact, type Moment, renderCard, renderFacts, renderItemLink, renderLead} from '../parts.ts'
import {describeFees, describeRate} from '../payment-words.ts'
import {type ConsoleContext, paths, readNewest, tryRead} from './context.ts'
import {type Noun, customerColumn, renderCustomer, renderParty} from './noun.ts'
import {linkPayment, listJournalMoments} from './payments.ts'
import type {JournalPayment, LooseTransaction, StatusChange} from './source.ts'
import {findWords} from './words.ts'

export const formatSource = (t: LooseTransaction) => formatMoney(t.source?.sourceAmount, t.source?.sourceCurrency)

const finalStatuses = new Set(['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'])
export const isFinal = (status: unknown) => finalStatuses.has(readCode(status))

export const hasEndedBadly = ({transactionStatus: status}: LooseTransaction) =>
  isFinal(status) && readCode(status) !== 'COMPLETED'

// What a transaction that goes on has as received may change until it is completed.
function formatDestination({transactionStatus: status, destination}: LooseTransaction): string {
  const money = formatMoney(destination?.destinationAmount, destination?.destinationCurrency)
  return isFinal(status) || toText(destination?.destinationAmount) === '' ? money : describeArrival(money, undefined)
}

const formatTook = ({transactionStatus, createdAt, updatedAt}: LooseTransaction) => {
  const [from, to] = [toTime(createdAt), toTime(updatedAt)]
  return from === undefined || to === undefined || to < from || !isFinal(transactionStatus) ? '' : formatLag(to - from)
}

interface Story {
  transaction: LooseTransaction
  changes: readonly StatusChange[]
  // Absent if this journal has no payment of it.
  payment?: JournalPayment | undefined
  // Why it ended badly.
  cause: string
}

const formatPart = (money: string, method: unknown) => [money, describeMethod(method)].filter(Boolean).join(' ')

const formatArrival = (transaction: LooseTransaction) =>
  formatPart(formatDestination(transaction), transaction.destination?.destinationPaymentMethod)

// A service without a history tells only when it was created and when it last changed.
function listStatuses({changes, transaction, cause}: Story): Moment[] {
  const {transactionStatus: status, createdAt, updatedAt, expiresAt} = transaction
  const isUnchanged = toText(createdAt) === toText(updatedAt)
  const first = changes[0]?.from ?? (isUnchanged ? status : undefined)
  const last = isUnchanged ? [] : [{at: toText(updatedAt), to: toText(status)}]
  const details: Readonly<Record<string, string>> = {
    PROCESSING: 'The service moves the money.',
    COMPLETED: `${formatArrival(transaction)} arrived.`,
    FAILED: cause,
    CANCELLED: cause,
  }
  const later = (changes.length > 0 ? changes : last).map(({at, to, ...change}) => ({
    at,
    what: renderStatus(to),
    detail: details[readCode(to)],
    tone: getTone(to),
    isMadeUp: 'isMadeUp' in change && change.isMadeUp,
  }))
  const made: Moment = {
    at: createdAt,
    what: html`The service made it${first !== undefined && html`: ${renderStatus(first)}`}`,
    tone: getTone(first),
  }
  const deadline: Moment = {at: expiresAt, what: 'Still to come: it expires if no money has arrived', tone: 'open'}
  return [made, ...later, ...(toText(expiresAt) === '' || isFinal(status) ? [] : [deadline])]
}

// The service says by itself when it made the transaction, and how it ended.
const toldByService = new Set(['INTENDED', 'CREATED', 'ENDED'])

// What the journal recorded before the service made it, what the service says, and what the journal recorded later.
function listMoments(story: Story): Moment[] {
  const {payment} = story
  const history = payment?.history ?? []
  const madeAt = history.findIndex(({what}) => what === 'CREATED' || what === 'ADOPTED')
  const tell = (lines: typeof history) =>
    payment ? listJournalMoments({...payment, history: lines.filter(({what}) => !toldByService.has(what))}) : []
  const split = madeAt === -1 ? history.length : madeAt
  return [...tell(history.slice(0, split)), ...listStatuses(story), ...tell(history.slice(split))]
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

async function listMoney(context: ConsoleContext, transaction: LooseTransaction): Promise<Fact[]> {
  const {source, destination, fees} = transaction
  const rate = toText(destination?.exchangeRate)
  const rateWords = describeRate(rate, toCurrency(source?.sourceCurrency), toCurrency(destination?.destinationCurrency))
  const [svcFee = '', developerFee = ''] = [fees?.svcFee?.feeAmount, fees?.developerFee?.feeAmount].map(toText)
  const both = describeFees({
    fees: [svcFee, developerFee],
    feeCurrency: toCurrency(fees?.feeCurrency),
    amount: toText(source?.sourceAmount),
    currency: toCurrency(source?.sourceCurrency),
  })
  const parts = [
    svcFee && `${formatMoney(svcFee, fees?.feeCurrency)} of the service`,
    developerFee && `${formatMoney(developerFee, fees?.feeCurrency)} of your own`,
  ].filter(Boolean)
  const arrival = hasEndedBadly(transaction)
    ? 'Would have arrived'
    : isFinal(transaction.transactionStatus)
      ? 'Arrived'
      : 'To arrive'
  return [
    ['Amount', formatPart(formatSource(transaction), source?.sourcePaymentMethod)],
    ['From', await renderParty(context, source?.sourcePaymentAccountId, transaction)],
    [
      'Fees in it',
      html`${both || 'not known'}${parts.length > 1 && html`<br /><span class="note">${parts.join(', ')}</span>`}`,
    ],
    ['Rate', rateWords && html`<span title="Exactly ${rate}">${rateWords}</span>`],
    [arrival, formatArrival(transaction)],
    ['To', await renderParty(context, destination?.destinationPaymentAccountId, transaction)],
  ]
}

const unknownToJournal =
  'The journal of this machine has no payment of it, so when it was quoted and sent is not known here. A rule, another machine or another program may have made it.'

const listJournal = (context: ConsoleContext, payment: JournalPayment | undefined): Fact[] =>
  payment
    ? [
        ['Key', linkPayment(context, payment)],
        ['Note', toText(payment.note)],
        ['Slot', toText(payment.slot)],
      ]
    : []

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
  columns: (context, names) => [
    {header: 'Created (UTC)', render: ({createdAt}) => renderTime(createdAt)},
    ...customerColumn(context, names),
    {header: 'Status', render: ({transactionStatus}) => renderStatus(transactionStatus)},
    {header: 'Sent', render: formatSource, isNumber: true},
    {header: 'Received', render: formatDestination, isNumber: true},
    {
      header: 'Route',
      render: ({source, destination}) =>
        [source?.sourcePaymentMethod, destination?.destinationPaymentMethod].map(toText).filter(Boolean).join(' → '),
      isMinor: true,
    },
    {header: 'Took', render: formatTook, isMinor: true, isShort: true},
    {
      header: 'ID',
      render: ({transactionId: id, customerId}) => renderItemLink(context, {path: paths.transaction, id, customerId}),
      isShort: true,
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
    const clocks =
      payment.value && 'Steps of the journal have the time of this machine, the others that of the service.'
    const ids = [
      ['Transaction', transaction.transactionId],
      ['Quote', transaction.quoteId],
      ['Correlation', transaction.correlationId],
      ['Reference where it came from', transaction.source?.sourceReferenceId],
      ['Reference where it went', transaction.destination?.destinationReferenceId],
    ] as const
    const inJournal = [
      'In the journal',
      listJournal(context, payment.value),
      payment.failure ?? (!payment.value && unknownToJournal),
    ] as const
    return {
      title: `${formatSource(transaction)} → ${formatDestination(transaction)}`,
      status: renderStatus(transaction.transactionStatus),
      lead: renderLead(findWords('transaction', state), '', hasEndedBadly(transaction) && cause),
      first: renderInstructions(transaction),
      timeline: {
        moments: listMoments({transaction, changes: changes.value ?? [], payment: payment.value, cause}),
        note: changes.failure ?? clocks,
      },
      cards: [
        ['Money', await listMoney(context, transaction)],
        ...(source.journal ? [inJournal] : []),
        [
          'To look it up elsewhere',
          [
            ['Customer', await renderCustomer(context, transaction)],
            ...ids.map(([label, value]) => [label, toText(value) !== '' && renderCode(toText(value))] as const),
          ],
        ],
      ],
      actions: 'transaction',
    }
  },
}
