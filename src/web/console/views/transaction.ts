// The page of one transaction: its story from the quote to the settlement, what it cost, and what the journal and the events say of it.
import {Big} from 'big.js'
import {readCode, getCurrencyLabel} from '../../../contract/loose.ts'
import {parseDecimal} from '../../../values/money.ts'
import {isRecord, lookUp, readText} from '../../../values/records.ts'
import {endSentence, quoteForShell} from '../../../values/text.ts'
import {adviseTransfer, findMethodWords, listInstructions} from '../../../values/transfer-instructions.ts'
import {type Content, html} from '../../html.ts'
import {
  type Tone,
  formatMoney,
  getTone,
  renderCode,
  renderStatus,
  renderTime,
  spellDuration,
  toText,
  toTime,
} from '../../format.ts'
import {
  type Moment,
  renderCard,
  renderFacts,
  renderFailure,
  renderLead,
  renderTable,
  renderTimeline,
} from '../../parts.ts'
import {describeFees, describeRate, describeStep} from '../../payment-words.ts'
import {type ConsoleContext, type ConsolePage, readNewest, tryRead} from '../context.ts'
import type {ConsoleEvent, JournalPayment, LooseTransaction, StatusChange} from '../source.ts'
import {createEventColumns} from './events.ts'
import {getCurrencies, renderPaymentLink} from './journal.ts'
import {renderItem, renderOwnerLink, renderPartyLink, renderPartyName} from './list-page.ts'
import {formatDestination, formatSource, hasEndedBadly, isFinal} from './transactions.ts'

const eventsMax = 30

interface Story {
  transaction: LooseTransaction
  changes: readonly StatusChange[]
  // Absent if this journal has no payment of it.
  payment?: JournalPayment | undefined
  from: Content
  to: Content
  // Why it ended badly, where the source knows it.
  cause?: string | undefined
}

const describeMethod = (method: unknown) => findMethodWords(method) ?? (toText(method) && `by ${toText(method)}`)

const formatPart = (money: string, method: unknown) => [money, describeMethod(method)].filter(Boolean).join(' ')

const renderSince = (at: unknown): Content => toText(at) !== '' && html`, since ${renderTime(at)} UTC`

const describeCause = ({cause, changes}: Story): string =>
  changes.at(-1)?.isMadeUp
    ? 'Somebody set this outcome with a control of the sandbox.'
    : cause === undefined
      ? 'The service does not say why.'
      : endSentence(cause)

// Such as 12 minutes after it was created.
function describeTook({createdAt, updatedAt}: LooseTransaction): string {
  const [from, to] = [toTime(createdAt), toTime(updatedAt)]
  return from === undefined || to === undefined || to <= from
    ? ''
    : `, ${spellDuration(to - from)} after it was created`
}

// What the person came for, by the status.
const sentences: Readonly<Record<string, (story: Story) => Content>> = {
  CREATED: ({from, to}) => html`The service has it and has not begun: no money has moved yet from ${from} to ${to}.`,
  AWAITING_TRANSFER: ({transaction, from}) =>
    html`It waits for ${formatPart(formatSource(transaction), transaction.source?.sourcePaymentMethod)} from
    ${from}${toText(transaction.expiresAt) !== '' && html`, until ${renderTime(transaction.expiresAt)} UTC`}.`,
  PROCESSING: ({transaction, to}) => html`The money is on its way to ${to}${renderSince(transaction.updatedAt)}.`,
  COMPLETED: ({transaction, to}) =>
    html`${formatDestination(transaction)} arrived at ${to}${describeTook(transaction)}.`,
  FAILED: (story) => html`It failed, so no money arrived at ${story.to}. ${describeCause(story)}`,
  CANCELLED: (story) => html`It was cancelled, so no money arrived at ${story.to}. ${describeCause(story)}`,
  EXPIRED: (story) =>
    html`It expired, since the money did not come in time from ${story.from}.
    ${(story.cause !== undefined || story.changes.at(-1)?.isMadeUp) && describeCause(story)}`,
}

// A key keeps its transaction, so paying again needs another one.
function describeNext({transaction, payment, cause}: Story): Content {
  const status = readCode(transaction.transactionStatus)
  if (status === 'AWAITING_TRANSFER') {
    return transaction.transferInstructions
      ? 'send the money as said below.'
      : 'the service gave no instructions: ask it.'
  }
  if (!hasEndedBadly(transaction)) return undefined
  const key = payment && html` The key ${renderCode(toText(payment.key))} keeps this transaction.`
  const money =
    cause === undefined &&
    'look at the account that the money came from, since whether it came back is not known here. '
  return html`${money}To pay again, use <code>svc pay</code> with a new key.${key}`
}

function renderStoryLead(story: Story): Content {
  const {transactionStatus: status} = story.transaction
  const tell = lookUp(sentences, readCode(status))
  const sentence =
    tell?.(story) ?? `The service calls it ${toText(status)}, which svc does not know: ask the service what it means.`
  const tone: Tone = readCode(status) === 'PROCESSING' ? 'quiet' : getTone(status)
  return renderLead(tone, sentence, describeNext(story))
}

// What a quote said would arrive, against what the service says arrived.
function describeDifference({transaction: {destination}, payment}: Story): string {
  const arrived = parseDecimal(toText(destination?.destinationAmount))
  const quoted = parseDecimal(payment?.attempts?.at(-1)?.price.received ?? '')
  if (!arrived || !quoted || arrived.eq(quoted)) return ''
  const difference = new Big(arrived).minus(quoted)
  const words = difference.gt('0') ? 'more' : 'less'
  return `That is ${formatMoney(difference.abs().toFixed(), destination?.destinationCurrency)} ${words} than was quoted.`
}

function describeChange(to: unknown, story: Story): Content {
  const {transaction} = story
  switch (readCode(to)) {
    case 'PROCESSING':
      return 'The service moves the money.'
    case 'COMPLETED':
      return `${formatPart(formatDestination(transaction), transaction.destination?.destinationPaymentMethod)} arrived. ${describeDifference(story)}`
    case 'FAILED':
    case 'CANCELLED':
      return describeCause(story)
    case 'EXPIRED':
      return 'The money did not come in time.'
    default:
      return undefined
  }
}

// A service without a history tells only when it was created and when it last changed.
function listStatuses(story: Story): Moment[] {
  const {changes, transaction} = story
  const {transactionStatus: status, createdAt, updatedAt, expiresAt} = transaction
  const first = changes[0]?.from
  const isUnchanged = toText(createdAt) === toText(updatedAt)
  const firstStatus = first ?? (isUnchanged ? status : undefined)
  const made: Moment = {
    at: createdAt,
    what: html`The service made it${firstStatus !== undefined && html`: ${renderStatus(firstStatus)}`}`,
    tone: getTone(firstStatus),
  }
  const last: readonly Omit<StatusChange, 'from'>[] = isUnchanged ? [] : [{at: toText(updatedAt), to: toText(status)}]
  const later = (first ? changes : last).map(({at, to, isMadeUp}) => ({
    at,
    what: renderStatus(to),
    detail: describeChange(to, story),
    tone: getTone(to),
    isMadeUp,
  }))
  const deadline: Moment[] =
    toText(expiresAt) === '' || isFinal(status)
      ? []
      : [{at: expiresAt, what: 'Still to come: it expires if no money has arrived', tone: 'open'}]
  return [made, ...later, ...deadline]
}

// The service says by itself when it made the transaction, and how it ended.
const toldByService = new Set(['INTENDED', 'CREATED', 'ENDED'])

function listMoments(story: Story): Moment[] {
  const {payment} = story
  const history = payment?.history ?? []
  const madeAt = history.findIndex(({what}) => what === 'CREATED' || what === 'ADOPTED')
  const toMoments = (lines: typeof history): Moment[] =>
    lines
      .filter(({what}) => !toldByService.has(what))
      .map((line) => {
        const {title, tone, sentences: details} = describeStep(line, getCurrencies(payment))
        return {at: line.at, what: title, detail: details.join(' '), tone, isOurTime: true}
      })
  const split = madeAt === -1 ? history.length : madeAt
  return [...toMoments(history.slice(0, split)), ...listStatuses(story), ...toMoments(history.slice(split))]
}

// What must not be sent, since the transaction waits for it no more, is not shown.
function renderInstructions({transaction}: Story): Content {
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

async function renderMoney(context: ConsoleContext, {transaction}: Story): Promise<Content> {
  const {source, destination, fees} = transaction
  const [from, to] = await Promise.all([
    renderPartyLink(context, source?.sourcePaymentAccountId, transaction),
    renderPartyLink(context, destination?.destinationPaymentAccountId, transaction),
  ])
  const label = (currency: unknown) => toText(getCurrencyLabel(currency))
  const rate = toText(destination?.exchangeRate)
  const rateWords = describeRate(rate, label(source?.sourceCurrency), label(destination?.destinationCurrency))
  const [svcFee, developerFee] = [fees?.svcFee?.feeAmount, fees?.developerFee?.feeAmount].map(toText)
  const both = describeFees({
    fees: [svcFee ?? '', developerFee ?? ''],
    feeCurrency: label(fees?.feeCurrency),
    amount: toText(source?.sourceAmount),
    currency: label(source?.sourceCurrency),
  })
  const parts = [
    svcFee && `${formatMoney(svcFee, fees?.feeCurrency)} of the service`,
    developerFee && `${formatMoney(developerFee, fees?.feeCurrency)} of your own`,
  ].filter(Boolean)
  return renderFacts([
    ['Amount', formatPart(formatSource(transaction), source?.sourcePaymentMethod)],
    ['From', from],
    [
      'Fees in it',
      html`${both || 'not known'}${parts.length > 1 && html`<br /><span class="note">${parts.join(', ')}</span>`}`,
    ],
    ['Rate', rateWords && html`<span title="Exactly ${rate}">${rateWords}</span>`],
    [
      hasEndedBadly(transaction)
        ? 'Would have arrived'
        : isFinal(transaction.transactionStatus)
          ? 'Arrived'
          : 'To arrive',
      formatPart(formatDestination(transaction), destination?.destinationPaymentMethod),
    ],
    ['To', to],
  ])
}

function renderJournalCard(context: ConsoleContext, payment: JournalPayment | undefined): Content {
  if (!context.source.journal) return undefined
  if (!payment) {
    return renderCard(
      'In the journal',
      html`<p class="none">
        The journal of this machine has no payment of it, so when it was quoted and sent is not known here. A rule,
        another machine or another program may have made it.
      </p>`,
    )
  }
  return renderCard(
    'In the journal',
    renderFacts([
      ['Key', renderPaymentLink(context, payment)],
      ['Note', toText(payment.note)],
      ['Slot', toText(payment.slot)],
    ]),
  )
}

// The interface has no events about transactions. Those of the customer may say why nothing went on.
async function renderEvents(context: ConsoleContext, transaction: LooseTransaction): Promise<Content> {
  const {events} = context.source
  const customerId = readText(transaction.customerId)
  if (!events || customerId === '') return undefined
  const [from, to] = [toTime(transaction.createdAt) ?? 0, toTime(transaction.updatedAt) ?? Infinity]
  const isSameTime = ({at}: ConsoleEvent) => {
    const time = toTime(at) ?? 0
    return time >= from && (!isFinal(transaction.transactionStatus) || time <= to)
  }
  const read = await tryRead(context, () => events.listEvents(eventsMax, customerId))
  const items = read.value?.filter(isSameTime) ?? []
  if (items.length === 0) return read.failure && renderCard('Events', renderFailure(read.failure))
  return renderCard(
    'Events of its customer at that time',
    renderTable({id: 'transaction-events', caption: 'Events', columns: createEventColumns(context), items, empty: ''}),
    {note: 'The service sends no events about transactions.'},
  )
}

async function renderIds(context: ConsoleContext, transaction: LooseTransaction): Promise<Content> {
  const {source, destination} = transaction
  const facts = [
    ['Transaction', transaction.transactionId],
    ['Quote', transaction.quoteId],
    ['Correlation', transaction.correlationId],
    ['Reference where it came from', source?.sourceReferenceId],
    ['Reference where it went', destination?.destinationReferenceId],
  ] as const
  return renderFacts([
    ['Customer', await renderOwnerLink(context, transaction)],
    ...facts.map(([label, id]) => [label, toText(id) !== '' && renderCode(toText(id))] as const),
  ])
}

async function findTransaction({source, query}: ConsoleContext, id: string): Promise<LooseTransaction | undefined> {
  if (source.findTransaction) return source.findTransaction(id)
  const {items} = await readNewest(
    (page) => source.listTransactions({...page, customerId: query['customer']}),
    source.readMax,
  )
  return items.find(({transactionId}) => readText(transactionId).toLowerCase() === id.toLowerCase())
}

async function renderStory(context: ConsoleContext, transaction: LooseTransaction, id: string): Promise<Content> {
  const {source} = context
  const [changes, payment, from, to] = await Promise.all([
    tryRead(context, async () => (await source.listStatusChanges?.(id)) ?? []),
    tryRead(context, async () => source.journal?.findPaymentOf(readText(transaction.transactionId))),
    renderPartyName(context, transaction.source?.sourcePaymentAccountId, transaction),
    renderPartyName(context, transaction.destination?.destinationPaymentAccountId, transaction),
  ])
  const cause = source.explainEnding?.(transaction)
  const story: Story = {transaction, changes: changes.value ?? [], payment: payment.value, from, to, cause}
  const clocks = payment.value && 'Steps of the journal have the time of this machine, the others that of the service.'
  const [money, ids, events] = await Promise.all([
    renderMoney(context, story),
    renderIds(context, transaction),
    renderEvents(context, transaction),
  ])
  return [
    renderStoryLead(story),
    [changes.failure, payment.failure].map((failure) => failure !== undefined && renderFailure(failure)),
    html`<div class="columns" id="transaction" data-live>
      <div>
        ${renderInstructions(story)}
        ${renderCard('What happened', renderTimeline('transaction-timeline', listMoments(story), ''), {note: clocks})}
      </div>
      <div>
        ${renderCard('Money', money)} ${payment.failure === undefined && renderJournalCard(context, payment.value)}
        ${renderCard('To look it up elsewhere', ids)}
      </div>
    </div>`,
    events,
  ]
}

export async function renderTransaction(context: ConsoleContext): Promise<ConsolePage> {
  const {source, query} = context
  const id = query['id'] ?? ''
  return renderItem(context, {
    find: () => findTransaction(context, id),
    missing: html`${renderCode(toText(id))} is not among the newest ${source.readMax} transactions.
      <code>svc transactions get ${quoteForShell(toText(id))}</code> searches all of them.`,
    render: async (transaction) => ({
      title: `${formatSource(transaction)} → ${formatDestination(transaction)}`,
      beside: renderStatus(transaction.transactionStatus),
      body: [await renderStory(context, transaction, id), context.renderActions?.('transaction')],
    }),
  })
}
