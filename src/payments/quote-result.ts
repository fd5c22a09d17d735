// The price of a payment as a result to print.
import {type Result, itemResult} from '../cli/output/result.ts'
import type {LooseQuote} from '../contract/loose.ts'
import type {SvcError} from '../errors.ts'
import {createQuoteView} from '../quotes/view.ts'
import type {PaymentContext} from './context.ts'
import type {PaymentOrder} from './pay.ts'

export function toQuoteResult(
  {clock}: PaymentContext,
  {intent}: PaymentOrder,
  quote: LooseQuote,
  failure?: SvcError,
): Result {
  const lifeMs = Math.max(0, Date.parse(String(quote.expiresAt)) - clock.latest() || 0)
  return itemResult(quote, createQuoteView({body: intent.content, lifeMs}), failure)
}
