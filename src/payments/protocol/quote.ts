// Asks the service for a quote, and reads its price.
import {type LooseQuote, type LooseTransaction, getCurrencyLabel} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {toInstantMs} from '../../values/time.ts'
import type {PaymentContext} from './context.ts'
import type {PaymentContent, Price} from './payment.ts'
import {readAmount, readText} from '../../values/records.ts'
import type {ServerClock} from './clock.ts'
import {askedToWaitCode} from './service.ts'

const quoteTriesMax = 4
const quotePauseFirstMs = 500

const readFees = (fees: LooseQuote['fees']) => ({
  svcFee: readAmount(fees?.svcFee?.feeAmount),
  developerFee: readAmount(fees?.developerFee?.feeAmount),
  feeCurrency: readText(getCurrencyLabel(fees?.feeCurrency)),
})

export const readPrice = ({estimatedExchangeRate, destinationAmount, fees}: LooseQuote): Price => ({
  rate: readAmount(estimatedExchangeRate),
  received: readAmount(destinationAmount),
  ...readFees(fees),
})

// The price that a transaction was made at. What the service leaves out is empty.
export const readTransactionPrice = ({destination, fees}: LooseTransaction): Price => ({
  rate: readAmount(destination?.exchangeRate),
  received: readAmount(destination?.destinationAmount),
  ...readFees(fees),
})

// A quote that has just arrived tells the service's time, which is needed if its replies have no Date header.
export function observeExpiry({observeQuote}: Pick<ServerClock, 'observeQuote'>, quote: LooseQuote): LooseQuote {
  const expiresAt = toInstantMs(quote.expiresAt)
  if (expiresAt !== undefined) observeQuote(expiresAt)
  return quote
}

// A quote moves no money, so it is requested again when the reply was lost.
export async function fetchQuote(
  context: Pick<PaymentContext, 'service' | 'pause'>,
  content: PaymentContent,
  isGuaranteed: boolean,
): Promise<LooseQuote> {
  for (let tried = 1; ; tried++) {
    try {
      return await context.service.quote(content, isGuaranteed)
    } catch (error) {
      const isLost = error instanceof SvcError && (error.kind === 'unreachable' || error.kind === 'unknownOutcome')
      if (!isLost) throw error
      if (tried === quoteTriesMax || isPermanent(error)) throw quoteUnavailable(error)
      await context.pause(quotePauseFirstMs * 2 ** (tried - 1))
    }
  }
}

// A redirect, a quote that cannot be read, or a Retry-After longer than svc waits would only come again.
const isPermanent = ({error, statusCode = 0}: SvcError) =>
  error === askedToWaitCode || (statusCode >= 200 && statusCode < 400)

// Whether the service made a quote after all does not matter: no money moves without a transaction.
const quoteUnavailable = (error: SvcError) =>
  new SvcError({
    error: error.error === 'OUTCOME_UNKNOWN' ? 'UNREACHABLE' : error.error,
    kind: 'unreachable',
    message: `The service gave no quote: ${error.reason ?? error.message}`,
    hint: 'Nothing was paid; try again later',
    statusCode: error.statusCode,
    cause: error,
  })
