// What a key stands for: from where to where, how much, with what fee. Limits and guarantees are no part of it.
import {hash} from 'node:crypto'
import type {z} from 'zod'
import {plainAmount} from '../validation/money.ts'
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

// What is known of a payment from a quote that was made elsewhere: nothing, until its transaction says it.
export const contentUnknown: Content = {
  customerId: '',
  source: {sourcePaymentAccountId: '', sourceCurrency: '', sourcePaymentMethod: '' as never, sourceAmount: ''},
  destination: {
    destinationPaymentAccountId: '',
    destinationPaymentMethod: '' as never,
    destinationCurrency: '',
  },
}

export const isContentKnown = ({customerId}: Content) => customerId !== ''

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
const labelOf = (currency: unknown) => textOf(currency) || textOf(fieldsOf(currency)['label'])

// The same, as a transaction tells it. What it leaves out stays unknown.
export function contentOfTransaction(transaction: Fields): Content {
  const source = fieldsOf(transaction['source'])
  const destination = fieldsOf(transaction['destination'])
  return {
    customerId: textOf(transaction['customerId']),
    source: {
      sourcePaymentAccountId: textOf(source['sourcePaymentAccountId']),
      sourceCurrency: labelOf(source['sourceCurrency']),
      sourcePaymentMethod: textOf(source['sourcePaymentMethod']) as never,
      sourceAmount: textOf(source['sourceAmount']),
    },
    destination: {
      destinationPaymentAccountId: textOf(destination['destinationPaymentAccountId']),
      destinationPaymentMethod: textOf(destination['destinationPaymentMethod']) as never,
      destinationCurrency: labelOf(destination['destinationCurrency']),
    },
  }
}

const digest = (...parts: string[]) => hash('sha256', JSON.stringify(parts))

const shownLength = 40

// What identifies a payment to the service: the same on every host and in every attempt, and nothing of the key in it.
export const correlationIdOf = (place: string, key: string) =>
  `svc_${digest('correlation', place, key).slice(0, shownLength)}`
export const idempotencyKeyOf = (place: string, key: string) =>
  `svc_${digest('idempotency', place, key).slice(0, shownLength)}`

// What a request carries, by its bytes: that of svc, or one of the caller's own.
export const correlationIdIn = (bytes: string | undefined): unknown =>
  bytes === undefined ? undefined : (JSON.parse(bytes) as Fields)['correlationId']
