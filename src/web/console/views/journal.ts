// The payments of the journal, and the page of one with its history.
import {html} from '../../html.ts'
import {type ConsoleContext, type ConsolePage, paths, readCutPage} from '../context.ts'
import {type Tone, formatMoney, renderCode, renderStatus, renderTime, toText, toWords} from '../../format.ts'
import {type Moment, renderCard, renderFacts, renderTimeline, renderTransactionLink} from '../../parts.ts'
import type {JournalPayment, JournalSource} from '../source.ts'
import {
  createCustomerNameColumns,
  findCustomerNames,
  renderList,
  renderItem,
  renderOwnerLink,
  renderPartyLink,
} from './list-page.ts'

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

const renderPaymentFacts = async (context: ConsoleContext, payment: JournalPayment) => {
  const {customerId, source, destination} = payment
  const [customer, from, to] = await Promise.all([
    renderOwnerLink(context, payment),
    renderPartyLink(context, source?.sourcePaymentAccountId, payment),
    renderPartyLink(context, destination?.destinationPaymentAccountId, payment),
  ])
  return renderFacts([
    ['Key', renderCode(toText(payment.key))],
    ['Amount', formatAmount(payment)],
    ['Customer', customer],
    ['Note', toText(payment.note)],
    ['From', from],
    ['To', to],
    ['Transaction', renderTransactionLink(context, payment.transactionId, customerId)],
    ['Quote', payment.quoteId && renderCode(toText(payment.quoteId))],
    ['Slot', toText(payment.slot)],
    ['Sends', toText(payment.sends)],
    ['Reason', toText(payment.reason)],
    ['Recorded', renderTime(payment.createdAt)],
  ])
}

export async function renderPayment(context: ConsoleContext, journal: JournalSource): Promise<ConsolePage> {
  const key = context.query['key'] ?? ''
  return renderItem(context, {
    find: () => journal.findPayment(key),
    missing: html`The journal has no payment ${renderCode(toText(key))}.`,
    render: async (payment) => {
      const isUnsettled = payment.state === 'UNKNOWN' || payment.state === 'ARMED'
      const facts = await renderPaymentFacts(context, payment)
      const timeline = renderTimeline('payment-timeline', listMoments(payment), 'Nothing was recorded.')
      return {
        title: toText(payment.key),
        beside: renderState(payment),
        body: [
          isUnsettled &&
            html`<p class="failure">
              Whether this payment was made is not known. <code>svc journal settle ${toText(payment.key)}</code> finds
              out.
            </p>`,
          html`<div class="columns" id="payment" data-live>
            ${renderCard('Details', facts)} ${renderCard('History', timeline)}
          </div>`,
        ],
      }
    },
  })
}
