// Collects the books of a period: joins the journal's payments with the service's transactions, which alone know whether and
// when a payment was completed, and at which price.
import * as Flags from '@oclif/core/flags'
import {sinceFlag, untilFlag} from '../cli/output/filters.ts'
import {startProgress} from '../cli/output/streams.ts'
import {type LooseTransaction, readCode} from '../contract/loose.ts'
import {readDealtWith} from '../payments/protocol/by-hand.ts'
import type {PaymentContext} from '../payments/protocol/context.ts'
import {
  type Payment,
  getLastAttempt,
  isDerivedCorrelationId,
  readBadEnding,
  readContent,
  unsettledStates,
} from '../payments/protocol/payment.ts'
import {type Match, matchPayments, readTransactions} from '../payments/reconcile/match-payments.ts'
import {type PaymentContextSettings, withPaymentContext} from '../payments/pay/open-context.ts'
import {orderBy} from '../values/order.ts'
import {readText} from '../values/records.ts'
import {toInstantMs, toShortIso} from '../values/time.ts'
import {type Books, type OmittedKind, type OmittedPayment, type Period, isInPeriod, parseMonth} from './books.ts'
import {type CompletedPayment, readFigures} from './figures.ts'

const goodEnding = 'COMPLETED'

export interface CollectSettings {
  context: Pick<PaymentContext, 'service' | 'journal' | 'clock' | 'listLagMaxMs' | 'onListProgress'>
  serviceId: string
  period: Period
  // Only payments of this customer.
  customerId?: string | undefined
}

// A transaction that ended does not change any more, so its last change is its end (docs/assumptions.md, M25).
const readEndMs = ({updatedAt, createdAt}: LooseTransaction) => toInstantMs(updatedAt) ?? toInstantMs(createdAt)

const hasEnded = (transaction: LooseTransaction) =>
  readCode(transaction.transactionStatus) === goodEnding || readBadEnding(transaction) !== undefined

const describeEnding = (status: string) =>
  status === 'FAILED' ? 'the money did not arrive' : `${status}, so the money did not arrive`

class Collector {
  readonly #settings: CollectSettings
  readonly #completed: CompletedPayment[] = []
  readonly #omitted: OmittedPayment[] = []
  // The transactions that belong to a payment of these books.
  readonly #owned = new Set<LooseTransaction>()
  // The accounts from which payments of the journal were made.
  readonly #ownAccounts = new Set<string>()
  #foreign = 0
  #several = 0
  // Why a payment that ended badly needs nothing more, by its transaction.
  readonly #dealtWith: ReadonlyMap<string, string>

  constructor(settings: CollectSettings, dealtWith: ReadonlyMap<string, string>) {
    this.#settings = settings
    this.#dealtWith = dealtWith
  }

  add({payment, transactions}: Match): void {
    if (payment.state === 'CREATED') this.#ownAccounts.add(payment.content.source.sourcePaymentAccountId)
    const {customerId} = this.#settings
    const owner = payment.content.customerId
    // A payment with unknown content may be of any customer.
    if (customerId !== undefined && owner !== '' && owner.toLowerCase() !== customerId.toLowerCase()) return
    // A transaction that two payments claim is posted once.
    const own = transactions.filter((transaction) => !this.#owned.has(transaction))
    for (const transaction of own) this.#owned.add(transaction)
    if (payment.state === 'CREATED') {
      if (transactions.length === 0) return this.#addUnlisted(payment)
      if (transactions.length > 1) this.#several++
      for (const transaction of own) this.#addTransaction(payment, transaction)
    } else if (transactions.length > 0 || unsettledStates.includes(payment.state)) {
      this.#addUnsettled(payment, transactions)
    }
  }

  #addTransaction(payment: Payment, transaction: LooseTransaction): void {
    const {period} = this.#settings
    const status = readCode(transaction.transactionStatus)
    const endMs = readEndMs(transaction) ?? payment.madeAt ?? payment.updatedAt
    const madeMs = toInstantMs(transaction.createdAt) ?? payment.madeAt ?? payment.createdAt
    const isBeforeEnd = (ms: number) => period.untilMs === undefined || ms < period.untilMs
    if (!hasEnded(transaction) || !isBeforeEnd(endMs)) {
      if (isBeforeEnd(madeMs))
        this.#omit('OPEN', madeMs, payment, transaction, `not completed yet, ${status || 'without a status'}`)
      return
    }
    if (!isInPeriod(period, endMs)) return
    if (status !== goodEnding) return this.#omit('FAILED', endMs, payment, transaction, describeEnding(status))
    const figures = readFigures(payment, transaction, toShortIso(endMs))
    if ('problem' in figures) return this.#omit('UNREADABLE', endMs, payment, transaction, figures.problem)
    this.#completed.push(figures)
  }

  // A payment that was just made may not be in the list yet.
  #addUnlisted(payment: Payment): void {
    const {context, period} = this.#settings
    const ms = payment.madeAt ?? getLastAttempt(payment)?.armedAt ?? payment.updatedAt
    if (period.untilMs !== undefined && ms >= period.untilMs) return
    if (context.clock.earliest() - ms < context.listLagMaxMs) {
      return this.#omit('OPEN', ms, payment, undefined, 'too new to be listed yet')
    }
    // Of a payment that ended badly, the journal may know it.
    if (payment.ended) return this.#omit('FAILED', ms, payment, undefined, describeEnding(payment.ended))
    this.#omit('NOT_LISTED', ms, payment, undefined, 'the service does not list it')
  }

  #addUnsettled(payment: Payment, transactions: readonly LooseTransaction[]): void {
    const {armedAt, reason} = getLastAttempt(payment) ?? {}
    const ms = toInstantMs(transactions[0]?.createdAt) ?? armedAt ?? payment.updatedAt
    if (this.#settings.period.untilMs !== undefined && ms >= this.#settings.period.untilMs) return
    const ids = transactions.map(({transactionId}) => readText(transactionId)).join(', ')
    const listed = transactions.length > 0 ? `the service has transaction ${ids}` : reason
    const detail = [`the journal says ${payment.state}`, listed].filter(Boolean).join(', and ')
    this.#omit('UNKNOWN', ms, payment, undefined, detail)
  }

  #omit(
    kind: OmittedKind,
    atMs: number,
    payment: Payment | undefined,
    transaction: LooseTransaction | undefined,
    detail: string,
  ): void {
    const content = transaction ? readContent(transaction) : payment?.content
    const transactionId = readText(transaction?.transactionId) || payment?.transactionId
    const why = kind === 'FAILED' && this.#dealtWith.get(transactionId ?? '')
    this.#omitted.push({
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

  // What was completed in the period without a payment of this journal.
  addOthers(listed: Iterable<LooseTransaction>): void {
    for (const transaction of listed) {
      if (this.#owned.has(transaction)) continue
      const endMs = readEndMs(transaction)
      if (readCode(transaction.transactionStatus) !== goodEnding || endMs === undefined) continue
      if (!isInPeriod(this.#settings.period, endMs)) continue
      if (isDerivedCorrelationId(transaction.correlationId)) {
        this.#omit('NOT_IN_JOURNAL', endMs, undefined, transaction, 'made by svc, but not with this journal')
      } else this.#foreign++
    }
  }

  #markOwn(figures: CompletedPayment): CompletedPayment {
    const {destination} = figures
    if (!this.#ownAccounts.has(destination.accountId)) return figures
    return {...figures, destination: {...destination, isOwn: true}}
  }

  toBooks(): Books {
    const {context, period} = this.#settings
    return {
      period,
      completed: this.#completed
        .map((figures) => this.#markOwn(figures))
        .toSorted(orderBy(({completedAt, transactionId}) => [toInstantMs(completedAt), transactionId])),
      omitted: this.#omitted.toSorted(
        orderBy(({kind, at, key, transactionId}) => [kind, toInstantMs(at), key, transactionId]),
      ),
      foreign: this.#foreign,
      several: this.#several,
      readAtMs: context.clock.earliest(),
    }
  }
}

export async function collectBooks(settings: CollectSettings): Promise<Books> {
  const {context, serviceId, customerId} = settings
  const {journal} = context
  const listed = await readTransactions(context, customerId)
  const collector = new Collector(settings, await readDealtWith(journal))
  // Read after the list, so that every transaction in the list that svc made has its payment.
  for await (const match of matchPayments(journal, serviceId, listed)) collector.add(match)
  collector.addOthers(listed)
  return collector.toBooks()
}

// Opens the journal and the service, and collects the books of a period.
interface BooksSettings extends Pick<PaymentContextSettings, 'traits' | 'connect' | 'timeoutMs'> {
  period: Period
  customerId?: string | undefined
}

export function readBooks({traits, connect, timeoutMs, period, customerId}: BooksSettings): Promise<Books> {
  const progress = startProgress()
  const onListProgress = (count: number) => progress.report(`${count} transactions read…`)
  return withPaymentContext({traits, connect, timeoutMs, onListProgress}, (context) =>
    collectBooks({context, serviceId: traits.serviceId, period, customerId}),
  ).finally(() => progress.end())
}

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
