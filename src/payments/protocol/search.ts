// Looks for the transactions of a payment in the lists of its customers.
import {createChangingList, isCutList, readsMax} from '../../client/paging.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {readText} from '../../values/records.ts'
import {toInstantMs} from '../../values/time.ts'
import {type Journal, aPerson, otherLines} from '../journal/journal.ts'
import type {ServerClock} from './clock.ts'
import type {PaymentContext} from './context.ts'
import {SearchFailed, outcomeUnknown, paymentError, severalTransactions} from './errors.ts'
import type {Search} from './next.ts'
import {type Payment, deriveCorrelationId, isQuoteKey, readCorrelationId, toQuoteKey} from './payment.ts'
import {type PaymentIds, belongsToPayment} from './reply.ts'
import type {Service} from './service.ts'

export interface ListReader {
  service: Pick<Service, 'transactions'>
  clock: ServerClock
  // How long the service may take to list a transaction.
  listLagMaxMs: number
  // Asked after the first read of a list of several pages: whether it is enough, although what it
  // lacks may have moved meanwhile.
  isOneReadEnough?: (() => boolean) | undefined
  // Called with the number of transactions that were read so far.
  onListProgress?: ((count: number) => void) | undefined
}

// What a read has seen: everything that the service listed when it began.
export interface ListRead {
  // By the service's clock, at the earliest.
  startedMs: number
  // In ticks of the clock: what was listed by then was seen. Later than the beginning, if the head of the list was read again.
  seenUntilTicks: number
  // Whether the list is known to be by creation, newest first. Then a later read need not go further back than this one.
  isNewestFirst: boolean
  // Why the service's list did not come to its end. Such a read proves the absence of nothing.
  cutBy?: SvcError | undefined
}

type Page = readonly LooseTransaction[]

// How far the clock that writes createdAt may be from the one that writes the Date header.
const clockSkewMaxMs = 60_000

// A list counts as newest first after this many steps back in time, and as read far enough after this many transactions in a row
// that an earlier read has seen. Fewer could be chance in a list that has another order.
const evidenceMin = 8

// NaN, which is neither before nor after anything, if a transaction does not say when it was created.
const readCreatedMs = ({createdAt}: LooseTransaction) => toInstantMs(createdAt) ?? Number.NaN

const isOrdered = (times: readonly number[]) => times.every((ms, index) => ms <= (times[index - 1] ?? ms))

const countStepsBack = (times: readonly number[]) => times.filter((ms, index) => ms < (times[index - 1] ?? ms)).length

// A transaction that was updated since an earlier read may stand where it did not stand before, so it does not count as seen.
const wasSeenBefore = (transaction: LooseTransaction, ms: number) =>
  Math.max(readCreatedMs(transaction), toInstantMs(transaction.updatedAt) ?? Number.POSITIVE_INFINITY) < ms

const nameItem = ({transactionId, updatedAt}: LooseTransaction) => `${readText(transactionId)} ${readText(updatedAt)}`

const isSamePage = (one: Page, other: Page) =>
  one.length === other.length && one.every((item, index) => nameItem(item) === nameItem(other[index] ?? {}))

// Whether a page is by creation, newest first, and reaches down to what the earlier page had. Then it shows all that is new.
function continues(head: Page, first: Page): boolean {
  const ids = new Set(first.map(({transactionId}) => transactionId))
  return isOrdered(head.map(readCreatedMs)) && head.some(({transactionId}) => ids.has(transactionId))
}

// A walk through the list, once.
interface Walk {
  read: ListRead
  first: Page
  pages: number
  // When each transaction was created that no earlier read has seen.
  createdMs: Map<unknown, number>
  // Whether a transaction came twice: then others may have been passed over.
  hasRepeated: boolean
}

// Goes through the list. Without an earlier read that was newest first, to its end.
async function walk(
  {service, clock, listLagMaxMs, onListProgress}: ListReader,
  customerId: string,
  visit: (page: Page) => void,
  earlier: Pick<ListRead, 'startedMs' | 'isNewestFirst'> | undefined,
): Promise<Walk> {
  const isKnown = earlier?.isNewestFirst === true
  const seenBeforeMs = isKnown ? earlier.startedMs - listLagMaxMs - clockSkewMaxMs : Number.NEGATIVE_INFINITY
  const startedTicks = clock.ticks()
  const ids = new Set<unknown>()
  const times: number[] = []
  const createdMs = new Map<unknown, number>()
  let [first, pages, seenInARow]: [Page, number, number] = [[], 0, 0]
  let cutBy: SvcError | undefined
  try {
    for await (const page of service.transactions(customerId)) {
      if (pages++ === 0) first = page
      for (const transaction of page) {
        const ms = readCreatedMs(transaction)
        const isSeen = isKnown && wasSeenBefore(transaction, seenBeforeMs)
        ids.add(transaction.transactionId)
        times.push(ms)
        if (!isSeen) createdMs.set(transaction.transactionId, ms)
        seenInARow = isSeen ? seenInARow + 1 : 0
      }
      visit(page)
      onListProgress?.(ids.size)
      if (seenInARow >= evidenceMin && isOrdered(times)) break
    }
  } catch (error) {
    if (!isCutList(error)) throw error
    cutBy = error
  }
  const isNewestFirst = isOrdered(times) && (isKnown || countStepsBack(times) >= evidenceMin)
  // The service's time may be known only from the list's own reply, so the start of the read is
  // counted back from now.
  const startedMs = clock.earliest() - Math.ceil(clock.ticks() - startedTicks)
  const read = {startedMs, seenUntilTicks: startedTicks, isNewestFirst, cutBy}
  return {read, first, pages, createdMs, hasRepeated: ids.size < times.length}
}

export async function readHead({service}: Pick<ListReader, 'service'>, customerId: string): Promise<Page> {
  for await (const page of service.transactions(customerId, {isFirstPageEnough: true})) return page
  return []
}

// Whether two walks have seen the same, except for what was made since the first of them. What is
// new in a list by creation stands at its head and pushes the rest down, where it is seen twice but
// never missed. In any other list a transaction that came twice has moved, and so may others have
// if the first page is another.
function isSameList(one: Walk, other: Walk, listLagMaxMs: number): boolean {
  const isNewestFirst = one.read.isNewestFirst && other.read.isNewestFirst
  const hasMoved = one.hasRepeated || other.hasRepeated || !isSamePage(one.first, other.first)
  if (hasMoved && !isNewestFirst) return false
  const madeSinceMs = one.read.startedMs - listLagMaxMs - clockSkewMaxMs
  return (
    one.createdMs.keys().every((id) => other.createdMs.has(id)) &&
    other.createdMs.entries().every(([id, ms]) => one.createdMs.has(id) || ms >= madeSinceMs)
  )
}

// A list that is newest first and took longer than this to read is looked at again at its head, so
// that it has seen everything until then.
const walkMaxMs = 1_000

// Calls `visit` with each page, and with pages that are read again. A list of several pages is read
// until two reads in a row have seen the same, and what both lack was not listed when the first of
// them began.
export async function readList(
  reader: ListReader,
  customerId: string,
  visit: (page: Page) => void,
  earlier?: Pick<ListRead, 'startedMs' | 'isNewestFirst'>,
): Promise<ListRead> {
  let before: Walk | undefined
  for (let walks = 1; walks <= readsMax; walks++) {
    const walked = await walk(reader, customerId, visit, earlier)
    if (walked.pages <= 1 || walked.read.cutBy || reader.isOneReadEnough?.()) return walked.read
    if (before && isSameList(before, walked, reader.listLagMaxMs)) {
      const {startedMs, isNewestFirst} = before.read
      const seenUntilTicks = await findSeenUntil(reader, customerId, visit, before, walked)
      return {startedMs, seenUntilTicks, isNewestFirst: isNewestFirst && walked.read.isNewestFirst}
    }
    before = walked
  }
  return {...(before as Walk).read, cutBy: createChangingList('transactions')}
}

// Two walks that agree have seen what was listed when the first of them began. In a list that is
// newest first, what was listed later stands at its head, which the second walk has read, and which
// is read once more if that walk was long.
async function findSeenUntil(
  reader: ListReader,
  customerId: string,
  visit: (page: Page) => void,
  before: Walk,
  {read, first}: Walk,
): Promise<number> {
  const isNewestFirst = before.read.isNewestFirst && read.isNewestFirst
  if (!isNewestFirst || !continues(first, before.first)) return before.read.seenUntilTicks
  const headTicks = reader.clock.ticks()
  if (headTicks - read.seenUntilTicks <= walkMaxMs) return read.seenUntilTicks
  const head = await readHead(reader, customerId)
  visit(head)
  return continues(head, first) ? headTicks : read.seenUntilTicks
}

export const getPaymentIds = ({serviceId, key, attempts}: Payment): PaymentIds => ({
  quoteIds: [...(isQuoteKey(key) ? [key.slice(toQuoteKey('').length)] : []), ...attempts.map(({quoteId}) => quoteId)],
  correlationIds: [
    deriveCorrelationId(serviceId, key),
    ...attempts.flatMap(({bytes}) => readCorrelationId(bytes) ?? []),
  ],
})

// The customers that a key was ever tried for: the content may have been corrected since.
export const listCustomers = ({content, attempts}: Payment): string[] => [
  ...new Set([content.customerId, ...attempts.flatMap(({customerId}) => customerId ?? [])]),
]

// Another host made it if its quote is none of this journal's, or if this journal sent nothing.
export function wasMadeElsewhere(attempts: Payment['attempts'], {quoteId}: LooseTransaction): boolean {
  const id = readText(quoteId)
  return id === '' ? attempts.every(({sends}) => sends === 0) : attempts.every((own) => own.quoteId !== id)
}

// The transactions of the payment, each once: a page may repeat those that moved down from the page before. One that another key of
// the journal has is that key's, even if it carries our quote: a service may give the same quote twice.
async function pickMatches(
  {journal}: Pick<PaymentContext, 'journal'>,
  payment: Payment,
  transactions: Iterable<LooseTransaction>,
): Promise<LooseTransaction[]> {
  const ids = getPaymentIds(payment)
  const found = new Map<string, LooseTransaction>()
  for (const transaction of transactions) {
    if (belongsToPayment(transaction, ids)) found.set(readText(transaction.transactionId), transaction)
  }
  // A transaction without an id exists, but cannot be recorded.
  if (found.has('')) throw outcomeUnknown(payment, 'the service lists it without an id')
  const byQuote = [...found].filter(([, {correlationId}]) => !ids.correlationIds.includes(readText(correlationId)))
  if (byQuote.length > 0) {
    const {serviceId, key} = payment
    const owners = await journal.list({serviceId, transactionIds: byQuote.map(([id]) => id)})
    for (const owner of owners) if (owner.key !== key) found.delete(owner.transactionId ?? '')
  }
  return [...found.values()]
}

// Reads the lists of the payment's customers, and keeps what belongs to it, or has its transaction.
// If one of them could not be read to its end, `cutBy` says why. `isEnough` says whether what one
// read has found is.
async function searchLists(
  context: PaymentContext,
  payment: Payment,
  isEnough: (matches: readonly LooseTransaction[]) => boolean,
): Promise<Search & Pick<ListRead, 'cutBy'>> {
  const isOwn = createOwnCheck(payment)
  const startedLocallyMs = context.clock.wall()
  const matches: LooseTransaction[] = []
  let [startedMs, seenUntilTicks] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let cutBy: SvcError | undefined
  for (const customerId of listCustomers(payment)) {
    const reader = {...context, isOneReadEnough: () => isEnough(matches)}
    const read = await readList(reader, customerId, (page) => matches.push(...page.filter(isOwn)))
    cutBy ??= read.cutBy
    startedMs = Math.min(startedMs, read.startedMs)
    seenUntilTicks = Math.min(seenUntilTicks, read.seenUntilTicks)
  }
  return {matches, startedMs, startedLocallyMs, seenUntilTicks, cutBy}
}

function createOwnCheck(payment: Payment) {
  const ids = getPaymentIds(payment)
  return (transaction: LooseTransaction) =>
    belongsToPayment(transaction, ids) ||
    (payment.transactionId !== undefined && transaction.transactionId === payment.transactionId)
}

// A single read is enough before the first request of a payment where keys are known to be
// honoured: that request makes nothing twice, whatever the read has missed.
export async function findMatches(context: PaymentContext, payment: Payment): Promise<Search> {
  const isSafe = context.areKeysHonoured && payment.attempts.every(({bytes}) => bytes === undefined)
  const {cutBy, ...found} = await searchLists(context, payment, () => isSafe)
  const matches = await pickMatches(context, payment, found.matches)
  // A match counts even if the list could not be read to its end. One of another key proves nothing about this payment.
  if (cutBy && matches.length === 0) throw cutBy
  return {...found, matches}
}

// Searches before anything is sent. A list that was already read for many payments serves as well, if it has seen everything until
// `freshFrom`, in ticks of the clock. Whatever its age, it is looked at again before this payment is armed.
export async function searchListed(context: PaymentContext, payment: Payment, freshFrom: number): Promise<Search> {
  try {
    if (!context.readListed) return await findMatches(context, payment)
    const {transactions, seenUntilTicks} = await context.readListed(payment, freshFrom)
    const matches = await pickMatches(context, payment, transactions)
    const isShared = freshFrom === Number.NEGATIVE_INFINITY
    return {matches, startedMs: 0, startedLocallyMs: 0, seenUntilTicks: isShared ? freshFrom : seenUntilTicks}
  } catch (error) {
    throw error instanceof SvcError && error.kind !== 'unknownOutcome' ? new SearchFailed(error) : error
  }
}

// The newest page may already show the transaction of a quote. Its Date header also gives the service's time.
export async function findOnNewestPage(context: PaymentContext, payment: Payment, quoteId: string): Promise<Search> {
  const {clock} = context
  const [startedLocallyMs, seenUntilTicks] = [clock.wall(), clock.ticks()]
  const page = await readHead(context, payment.content.customerId)
  const matches = page.filter((transaction) => transaction.quoteId === quoteId && transaction.transactionId)
  return {matches, startedMs: clock.earliest(), startedLocallyMs, seenUntilTicks}
}

// A person has to decide between several matches.
export function pickSingleMatch(payment: Payment, matches: readonly LooseTransaction[]): LooseTransaction | undefined {
  if (matches.length > 1) throw severalTransactions(payment, matches)
  return matches[0]
}

// Whether a person decided about the payment, and nothing was recorded since but its ending and what leaves it as it is.
export async function wasSettledManually({serviceId, key}: Payment, journal: Journal): Promise<boolean> {
  const history = await journal.history(serviceId, key)
  return history.findLast(({what}) => what !== 'ENDED' && !otherLines.includes(what))?.detail?.['by'] === aPerson
}

// The transaction of a payment that was made, as the service has it now. The list may not show it yet. Several that belong to the payment
// stop the run, unless a person has decided which one it is. So does one that is missing.
export async function readTransaction(
  context: PaymentContext,
  payment: Payment,
): Promise<{transaction?: LooseTransaction; readError?: SvcError}> {
  const {key, transactionId = ''} = payment
  let found: Pick<Search, 'matches' | 'startedMs'> & Pick<ListRead, 'cutBy'>
  try {
    const isEnough = (matches: readonly LooseTransaction[]) => isListedIn(matches, payment)
    found = (await findShared(context, payment)) ?? (await searchLists(context, payment, isEnough))
    if (found.cutBy) throw found.cutBy
  } catch (error) {
    if (error instanceof SvcError) return {readError: error}
    throw error
  }
  const own = new Map(found.matches.map((each) => [readText(each.transactionId), each]))
  own.delete('')
  if (own.size > 1 && !(await wasSettledManually(payment, context.journal))) pickSingleMatch(payment, [...own.values()])
  const transaction = own.get(transactionId)
  if (transaction) return {transaction}
  if (isOverdue(context, payment, found.startedMs)) throw paymentError('TRANSACTION_MISSING', {key, id: transactionId})
  return {}
}

const isListedIn = (matches: readonly LooseTransaction[], {transactionId}: Payment) =>
  matches.some((each) => each.transactionId === transactionId)

// What a list shows that was already read for many payments. Undefined if the transaction should be in it and is not.
async function findShared(context: PaymentContext, payment: Payment) {
  const shared = await context.readListed?.(payment, Number.NEGATIVE_INFINITY)
  if (!shared) return undefined
  const matches = shared.transactions.filter(createOwnCheck(payment))
  const isListed = isListedIn(matches, payment)
  return isListed || !isOverdue(context, payment, context.clock.earliest()) ? {matches, startedMs: 0} : undefined
}

// Whether the list should show the transaction of a payment by now: it was made longer ago than the list may lag, by the service's
// clock and by that of this machine.
const isOverdue = (
  {clock, listLagMaxMs}: Pick<PaymentContext, 'clock' | 'listLagMaxMs'>,
  {madeAt, attempts, updatedAt}: Payment,
  readStartedMs: number,
): boolean =>
  readStartedMs - (madeAt ?? attempts.at(-1)?.armedAt ?? Number.POSITIVE_INFINITY) > listLagMaxMs &&
  clock.wall() - updatedAt > listLagMaxMs
