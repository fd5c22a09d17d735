// Finds the transaction of a payment among the customer's transactions.
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {readText} from '../../values/records.ts'
import type {PaymentContext} from './context.ts'
import {SearchFailed, outcomeUnknown, severalTransactions} from './payment-errors.ts'
import {type Payment, deriveCorrelationId, readCorrelationId} from './payment.ts'
import {type PaymentIds, belongsToPayment} from './send-outcome.ts'
import {readList} from './read-list.ts'

export const getPaymentIds = ({serviceId, key, attempts}: Payment): PaymentIds => ({
  quoteIds: attempts.map(({quoteId}) => quoteId),
  correlationIds: [deriveCorrelationId(serviceId, key), ...attempts.flatMap(({bytes}) => readChosenId(bytes))],
})

function readChosenId(bytes: string | undefined): string[] {
  const id = readCorrelationId(bytes)
  return typeof id === 'string' ? [id] : []
}

// The service may run on several machines whose clocks differ a little.
export const clockToleranceMs = 2_000

// The customers that a key was ever tried for: the content may have been corrected since.
export const listCustomers = ({content, attempts}: Payment): string[] => [
  ...new Set([content.customerId, ...attempts.flatMap(({customerId}) => customerId ?? [])]),
]

// Another host made it if its quote is none of this journal's, or if this journal sent nothing.
export function wasMadeElsewhere({attempts}: Payment, {quoteId}: LooseTransaction): boolean {
  const id = readText(quoteId)
  return id === '' ? attempts.every(({sends}) => sends === 0) : attempts.every((own) => own.quoteId !== id)
}

// What a search of the service's list has found.
export interface Search {
  matches: LooseTransaction[]
  // As in ListRead: when the read began, by the service's clock, and until when it has seen everything.
  startedMs: number
  seenUntilTicks: number
}

// Returns each match once: a page may repeat transactions that moved down from the page before. A transaction that another key of
// the journal has is that key's, even if it carries our quote: a service may give the same quote twice.
async function filterMatches(
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

// Reads the lists of the payment's customers, and keeps what `isWanted`.
async function search(
  context: PaymentContext,
  payment: Payment,
  isWanted: (transaction: LooseTransaction) => boolean,
  needsWhole = false,
): Promise<Search> {
  const matches: LooseTransaction[] = []
  let [startedMs, seenUntilTicks] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const customerId of listCustomers(payment)) {
    const read = await readList(context, customerId, (page) => matches.push(...page.filter(isWanted)))
    // A match counts even if the list could not be read to its end.
    if (read.cutBy && (needsWhole || matches.length === 0)) throw read.cutBy
    startedMs = Math.min(startedMs, read.startedMs)
    seenUntilTicks = Math.min(seenUntilTicks, read.seenUntilTicks)
  }
  return {matches, startedMs, seenUntilTicks}
}

// Searches the lists of the payment's customers.
export async function findMatches(context: PaymentContext, payment: Payment): Promise<Search> {
  const ids = getPaymentIds(payment)
  const found = await search(context, payment, (transaction) => belongsToPayment(transaction, ids))
  return {...found, matches: await filterMatches(context, payment, found.matches)}
}

// Searches before anything is sent. A list that was already read for many payments serves as well.
export async function searchBeforeSend(
  context: PaymentContext,
  payment: Payment,
  readListed: PaymentContext['findListed'],
): Promise<{match: LooseTransaction | undefined; search: Search}> {
  try {
    const found = readListed
      ? {
          matches: await filterMatches(context, payment, await readListed(payment)),
          startedMs: Number.NEGATIVE_INFINITY,
          seenUntilTicks: Number.NEGATIVE_INFINITY,
        }
      : await findMatches(context, payment)
    return {match: pickSingleMatch(payment, found.matches), search: found}
  } catch (error) {
    throw error instanceof SvcError && error.kind !== 'unknownOutcome' ? new SearchFailed(error) : error
  }
}

// A person has to decide between several matches.
export function pickSingleMatch(payment: Payment, matches: readonly LooseTransaction[]): LooseTransaction | undefined {
  if (matches.length > 1) {
    throw severalTransactions(
      payment,
      matches.map(({transactionId}) => readText(transactionId)),
    )
  }
  return matches[0]
}

// Reads the transactions of a payment that was made again: the recorded one, and any other that belongs to it. The list may
// not show them yet.
export async function fetchOwnTransactions(context: PaymentContext, payment: Payment): Promise<Search> {
  const ids = getPaymentIds(payment)
  const isOwn = (transaction: LooseTransaction) => {
    const id = readText(transaction.transactionId)
    return id !== '' && (id === payment.transactionId || belongsToPayment(transaction, ids))
  }
  const found = await search(context, payment, isOwn, true)
  return {...found, matches: [...new Map(found.matches.map((each) => [readText(each.transactionId), each])).values()]}
}

// Whether the list should show the transaction of a payment by now: it was made longer ago than the list may lag, by the service's
// clock and by that of this machine.
export const isOverdue = (
  {clock, listLagMaxMs}: Pick<PaymentContext, 'clock' | 'listLagMaxMs'>,
  {madeAt, attempts, updatedAt}: Payment,
  readStartedMs: number,
): boolean =>
  readStartedMs - (madeAt ?? attempts.at(-1)?.armedAt ?? Number.POSITIVE_INFINITY) > listLagMaxMs &&
  clock.wall() - updatedAt > listLagMaxMs

// The fields of a transaction that are used after its list was read: the rest of a long list would fill the memory.
export const keepNeededFields = ({
  transactionId,
  quoteId,
  correlationId,
  customerId,
  transactionStatus,
  createdAt,
  updatedAt,
  expiresAt,
  source,
  destination,
  fees,
}: LooseTransaction): LooseTransaction => ({
  transactionId,
  quoteId,
  correlationId,
  customerId,
  transactionStatus,
  createdAt,
  updatedAt,
  expiresAt,
  source: {
    sourcePaymentAccountId: source?.sourcePaymentAccountId,
    sourcePaymentMethod: source?.sourcePaymentMethod,
    sourceCurrency: source?.sourceCurrency,
    sourceAmount: source?.sourceAmount,
    sourceReferenceId: source?.sourceReferenceId,
  },
  destination: {
    destinationPaymentAccountId: destination?.destinationPaymentAccountId,
    destinationPaymentMethod: destination?.destinationPaymentMethod,
    destinationCurrency: destination?.destinationCurrency,
    destinationAmount: destination?.destinationAmount,
    exchangeRate: destination?.exchangeRate,
    destinationReferenceId: destination?.destinationReferenceId,
  },
  fees,
})
