// What a key stands for: from where to where, how much, with what fee. Limits and guarantees are no part of it.
import {createHash} from 'node:crypto'
import type {z} from 'zod'
import {plainAmount} from '../checks/money.ts'
import type {quoteCreate} from '../contract/quotes.ts'

type QuoteBody = z.infer<typeof quoteCreate>

export type Content = Omit<QuoteBody, 'guaranteeQuote'>

export function contentOf({customerId, source, destination, developerFee}: QuoteBody): Content {
  return {customerId, source, destination, ...(developerFee && {developerFee})}
}

// The same payment in one spelling, so that 100 and 100.00 are the same content.
function normal({customerId, source, destination, developerFee}: Content): unknown[] {
  return [
    customerId.toLowerCase(),
    source.sourcePaymentAccountId,
    source.sourceCurrency.toUpperCase(),
    source.sourcePaymentMethod,
    plainAmount(source.sourceAmount),
    destination.destinationPaymentAccountId,
    destination.destinationPaymentMethod,
    destination.destinationCurrency.toUpperCase(),
    ...(developerFee ? [developerFee.developerFeeType, plainAmount(developerFee.developerFeeAmount)] : []),
  ]
}

export const isSameContent = (one: Content, other: Content) =>
  JSON.stringify(normal(one)) === JSON.stringify(normal(other))

const digest = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex')

const shownLength = 40

// What identifies a payment to the service: the same on every host and in every attempt, and nothing of the key in it.
export const correlationIdOf = (place: string, key: string) =>
  `svc_${digest('correlation', place, key).slice(0, shownLength)}`
export const idempotencyKeyOf = (place: string, key: string) =>
  `svc_${digest('idempotency', place, key).slice(0, shownLength)}`
