// Stores quotes, each with its terms: everything that its transaction needs to be carried out.
import {type Database, type PendingWrites, parseStored} from '../../store/database.ts'
import type {AccountType} from './accounts.ts'
import type {PaymentMethod} from './currencies.ts'

interface TermsEnd {
  accountId: string
  accountType: AccountType
  method: PaymentMethod
  currency: string
  // Minor units, as text.
  minor: string
}

export interface TermsFee {
  minor: string
  usd: string
}

export interface Terms {
  customerId: string
  organizationId: string
  source: TermsEnd
  destination: TermsEnd
  rate: string
  svcFee: TermsFee
  developerFee: TermsFee
  guaranteed: boolean
}

export interface QuoteRow {
  quoteId: string
  createdAt: number
  expiresAt: number
  transactionId: string | null
  terms: string
}

type NewQuote = Omit<QuoteRow, 'terms'>

const insertStatement = `
  insert into quotes (quoteId, createdAt, expiresAt, transactionId, terms) values (?, ?, ?, ?, ?)`

const selectById = 'select quoteId, createdAt, expiresAt, transactionId, terms from quotes where quoteId = ?'

const writeUse = (database: Database, quoteId: string, transactionId: string | null) =>
  database.run('update quotes set transactionId = ? where quoteId = ?', transactionId, quoteId)

// A row whose terms are an object. A new one is written together with its transaction's id.
class PendingRow implements QuoteRow {
  readonly quoteId: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly content: Terms
  transactionId: string | null
  isNew: boolean
  isUsed = false
  // Whether its transaction has ended.
  isFinished = false

  constructor({quoteId, createdAt, expiresAt, transactionId}: NewQuote, content: Terms, isNew: boolean) {
    this.quoteId = quoteId
    this.createdAt = createdAt
    this.expiresAt = expiresAt
    this.transactionId = transactionId
    this.content = content
    this.isNew = isNew
  }

  get terms() {
    return JSON.stringify(this.content)
  }

  write(database: Database) {
    const {quoteId, createdAt, expiresAt, transactionId, terms} = this
    database.run(insertStatement, quoteId, createdAt, expiresAt, transactionId, terms)
  }
}

const rowsKeptMax = 5_000

class PendingQuotes implements PendingWrites {
  readonly #database: Database
  readonly #rows = new Map<string, PendingRow>()

  constructor(database: Database) {
    this.#database = database
  }

  add(row: PendingRow) {
    this.#rows.set(row.quoteId, row)
  }

  find(quoteId: string): PendingRow | undefined {
    const known = this.#rows.get(quoteId)
    if (known) return known
    const stored = this.#database.one<QuoteRow>(selectById, quoteId)
    if (!stored) return undefined
    const row = new PendingRow(stored, parseTerms(stored), false)
    this.add(row)
    return row
  }

  use(quoteId: string, transactionId: string) {
    const row = this.find(quoteId)
    if (!row) return
    row.transactionId = transactionId
    row.isUsed = true
  }

  finish(quoteId: string) {
    const row = this.#rows.get(quoteId)
    if (row) row.isFinished = true
  }

  write() {
    for (const row of this.#rows.values()) this.#writeRow(row)
  }

  writeFinished() {
    for (const row of this.#rows.values()) {
      this.#writeRow(row)
      if (row.isFinished || this.#rows.size > rowsKeptMax) this.#rows.delete(row.quoteId)
    }
  }

  #writeRow(row: PendingRow) {
    if (row.isNew) row.write(this.#database)
    else if (row.isUsed) writeUse(this.#database, row.quoteId, row.transactionId)
    row.isNew = false
    row.isUsed = false
  }
}

const createPending = (database: Database) => new PendingQuotes(database)

export const parseTerms = (row: QuoteRow): Terms =>
  row instanceof PendingRow ? row.content : parseStored<Terms>(row.terms)

export function addQuoteRow(database: Database, quote: NewQuote, terms: Terms): QuoteRow {
  const row = new PendingRow(quote, terms, true)
  const pending = database.getDeferred(createPending)
  if (pending) pending.add(row)
  else row.write(database)
  return row
}

// The quote has created a transaction.
export function useQuote(database: Database, quoteId: string, transactionId: string) {
  const pending = database.getDeferred(createPending)
  if (pending) pending.use(quoteId, transactionId)
  else writeUse(database, quoteId, transactionId)
}

// The transaction has ended, so that nobody needs the quote any more.
export const finishQuote = (database: Database, quoteId: string) => database.getDeferred(createPending)?.finish(quoteId)

export function findQuoteRow(database: Database, quoteId: string): QuoteRow | undefined {
  const pending = database.getDeferred(createPending)
  return pending ? pending.find(quoteId) : database.one<QuoteRow>(selectById, quoteId)
}
