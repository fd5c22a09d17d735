// What the console shows of the sandbox, read from its database: the truth, whatever faults the sandbox plays to its clients.
import type {
  ConsoleAccount,
  ConsoleEvent,
  ConsoleSource,
  EventSource,
  JournalSource,
  PageQuery,
  LooseCustomer,
} from '../../web/console/source.ts'
import type {Result} from '../../sandbox-results.ts'
import {normalizeAmount} from '../../values/money.ts'
import {readText} from '../../values/records.ts'
import {SvcError} from '../../errors.ts'
import {ControlError} from '../operations/control-error.ts'
import {
  type StatusChangeRow,
  findCustomerRow,
  listStatusChanges,
  readCustomerPage,
  toCustomer,
} from '../service/customers/customer-store.ts'
import {behavioursDefault} from '../service/faults/behaviours.ts'
import {ServiceError} from '../http/service-error.ts'
import {listAccountRows, listNewestAccountRows} from '../service/money/accounts.ts'
import {toAccountWithBalances} from '../service/money/controls.ts'
import {findTransaction, listTransactionChanges, readTransactionPage} from '../service/money/transaction-store.ts'
import {type Transaction, describeMagicAmount} from '../service/money/transitions.ts'
import type {RequestContext} from '../service/request-context.ts'
import {findNextFiring} from '../service/rules/firing.ts'
import {findRuleRow, listRuleRows, parseTrigger, toRule} from '../service/rules/rule-store.ts'
import {type Database, parseStored} from '../store/database.ts'
import {toTimestamp} from '../time/clock.ts'
import {findEvent, listDeliveries, listEvents} from '../service/webhooks/events.ts'
import {formatDistance} from './clock-page.ts'

// How many items the overview and the search read at most.
const readMax = 1_000
const deliveriesMax = 100

// The body of an event that somebody triggered can be anything.
function readCustomer(body: string): LooseCustomer {
  const {data} = (JSON.parse(body) ?? {}) as {data?: LooseCustomer | null}
  return data ?? {}
}

// The worst of its deliveries stands for the event.
function summarizeDeliveries(statuses: readonly string[]): string {
  return ['FAILED', 'PENDING', 'DELIVERED'].find((status) => statuses.includes(status)) ?? 'NOT SENT'
}

function toEvent(database: Database, event: Result<'WebhookEvent'>): ConsoleEvent {
  const {eventId, type, customerId, createdAt, body} = event
  const {deliveries} = listDeliveries(database, {eventId, limit: deliveriesMax})
  const {customerStatus, verificationIssues} = readCustomer(body)
  const isOfChange = ({changedAt, toStatus}: StatusChangeRow) =>
    toTimestamp(changedAt) === createdAt && toStatus === customerStatus
  const change = listStatusChanges(database, customerId).find(isOfChange)
  return {
    eventId,
    type,
    at: createdAt,
    customerId,
    customerStatus: readText(customerStatus) || undefined,
    issues: verificationIssues,
    isMadeUp: change?.note.isMadeUp === true,
    status: summarizeDeliveries(deliveries.map(({status}) => status)),
  }
}

const createEventSource = (context: RequestContext): EventSource => ({
  description: 'Events are stored while there is a webhook endpoint: svc sandbox webhooks add, or svc events listen.',
  listEvents: async (limit, customerId) =>
    listEvents(context, {customerId, limit}).events.map((event) => toEvent(context.database, event)),
  findEvent: async (eventId) => {
    const event = findEvent(context, eventId)
    return event && toEvent(context.database, event)
  },
})

// When the rule fired and fires next, and why it made no payment.
function listRuleFacts(context: RequestContext, ruleId: string): Array<[label: string, value: string]> {
  const row = findRuleRow(context.database, ruleId)
  if (!row) return []
  const {firedCount, lastFiredAt, lastRefusal, isArmed} = row
  const trigger = parseTrigger(row)
  const due = trigger.type === 'TIME_BASED' ? findNextFiring(context.database, row.ruleId) : undefined
  const next =
    trigger.type === 'TIME_BASED'
      ? due === undefined
        ? 'never'
        : `${toTimestamp(due).slice(0, 16).replace('T', ' ')} UTC, ${formatDistance(due - context.now)}`
      : `when the balance reaches ${trigger.thresholdAmount}${isArmed ? '' : ' again'}`
  return [
    ['Fires next', next],
    ['Fired', lastFiredAt === null ? 'never' : `${firedCount} times, last at ${toTimestamp(lastFiredAt)}`],
    ['Why it made no payment the last time', lastRefusal ?? ''],
  ]
}

// An address with a page that is none shows the newest items.
function readPageOrFirst<T>(query: PageQuery, read: (query: PageQuery) => T): T {
  try {
    return read(query)
  } catch (error) {
    if (query.pageToken === undefined || !(error instanceof ServiceError)) throw error
    return read({...query, pageToken: undefined})
  }
}

// The context is that of the page's request, after everything that was due has run.
export function createSandboxSource(context: RequestContext, journal?: JournalSource): ConsoleSource {
  const {database} = context
  const truth = {...context, behaviours: behavioursDefault}
  const toAccounts = (rows: Parameters<typeof toAccountWithBalances>[1][]): ConsoleAccount[] =>
    rows.map((row) => toAccountWithBalances(context, row))
  return {
    title: 'Sandbox',
    note: 'Nothing here is real.',
    isReadOnly: false,
    readMax,
    listCustomers: async (query) => {
      const {rows, nextPageToken} = readPageOrFirst(query, (page) => readCustomerPage(truth, page))
      return {items: rows.map((row) => toCustomer(context, row)), nextPageToken}
    },
    findCustomer: async (customerId) => {
      const row = findCustomerRow(database, customerId)
      return row && toCustomer(context, row)
    },
    findNames: async (customerIds) =>
      new Map([...new Set(customerIds)].map((id) => [id, findCustomerRow(database, id)?.name ?? ''])),
    listAccounts: async (customerId) => ({items: toAccounts(listAccountRows(database, customerId))}),
    listNewestAccounts: async (count) => toAccounts(listNewestAccountRows(database, count)),
    listTransactions: async (query) => {
      const {rows, nextPageToken} = readPageOrFirst(query, (page) => readTransactionPage(truth, page))
      return {items: rows.map(({reply}) => parseStored<Transaction>(reply)), nextPageToken}
    },
    findTransaction: async (transactionId) => findTransaction(database, transactionId),
    listRules: async (customerId) => listRuleRows(database, {customerId}).map(toRule),
    findRule: async (ruleId) => {
      const row = findRuleRow(database, ruleId)
      return row && toRule(row)
    },
    listRuleFacts: async (ruleId) => listRuleFacts(context, ruleId),
    listStatusChanges: async (id) =>
      [...listStatusChanges(database, id), ...listTransactionChanges(database, id)].map(
        ({changedAt, fromStatus, toStatus, note}) => ({
          at: toTimestamp(changedAt),
          from: fromStatus,
          to: toStatus,
          ...note,
        }),
      ),
    explainEnding: ({transactionStatus, source}) => {
      const amount = normalizeAmount(readText(source?.sourceAmount))
      const remark = describeMagicAmount(amount, readText(transactionStatus))
      return remark && `In the sandbox, ${remark.replaceAll('`', '')}`
    },
    // Such as a page token that is not one of this list, or a journal that cannot be read.
    describeFailure: (error) =>
      error instanceof ServiceError || error instanceof ControlError || error instanceof SvcError
        ? `${error.message}.`
        : undefined,
    journal,
    events: createEventSource(context),
  }
}
