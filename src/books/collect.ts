// Collects the books of a period: joins the journal's payments with the service's transactions, which alone know whether and
// when a payment was completed, and at which price.
import * as Flags from '@oclif/core/flags'
import {parseSince} from '../cli/output/filters.ts'
import {startProgress} from '../cli/output/streams.ts'
import {type LooseTransaction, readCode} from '../contract/loose.ts'
import {walkPayments} from '../payments/journal/entries.ts'
import {
  type Payment,
  getLastAttempt,
  isDerivedCorrelationId,
  readBadEnding,
  readContent,
  unsettledStates,
} from '../payments/protocol/payment.ts'
import type {PaymentContext} from '../payments/protocol/context.ts'
import {getPaymentIds} from '../payments/protocol/find-transaction.ts'
import {readDealtWith} from '../payments/protocol/manual-settlement.ts'
import {type PaymentContextSettings, withPaymentContext} from '../payments/pay/open-context.ts'
import {readText} from '../values/records.ts'
import {toInstantMs, toShortIso} from '../values/time.ts'
import {type Books, type OmittedKind, type OmittedPayment, type Period, isInPeriod, parseMonth} from './books.ts'
import {type CompletedPayment, readFigures} from './figures.ts'

const goodEnding = 'COMPLETED'

export interface CollectSettings {
  context: Pick<PaymentContext, 'service' | 'journal' | 'clock' | 'listLagMaxMs'>
  serviceId: string
  period: Period
  // Only payments of this customer.
  customerId?: string | undefined
  onRead?: ((count: number) => void) | undefined
}

interface ListedTransaction {
  id: string
  isOwned: boolean
  createdMs: number | undefined
  // Absent if it ended before the period: then it is enough to know that it exists.
  transaction: LooseTransaction | undefined
}

// A transaction that ended does not change any more, so its last change is its end (docs/assumptions.md, M25).
const readEndMs = ({updatedAt, createdAt}: LooseTransaction) => toInstantMs(updatedAt) ?? toInstantMs(createdAt)

const hasEnded = (transaction: LooseTransaction) =>
  readCode(transaction.transactionStatus) === goodEnding || readBadEnding(transaction) !== undefined

const describeEnding = (status: string) =>
  status === 'FAILED' ? 'the money did not arrive' : `${status}, so the money did not arrive`

const addTo = <T>(index: Map<string, T[]>, name: string, item: T) => {
  if (name !== '') index.set(name, [...(index.get(name) ?? []), item])
}

class Collector {
  readonly #settings: CollectSettings
  readonly #listed = new Map<string, ListedTransaction>()
  readonly #byCorrelation = new Map<string, ListedTransaction[]>()
  // Without those that have a correlationId of svc's: such a one is of the payment that it names.
  readonly #byQuote = new Map<string, ListedTransaction[]>()
  readonly #completed: Array<{endMs: number; figures: CompletedPayment}> = []
  readonly #omitted: Array<{atMs: number; omitted: OmittedPayment}> = []
  #foreign = 0
  #several = 0
  // Why a payment that ended badly needs nothing more, by its transaction.
  #dealtWith: ReadonlyMap<string, string> = new Map()

  constructor(settings: CollectSettings) {
    this.#settings = settings
  }

  // A list that changes while it is read may have a transaction twice.
  async readTransactions(): Promise<void> {
    const {context, customerId, period, onRead} = this.#settings
    const read = new Map<string, LooseTransaction>()
    let count = 0
    for await (const page of context.service.transactions(customerId ?? '')) {
      for (const transaction of page) read.set(readText(transaction.transactionId), transaction)
      onRead?.((count += page.length))
    }
    for (const [id, transaction] of read) this.#addListed(id, transaction, period.sinceMs ?? -Infinity)
  }

  #addListed(id: string, transaction: LooseTransaction, sinceMs: number): void {
    const endMs = readEndMs(transaction)
    const isOver = hasEnded(transaction) && endMs !== undefined && endMs < sinceMs
    const listed = {
      id,
      isOwned: false,
      createdMs: toInstantMs(transaction.createdAt),
      transaction: isOver ? undefined : transaction,
    }
    const correlationId = readText(transaction.correlationId)
    this.#listed.set(id, listed)
    addTo(this.#byCorrelation, correlationId, listed)
    if (!/^svc_/i.test(correlationId)) addTo(this.#byQuote, readText(transaction.quoteId), listed)
  }

  async readPayments(): Promise<void> {
    const {context, serviceId, customerId} = this.#settings
    this.#dealtWith = await readDealtWith(context.journal)
    for await (const payments of walkPayments(context.journal, {serviceId})) {
      for (const payment of payments) {
        const owner = payment.content.customerId
        // A payment with unknown content may be of any customer.
        const isOther = customerId !== undefined && owner !== '' && owner.toLowerCase() !== customerId.toLowerCase()
        if (!isOther) this.#addPayment(payment)
      }
    }
  }

  #findTransactions(payment: Payment): ListedTransaction[] {
    const {quoteIds, correlationIds} = getPaymentIds(payment)
    const {transactionId = ''} = payment
    const known = transactionId === '' ? undefined : this.#listed.get(transactionId)
    const found = [
      ...(known ? [known] : []),
      ...correlationIds.flatMap((id) => this.#byCorrelation.get(id) ?? []),
      ...quoteIds.flatMap((id) => this.#byQuote.get(id) ?? []),
    ]
    return [...new Set(found)]
  }

  #addPayment(payment: Payment): void {
    const rows = this.#findTransactions(payment)
    // A transaction that two payments claim is posted once.
    const own = rows.filter(({isOwned}) => !isOwned)
    for (const row of rows) row.isOwned = true
    if (payment.state === 'CREATED') {
      if (rows.length === 0) return this.#addUnlisted(payment)
      if (rows.length > 1) this.#several++
      for (const row of own) this.#addTransaction(payment, row)
    } else if (rows.length > 0 || unsettledStates.includes(payment.state)) this.#addUnsettled(payment, rows)
  }

  #addTransaction(payment: Payment, {createdMs, transaction}: ListedTransaction): void {
    if (!transaction) return
    const {period} = this.#settings
    const status = readCode(transaction.transactionStatus)
    const endMs = readEndMs(transaction) ?? payment.madeAt ?? payment.updatedAt
    const madeMs = createdMs ?? payment.madeAt ?? payment.createdAt
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
    this.#completed.push({endMs, figures})
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

  #addUnsettled(payment: Payment, rows: readonly ListedTransaction[]): void {
    const {armedAt, reason} = getLastAttempt(payment) ?? {}
    const ms = rows[0]?.createdMs ?? armedAt ?? payment.updatedAt
    if (this.#settings.period.untilMs !== undefined && ms >= this.#settings.period.untilMs) return
    const listed = rows.length > 0 ? `the service has transaction ${rows.map(({id}) => id).join(', ')}` : reason
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
    const omitted = {
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
    }
    this.#omitted.push({atMs, omitted})
  }

  // What was completed in the period without a payment of this journal.
  addOthers(): void {
    for (const {isOwned, transaction} of this.#listed.values()) {
      if (isOwned || !transaction) continue
      const endMs = readEndMs(transaction)
      if (readCode(transaction.transactionStatus) !== goodEnding || endMs === undefined) continue
      if (!isInPeriod(this.#settings.period, endMs)) continue
      if (isDerivedCorrelationId(transaction.correlationId)) {
        this.#omit('NOT_IN_JOURNAL', endMs, undefined, transaction, 'made by svc, but not with this journal')
      } else this.#foreign++
    }
  }

  toBooks(): Books {
    const {context, period} = this.#settings
    const completed = this.#completed.toSorted(
      (one, other) => one.endMs - other.endMs || compareText(one.figures.transactionId, other.figures.transactionId),
    )
    const omitted = this.#omitted.toSorted(
      (one, other) =>
        compareText(one.omitted.kind, other.omitted.kind) ||
        one.atMs - other.atMs ||
        compareText(one.omitted.key, other.omitted.key) ||
        compareText(one.omitted.transactionId, other.omitted.transactionId),
    )
    return {
      period,
      completed: completed.map(({figures}) => figures),
      omitted: omitted.map((each) => each.omitted),
      foreign: this.#foreign,
      several: this.#several,
      readAtMs: context.clock.earliest(),
    }
  }
}

function compareText(one = '', other = ''): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

export async function collectBooks(settings: CollectSettings): Promise<Books> {
  const collector = new Collector(settings)
  await collector.readTransactions()
  // Read after the list, so that every transaction in the list that svc made has its payment.
  await collector.readPayments()
  collector.addOthers()
  return collector.toBooks()
}

// Opens the journal and the service, and collects the books of a period.
interface BooksSettings extends Pick<PaymentContextSettings, 'traits' | 'connect' | 'timeoutMs'> {
  period: Period
  customerId?: string | undefined
}

export function readBooks({traits, connect, timeoutMs, period, customerId}: BooksSettings): Promise<Books> {
  const progress = startProgress()
  return withPaymentContext({traits, connect, timeoutMs}, (context) =>
    collectBooks({
      context,
      serviceId: traits.serviceId,
      period,
      customerId,
      onRead: (count) => progress.report(`${count} transactions read…`),
    }),
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
  since: Flags.custom<number>({
    summary: 'From this time on: 2026-11-01 (UTC), a timestamp, or 7d, 12h ago',
    helpValue: 'WHEN',
    parse: async (text) => parseSince(text, Date.now()),
  })(),
  until: Flags.custom<number>({
    summary: 'Up to this time, which is not included',
    helpValue: 'WHEN',
    parse: async (text) => parseSince(text, Date.now(), '--until'),
  })(),
}
