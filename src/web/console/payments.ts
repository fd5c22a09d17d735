// The payments of the journal.
import {lookUp} from '../../values/records.ts'
import {capitalize, endSentence, joinSentences} from '../../values/text.ts'
import {formatMoney, renderCode, renderStatus, renderTime, toText, toWords} from '../format.ts'
import {html} from '../html.ts'
import {type Moment, renderItemLink, renderLead} from '../parts.ts'
import {type ConsoleContext, cutPage, paths, readByCount, tryRead} from './context.ts'
import {type Noun, accountField, customerField} from './noun.ts'
import type {JournalLine, JournalPayment} from './source.ts'
import {findLineWords, findWords} from './words.ts'

const states = ['INTENDED', 'QUOTED', 'STOPPED', 'ARMED', 'CREATED', 'REJECTED', 'UNKNOWN', 'ABANDONED'] as const

const renderState = ({state, ended}: JournalPayment) =>
  html`${renderStatus(state, findWords('payment', state).tone)}${ended && html` ${renderStatus(ended)}`}`

export const linkPayment = ({link}: ConsoleContext, {key}: JournalPayment) =>
  html`<a href="${link(paths.payment, {key})}">${toText(key)}</a>`

export const formatPaid = ({source}: JournalPayment) =>
  source ? formatMoney(source.sourceAmount, source.sourceCurrency) : ''

// Ids, counters, digests and signatures say nothing to a person.
const wordless = new Set([
  'quoteId',
  'transactionId',
  'attempt',
  'epoch',
  'by',
  'id',
  'kind',
  'data',
  'pid',
  'approved',
])
const labels: Readonly<Record<string, string>> = {
  svcFee: 'Fee of the service',
  developerFee: 'Fee of your own',
  feeCurrency: 'Fees in',
  received: 'To arrive',
}

const listSigners = (data: unknown): unknown[] => {
  const {approvals} = (data ?? {}) as {approvals?: unknown}
  return Array.isArray(approvals) ? approvals.map((each: {signer?: unknown} | null) => each?.signer) : []
}

// A line of the journal's history. A field that is not known here is shown with its name, never left out.
export function describeLine({at, what, detail = {}}: JournalLine): Moment {
  const code = what === 'DECISION' ? toText(detail['kind']) : what
  const [title, tone] = findLineWords(code) ?? [toWords(code), 'quiet' as const]
  const facts = Object.entries(detail)
    .filter(([name]) => !wordless.has(name))
    .map(([name, value]) => `${lookUp(labels, name) ?? capitalize(toWords(name))}: ${toText(value)}`)
  const signers = [...new Set(listSigners(detail['data']).map(toText).filter(Boolean))]
  const signed = signers.length > 0 ? [`Signed by ${signers.join(' and ')}`] : []
  return {at, what: title, tone, detail: joinSentences([...facts, ...signed])}
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
  list: async ({journal, readMax}, query) =>
    cutPage(await readByCount(readMax, (count) => journal?.listPayments(count)), query),
  fields: (context, names) => [
    {header: 'Key', render: (payment) => linkPayment(context, payment), isLong: true},
    {header: 'State', render: renderState, only: 'list'},
    {header: 'Amount', render: formatPaid, isNumber: true},
    accountField(context, names, 'From', ({source}) => source?.sourcePaymentAccountId),
    accountField(context, names, 'To', ({destination}) => destination?.destinationPaymentAccountId),
    ...customerField(context, names),
    {
      header: 'Transaction',
      render: ({transactionId: id, customerId}) => renderItemLink(context, {path: paths.transaction, id, customerId}),
    },
    {header: 'Note', render: ({note}) => toText(note), only: 'page'},
    {header: 'Slot', render: ({slot}) => toText(slot), only: 'page'},
    {header: 'Times sent', render: ({sends}) => sends, only: 'page'},
    {header: 'Quote', render: ({quoteId}) => quoteId && renderCode(toText(quoteId)), only: 'page'},
    {header: 'Updated (UTC)', render: ({updatedAt}) => renderTime(updatedAt)},
  ],
  find: async ({source}, key) => source.journal?.findPayment(key),
  missing: (_, key) => html`The journal has no payment ${renderCode(toText(key))}.`,
  show: async (context, payment) => {
    const {state, ended, reason, key, transactionId} = payment
    const dealtWith = ended ? await tryRead(context, async () => context.source.journal?.listDealtWith()) : undefined
    const outcome = dealtWith?.value?.has(transactionId ?? '') ? 'DEALT_WITH' : ended ? 'ENDED' : state
    const why = state !== 'CREATED' && reason && endSentence(capitalize(toText(reason)))
    return {
      title: toText(key),
      status: renderState(payment),
      lead: renderLead(findWords('payment', outcome), key, why),
      timeline: {moments: (payment.history ?? []).map(describeLine), note: 'Times of this machine, in UTC.'},
    }
  },
}
