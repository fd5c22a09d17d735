// What a key stands for: from where to where, how much, with what fee. Limits and guarantees are no part of it.
import {hash} from 'node:crypto'
import type {z} from 'zod'
import {normalizeAmount} from '../validation/money.ts'
import type {quoteCreate} from '../contract/quotes.ts'

type QuoteBody = z.infer<typeof quoteCreate>

export type PaymentContent = Omit<QuoteBody, 'guaranteeQuote'>

export function toContent({customerId, source, destination, developerFee}: QuoteBody): PaymentContent {
  return {customerId, source, destination, ...(developerFee && {developerFee})}
}

// The same payment in one spelling, so that 100 and 100.00 are the same content.
function normalize({customerId, source, destination, developerFee}: PaymentContent): unknown[] {
  return [
    customerId.toLowerCase(),
    source.sourcePaymentAccountId,
    source.sourceCurrency.toUpperCase(),
    source.sourcePaymentMethod,
    normalizeAmount(source.sourceAmount),
    destination.destinationPaymentAccountId,
    destination.destinationPaymentMethod,
    destination.destinationCurrency.toUpperCase(),
    ...(developerFee ? [developerFee.developerFeeType, normalizeAmount(developerFee.developerFeeAmount)] : []),
  ]
}

export const isSameContent = (one: PaymentContent, other: PaymentContent) =>
  JSON.stringify(normalize(one)) === JSON.stringify(normalize(other))

// What is known of a payment from a quote that was made elsewhere: nothing, until its transaction says it.
export const unknownContent: PaymentContent = {
  customerId: '',
  source: {sourcePaymentAccountId: '', sourceCurrency: '', sourcePaymentMethod: '' as never, sourceAmount: ''},
  destination: {
    destinationPaymentAccountId: '',
    destinationPaymentMethod: '' as never,
    destinationCurrency: '',
  },
}

export const isContentKnown = ({customerId}: PaymentContent) => customerId !== ''

type Fields = Readonly<Record<string, unknown>>

const toFields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})
const toText = (value: unknown) => (typeof value === 'string' ? value : '')
const toLabel = (currency: unknown) => toText(currency) || toText(toFields(currency)['label'])

// The same, as a transaction tells it. What it leaves out stays unknown.
export function readContent(transaction: Fields): PaymentContent {
  const source = toFields(transaction['source'])
  const destination = toFields(transaction['destination'])
  return {
    customerId: toText(transaction['customerId']),
    source: {
      sourcePaymentAccountId: toText(source['sourcePaymentAccountId']),
      sourceCurrency: toLabel(source['sourceCurrency']),
      sourcePaymentMethod: toText(source['sourcePaymentMethod']) as never,
      sourceAmount: toText(source['sourceAmount']),
    },
    destination: {
      destinationPaymentAccountId: toText(destination['destinationPaymentAccountId']),
      destinationPaymentMethod: toText(destination['destinationPaymentMethod']) as never,
      destinationCurrency: toLabel(destination['destinationCurrency']),
    },
  }
}

const digest = (...parts: string[]) => hash('sha256', JSON.stringify(parts))

const shownLength = 40

// What identifies a payment to the service: the same on every host and in every attempt, and nothing of the key in it.
export const deriveCorrelationId = (serviceId: string, key: string) =>
  `svc_${digest('correlation', serviceId, key).slice(0, shownLength)}`
export const deriveIdempotencyKey = (serviceId: string, key: string) =>
  `svc_${digest('idempotency', serviceId, key).slice(0, shownLength)}`

// What a request carries, by its bytes: that of svc, or one of the caller's own.
export const readCorrelationId = (bytes: string | undefined): unknown =>
  bytes === undefined ? undefined : (JSON.parse(bytes) as Fields)['correlationId']
