// Collects the books of a period: joins the journal's payments with the service's transactions, which alone know whether and
// when a payment was completed, and at which price. Reads both page by page.
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
import {type PaymentContextSettings, withPaymentContext} from '../payments/run/open-context.ts'
import {SqliteConnection} from '../storage/sqlite.ts'
import {parseJson} from '../values/json.ts'
import {readText} from '../values/records.ts'
import {toInstantMs, toShortIso} from '../values/time.ts'
import {type BookCounts, Books, type OmittedKind, type Period, isInPeriod, parseMonth} from './books.ts'
import {readFigures} from './figures.ts'

const goodEnding = 'COMPLETED'
// By this page V8's space for young objects has grown to a useful size.

export interface CollectSettings {
  context: Pick<PaymentContext, 'service' | 'journal' | 'clock' | 'listLagMaxMs'>
  serviceId: string
  period: Period
  // A time before the period, whose completed payments are read too.
  previous?: Period | undefined
  // Only payments of this customer.
  customerId?: string | undefined
  onRead?: ((count: number) => void) | undefined
}

const parseTransaction = (body: unknown) => parseJson(String(body)) as LooseTransaction

interface TransactionRow {
  id: string
  isOwned: number
  createdMs: number | null
}

// A transaction that ended does not change any more, so its last change is its end (docs/assumptions.md, M25).
const readEndMs = ({updatedAt, createdAt}: LooseTransaction) => toInstantMs(updatedAt) ?? toInstantMs(createdAt)

const hasEnded = (transaction: LooseTransaction) =>
  readCode(transaction.transactionStatus) === goodEnding || readBadEnding(transaction) !== undefined

const describeEnding = (status: string) =>
  status === 'FAILED' ? 'the money did not arrive' : `${status}, so the money did not arrive`

class Collector {
  readonly #settings: CollectSettings
  readonly #scratch: SqliteConnection
  readonly #counts: BookCounts = {completed: 0, foreign: 0, several: 0}
  // Why a payment that ended badly needs nothing more, by its transaction.
  #dealtWith: ReadonlyMap<string, string> = new Map()

  constructor(settings: CollectSettings, scratch: SqliteConnection) {
    this.#settings = settings
    this.#scratch = scratch
  }

  // Transactions that ended before the period are needed only to know that they exist.
  async readTransactions(): Promise<void> {
    const {context, customerId, period, previous, onRead} = this.#settings
    const sinceMs = previous?.sinceMs ?? period.sinceMs ?? -Infinity
    let read = 0
    for await (const page of context.service.transactions(customerId ?? '')) {
      for (const transaction of page) {
        const id = readText(transaction.transactionId)
        const endMs = readEndMs(transaction)
        const isOver = hasEnded(transaction) && endMs !== undefined && endMs < sinceMs
        this.#scratch.run(
          'insert or replace into transactions (id, correlationId, quoteId, createdMs, body) values (?, ?, ?, ?, ?)',
          id,
          readText(transaction.correlationId),
          readText(transaction.quoteId),
          toInstantMs(transaction.createdAt) ?? null,
          isOver ? null : JSON.stringify(transaction),
        )
      }
      onRead?.((read += page.length))
    }
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

  #findTransactions(payment: Payment): TransactionRow[] {
    const {quoteIds, correlationIds} = getPaymentIds(payment)
    const columns = 'id, isOwned, createdMs'
    const searches: Array<readonly [where: string, value: string]> = [
      ['id = ?', payment.transactionId ?? ''],
      ...correlationIds.map((id) => ["correlationId = ? and correlationId <> ''", id] as const),
      // One with a correlationId of svc's is of the payment that it names.
      ...quoteIds.map(
        (quoteId) => ["quoteId = ? and quoteId <> '' and correlationId not like 'svc~_%' escape '~'", quoteId] as const,
      ),
    ]
    const rows = searches
      .filter(([, value]) => value !== '')
      .flatMap(([where, value]) =>
        this.#scratch.all<TransactionRow>(`select ${columns} from transactions where ${where}`, value),
      )
    return [...new Map(rows.map((row) => [row.id, row])).values()]
  }

  #addPayment(payment: Payment): void {
    const rows = this.#findTransactions(payment)
    for (const {id} of rows) this.#scratch.run('update transactions set isOwned = 1 where id = ?', id)
    if (payment.state === 'CREATED') {
      if (rows.length === 0) return this.#addUnlisted(payment)
      if (rows.length > 1) this.#counts.several++
      // A transaction that two payments claim is posted once.
      for (const row of rows) if (row.isOwned === 0) this.#addTransaction(payment, row)
    } else if (rows.length > 0 || unsettledStates.includes(payment.state)) this.#addUnsettled(payment, rows)
  }

  #addTransaction(payment: Payment, {id, createdMs}: TransactionRow): void {
    const {body} = this.#scratch.one<{body: string | null}>('select body from transactions where id = ?', id) ?? {}
    // It ended before the period.
    if (body === undefined || body === null) return
    const {period, previous} = this.#settings
    const transaction = parseTransaction(body)
    const status = readCode(transaction.transactionStatus)
    const endMs = readEndMs(transaction) ?? payment.madeAt ?? payment.updatedAt
    const madeMs = createdMs ?? payment.madeAt ?? payment.createdAt
    const isBeforeEnd = (ms: number) => period.untilMs === undefined || ms < period.untilMs
    if (!hasEnded(transaction) || !isBeforeEnd(endMs)) {
      if (isBeforeEnd(madeMs))
        this.#omit('OPEN', madeMs, payment, transaction, `not completed yet, ${status || 'without a status'}`)
      return
    }
    if (previous && isInPeriod(previous, endMs)) return this.#addEarlier(payment, transaction, endMs)
    if (!isInPeriod(period, endMs)) return
    if (status !== goodEnding) return this.#omit('FAILED', endMs, payment, transaction, describeEnding(status))
    const figures = readFigures(payment, transaction, toShortIso(endMs))
    if ('problem' in figures) return this.#omit('UNREADABLE', endMs, payment, transaction, figures.problem)
    this.#counts.completed++
    this.#scratch.run(
      `insert into completed (atMs, id, sourceAccount, sourceCurrency, destinationAccount, destinationCurrency, body)
       values (?, ?, ?, ?, ?, ?, ?)`,
      endMs,
      figures.transactionId,
      figures.source.accountId,
      figures.source.currency,
      figures.destination.accountId,
      figures.destination.currency,
      JSON.stringify(figures),
    )
  }

  // What the period is compared with has no place for what went wrong then.
  #addEarlier(payment: Payment, transaction: LooseTransaction, endMs: number): void {
    if (readCode(transaction.transactionStatus) !== goodEnding) return
    const figures = readFigures(payment, transaction, toShortIso(endMs))
    if ('problem' in figures) return
    this.#scratch.run(
      'insert into earlier (atMs, id, body) values (?, ?, ?)',
      endMs,
      figures.transactionId,
      JSON.stringify(figures),
    )
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

  #addUnsettled(payment: Payment, rows: readonly TransactionRow[]): void {
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
    this.#scratch.run(
      'insert or replace into omitted (kind, atMs, key, id, body) values (?, ?, ?, ?, ?)',
      kind,
      atMs,
      payment?.key ?? '',
      transactionId ?? '',
      JSON.stringify(omitted),
    )
  }

  // What was completed in the period without a payment of this journal.
  addOthers(): void {
    const select = 'select body from transactions where isOwned = 0 and body is not null order by id'
    for (const row of this.#scratch.database.prepare(select).iterate()) {
      const transaction = parseTransaction(row['body'])
      const endMs = readEndMs(transaction)
      if (readCode(transaction.transactionStatus) !== goodEnding || endMs === undefined) continue
      if (!isInPeriod(this.#settings.period, endMs)) continue
      if (isDerivedCorrelationId(transaction.correlationId)) {
        this.#omit('NOT_IN_JOURNAL', endMs, undefined, transaction, 'made by svc, but not with this journal')
      } else this.#counts.foreign++
    }
  }

  toBooks(): Books {
    const {context, period, previous, serviceId} = this.#settings
    const readAtMs = context.clock.earliest()
    return new Books(this.#scratch, {period, previous, serviceId, counts: this.#counts, readAtMs})
  }
}

// The caller closes the books.
export async function collectBooks(settings: CollectSettings): Promise<Books> {
  const scratch = openScratch()
  try {
    const collector = new Collector(settings, scratch)
    await collector.readTransactions()
    // Read after the list, so that every transaction in the list that svc made has its payment.
    await collector.readPayments()
    collector.addOthers()
    return collector.toBooks()
  } catch (error) {
    scratch.close()
    throw error
  }
}

// A database that exists only while the books are written, so that they can be sorted and joined in little memory. SQLite keeps it
// in a file without a name, which nobody else can open and which is gone when svc ends.
const unnamed = ''

const schema = `
pragma journal_mode = off;
pragma synchronous = off;
pragma cache_size = -32768;
create table transactions (
  id text primary key,
  correlationId text not null,
  quoteId text not null,
  createdMs integer,
  isOwned integer not null default 0,
  body text
) strict, without rowid;
create index transactionsByCorrelation on transactions (correlationId) where correlationId <> '';
create index transactionsByQuote on transactions (quoteId) where quoteId <> '';
create table completed (
  atMs integer not null,
  id text not null,
  sourceAccount text not null,
  sourceCurrency text not null,
  destinationAccount text not null,
  destinationCurrency text not null,
  body text not null,
  primary key (atMs, id)
) strict, without rowid;
create table earlier (
  atMs integer not null,
  id text not null,
  body text not null,
  primary key (atMs, id)
) strict, without rowid;
create table omitted (
  kind text not null,
  atMs integer not null,
  key text not null,
  id text not null,
  body text not null,
  primary key (kind, atMs, key, id)
) strict, without rowid;
`

function openScratch(): SqliteConnection {
  const connection = new SqliteConnection(unnamed, 0)
  connection.database.exec(schema)
  // One transaction that is never committed: nothing has to outlive the process, and each commit would write to the file.
  connection.database.exec('begin')
  return connection
}

// Opens the journal and the service, collects the books of a period, and closes everything when the work is done.
interface BooksSettings extends Pick<PaymentContextSettings, 'traits' | 'connect' | 'timeoutMs'> {
  period: Period
  previous?: Period | undefined
  customerId?: string | undefined
}

export async function withBooks<T>(settings: BooksSettings, work: (books: Books) => Promise<T>): Promise<T> {
  const {traits, connect, timeoutMs, period, previous, customerId} = settings
  const progress = startProgress()
  const collect = () =>
    withPaymentContext({traits, connect, timeoutMs, isOnlyRead: true}, (context) =>
      collectBooks({
        context,
        serviceId: traits.serviceId,
        period,
        previous,
        customerId,
        onRead: (count) => progress.report(`${count} transactions read…`),
      }),
    )
  const books = await collect().finally(() => progress.end())
  try {
    return await work(books)
  } finally {
    books.close()
  }
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
