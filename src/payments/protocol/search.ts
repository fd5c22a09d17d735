// Looks for the transactions of a payment in the lists of its customers.
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {readText} from '../../values/records.ts'
import type {PaymentContext} from './context.ts'
import {SearchFailed, outcomeUnknown, paymentError, severalTransactions} from './errors.ts'
import type {Search} from './next.ts'
import {
  type MadePayment,
  type Payment,
  deriveCorrelationId,
  getSends,
  isQuoteKey,
  normalizeCorrelationId,
  readCorrelationId,
  toQuoteKey,
} from './payment.ts'
import {type PaymentIds, belongsToPayment} from './reply.ts'
import {type ListRead, readHead, readList} from './lists.ts'

export const getPaymentIds = ({serviceId, key, attempts}: Payment): PaymentIds => ({
  quoteIds: [...(isQuoteKey(key) ? [key.slice(toQuoteKey('').length)] : []), ...attempts.map(({quote}) => quote.id)],
  correlationIds: [
    deriveCorrelationId(serviceId, key),
    ...attempts.flatMap(({armed}) => normalizeCorrelationId(readCorrelationId(armed?.bytes)) || []),
  ],
})

// The customers that a key was ever tried for: the content may have been corrected since.
export const listCustomers = ({content, attempts}: Payment): string[] => [
  ...new Set([content.customerId, ...attempts.flatMap(({customerId}) => customerId ?? [])]),
]

// Another host made it if its quote is none of this journal's, or if this journal sent nothing.
export function wasMadeElsewhere(attempts: Payment['attempts'], {quoteId}: LooseTransaction): boolean {
  const id = readText(quoteId)
  return id === '' ? attempts.every((own) => getSends(own) === 0) : attempts.every(({quote}) => quote.id !== id)
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
  const byQuote = [...found].filter(
    ([, {correlationId}]) => !ids.correlationIds.includes(normalizeCorrelationId(correlationId)),
  )
  if (byQuote.length > 0) {
    const {serviceId, key} = payment
    const owners = await journal.list({serviceId, transactionIds: byQuote.map(([id]) => id)})
    for (const owner of owners) {
      if (owner.key !== key && owner.transactionId !== undefined) found.delete(owner.transactionId)
    }
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
    (payment.transactionId !== undefined && readText(transaction.transactionId) === payment.transactionId)
}

// A single read is enough before the first request of a payment where keys are known to be
// honoured: that request makes nothing twice, whatever the read has missed.
export async function findMatches(context: PaymentContext, payment: Payment): Promise<Search> {
  const isSafe = context.areKeysHonoured && payment.attempts.every(({armed}) => !armed)
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
  const matches = page.filter((one) => readText(one.quoteId) === quoteId && readText(one.transactionId) !== '')
  return {matches, startedMs: clock.earliest(), startedLocallyMs, seenUntilTicks}
}

// A person has to decide between several matches.
function pickSingleMatch(payment: Payment, matches: readonly LooseTransaction[]): LooseTransaction | undefined {
  if (matches.length > 1) throw severalTransactions(payment, matches)
  return matches[0]
}

// The transaction of a payment that was made, as the service has it now. The list may not show it yet. Several that belong to the payment
// stop the run, unless a person has decided which one it is. So does one that is missing.
export async function readTransaction(
  context: PaymentContext,
  payment: MadePayment,
): Promise<{transaction?: LooseTransaction; readError?: SvcError}> {
  const {key, transactionId, settledBy} = payment
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
  if (own.size > 1 && settledBy !== 'person') pickSingleMatch(payment, [...own.values()])
  const transaction = own.get(transactionId)
  if (transaction) return {transaction}
  if (isOverdue(context, payment, found.startedMs)) throw paymentError('TRANSACTION_MISSING', {key, id: transactionId})
  return {}
}

const isListedIn = (matches: readonly LooseTransaction[], {transactionId}: MadePayment) =>
  matches.some((each) => readText(each.transactionId) === transactionId)

// What a list shows that was already read for many payments. Undefined if the transaction should be in it and is not.
async function findShared(context: PaymentContext, payment: MadePayment) {
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
  {madeAt, attempts, updatedAt}: MadePayment,
  readStartedMs: number,
): boolean =>
  readStartedMs - (madeAt ?? attempts.at(-1)?.armed?.at ?? Number.POSITIVE_INFINITY) > listLagMaxMs &&
  clock.wall() - updatedAt > listLagMaxMs
