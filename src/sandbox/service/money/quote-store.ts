// Stores quotes, each with its terms: everything that its transaction needs to be carried out.
import {type Database, parseStored} from '../../store/database.ts'
import type {RouteEnd} from './route.ts'

interface TermsEnd extends RouteEnd {
  amount: string
}

export interface TermsFee {
  amount: string
  usd: string
}

export interface Terms {
  customerId: string
  // The number under which transactions of the customer are listed.
  customerSeq: number
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

const selectById = 'select quoteId, createdAt, expiresAt, transactionId, terms from quotes where quoteId = ?'

export const parseTerms = (row: QuoteRow): Terms => parseStored<Terms>(row.terms)

// The quote has created a transaction.
export const useQuote = (database: Database, quoteId: string, transactionId: string) =>
  database.run('update quotes set transactionId = ? where quoteId = ?', transactionId, quoteId)

export const findQuoteRow = (database: Database, quoteId: string): QuoteRow | undefined =>
  database.one<QuoteRow>(selectById, quoteId)
