// The figures of the overview: money of today, fees of the last month, what was used of the limits of today, and the fleet. And what
// has become of the payments that come again and again.
import {Big} from 'big.js'
import {parsePositiveDecimal} from '../../../values/money.ts'
import {countNoun} from '../../../values/text.ts'
import {dayMs, monthNames, toIso} from '../../../values/time.ts'
import {formatAmount, formatLag, formatMoney, renderStatus, renderTime, toText, toTime} from '../../format.ts'
import {type Content, type Html, html} from '../../html.ts'
import {type Column, renderCard, renderFigure, renderTable, renderTransactionLink} from '../../parts.ts'
import {type ConsoleContext, type NewestItems, paths} from '../context.ts'
import {findInTime, formatSums, sumFees, sumSent} from '../money-sums.ts'
import type {DayCap, FleetState, JournalPayment, LooseTransaction} from '../source.ts'

const repeatedMax = 10

const notAddedUp = 'Not added up'

// What was sent since midnight UTC.
export function renderToday({now}: ConsoleContext, list: NewestItems<LooseTransaction>): Html {
  const today = findInTime(list, Math.floor(now / dayMs) * dayMs, Infinity)
  if (!today) {
    return renderFigure('Sent today', notAddedUp, [
      `More than the newest ${list.items.length} transactions are of today.`,
    ])
  }
  return renderFigure('Sent today', formatSums(sumSent(today)) || 'Nothing', [
    `${countNoun(today.length, 'transaction')} since midnight UTC.`,
  ])
}

const startOfMonth = (ms: number, offset: number) => {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset)
}

// What was charged in the last month (UTC) that is over.
export function renderLastMonth({now}: ConsoleContext, list: NewestItems<LooseTransaction>): Html {
  const startMs = startOfMonth(now, -1)
  const month = toIso(startMs).slice(0, 7)
  const name = `${monthNames[new Date(startMs).getUTCMonth()]} ${month.slice(0, 4)}`
  const made = findInTime(list, startMs, startOfMonth(now, 0))
  return renderFigure(`Fees in ${name}`, made ? formatSums(sumFees(made)) || 'None' : notAddedUp, [
    html`By payee: <code>svc report --month ${month}</code>`,
  ])
}

// From this share on, somebody may want to act before payments are stopped.
const nearlyUsed = new Big('0.8')

const renderCapMark = (share: Big | undefined): Content => {
  if (!share || share.lt(nearlyUsed)) return undefined
  return share.gte('1') ? renderStatus('USED_UP', 'bad') : renderStatus('NEARLY_USED_UP', 'open')
}

export const renderCaps = (caps: readonly DayCap[]): Html[] =>
  caps.map(({currency, allowed, used}) => {
    const [most, sent] = [parsePositiveDecimal(allowed), parsePositiveDecimal(used ?? '')]
    const share = most?.gt('0') && sent ? sent.div(most) : undefined
    const left = most && sent && (most.gt(sent) ? most.minus(sent) : new Big('0'))
    const figure = html`${sent ? formatAmount(sent.toFixed()) : '?'} of ${formatMoney(allowed, currency)}
    ${renderCapMark(share)}`
    return renderFigure(`Limit of today in ${currency}`, figure, [
      left
        ? `${formatMoney(left.toFixed(), currency)} may still be sent until midnight UTC.`
        : 'An amount of today is not known, so nothing more is sent.',
    ])
  })

export function renderFleet({source, now}: ConsoleContext, fleet: FleetState | undefined): Content {
  if (!fleet) return undefined
  const {workers, waiting, inFlight, unknown, paused, oldestAt} = fleet
  const oldestMs = toTime(oldestAt)
  return renderFigure(
    'Fleet',
    html`${countNoun(workers, 'worker')} ${waiting > 0 && workers === 0 && renderStatus('NOBODY_WORKS', 'bad')}`,
    [
      `${countNoun(waiting, 'row')} waiting, ${inFlight} being paid${unknown > 0 ? `, ${unknown} unknown` : ''}.`,
      oldestMs !== undefined &&
        `The oldest has waited for ${formatLag(Math.max(0, (source.journal?.readNow?.() ?? now) - oldestMs))}.`,
      paused.length > 0 && `${paused.length === 1 ? '1 batch is' : `${paused.length} batches are`} paused.`,
    ],
  )
}

// The last slot of a payment that comes again, or of all rows of a file that does.
interface LastSlot {
  name: string
  slot: string
  payments: readonly JournalPayment[]
}

// A row of a file has its own key behind the placeholder, and a zone may follow.
const toRepeatedName = (template: string) => template.replace(/\}.*$/, '}')

function listLastSlots(payments: readonly JournalPayment[]): LastSlot[] {
  const repeated = payments.filter(({template, slot}) => template && slot)
  return [...Map.groupBy(repeated, ({template}) => toRepeatedName(template ?? ''))]
    .map(([name, group]) => {
      const slot = group.reduce((last, each) => (each.slot && each.slot > last ? each.slot : last), '')
      return {name, slot, payments: group.filter((each) => each.slot === slot)}
    })
    .toSorted((one, other) => (one.slot < other.slot ? 1 : -1))
}

const isPaid = ({state, ended}: JournalPayment) => state === 'CREATED' && !ended

// What stands in a key for a placeholder, and what is said while it is not that of today.
const periods: Readonly<Record<string, {example: string; words: string}>> = {
  '{month}': {example: 'YYYY-MM', words: 'Not yet this month'},
  '{date}': {example: 'YYYY-MM-DD', words: 'Not yet today'},
}

function renderMissingSlot({now}: ConsoleContext, {name, payments: [first]}: LastSlot): Content {
  const [before = '', placeholder = ''] = name.split(/(?=\{)/)
  const period = periods[placeholder]
  if (!period || !first) return undefined
  const {length} = period.example
  if (first.key.slice(before.length, before.length + length) >= toIso(now).slice(0, length)) return undefined
  return html` <span class="mark open">${period.words}</span>`
}

function renderSlotState(slot: LastSlot, transactions: readonly LooseTransaction[]): Content {
  const {payments} = slot
  const [only] = payments
  const paid = payments.filter(isPaid).length
  if (payments.length > 1) {
    return paid === payments.length
      ? renderStatus('ALL_PAID', 'good')
      : html`<span class="mark bad">${paid} of ${payments.length} paid</span>`
  }
  const transaction = transactions.find(({transactionId}) => only && transactionId === only.transactionId)
  if (transaction) return renderStatus(transaction.transactionStatus)
  return paid === 1 ? renderStatus('PAID', 'good') : renderStatus(only?.ended ?? only?.state, 'bad')
}

// Whether rent went out.
export function renderRepeated(
  context: ConsoleContext,
  payments: readonly JournalPayment[],
  transactions: readonly LooseTransaction[],
): Content {
  const slots = listLastSlots(payments)
  if (slots.length === 0) return undefined
  const columns: Array<Column<LastSlot>> = [
    {
      header: 'Payment',
      render: ({name, payments: [first, ...others]}) =>
        html`<a
          href="${
            others.length > 0
              ? context.link(paths.journal, {q: name.replace(/\{.*$/, '')})
              : context.link(paths.payment, {key: first?.key})
          }"
          >${toText(others.length > 0 ? name : first?.key)}</a
        >`,
      isLong: true,
    },
    {
      header: 'Amount',
      render: ({payments: [first, ...others]}) =>
        others.length > 0
          ? countNoun(others.length + 1, 'payment')
          : formatMoney(first?.source?.sourceAmount, first?.source?.sourceCurrency),
      isNumber: true,
    },
    {header: 'Slot (UTC)', render: ({slot}) => renderTime(slot)},
    {
      header: 'State',
      render: (slot) => [renderSlotState(slot, transactions), renderMissingSlot(context, slot)],
    },
    {
      header: 'Transaction',
      render: ({payments: [first, ...others]}) =>
        others.length === 0 && first && renderTransactionLink(context, first.transactionId, first.customerId),
    },
  ]
  const table = renderTable({
    id: 'repeated',
    caption: 'The last of each payment that comes again',
    columns,
    items: slots.slice(0, repeatedMax),
    empty: '',
  })
  return renderCard('Comes again and again', table, {
    note: slots.length > repeatedMax ? `The last ${repeatedMax} of ${slots.length}.` : 'The last one of each.',
  })
}
