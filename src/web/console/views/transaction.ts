// The page of one transaction: its story from the quote to the settlement, what it cost, and what the journal and the events say of it.
import {readCode, getCurrencyLabel} from '../../../contract/loose.ts'
import {isRecord, readText} from '../../../values/records.ts'
import {endSentence, quoteForShell} from '../../../values/text.ts'
import {adviseTransfer, findMethodWords, listInstructions} from '../../../values/transfer-instructions.ts'
import {type Content, html} from '../../html.ts'
import {formatMoney, getTone, renderCode, renderStatus, renderTime, toText} from '../../format.ts'
import {type Moment, renderCard, renderFacts, renderFailure, renderLead, renderTimeline} from '../../parts.ts'
import {describeFees, describeRate, describeStep} from '../../payment-words.ts'
import {type ConsoleContext, type ConsolePage, readNewest, tryRead} from '../context.ts'
import type {JournalPayment, LooseTransaction, StatusChange} from '../source.ts'
import {findWords} from '../words.ts'
import {getCurrencies, renderPaymentLink} from './journal.ts'
import {renderItem, renderOwnerLink, renderPartyName} from './list-page.ts'
import {formatDestination, formatSource, hasEndedBadly, isFinal} from './transactions.ts'

interface Story {
  transaction: LooseTransaction
  changes: readonly StatusChange[]
  // Absent if this journal has no payment of it.
  payment?: JournalPayment | undefined
  // Why it ended badly, where the source knows it.
  cause?: string | undefined
  isDealtWith: boolean
}

const describeMethod = (method: unknown) => findMethodWords(method) ?? (toText(method) && `by ${toText(method)}`)

const formatPart = (money: string, method: unknown) => [money, describeMethod(method)].filter(Boolean).join(' ')

const describeCause = ({cause, changes}: Story): string =>
  changes.at(-1)?.isMadeUp
    ? 'Somebody set this outcome with a control of the sandbox.'
    : cause === undefined
      ? 'The service does not say why.'
      : endSentence(cause)

function renderStoryLead(story: Story): Content {
  const {transaction, isDealtWith} = story
  const words = findWords('transaction', isDealtWith ? 'DEALT_WITH' : transaction.transactionStatus)
  return renderLead(words, '', hasEndedBadly(transaction) && describeCause(story))
}

function describeChange(to: unknown, story: Story): Content {
  const {transaction} = story
  switch (readCode(to)) {
    case 'PROCESSING':
      return 'The service moves the money.'
    case 'COMPLETED':
      return `${formatPart(formatDestination(transaction), transaction.destination?.destinationPaymentMethod)} arrived.`
    case 'FAILED':
    case 'CANCELLED':
      return describeCause(story)
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
    renderPartyName(context, source?.sourcePaymentAccountId, transaction),
    renderPartyName(context, destination?.destinationPaymentAccountId, transaction),
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
  const [changes, payment, dealtWith] = await Promise.all([
    tryRead(context, async () => (await source.listStatusChanges?.(id)) ?? []),
    tryRead(context, async () => source.journal?.findPaymentOf(readText(transaction.transactionId))),
    tryRead(context, async () => source.journal?.listDealtWith()),
  ])
  const cause = source.explainEnding?.(transaction)
  const isDealtWith = dealtWith.value?.has(readText(transaction.transactionId)) ?? false
  const story: Story = {transaction, changes: changes.value ?? [], payment: payment.value, cause, isDealtWith}
  const clocks = payment.value && 'Steps of the journal have the time of this machine, the others that of the service.'
  const [money, ids] = await Promise.all([renderMoney(context, story), renderIds(context, transaction)])
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
