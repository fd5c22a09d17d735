// Collects what the status says, with two requests and without a retry, so that it is quick whatever happens.
import {formatMinute, formatMoney, toText} from '../cli/output/view.ts'
import type {Client} from '../client/client.ts'
import {type Page, getCutSign} from '../client/paging.ts'
import {isUuid} from '../contract/ids.ts'
import type {LooseCustomer, LooseTransaction} from '../contract/loose.ts'
import {limits} from '../contract/vocabulary.ts'
import {listCustomers, listDrafts} from '../customers/answers.ts'
import {sortByWaiting} from '../customers/find-customer.ts'
import {SvcError} from '../errors.ts'
import {type JournalEntry, listOpenEntries} from '../payments/entries.ts'
import {readJournal} from '../payments/journal/walk.ts'
import {readDealtWith} from '../payments/by-hand.ts'
import type {Caller} from '../profiles/caller.ts'
import {getJournalAddress} from '../profiles/journal.ts'
import {describeCaller} from '../profiles/organization.ts'
import {getServiceId, readServiceState} from '../transport.ts'
import {attentionDays, begunStates, findAttention, owedStates, unknownStates} from '../values/attention.ts'
import {isRecord} from '../values/records.ts'
import {countNoun, nameProfile, quoteForShell} from '../values/text.ts'
import {dayMs, toIso} from '../values/time.ts'
import type {AttentionGroup, AttentionItem, AttentionKind, NextCommand, Status} from './status.ts'

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

async function readPayments(caller: Caller) {
  const service = {serviceId: await getServiceId(caller), journal: getJournalAddress(caller)}
  const [payments, dealtWith] = await Promise.all([
    listOpenEntries(service, Date.now() - attentionDays * dayMs),
    readJournal(new Map<string, string>(), readDealtWith, service),
  ])
  return {payments, dealtWith: new Set(dealtWith.keys())}
}

interface ReadPage<T> {
  items: readonly T[]
  // Whether the list goes on, or may go on.
  isPartial: boolean
}

// Reads the items of a page, whatever the service sent in their place.
function readPage<T extends object>(page: object, key: string): ReadPage<T> {
  const {[key]: items, nextPageToken}: Page = {...page}
  const isPartial = Boolean(nextPageToken) || getCutSign(page) !== undefined
  const isItem = (item: unknown): item is T => isRecord(item)
  return {items: Array.isArray(items) ? items.filter(isItem) : [], isPartial}
}

interface CollectedStatus {
  status: Status
  // Why the service could not be asked, so that a script ends with the code of it.
  failure?: SvcError
}

export async function collectStatus(version: string, caller: Caller, client: Client): Promise<CollectedStatus> {
  const {organization: organizationId} = caller
  const query = {...(organizationId && {organizationId}), pageSize: limits.pageSizeMax}
  const [customers, transactions, journal, state] = await Promise.all([
    attempt(() => listCustomers(client, query)),
    attempt(() => client.transactions.list(query)),
    attempt(() => readPayments(caller)),
    attempt(() => readServiceState(caller)),
  ])
  const pages = {
    customers: readPage<LooseCustomer>(getValue(customers) ?? {}, 'customers'),
    transactions: readPage<LooseTransaction>(getValue(transactions) ?? {}, 'transactions'),
  }
  const {payments, dealtWith} = getValue(journal) ?? {payments: [], dealtWith: new Set<string>()}
  const reads = {payments, dealtWith, customers: pages.customers.items, transactions: pages.transactions.items}
  const found = findAttention(reads, {journalMs: Date.now(), serviceMs: getValue(state)?.nowMs ?? Date.now()})
  const items: Record<AttentionKind, readonly AttentionItem[]> = {
    unknownPayments: found.unknownPayments.map(toPaymentItem),
    paymentsUnderWay: found.paymentsUnderWay.map(toPaymentItem),
    failedPayments: found.failedPayments.map(toPaymentItem),
    failedTransactions: found.failedTransactions.map(toTransactionItem),
    rejectedCustomers: found.rejectedCustomers.map(toCustomerItem),
    corrections: sortByWaiting(found.corrections).map(toCustomerItem),
    drafts: listDrafts(caller).map(toDraftItem),
    awaitingTransfers: found.awaitingTransfers.map(toTransactionItem),
  }
  const attention = (Object.keys(groups) as AttentionKind[])
    .filter((kind) => items[kind].length > 0)
    .map((kind) => createGroup(kind, items[kind], pages))
    .map((group) => ({...group, next: nameProfile(group.next)}))
  const failures = [customers, transactions].flatMap((part) => ('failure' in part ? [part.failure] : []))
  const [failure] = failures
  const parts = {customers, transactions, 'the journal': journal}
  const status: Status = {
    version,
    caller: describeCaller(caller, getValue(customers)?.customers),
    service:
      'failure' in customers
        ? {reachable: false, error: customers.failure.error, message: customers.failure.sentence}
        : {reachable: true},
    attention,
    // One sentence about the service is enough if it answers nothing.
    unread: Object.entries(parts).flatMap(([name, part]) =>
      'failure' in part && (part === journal || !('failure' in customers))
        ? [`${name} could not be read: ${part.failure.reason ?? part.failure.sentence}`]
        : [],
    ),
    partlyRead: Object.entries(pages).flatMap(([list, page]) =>
      page.isPartial ? [{list, count: page.items.length}] : [],
    ),
    next: listNextCommands(caller, attention, failure),
  }
  return {status, ...(failure && {failure})}
}

interface GroupWords {
  // What there is one of, or several.
  one: string
  many: string
  // The command about the first item that has an id which svc takes, or else about all.
  command?: string
  list: string
  why: string
  // The list that was read for it.
  page?: 'customers' | 'transactions'
}

const recently = `in the last ${attentionDays} days`

// The most urgent first.
const groups: Readonly<Record<AttentionKind, GroupWords>> = {
  unknownPayments: {
    one: 'payment has an unknown outcome',
    many: 'payments have an unknown outcome',
    list: `svc journal list --state ${unknownStates.join(',')}`,
    why: 'see which payments must be settled, before anything is paid again',
  },
  paymentsUnderWay: {
    one: 'payment is under way',
    many: 'payments are under way',
    list: `svc journal list --state ${begunStates.join(',')}`,
    why: 'see what is being paid now; it needs nobody yet',
  },
  failedPayments: {
    one: `payment or row of a payout file was not made ${recently}`,
    many: `payments or rows of payout files were not made ${recently}`,
    list: `svc journal list --state ${owedStates.join(',')} --since ${attentionDays}d --columns key,state,reason`,
    why: 'see why; run the same command or file again to continue',
  },
  failedTransactions: {
    one: `transaction ended badly ${recently}`,
    many: `transactions ended badly ${recently}`,
    command: 'svc transactions get',
    list: 'svc transactions list',
    why: 'see what became of the money',
    page: 'transactions',
  },
  rejectedCustomers: {
    one: `customer was refused ${recently}, and cannot be paid`,
    many: `customers were refused ${recently}, and cannot be paid`,
    command: 'svc customers get',
    list: 'svc customers list --status REJECTED',
    why: 'see why',
    page: 'customers',
  },
  corrections: {
    one: 'customer waits for corrections',
    many: 'customers wait for corrections',
    command: 'svc customers fix',
    list: 'svc customers list',
    why: 'correct what verification refused',
    page: 'customers',
  },
  drafts: {
    one: 'form was begun and not sent',
    many: 'forms were begun and not sent',
    list: 'svc',
    why: 'go on where you left; nothing that was typed is lost',
  },
  awaitingTransfers: {
    one: 'transaction waits for money from outside',
    many: 'transactions wait for money from outside',
    command: 'svc transactions get',
    list: 'svc transactions list --status AWAITING_TRANSFER',
    why: 'see where to send it',
    page: 'transactions',
  },
}

function createGroup(
  kind: AttentionKind,
  items: readonly AttentionItem[],
  pages: Readonly<Record<'customers' | 'transactions', ReadPage<unknown>>>,
): AttentionGroup {
  const {one, many, command, list, page} = groups[kind]
  const first = items.find(({id}) => isUuid(id))
  const next = kind === 'drafts' ? `svc ${items[0]?.id ?? ''}` : command && first ? `${command} ${first.id}` : list
  return {
    kind,
    count: items.length,
    ...(page && pages[page].isPartial && {isPartial: true as const}),
    text: `${items.length} ${items.length === 1 ? one : many}`,
    items,
    next,
  }
}

const createItem = (id: unknown, name: unknown, detail: unknown): AttentionItem => ({
  id: toText(id),
  ...(toText(name) && {name: toText(name)}),
  ...(toText(detail) && {detail: toText(detail)}),
})

function toCustomerItem({customerId, name, verificationIssues}: LooseCustomer): AttentionItem {
  const codes = Array.isArray(verificationIssues) ? verificationIssues.map((issue) => toText(issue?.code)) : []
  const more = codes.length - 1
  const others = more > 0 ? ` and ${countNoun(more, 'other issue')}` : ''
  return createItem(customerId, name, codes[0] && `${codes[0]}${others}`)
}

const toTransactionItem = ({transactionId, transactionStatus, source}: LooseTransaction) =>
  createItem(transactionId, formatMoney(source?.sourceAmount, source?.sourceCurrency), transactionStatus)

const toPaymentItem = ({key, source, state, reason}: JournalEntry) =>
  createItem(key, source && `${source.sourceAmount} ${source.sourceCurrency.toUpperCase()}`, reason ?? state)

// Answers of a wizard that were not sent. Who they are about is in the draft alone.
const toDraftItem = ({command, savedAtMs}: {command: readonly string[]; savedAtMs: number}) =>
  createItem(command.map(quoteForShell).join(' '), undefined, `left at ${toText(formatMinute(toIso(savedAtMs)))} UTC`)

// The commands that the status offers next, most urgent first.
const commandsMax = 6

const everyday: readonly NextCommand[] = [
  {command: 'svc customers list', why: 'customers and their verification'},
  {command: 'svc transactions list', why: 'where the money is'},
  {command: 'svc pay', why: 'pay someone; it asks for what is missing'},
  {command: 'svc console', why: 'look at all of it in the browser'},
]

const help: NextCommand = {command: 'svc help', why: 'list all commands'}

function listRepairs(caller: Caller, failure: SvcError | undefined): NextCommand[] {
  if (!failure) return []
  const {profileName} = caller
  const login = profileName === undefined ? 'svc docs profiles' : `svc login -p ${quoteForShell(profileName)}`
  return failure.kind === 'unauthenticated'
    ? [{command: login, why: 'log in again'}]
    : [{command: nameProfile('svc doctor'), why: 'find out what is wrong between here and the service'}]
}

function listNextCommands(caller: Caller, attention: readonly AttentionGroup[], failure?: SvcError): NextCommand[] {
  const urgent = attention.map(({kind, next}) => ({command: next, why: groups[kind].why}))
  // Nothing else works before the service can be asked.
  const usual = everyday
    .filter(({command}) => !failure && !(caller.readOnly && command === 'svc pay'))
    .map(({command, why}) => ({command: nameProfile(command), why}))
  return [...[...listRepairs(caller, failure), ...urgent, ...usual].slice(0, commandsMax), help]
}
