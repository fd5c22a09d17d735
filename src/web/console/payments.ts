// The payments of the journal.
import {capitalize, endSentence} from '../../values/text.ts'
import {formatMoney, renderCode, renderStatus, renderTime, toCurrency, toText} from '../format.ts'
import {html} from '../html.ts'
import {type Moment, renderItemLink, renderLead} from '../parts.ts'
import {describeStep} from '../payment-words.ts'
import {type ConsoleContext, paths, readCutPage, tryRead} from './context.ts'
import {type Noun, customerColumn, renderCustomer, renderParty} from './noun.ts'
import type {JournalPayment} from './source.ts'
import {findWords} from './words.ts'

const states = ['INTENDED', 'QUOTED', 'STOPPED', 'ARMED', 'CREATED', 'REJECTED', 'UNKNOWN', 'ABANDONED'] as const

const renderState = ({state, ended}: JournalPayment) =>
  html`${renderStatus(state, findWords('payment', state).tone)}${ended && html` ${renderStatus(ended)}`}`

export const linkPayment = ({link}: ConsoleContext, {key}: JournalPayment) =>
  html`<a href="${link(paths.payment, {key})}">${toText(key)}</a>`

export const formatPaid = ({source}: JournalPayment) =>
  source ? formatMoney(source.sourceAmount, source.sourceCurrency) : ''

// What the journal recorded, by the clock of this machine.
export function listJournalMoments({history = [], source, destination}: JournalPayment): Moment[] {
  const currencies = {from: toCurrency(source?.sourceCurrency), to: toCurrency(destination?.destinationCurrency)}
  return history.map((line) => {
    const {title, tone, sentences} = describeStep(line, currencies)
    return {at: line.at, what: title, detail: sentences.join(' '), tone, isOurTime: true}
  })
}

export const payments: Noun<JournalPayment> = {
  title: 'Journal',
  noun: 'payment',
  path: paths.journal,
  itemPath: paths.payment,
  part: 'journal',
  command: 'svc journal list',
  searchLabel: 'Key, transaction, customer or reason',
  choice: {name: 'state', label: 'State', values: states, read: ({state}) => state},
  empty: html`No payment of this service is in the journal of this machine. <code>svc pay</code> records each one there.`,
  above: () => html`<p class="note">What svc on this machine recorded before it sent anything.</p>`,
  list: (source, query) =>
    readCutPage(async (count) => (await source.journal?.listPayments(count)) ?? [], source.readMax, query),
  columns: (context, names) => [
    {header: 'Key', render: (payment) => linkPayment(context, payment), isLong: true},
    {header: 'State', render: renderState},
    {header: 'Amount', render: formatPaid, isNumber: true},
    ...customerColumn(context, names),
    {
      header: 'Transaction',
      render: ({transactionId: id, customerId}) => renderItemLink(context, {path: paths.transaction, id, customerId}),
    },
    {header: 'Updated (UTC)', render: ({updatedAt}) => renderTime(updatedAt)},
  ],
  find: async ({source}, key) => source.journal?.findPayment(key),
  missing: (_, key) => html`The journal has no payment ${renderCode(toText(key))}.`,
  show: async (context, payment) => {
    const {state, ended, reason, key, transactionId, customerId, sends, quoteId, source, destination} = payment
    const dealtWith = ended ? await tryRead(context, async () => context.source.journal?.listDealtWith()) : undefined
    const outcome = dealtWith?.value?.has(transactionId ?? '') ? 'DEALT_WITH' : ended ? 'ENDED' : state
    return {
      title: toText(key),
      status: renderState(payment),
      lead: renderLead(
        findWords('payment', outcome),
        key,
        state !== 'CREATED' && reason && endSentence(capitalize(toText(reason))),
      ),
      timeline: {moments: listJournalMoments(payment), note: 'Times of this machine, in UTC.'},
      cards: [
        [
          'Details',
          [
            ['Amount', formatPaid(payment)],
            ['From', await renderParty(context, source?.sourcePaymentAccountId, payment)],
            ['To', await renderParty(context, destination?.destinationPaymentAccountId, payment)],
            ['Customer', await renderCustomer(context, payment)],
            ['Note', toText(payment.note)],
            ['Transaction', renderItemLink(context, {path: paths.transaction, id: transactionId, customerId})],
            ['Key', renderCode(toText(key))],
            ['Slot', toText(payment.slot)],
            ['Sent', sends !== undefined && (sends === 1 ? 'once' : `${sends} times`)],
            ['Quote', quoteId && renderCode(toText(quoteId))],
          ],
        ],
      ],
    }
  },
}
