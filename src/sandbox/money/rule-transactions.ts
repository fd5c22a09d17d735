// What automation rules ask of money: a balance, an account, and a quote with its transaction in one step. The ledger
// tells rules/thresholds.ts of every change, so that file must not import this one: it leaves the firing to a task.
import type {Database} from '../store/database.ts'
import {ServiceError} from '../http/service-error.ts'
import type {RequestContext} from '../request-context.ts'
import {toDecimalText} from './currencies.ts'
import {readBalance, holders} from './ledger.ts'
import {insertQuote, priceQuote, type QuoteRequest} from './quotes.ts'
import {checkFunds, openTransaction} from './transactions.ts'

export {findAccountRow as accountRow} from './account-store.ts'

export interface RuleOrder {
  ruleId: string
  customerId: string
  template: {
    source: Omit<QuoteRequest['source'], 'sourceAmount'>
    destination: QuoteRequest['destination']
    developerFee?: QuoteRequest['developerFee']
  }
  // Decimal, in the source currency.
  amount: string
}

// Either the transaction, or the sentence with which it was refused; then nothing was written.
export function transactByRule(context: RequestContext, order: RuleOrder): {transactionId: string} | {refused: string} {
  const {ruleId, customerId, template, amount} = order
  const {source, destination, developerFee} = template
  const request = {customerId, source: {...source, sourceAmount: amount}, destination, developerFee}
  try {
    const terms = priceQuote(context, request)
    checkFunds(context, terms)
    const {transactionId} = openTransaction(context, insertQuote(context, terms), terms, {correlationId: ruleId})
    return {transactionId}
  } catch (error) {
    if (error instanceof ServiceError) return {refused: error.message}
    throw error
  }
}

// What a service-managed wallet holds of a currency, as a decimal.
export const readWalletBalance = (database: Database, accountId: string, currency: string): string =>
  toDecimalText(readBalance(database, holders.wallet(accountId), currency), currency)
