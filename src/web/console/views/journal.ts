// The payments of the journal, and the page of one with its history.
import {getCurrencyLabel} from '../../../contract/loose.ts'
import {capitalize, endSentence} from '../../../values/text.ts'
import {type Content, html} from '../../html.ts'
import {type ConsoleContext, type ConsolePage, paths, readCutPage, tryRead} from '../context.ts'
import {formatMoney, renderCode, renderStatus, renderTime, toText} from '../../format.ts'
import {type Moment, renderCard, renderFacts, renderLead, renderTimeline, renderTransactionLink} from '../../parts.ts'
import {describeStep} from '../../payment-words.ts'
import type {JournalPayment, JournalSource} from '../source.ts'
import {findWords} from '../words.ts'
import {
  createCustomerNameColumns,
  findCustomerNames,
  renderList,
  renderItem,
  renderOwnerLink,
  renderPartyName,
} from './list-page.ts'

const journalStates = ['INTENDED', 'QUOTED', 'STOPPED', 'ARMED', 'CREATED', 'REJECTED', 'UNKNOWN', 'ABANDONED'] as const

const renderState = ({state, ended}: JournalPayment) =>
  html`${renderStatus(state, findWords('payment', state).tone)}${ended && html` ${renderStatus(ended)}`}`

export const renderPaymentLink = ({link}: ConsoleContext, {key}: JournalPayment) =>
  html`<a href="${link(paths.payment, {key})}">${toText(key)}</a>`

const formatAmount = ({source}: JournalPayment) =>
  source ? formatMoney(source.sourceAmount, source.sourceCurrency) : ''

export const renderJournal = (context: ConsoleContext, journal: JournalSource): Promise<ConsolePage> =>
  renderList<JournalPayment>(context, {
    command: 'svc journal list',
    search: {
      label: 'Key, transaction, customer or reason',
      choice: {name: 'state', label: 'State', values: journalStates},
    },
    listTexts: ({key, transactionId, customerId, quoteId, reason, slot}) => [
      key,
      transactionId,
      customerId,
      quoteId,
      reason,
      slot,
    ],
    hasChoice: ({state}, value) => state === value,
    readPage: (query) => readCutPage((count) => journal.listPayments(count), context.source.readMax, query),
    prepareColumns: async (items) => {
      const names = await findCustomerNames(context, items)
      return [
        {header: 'Key', render: (payment) => renderPaymentLink(context, payment), isLong: true},
        {header: 'State', render: renderState},
        {header: 'Amount', render: formatAmount, isNumber: true},
        ...createCustomerNameColumns(context, names),
        {
          header: 'Transaction',
          render: ({transactionId, customerId}) => renderTransactionLink(context, transactionId, customerId),
        },
        {header: 'Updated (UTC)', render: ({updatedAt}) => renderTime(updatedAt)},
      ]
    },
    empty: html`No payment of this service is in the journal of this machine. <code>svc pay</code> records each one
      there.`,
    above: html`<p class="note">What svc on this machine recorded before it sent anything.</p>`,
  })

// The labels of what is sent and of what arrives.
export const getCurrencies = (payment: JournalPayment | undefined) => ({
  from: toText(getCurrencyLabel(payment?.source?.sourceCurrency)),
  to: toText(getCurrencyLabel(payment?.destination?.destinationCurrency)),
})

const listMoments = (payment: JournalPayment): Moment[] =>
  (payment.history ?? []).map((line) => {
    const {title, tone, sentences} = describeStep(line, getCurrencies(payment))
    return {
      at: line.at,
      what: html`<span title="${toText(line.what)}">${title}</span>`,
      detail: sentences.join(' '),
      tone,
    }
  })

const renderPaymentFacts = async (context: ConsoleContext, payment: JournalPayment) => {
  const {customerId, source, destination} = payment
  const [customer, from, to] = await Promise.all([
    renderOwnerLink(context, payment),
    renderPartyName(context, source?.sourcePaymentAccountId, payment),
    renderPartyName(context, destination?.destinationPaymentAccountId, payment),
  ])
  return renderFacts([
    ['Amount', formatAmount(payment)],
    ['From', from],
    ['To', to],
    ['Customer', customer],
    ['Note', toText(payment.note)],
    ['Transaction', renderTransactionLink(context, payment.transactionId, customerId)],
    ['Key', renderCode(toText(payment.key))],
    ['Slot', toText(payment.slot)],
    ['Sent', payment.sends !== undefined && (payment.sends === 1 ? 'once' : `${payment.sends} times`)],
    ['Quote', payment.quoteId && renderCode(toText(payment.quoteId))],
  ])
}

// What became of the payment, and what to do about it.
async function renderPaymentLead(context: ConsoleContext, payment: JournalPayment): Promise<Content> {
  const {state, ended, reason, key, transactionId = ''} = payment
  const dealtWith = ended ? await tryRead(context, async () => context.source.journal?.listDealtWith()) : undefined
  const outcome = dealtWith?.value?.has(transactionId) ? 'DEALT_WITH' : ended ? 'ENDED' : state
  return renderLead(
    findWords('payment', outcome),
    key,
    state !== 'CREATED' && reason && endSentence(capitalize(toText(reason))),
  )
}

export async function renderPayment(context: ConsoleContext, journal: JournalSource): Promise<ConsolePage> {
  const key = context.query['key'] ?? ''
  return renderItem(context, {
    find: () => journal.findPayment(key),
    missing: html`The journal has no payment ${renderCode(toText(key))}.`,
    render: async (payment) => ({
      title: toText(payment.key),
      beside: renderState(payment),
      body: [
        await renderPaymentLead(context, payment),
        html`<div class="columns" id="payment" data-live>
          ${renderCard(
            'What happened',
            renderTimeline('payment-timeline', listMoments(payment), 'Nothing was recorded.'),
            {note: 'Times of this machine, in UTC.'},
          )}
          ${renderCard('Details', await renderPaymentFacts(context, payment))}
        </div>`,
      ],
    }),
  })
}
