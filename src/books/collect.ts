// Collects the books of a period: joins the journal's payments with the service's transactions,
// which alone know whether and when a payment was completed, and at which price.
import * as Flags from '@oclif/core/flags'
import {sinceFlag, untilFlag} from '../cli/output/filters.ts'
import {type LooseTransaction, hasFinalStatus, readBadEnding, readCode} from '../contract/loose.ts'
import {readDealtWith} from '../payments/by-hand.ts'
import type {PaymentContext} from '../payments/protocol/context.ts'
import {
  type MadePayment,
  type Payment,
  getLastAttempt,
  getMadeMs,
  isDerivedCorrelationId,
  readContent,
  unsettledStates,
} from '../payments/protocol/payment.ts'
import {CustomerList} from '../payments/protocol/lists.ts'
import {matchPayments} from '../payments/reconcile/match-payments.ts'
import {type PaymentContextSettings, withPaymentContext} from '../payments/context/open-context.ts'
import {orderBy} from '../values/order.ts'
import {readText} from '../values/records.ts'
import {dayMs, toInstantMs} from '../values/time.ts'
import {
  type Books,
  type OmittedKind,
  type OmittedPayment,
  type Period,
  isInPeriod,
  parseMonth,
  toShortIso,
} from './books.ts'
import {type CompletedPayment, readFigures} from './figures.ts'

export interface CollectSettings {
  context: Pick<PaymentContext, 'service' | 'journal' | 'clock' | 'listLagMaxMs' | 'onListProgress'>
  serviceId: string
  period: Period
  // The customer whose payments alone are collected.
  customerId?: string | undefined
}

// A transaction that ended does not change any more, so its last change is its end
// (docs/assumptions.md, M25).
const readEndMs = ({updatedAt, createdAt}: LooseTransaction) => toInstantMs(updatedAt) ?? toInstantMs(createdAt)

const describeEnding = (status: string) =>
  status === 'FAILED' ? 'the money did not arrive' : `${status}, so the money did not arrive`

// The findings of the walk through the payments so far.
interface Collecting extends CollectSettings {
  completed: CompletedPayment[]
  omitted: OmittedPayment[]
  // Why a payment that ended badly needs nothing more, by its transaction.
  dealtWith: ReadonlyMap<string, string>
}

const isBeforeEnd = ({untilMs}: Period, ms: number) => isInPeriod({untilMs}, ms)

function omit(
  {period, omitted, dealtWith}: Collecting,
  kind: OmittedKind,
  atMs: number,
  detail: string,
  {payment, transaction}: {payment?: Payment; transaction?: LooseTransaction},
): void {
  if (!isBeforeEnd(period, atMs)) return

  const content = transaction ? readContent(transaction) : payment?.content
  const transactionId = readText(transaction?.transactionId) || payment?.transactionId
  const why = kind === 'FAILED' && dealtWith.get(transactionId ?? '')

  omitted.push({
    kind,
    key: payment?.key,
    note: payment?.note,
    transactionId,
    customerId: content?.customerId,
    accountId: content?.source.sourcePaymentAccountId,
    destinationAccountId: content?.destination.destinationPaymentAccountId || undefined,
    amount: content?.source.sourceAmount,
    currency: content?.source.sourceCurrency.toUpperCase(),
    destinationCurrency: content?.destination.destinationCurrency.toUpperCase(),
    at: toShortIso(atMs),
    detail: why ? `${detail}; dealt with: ${why}` : detail,
  })
}

function addTransaction(collecting: Collecting, payment: MadePayment, transaction: LooseTransaction): void {
  const {period, completed} = collecting
  const left = {payment, transaction}
  const status = readCode(transaction.transactionStatus)
  const endMs = readEndMs(transaction) ?? payment.madeAt ?? payment.updatedAt
  if (!hasFinalStatus(transaction) || !isBeforeEnd(period, endMs)) {
    const madeMs = toInstantMs(transaction.createdAt) ?? payment.madeAt ?? payment.createdAt
    return omit(collecting, 'OPEN', madeMs, `not completed yet, ${status || 'without a status'}`, left)
  }
  if (!isInPeriod(period, endMs)) return
  if (readBadEnding(transaction)) return omit(collecting, 'FAILED', endMs, describeEnding(status), left)
  const figures = readFigures(payment, transaction, toShortIso(endMs))
  if ('problem' in figures) omit(collecting, 'UNREADABLE', endMs, figures.problem, left)
  else completed.push(figures)
}

// A service may list what is old no longer. What was made so long before a period was completed
// before it (docs/assumptions.md, M28).
const completionMaxMs = 31 * dayMs

// A payment that was just made may not be in the list yet. Of one that ended badly, the journal may
// know it, and when it heard of it.
function addUnlisted(collecting: Collecting, payment: MadePayment): void {
  const {period, dealtWith, context} = collecting
  const {transactionId, ended, updatedAt} = payment
  const ms = getMadeMs(payment)
  if (context.clock.earliest() - ms < context.listLagMaxMs) {
    return omit(collecting, 'OPEN', ms, 'too new to be listed yet', {payment})
  }
  if (ended) {
    if (isInPeriod(period, updatedAt)) omit(collecting, 'FAILED', updatedAt, describeEnding(ended), {payment})
    return
  }
  if (period.sinceMs !== undefined && ms < period.sinceMs - completionMaxMs) return
  const why = dealtWith.get(transactionId)
  const unlisted = 'the service does not list it'
  if (why) omit(collecting, 'DEALT_WITH', ms, `${unlisted}; dealt with: ${why}`, {payment})
  else omit(collecting, 'NOT_LISTED', ms, unlisted, {payment})
}

function addUnsettled(collecting: Collecting, payment: Payment, transactions: readonly LooseTransaction[]): void {
  const {armed, reason} = getLastAttempt(payment) ?? {}
  const ms = toInstantMs(transactions[0]?.createdAt) ?? armed?.at ?? payment.updatedAt
  const ids = transactions.map(({transactionId}) => readText(transactionId)).join(', ')
  const known = transactions.length > 0 ? `the service has transaction ${ids}` : reason
  omit(collecting, 'UNKNOWN', ms, [`the journal says ${payment.state}`, known].filter(Boolean).join(', and '), {
    payment,
  })
}

export async function collectBooks(settings: CollectSettings): Promise<Books> {
  const {context, serviceId, customerId, period} = settings
  const {journal, clock} = context
  const {listed} = await new CustomerList(context, customerId ?? '').readWhole()
  const collecting: Collecting = {...settings, completed: [], omitted: [], dealtWith: await readDealtWith(journal)}

  // The transactions that belong to a payment of these books, and the accounts from which payments
  // of the journal were made.
  const owned = new Set<LooseTransaction>()
  const ownAccounts = new Set<string>()
  let [foreign, several] = [0, 0]

  // Payments are read after the list, so that every transaction in it that svc made has its
  // payment.
  for await (const {payment, transactions} of matchPayments(journal, serviceId, listed)) {
    const isMade = payment.state === 'CREATED'
    if (isMade) ownAccounts.add(payment.content.source.sourcePaymentAccountId)
    const owner = payment.content.customerId
    // A payment with unknown content may be of any customer.
    if (customerId !== undefined && owner !== '' && owner.toLowerCase() !== customerId.toLowerCase()) continue

    // A transaction that two payments claim is posted once.
    const own = transactions.filter((transaction) => !owned.has(transaction))
    for (const transaction of own) owned.add(transaction)
    if (isMade && transactions.length > 1) several++
    if (isMade && transactions.length === 0) addUnlisted(collecting, payment)
    else if (isMade) for (const transaction of own) addTransaction(collecting, payment, transaction)
    else if (transactions.length > 0 || unsettledStates.includes(payment.state))
      addUnsettled(collecting, payment, transactions)
  }

  // Transactions that were completed in the period without a payment of this journal.
  for (const transaction of listed) {
    const endMs = readEndMs(transaction)
    const isCompleted = hasFinalStatus(transaction) && !readBadEnding(transaction)
    if (owned.has(transaction) || !isCompleted || endMs === undefined || !isInPeriod(period, endMs)) continue
    if (isDerivedCorrelationId(transaction.correlationId))
      omit(collecting, 'NOT_IN_JOURNAL', endMs, 'made by svc, but not with this journal', {transaction})
    else foreign++
  }

  const markOwn = ({destination, ...figures}: CompletedPayment): CompletedPayment => ({
    ...figures,
    destination: {...destination, ...(ownAccounts.has(destination.accountId) && {isOwn: true})},
  })

  const {completed, omitted} = collecting
  return {
    period,
    completed: completed
      .map(markOwn)
      .toSorted(orderBy(({completedAt, transactionId}) => [toInstantMs(completedAt), transactionId])),
    omitted: omitted.toSorted(orderBy(({kind, at, key, transactionId}) => [kind, toInstantMs(at), key, transactionId])),
    foreign,
    several,
    readAtMs: clock.earliest(),
  }
}

interface BooksSettings extends Pick<PaymentContextSettings, 'traits' | 'connect' | 'timeoutMs'> {
  period: Period
  customerId?: string | undefined
}

// Opens the journal and the service, and collects the books of a period.
export const readBooks = ({traits, connect, timeoutMs, period, customerId}: BooksSettings): Promise<Books> =>
  withPaymentContext({traits, connect, timeoutMs}, (context) =>
    collectBooks({context, serviceId: traits.serviceId, period, customerId}),
  )

// The flags that name the time which books cover.
export const periodFlags = {
  month: Flags.custom<Period>({
    summary: 'A month in UTC, such as 2026-11',
    helpValue: 'MONTH',
    exclusive: ['since', 'until'],
    parse: async (text) => parseMonth(text),
  })(),
  since: sinceFlag('From this time on'),
  until: untilFlag('Up to this time, which is not included'),
}
