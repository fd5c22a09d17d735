// The figures of the overview: money of today, fees of the last month, what was used of the limits of today, and the fleet. And what
// has become of the payments that come again and again.
import {Big} from 'big.js'
import {roundAmount} from '../../../values/currencies.ts'
import {parsePositiveDecimal} from '../../../values/money.ts'
import {countNoun} from '../../../values/text.ts'
import {toIso} from '../../../values/time.ts'
import {formatAmount, formatLag, formatMoney, renderStatus, renderTime, toText, toTime} from '../../format.ts'
import {type Content, type Html, html} from '../../html.ts'
import {type Column, renderCard, renderFigure, renderTable, renderTransactionLink} from '../../parts.ts'
import {type ConsoleContext, type NewestItems, paths} from '../context.ts'
import type {DayCap, FleetState, JournalPayment, LooseTransaction} from '../source.ts'
import {type MonthFees, compareToday, computeMonthFees, rankCurrencies} from '../transaction-figures.ts'

const currenciesMax = 2
const repeatedMax = 10

const formatRounded = (amount: Big, currency: string) =>
  `${formatAmount(roundAmount(amount.toFixed(), currency))} ${currency}`

const formatShare = (part: Big, whole: Big) => `${part.div(whole).times(100).round(2).toFixed()} %`

const describeUsual = (usual: Big | undefined, currency: string, days: number): string =>
  usual
    ? `${formatRounded(usual, currency)} on an average day of the last ${days}.`
    : 'There is no day before to compare it with.'

// Of each currency that is used much, what was sent today.
export const renderToday = ({now}: ConsoleContext, transactions: readonly LooseTransaction[]): Html[] =>
  rankCurrencies(transactions)
    .map((currency) => ({currency, ...compareToday(transactions, currency, now)}))
    .filter(({today, usual}) => today.gt('0') || usual?.gt('0'))
    .slice(0, currenciesMax)
    .map(({currency, today, count, usual, days}) =>
      renderFigure(`Sent today in ${currency}`, formatRounded(today, currency), [
        `${countNoun(count, 'transaction')} since midnight UTC. ${describeUsual(usual, currency, days)}`,
      ]),
    )

const listFees = (sums: readonly MonthFees[]) =>
  sums.map(({fees, currency}) => formatRounded(fees, currency)).join(', ')

// What was charged in the last month that is over, with the currency of the highest sum first, and in this one so far.
export function renderLastMonth({now}: ConsoleContext, {items, isCut}: NewestItems<LooseTransaction>): Content {
  const last = computeMonthFees(items, now, -1)
  const current = computeMonthFees(items, now, 0)
  const [first, ...others] = last.sums
  if (!first && current.sums.length === 0) return undefined
  const isPartial = isCut && items.every(({createdAt}) => (toTime(createdAt) ?? 0) > last.startMs)
  return renderFigure(`Fees in ${last.name}`, first ? formatRounded(first.fees, first.currency) : 'None', [
    first?.sent.gt('0') &&
      `${formatShare(first.fees, first.sent)} of the ${formatRounded(first.sent, first.currency)} that were sent.`,
    [
      others.length > 0 && `Also ${listFees(others)}. `,
      current.sums.length > 0 && `This month so far: ${listFees(current.sums)}.`,
    ],
    isPartial
      ? html`The list goes further back than was read: <code>svc report --month ${last.month}</code> has all of it.`
      : html`By payee and week: <code>svc report --month ${last.month}</code>`,
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
