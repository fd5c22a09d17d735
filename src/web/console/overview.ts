// The first page of the console: what needs a person, the money of today, what comes again, what is under way, and who waits.
import {Big} from 'big.js'
import {readCode} from '../../contract/loose.ts'
import {customerStatuses} from '../../contract/vocabulary.ts'
import {parsePositiveDecimal} from '../../values/money.ts'
import {countNoun} from '../../values/text.ts'
import {dayMs, monthNames, toIso} from '../../values/time.ts'
import {
  formatAmount,
  formatLag,
  formatMoney,
  getTone,
  renderStatus,
  renderTime,
  toText,
  toTime,
  toWords,
} from '../format.ts'
import {type Content, type Html, html} from '../html.ts'
import {
  type Column,
  renderBars,
  renderCard,
  renderFailure,
  renderFigure,
  renderItemLink,
  renderTable,
} from '../parts.ts'
import {
  type ConsoleContext,
  type ConsolePage,
  type Cut,
  addCount,
  paths,
  readNewest,
  sayNone,
  tryRead,
} from './context.ts'
import {findInTime, formatSums, isOpen, sumFees, sumSent} from './money-sums.ts'
import {attentionDays, hasCome} from '../../values/attention.ts'
import {byAge, readJournalNow, renderAge, renderNeeds} from './needs.ts'
import {findNames, linkCustomer} from './noun.ts'
import {formatPaid, linkPayment} from './payments.ts'
import type {DayCap, FleetState, JournalPayment, LooseCustomer, LooseTransaction} from './source.ts'
import {formatSource} from './transactions.ts'

const rowsMax = 10
const notAddedUp = 'Not added up'

// What was sent since midnight UTC.
function renderToday({now}: ConsoleContext, list: Cut<LooseTransaction>): Html {
  const today = findInTime(list, Math.floor(now / dayMs) * dayMs, Infinity)
  return today
    ? renderFigure('Sent today', formatSums(sumSent(today)) || 'Nothing', [
        `${countNoun(today.length, 'transaction')} since midnight UTC.`,
      ])
    : renderFigure('Sent today', notAddedUp, [`More than the newest ${list.items.length} transactions are of today.`])
}

const startOfMonth = (ms: number, offset: number) => {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + offset)
}

// What was charged in the last month (UTC) that is over, for every transaction of the service. `svc report` knows those of the journal.
function renderLastMonth({now}: ConsoleContext, list: Cut<LooseTransaction>): Html {
  const startMs = startOfMonth(now, -1)
  const date = new Date(startMs)
  const made = findInTime(list, startMs, startOfMonth(now, 0))
  return renderFigure(
    `Fees in ${monthNames[date.getUTCMonth()]} ${date.getUTCFullYear()}`,
    made ? formatSums(sumFees(made)) || 'None' : notAddedUp,
    [made && `Of ${countNoun(made.length, 'transaction')} at the service, whoever made them.`],
  )
}

// From this share on, somebody may want to act before payments are stopped.
const nearlyUsed = new Big('0.8')

function renderCap({currency, allowed, used}: DayCap): Html {
  const [most, sent] = [parsePositiveDecimal(allowed), parsePositiveDecimal(used ?? '')]
  const share = most?.gt('0') && sent ? sent.div(most) : new Big('0')
  const left = most && sent && (most.gt(sent) ? most.minus(sent) : new Big('0'))
  const mark = share.gte('1')
    ? renderStatus('USED_UP', 'bad')
    : share.gte(nearlyUsed) && renderStatus('NEARLY_USED_UP', 'open')
  return renderFigure(
    `Limit of today in ${currency}`,
    html`${sent ? formatAmount(sent.toFixed()) : '?'} of ${formatMoney(allowed, currency)} ${mark}`,
    [
      left
        ? `${formatMoney(left.toFixed(), currency)} may still be sent until midnight UTC.`
        : 'An amount of today is not known, so nothing more is sent.',
    ],
  )
}

function renderFleet(context: ConsoleContext, fleet: FleetState | undefined): Content {
  if (!fleet) return undefined
  const {workers, waiting, inFlight, unknown, paused, oldestAt} = fleet
  const oldestMs = toTime(oldestAt)
  return renderFigure(
    'Fleet',
    html`${countNoun(workers, 'worker')} ${waiting > 0 && workers === 0 && renderStatus('NOBODY_WORKS', 'bad')}`,
    [
      `${countNoun(waiting, 'row')} waiting, ${inFlight} being paid${unknown > 0 ? `, ${unknown} unknown` : ''}.`,
      oldestMs !== undefined &&
        `The oldest has waited for ${formatLag(Math.max(0, readJournalNow(context) - oldestMs))}.`,
      paused.length > 0 && `${paused.length === 1 ? '1 batch is' : `${paused.length} batches are`} paused.`,
    ],
  )
}

// The last slot of a payment that comes again, or of all rows of a file that does.
interface LastSlot {
  name: string
  // Of its placeholder.
  zone: string
  slot: string
  payments: readonly JournalPayment[]
}

// A row of a file has its own key behind the placeholder, and a zone may follow: rent-{date} in Europe/Berlin.
function listLastSlots(payments: readonly JournalPayment[]): LastSlot[] {
  const repeated = payments.filter(({template, slot}) => template && slot)
  return [...Map.groupBy(repeated, ({template = ''}) => template.replace(/\}.*?(?= in |$)/, '}'))]
    .map(([template, group]) => {
      const [name = '', zone = 'UTC'] = template.split(' in ')
      const slot = group.reduce((last, each) => (each.slot && each.slot > last ? each.slot : last), '')
      return {name, zone, slot, payments: group.filter((each) => each.slot === slot)}
    })
    .toSorted((one, other) => (one.slot < other.slot ? 1 : -1))
}

// What stands in a key for a placeholder, and what is said while it is not that of today.
const periods: Readonly<Record<string, {example: string; words: string}>> = {
  '{month}': {example: 'YYYY-MM', words: 'Not yet this month'},
  '{date}': {example: 'YYYY-MM-DD', words: 'Not yet today'},
}

// The day in the zone of the key. Sweden writes days as ISO 8601 does.
function formatDay(ms: number, zone: string): string {
  try {
    return new Intl.DateTimeFormat('sv-SE', {timeZone: zone, dateStyle: 'short'}).format(ms)
  } catch {
    return toIso(ms)
  }
}

function renderMissingSlot(now: number, {name, zone, payments: [first]}: LastSlot): Content {
  const [before = '', placeholder = ''] = name.split(/(?=\{)/)
  const period = periods[placeholder]
  if (!period || !first) return undefined
  const {length} = period.example
  const isThere = first.key.slice(before.length, before.length + length) >= formatDay(now, zone).slice(0, length)
  return !isThere && html` <span class="mark open">${period.words}</span>`
}

function renderSlotState({payments}: LastSlot, transactions: readonly LooseTransaction[]): Content {
  const [only] = payments
  const paid = payments.filter(({state, ended}) => state === 'CREATED' && !ended).length
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
function renderRepeated(
  context: ConsoleContext,
  payments: readonly JournalPayment[],
  transactions: readonly LooseTransaction[],
): Content {
  const now = readJournalNow(context)
  const slots = listLastSlots(payments.filter((payment) => hasCome(payment, now)))
  if (slots.length === 0) return undefined
  const columns: Array<Column<LastSlot>> = [
    {
      header: 'Payment',
      render: ({name, payments: [first, ...others]}) =>
        others.length > 0
          ? html`<a href="${context.link(paths.journal, {q: name.replace(/\{.*$/, '')})}">${toText(name)}</a>`
          : first && linkPayment(context, first),
      isLong: true,
    },
    {
      header: 'Amount',
      render: ({payments: [first, ...others]}) =>
        others.length > 0 ? countNoun(others.length + 1, 'payment') : first && formatPaid(first),
      isNumber: true,
    },
    {header: 'Slot (UTC)', render: ({slot}) => renderTime(slot)},
    {header: 'State', render: (slot) => [renderSlotState(slot, transactions), renderMissingSlot(context.now, slot)]},
    {
      header: 'Transaction',
      render: ({payments: [first, ...others]}) =>
        others.length === 0 &&
        renderItemLink(context, {path: paths.transaction, id: first?.transactionId, customerId: first?.customerId}),
    },
  ]
  const caption = 'The last of each payment that comes again'
  const table = renderTable({id: 'repeated', caption, columns, items: slots.slice(0, rowsMax), empty: ''})
  return renderCard('Comes again and again', table, {
    note: slots.length > rowsMax ? `The last ${rowsMax} of ${slots.length}.` : 'The last one of each.',
  })
}

// The oldest of what goes on. A count, or that there is none, is said only of a whole list.
function renderOldest<Item extends {since: unknown}>(
  title: string,
  list: Cut<unknown>,
  found: readonly Item[],
  table: {id: string; caption: string; columns: Array<Column<Item>>; none: string},
): Html {
  const among = list.isCut ? ` among the newest ${list.items.length}` : ''
  const note =
    found.length > rowsMax ? `The ${rowsMax} oldest${among}.` : found.length > 0 && among ? `${among.trim()}.` : ''
  const items = found.toSorted(byAge).slice(0, rowsMax)
  return renderCard(
    addCount(title, found.length, list),
    renderTable({...table, items, empty: sayNone(list, table.none)}),
    {note: note.replace(/^a/, 'A')},
  )
}

async function renderUnderWay(context: ConsoleContext, list: Cut<LooseTransaction>): Promise<Html> {
  const open = list.items
    .filter((each) => isOpen(each) && readCode(each.transactionStatus) !== 'AWAITING_TRANSFER')
    .map((transaction) => ({transaction, since: transaction.createdAt}))
  const names = await findNames(context, list.items)
  return renderOldest('Under way', list, open, {
    id: 'under-way',
    caption: 'Transactions under way',
    none: 'No money is under way',
    columns: [
      {
        header: 'Sent',
        render: ({transaction}) => {
          const {transactionId: id, customerId} = transaction
          return renderItemLink(context, {path: paths.transaction, id, customerId, text: formatSource(transaction)})
        },
        isNumber: true,
      },
      {
        header: 'Customer',
        render: ({transaction: {customerId}}) => linkCustomer(context, customerId, names.get(toText(customerId))),
      },
      {header: 'For', render: ({since}) => renderAge(context.now, since), isShort: true},
      {header: 'Status', render: ({transaction}) => renderStatus(transaction.transactionStatus)},
    ],
  })
}

// In these statuses the next step is the service's or the customer's.
const waitingWords: Readonly<Record<string, string>> = {
  CREATED: 'its data, which nobody has sent',
  UNDER_REVIEW: 'the service, which checks the data',
}

function renderWaiting(context: ConsoleContext, list: Cut<LooseCustomer>): Html {
  const waiting = list.items
    .filter(({customerStatus}) => waitingWords[readCode(customerStatus)])
    .map((customer) => ({customer, since: customer.updatedAt}))
  return renderOldest('Waiting for verification', list, waiting, {
    id: 'waiting',
    caption: 'Who waits for verification',
    none: 'Nobody waits for verification',
    columns: [
      {header: 'Customer', render: ({customer}) => linkCustomer(context, customer.customerId, toText(customer.name))},
      {header: 'Waits for', render: ({customer: {customerStatus}}) => waitingWords[readCode(customerStatus)]},
      {header: 'For', render: ({since}) => renderAge(context.now, since), isShort: true},
      {header: 'Since (UTC)', render: ({since}) => renderTime(since), isMinor: true},
    ],
  })
}

// How many customers are in each status.
function renderStatuses({link}: ConsoleContext, {items, isCut}: Cut<LooseCustomer>): Html {
  const counts = Map.groupBy(items, ({customerStatus}) => readCode(customerStatus) || 'NO STATUS')
  const bars = [...new Set<string>([...customerStatuses, ...counts.keys()])].flatMap((status) => {
    const value = counts.get(status)?.length ?? 0
    const label = html`<a href="${link(paths.customers, {status})}">${toWords(status)}</a>`
    return value === 0 ? [] : [{label, value, tone: getTone(status)}]
  })
  const note = isCut ? `Among the newest ${items.length}.` : `${countNoun(items.length, 'customer')} in all.`
  return renderCard('Customers', renderBars('statuses', bars), {note})
}

const nothing = {items: [], isCut: false}

export async function renderOverview(context: ConsoleContext): Promise<ConsolePage> {
  const {source, now} = context
  const {journal} = source
  const since = readJournalNow(context) - attentionDays * dayMs
  const [transactions, customers, journalRead, controls] = await Promise.all([
    tryRead(context, () => readNewest((page) => source.listTransactions(page), source.readMax)),
    tryRead(context, () => readNewest((page) => source.listCustomers(page), source.readMax)),
    // What is unknown is asked for by its state, however old it is.
    tryRead(context, () =>
      Promise.all([journal?.listOpenPayments(since), journal?.listPayments(source.readMax), journal?.listDealtWith()]),
    ),
    tryRead(context, () =>
      Promise.all([
        journal?.controls?.listApprovalsAsked(),
        journal?.controls?.listCaps(now),
        journal?.controls?.readFleet(),
      ]),
    ),
  ])
  const [open = [], newest = [], dealtWith = new Set<string>()] = journalRead.value ?? []
  const [approvals = [], caps = [], fleet] = controls.value ?? []
  const listed = transactions.value ?? nothing
  const needs = await tryRead(context, () =>
    renderNeeds(context, {
      transactions: listed,
      customers: customers.value ?? nothing,
      payments: open,
      dealtWith,
      approvals,
      fleet,
    }),
  )
  const failures = [journalRead, controls, transactions, customers, needs].map(({failure}) => failure)
  return {
    title: 'Overview',
    status: transactions.failure !== undefined && customers.failure !== undefined ? 502 : 200,
    body: [
      html`<div class="head"><h1>Overview</h1></div>`,
      html`<div id="work" data-live>
        ${[...new Set(failures)].map((failure) => failure !== undefined && renderFailure(failure))} ${needs.value}
        <div class="columns three">
          ${transactions.value && [renderToday(context, listed), renderLastMonth(context, listed)]}
          ${caps.map(renderCap)} ${renderFleet(context, fleet)}
        </div>
        ${renderRepeated(context, newest, listed.items)}
        <div class="grid">
          ${transactions.value && (await renderUnderWay(context, listed))}
          ${customers.value && renderWaiting(context, customers.value)}
        </div>
        ${customers.value && renderStatuses(context, customers.value)}
      </div>`,
    ],
  }
}
