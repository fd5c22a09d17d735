// Lets an automation rule read a balance, and create a quote and its transaction in one step.
import type {Database} from '../../store/database.ts'
import {createDeferredCache} from '../../store/row-cache.ts'
import {ServiceError} from '../../http/service-error.ts'
import type {RequestContext} from '../request-context.ts'
import {toDecimalText} from './currencies.ts'
import {readBalance, holders} from './ledger.ts'
import {checkParties, insertQuote, priceQuote, type QuoteParties, type QuoteRequest} from './quotes.ts'
import {checkFunds, openTransaction} from './transactions.ts'

export interface RuleOrder {
  ruleId: string
  customerId: string
  template: {
    source: Omit<QuoteRequest['source'], 'sourceAmount'>
    destination: QuoteRequest['destination']
    developerFee?: QuoteRequest['developerFee']
  }
  // A decimal in the source currency.
  amount: string
}

// A rule pays between the same parties each time it fires.
const findParties = createDeferredCache<QuoteParties>()

// Returns the transaction, or the reason why it was rejected. A rejection writes nothing.
export function transactByRule(
  context: RequestContext,
  order: RuleOrder,
): {transactionId: string} | {rejection: string} {
  const {ruleId, customerId, template, amount} = order
  const {source, destination, developerFee} = template
  const request = {customerId, source: {...source, sourceAmount: amount}, destination, developerFee}
  try {
    const parties = findParties(context.database, ruleId, () => checkParties(context, request))
    const terms = priceQuote(context, request, parties)
    checkFunds(context, terms)
    const {transactionId} = openTransaction(context, insertQuote(context, terms), terms, {correlationId: ruleId})
    return {transactionId}
  } catch (error) {
    if (error instanceof ServiceError) return {rejection: error.message}
    throw error
  }
}

// The balance of a service-managed wallet, in minor units.
export const readWalletMinor = (database: Database, accountId: string, currency: string): bigint =>
  readBalance(database, holders.wallet(accountId), currency)

// The same, as a decimal.
export const readWalletBalance = (database: Database, accountId: string, currency: string): string =>
  toDecimalText(readWalletMinor(database, accountId, currency), currency)
