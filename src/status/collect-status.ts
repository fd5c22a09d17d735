// Collects what the status says, with two requests and without a retry, so that it is quick whatever happens.
import {cutId, findDistinctLength} from '../cli/ids/finder.ts'
import {formatMinute, toText} from '../cli/output/view.ts'
import {forgetEnded, listDrafts} from '../customers/answers.ts'
import type {Client} from '../client/client.ts'
import {type Page, getCutSign} from '../client/paging.ts'
import {isUuid} from '../contract/ids.ts'
import {type LooseCustomer, type LooseTransaction, readCode} from '../contract/loose.ts'
import {sortByWaiting} from '../customers/sort-by-waiting.ts'
import {SvcError} from '../errors.ts'
import {type JournalEntry, listEntries} from '../payments/journal/entries.ts'
import {readBadEnding, unsettledStates} from '../payments/protocol/payment.ts'
import type {Caller} from '../profiles/caller.ts'
import {getJournalAddress} from '../profiles/journal.ts'
import {describeCaller} from '../profiles/organization.ts'
import {getServiceId, readServiceState} from '../transport.ts'
import {toInstantMs} from '../values/time.ts'
import type {Attention, AttentionItem, NextCommand, Status} from './status.ts'

const pageSize = 100

type Outcome<T> = {value: T} | {failure: SvcError}

async function attempt<T>(work: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    return {value: await work()}
  } catch (error) {
    if (error instanceof SvcError) return {failure: error}
    throw error
  }
}

const getValue = <T>(outcome: Outcome<T>): T | undefined => ('value' in outcome ? outcome.value : undefined)

const describeJournal = async (caller: Caller) => ({
  serviceId: await getServiceId(caller),
  journal: getJournalAddress(caller),
})

async function readJournal(caller: Caller): Promise<Attention[]> {
  const service = await describeJournal(caller)
  const failed = {states: ['REJECTED', 'STOPPED'] as const, sinceMs: Date.now() - failuresShownMs}
  return [
    ...findUnknownPayments(await listEntries({...service, states: unsettledStates})),
    ...findFailedPayments(await listEntries({...service, ...failed})),
  ]
}

interface CollectedStatus {
  status: Status
  // Why the service could not be asked, so that a script ends with the code of it.
  failure?: SvcError
}

export async function collectStatus(version: string, caller: Caller, client: Client): Promise<CollectedStatus> {
  const {organization: organizationId} = caller
  const query = {...(organizationId && {organizationId}), pageSize}
  const [customers, transactions, journal, state] = await Promise.all([
    attempt(() => client.customers.list(query)),
    attempt(() => client.transactions.list(query)),
    attempt(() => readJournal(caller)),
    attempt(() => readServiceState(caller)),
  ])
  const pages = {
    customers: readPage<LooseCustomer>(getValue(customers) ?? {}, 'customers'),
    transactions: readPage<LooseTransaction>(getValue(transactions) ?? {}, 'transactions'),
  }
  forgetEnded(pages.customers.items)
  const {nowMs} = getValue(state) ?? {nowMs: Date.now()}
  // Commands look for the beginning of an id in all organizations.
  const shortenIds = <T extends object>({items, isPartial}: ReadPage<T>, field: keyof T) =>
    createIdShortener({ids: items.map((item) => toText(item[field])), isWhole: !isPartial && !organizationId})
  const attention = [
    ...(getValue(journal) ?? []),
    ...findCorrections(pages.customers, shortenIds(pages.customers, 'customerId')),
    ...findDrafts(listDrafts(caller)),
    ...findFailedTransactions(pages.transactions, shortenIds(pages.transactions, 'transactionId'), nowMs),
  ].map((each) => ({...each, next: addProfile(each.next, caller)}))
  const parts = {customers, transactions, 'the journal': journal}
  const failures = [customers, transactions].flatMap((part) => ('failure' in part ? [part.failure] : []))
  const failure = 'failure' in customers ? customers.failure : failures[0]
  const status: Status = {
    version,
    caller: describeCaller(caller, getValue(customers)?.customers),
    service: 'failure' in customers ? describeFailure(customers.failure) : {reachable: true},
    attention,
    // One sentence about the service is enough if it answers nothing.
    unread: Object.entries(parts).flatMap(([name, part]) =>
      'failure' in part && (part === journal || !('failure' in customers))
        ? [`${name} could not be read: ${part.failure.reason ?? part.failure.sentence}`]
        : [],
    ),
    partlyRead: Object.entries(pages).flatMap(([list, {items, isPartial}]) =>
      isPartial ? [{list, count: items.length}] : [],
    ),
    next: listNextCommands(caller, attention, failure),
  }
  return {status, ...(failure && {failure})}
}

const describeFailure = ({error, sentence}: SvcError) => ({reachable: false, error, message: sentence})

// Finds what needs attention in what was read: customers, transactions, the journal and rules.

// How long a payment or transaction that failed stays on the page.
const failuresShownMs = 7 * 24 * 60 * 60 * 1000

// A command about the first item that has an id which svc takes, or the list.
function suggestCommand(command: string, items: readonly AttentionItem[], list: string): string {
  const item = items.find(({id}) => isUuid(id))
  return item ? `${command} ${item.shortId ?? item.id}` : list
}

const countThings = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

interface ReadPage<T> {
  items: readonly T[]
  // Whether the list goes on, or may go on.
  isPartial: boolean
}

// Adds the beginning of the id of an item. In a list that was read in part, another id may begin in the same way.
function createIdShortener({ids, isWhole}: {ids: readonly string[]; isWhole: boolean}) {
  if (!isWhole || !ids.every(isUuid)) return (item: AttentionItem): AttentionItem => item
  const length = findDistinctLength(new Set(ids))
  return (item: AttentionItem): AttentionItem => ({...item, shortId: cutId(item.id, length)})
}

// Reads the items of a page, whatever the service sent in their place.
function readPage<T extends object>(page: object, key: string): ReadPage<T> {
  const {[key]: items, nextPageToken}: Page = {...page}
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

function findCorrections(
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

function findFailedTransactions(
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

function findUnknownPayments(entries: readonly JournalEntry[]): Attention[] {
  const items = entries.map(toItem)
  const text = `${countThings(items.length, 'payment has', 'payments have')} an unknown outcome`
  return createAttention(items, {kind: 'unknownPayments', text, next: 'svc journal list --state UNKNOWN,ARMED'})
}

// A row of a payout file is a payment under its own key, as any other.
function findFailedPayments(entries: readonly JournalEntry[]): Attention[] {
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
function findDrafts(drafts: ReadonlyArray<{command: string; savedAtMs: number}>): Attention[] {
  const items = drafts.map(({command, savedAtMs}) => ({id: command, detail: `left at ${formatTime(savedAtMs)}`}))
  const text = `${countThings(items.length, 'form was', 'forms were')} begun and not sent`
  return createAttention(items, {kind: 'drafts', text, next: `svc ${items[0]?.id ?? ''}`})
}

// The commands that the status offers next, most urgent first.
const commandsMax = 6

const reasons: Readonly<Record<Attention['kind'], string>> = {
  unknownPayments: 'see which payments must be settled, before anything is paid again',
  failedPayments: 'see why they failed; run the same command or file again to continue',
  corrections: 'correct what verification refused',
  drafts: 'go on where you left; nothing that was typed is lost',
  failedTransactions: 'see what became of the money',
}

const everyday: readonly NextCommand[] = [
  {command: 'svc customers list', why: 'customers and their verification'},
  {command: 'svc transactions list', why: 'where the money is'},
  {command: 'svc pay', why: 'pay someone; it asks for what is missing'},
  {command: 'svc console', why: 'look at all of it in the browser'},
]

const withoutPay = everyday.filter(({command}) => command !== 'svc pay')

const help: NextCommand = {command: 'svc help', why: 'list all commands'}

function listRepairs(failure: SvcError | undefined, login: string): NextCommand[] {
  if (!failure) return []
  if (failure.kind === 'unauthenticated') return [{command: login, why: 'log in again'}]
  return [{command: 'svc doctor', why: 'find out what is wrong between here and the service'}]
}

// A profile that was named for this command has to be named for the next one too.
function addProfile(command: string, caller: Caller): string {
  if (caller.chosenBy !== '--profile' || /^svc help\b| -p /.test(command)) return command
  return `${command} -p ${caller.profileName}`
}

function listNextCommands(caller: Caller, attention: readonly Attention[], failure?: SvcError): NextCommand[] {
  const urgent = attention.map(({kind, next}) => ({command: next, why: reasons[kind]}))
  const login = caller.profileName === undefined ? 'svc docs profiles' : `svc login -p ${caller.profileName}`
  // Nothing else works before the service can be asked.
  const usual = failure ? [] : caller.readOnly ? withoutPay : everyday
  return [...[...listRepairs(failure, login), ...urgent, ...usual].slice(0, commandsMax), help].map(
    ({command, why}) => ({command: addProfile(command, caller), why}),
  )
}
