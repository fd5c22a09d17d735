// The payments of the journal, and the page of one with its history.
import {html} from '../../pages/html.ts'
import {type ConsoleContext, type ConsolePage, paths, tryRead} from '../context.ts'
import {formatMoney, renderCode, renderStatus, renderTime, toId, toText, toWords, type Tone} from '../format.ts'
import {
  type Moment,
  renderAccountLink,
  renderCard,
  renderCustomerLink,
  renderFacts,
  renderHeading,
  renderTimeline,
  renderTransactionLink,
} from '../parts.ts'
import {cutPage} from '../read-newest.ts'
import type {JournalPayment, JournalSource} from '../source.ts'
import {createFailurePage, createMissingPage, renderList} from './list-page.ts'

const journalStates = ['INTENDED', 'QUOTED', 'STOPPED', 'ARMED', 'CREATED', 'REJECTED', 'UNKNOWN', 'ABANDONED'] as const

const tones: Readonly<Record<string, Tone>> = {
  CREATED: 'good',
  UNKNOWN: 'bad',
  REJECTED: 'bad',
  ARMED: 'open',
  STOPPED: 'open',
}

const renderState = ({state, ended}: JournalPayment) =>
  html`${renderStatus(state, tones[state] ?? 'quiet')}${ended && html` ${renderStatus(ended)}`}`

const renderPaymentLink = ({link}: ConsoleContext, {key}: JournalPayment) =>
  html`<a href="${link(paths.payment, {key})}">${toText(key)}</a>`

const formatAmount = ({source}: JournalPayment) =>
  source ? formatMoney(source.sourceAmount, source.sourceCurrency) : ''

export const renderJournal = (context: ConsoleContext, journal: JournalSource): Promise<ConsolePage> =>
  renderList<JournalPayment>(context, {
    id: 'journal-list',
    title: 'Journal',
    noun: 'payment',
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
    readPage: async (query) => {
      const {readMax} = context.source
      const found = await journal.listPayments(readMax + 1)
      return cutPage(found.slice(0, readMax), query, found.length > readMax)
    },
    prepareColumns: async (items) => {
      const names = await context.source.findNames(items.map(({customerId}) => toId(customerId)))
      return [
        {header: 'Key', render: (payment) => renderPaymentLink(context, payment), isLong: true},
        {header: 'State', render: renderState},
        {header: 'Amount', render: formatAmount, isNumber: true},
        {
          header: 'Customer',
          render: ({customerId}) => renderCustomerLink(context, customerId, names.get(toId(customerId))),
        },
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

const formatDetail = (detail: Readonly<Record<string, unknown>> = {}) =>
  Object.entries(detail)
    .map(([name, value]) => `${name} ${toText(value)}`)
    .join(', ')

const listMoments = ({history = []}: JournalPayment): Moment[] =>
  history.map(({at, what, detail}) => ({
    at,
    what: toWords(what),
    detail: formatDetail(detail),
    tone: tones[what] ?? 'quiet',
  }))

export async function renderPayment(context: ConsoleContext, journal: JournalSource): Promise<ConsolePage> {
  const key = context.query['key'] ?? ''
  const read = await tryRead(context, () => journal.findPayment(key))
  if (read.failure !== undefined) return createFailurePage('Payment', read.failure)
  const payment = read.value
  if (!payment) return createMissingPage('Payment', html`The journal has no payment ${renderCode(toText(key))}.`)
  const {customerId, source, destination} = payment
  const names = await tryRead(context, () => context.source.findNames([toId(customerId)]))
  const isUnsettled = payment.state === 'UNKNOWN' || payment.state === 'ARMED'
  const facts = renderFacts([
    ['Key', renderCode(toText(payment.key))],
    ['Amount', formatAmount(payment)],
    ['Customer', renderCustomerLink(context, customerId, names.value?.get(toId(customerId)))],
    ['From', renderAccountLink(context, source?.sourcePaymentAccountId, customerId)],
    ['To', renderAccountLink(context, destination?.destinationPaymentAccountId, customerId)],
    ['Transaction', renderTransactionLink(context, payment.transactionId, customerId)],
    ['Quote', payment.quoteId && renderCode(toText(payment.quoteId))],
    ['Slot', toText(payment.slot)],
    ['Sends', toText(payment.sends)],
    ['Reason', toText(payment.reason)],
    ['Recorded', renderTime(payment.createdAt)],
  ])
  return {
    title: toText(payment.key),
    body: [
      renderHeading(context, {
        list: paths.journal,
        listTitle: 'Journal',
        title: toText(payment.key),
        beside: renderState(payment),
      }),
      isUnsettled &&
        html`<p class="failure">
          Whether this payment was made is not known. <code>svc journal settle ${toText(payment.key)}</code> finds out.
        </p>`,
      html`<div class="columns" id="payment" data-live>
        ${renderCard('Details', facts)}
        ${renderCard('History', renderTimeline('payment-timeline', listMoments(payment), 'Nothing was recorded.'))}
      </div>`,
    ],
  }
}
