// The price of a payment as a result to print.
import {type Result, itemResult} from '../../cli/output/result.ts'
import type {LooseQuote} from '../../contract/loose.ts'
import type {SvcError} from '../../errors.ts'
import {createQuoteView} from '../../quotes/view.ts'
import {toInstantMs} from '../../values/time.ts'
import type {PaymentContext} from '../protocol/context.ts'
import type {PaymentOrder} from '../protocol/pay.ts'

// How long the quote is still valid by the service's clock.
export const calculateLifeMs = ({clock}: PaymentContext, quote: LooseQuote) =>
  Math.max(0, (toInstantMs(quote.expiresAt) ?? 0) - clock.latest())

export function toQuoteResult(
  context: PaymentContext,
  {intent}: PaymentOrder,
  quote: LooseQuote,
  failure?: SvcError,
): Result {
  const lifeMs = calculateLifeMs(context, quote)
  return itemResult(quote, createQuoteView({body: intent.content, lifeMs}), failure)
}
