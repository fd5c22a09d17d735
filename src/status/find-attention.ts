// Finds what needs attention in what was read: customers, transactions, the journal and rules.
import {getCutSign} from '../client/list-end.ts'
import {cutId, findDistinctLength} from '../cli/ids/distinct-ids.ts'
import {formatMinute} from '../cli/output/format-values.ts'
import {toText} from '../cli/output/view.ts'
import {type LooseCustomer, type LooseTransaction, readCode} from '../contract/loose.ts'
import {isUuid} from '../contract/ids.ts'
import {sortByWaiting} from '../customers/sort-by-waiting.ts'
import {readBadEnding} from '../payments/protocol/payment.ts'
import type {JournalEntry} from '../payments/journal/entries.ts'
import {toInstantMs} from '../values/time.ts'
import type {Attention, AttentionItem} from './status.ts'

// How long a payment or transaction that failed stays on the page.
export const failuresShownMs = 7 * 24 * 60 * 60 * 1000

// A command about the first item that has an id which svc takes, or the list.
function suggestCommand(command: string, items: readonly AttentionItem[], list: string): string {
  const item = items.find(({id}) => isUuid(id))
  return item ? `${command} ${item.shortId ?? item.id}` : list
}

const countThings = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

export interface ReadPage<T> {
  items: readonly T[]
  // Whether the list goes on, or may go on.
  isPartial: boolean
}

// Adds the beginning of the id of an item. In a list that was read in part, another id may begin in the same way.
export function createIdShortener({ids, isWhole}: {ids: readonly string[]; isWhole: boolean}) {
  if (!isWhole || !ids.every(isUuid)) return (item: AttentionItem): AttentionItem => item
  const length = findDistinctLength(new Set(ids))
  return (item: AttentionItem): AttentionItem => ({...item, shortId: cutId(item.id, length)})
}

// Reads the items of a page, whatever the service sent in their place.
export function readPage<T extends object>(page: object, key: string): ReadPage<T> {
  const {[key]: items, nextPageToken} = page as Record<string, unknown>
  const isPartial = Boolean(nextPageToken) || getCutSign(page) !== undefined
  const isObject = (item: unknown): item is T => typeof item === 'object' && item !== null
  return {items: Array.isArray(items) ? items.filter(isObject) : [], isPartial}
}

function createAttention(
  items: readonly AttentionItem[],
  rest: Omit<Attention, 'count' | 'items' | 'isPartial'>,
  isPartial = false,
): Attention[] {
  if (items.length === 0) return []
  return [{...rest, count: items.length, ...(isPartial && {isPartial}), items}]
}

function describeIssues({verificationIssues}: LooseCustomer): string | undefined {
  const codes = Array.isArray(verificationIssues) ? verificationIssues.map((issue) => toText(issue?.code)) : []
  const first = codes.find(Boolean)
  return first && codes.length > 1
    ? `${first} and ${countThings(codes.length - 1, 'other issue', 'other issues')}`
    : first
}

export function findCorrections(
  {items: customers, isPartial}: ReadPage<LooseCustomer>,
  shorten: (item: AttentionItem) => AttentionItem,
): Attention[] {
  const waiting = customers.filter(({customerStatus}) => readCode(customerStatus) === 'NEEDS_ADDITIONAL_INFORMATION')
  const items = sortByWaiting(waiting).map((customer) => {
    const [id, name, detail] = [toText(customer.customerId), toText(customer.name), describeIssues(customer)]
    return shorten({id, ...(name && {name}), ...(detail && {detail})})
  })
  const text = `${countThings(items.length, 'customer waits', 'customers wait')} for corrections`
  const next = suggestCommand('svc customers fix', items, 'svc customers list')
  return createAttention(items, {kind: 'corrections', text, next}, isPartial)
}

export function findFailedTransactions(
  {items: transactions, isPartial}: ReadPage<LooseTransaction>,
  shorten: (item: AttentionItem) => AttentionItem,
  nowMs: number,
): Attention[] {
  const items = transactions
    .map((transaction) => ({transaction, ending: readBadEnding(transaction)}))
    .filter(({transaction: {updatedAt}, ending}) => ending && (toInstantMs(updatedAt) ?? 0) > nowMs - failuresShownMs)
    .map(({transaction: {transactionId, source}, ending}) => {
      const {sourceAmount, sourceCurrency} = source ?? {}
      const label = typeof sourceCurrency === 'object' ? sourceCurrency?.label : sourceCurrency
      const amount = [toText(sourceAmount), toText(label)].filter(Boolean).join(' ')
      return shorten({id: toText(transactionId), ...(amount && {name: amount}), detail: String(ending)})
    })
  const text = `${countThings(items.length, 'transaction', 'transactions')} ended badly in the last 7 days`
  const next = suggestCommand('svc transactions get', items, 'svc transactions list')
  return createAttention(items, {kind: 'failedTransactions', text, next}, isPartial)
}

const toItem = ({key, source, state, reason}: JournalEntry): AttentionItem => ({
  id: key,
  ...(source && {name: `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()}`}),
  detail: reason ?? state,
})

export function findUnknownPayments(entries: readonly JournalEntry[]): Attention[] {
  const items = entries.map(toItem)
  const text = `${countThings(items.length, 'payment has', 'payments have')} an unknown outcome`
  return createAttention(items, {kind: 'unknownPayments', text, next: 'svc journal list --state UNKNOWN,ARMED'})
}

// A row of a payout file is a payment under its own key, as any other.
export function findFailedPayments(entries: readonly JournalEntry[]): Attention[] {
  const items = entries.map(toItem)
  const text = `${countThings(items.length, 'payment or row of a payout file', 'payments or rows of payout files')} failed in the last 7 days`
  return createAttention(items, {
    kind: 'failedPayments',
    text,
    next: 'svc journal list --state REJECTED,STOPPED --since 7d',
  })
}

const formatTime = (ms: number) => {
  const time = new Date(ms)
  return Number.isNaN(time.getTime()) ? 'an unknown time' : `${toText(formatMinute(time.toISOString()))} UTC`
}

// Answers of a wizard that were not sent. Who they are about is in the draft alone.
export function findDrafts(drafts: ReadonlyArray<{command: string; savedAtMs: number}>): Attention[] {
  const items = drafts.map(({command, savedAtMs}) => ({id: command, detail: `left at ${formatTime(savedAtMs)}`}))
  const text = `${countThings(items.length, 'form was', 'forms were')} begun and not sent`
  return createAttention(items, {kind: 'drafts', text, next: `svc ${items[0]?.id ?? ''}`})
}
