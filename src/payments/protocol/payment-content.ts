// The content of a payment: from where to where, how much, with what fee. Limits and guarantees are not part of it.
import {hash} from 'node:crypto'
import type {z} from 'zod'
import {normalizeAmount} from '../../values/money.ts'
import {type LooseCurrency, type LooseTransaction, getCurrencyLabel} from '../../contract/loose.ts'
import type {quoteCreate} from '../../contract/quotes.ts'
import {isRecord, readAmount, readText} from '../../values/records.ts'

type QuoteBody = z.infer<typeof quoteCreate>

export type PaymentContent = Omit<QuoteBody, 'guaranteeQuote'>

type PaymentMethod = PaymentContent['source']['sourcePaymentMethod']

// Fields that the interface does not have are part of the content, where the caller allows them.
export function toContent(body: QuoteBody): PaymentContent {
  const {customerId, source, destination, developerFee, guaranteeQuote: _, ...others} = body
  return {customerId, source, destination, ...(developerFee && {developerFee}), ...others}
}

type Fields = Readonly<Record<string, unknown>>

// One text for equal values, whatever the order of their fields. The journal reads numbers back as plain numbers.
export const toComparableText = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => {
    if (JSON.isRawJSON(inner)) return Number(inner.rawJSON)
    return isRecord(inner) ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1))) : inner
  })

// What the interface has, by the path of the object that holds it.
const knownFields: Readonly<Record<string, ReadonlySet<string>>> = {
  '': new Set(['customerId', 'source', 'destination', 'developerFee']),
  source: new Set(['sourcePaymentAccountId', 'sourceCurrency', 'sourcePaymentMethod', 'sourceAmount']),
  destination: new Set(['destinationPaymentAccountId', 'destinationPaymentMethod', 'destinationCurrency']),
  developerFee: new Set(['developerFeeType', 'developerFeeAmount']),
}

// The fields that the interface does not have, by their path. Usually there are none.
export function listUnknownFields(content: PaymentContent): Fields {
  const {source, destination, developerFee = {}} = content
  const holders = {'': content, source, destination, developerFee}
  const unknown: Record<string, unknown> = {}
  for (const [holder, fields] of Object.entries(holders)) {
    for (const [name, value] of Object.entries(fields)) {
      if (!knownFields[holder]?.has(name)) unknown[holder === '' ? name : `${holder}.${name}`] = value
    }
  }
  return unknown
}

// One spelling for equal content, so that 100 and 100.00 are the same payment.
export function normalizeContent(content: PaymentContent): unknown[] {
  const {customerId, source, destination, developerFee} = content
  const unknownFields = listUnknownFields(content)
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
    ...(Object.keys(unknownFields).length > 0 ? [toComparableText(unknownFields)] : []),
  ]
}

export const isSameContent = (one: PaymentContent, other: PaymentContent) =>
  one === other || JSON.stringify(normalizeContent(one)) === JSON.stringify(normalizeContent(other))

// The content of a payment whose quote was made elsewhere. It is unknown until the transaction shows it.
export const unknownContent: PaymentContent = {
  customerId: '',
  source: {sourcePaymentAccountId: '', sourceCurrency: '', sourcePaymentMethod: '' as PaymentMethod, sourceAmount: ''},
  destination: {
    destinationPaymentAccountId: '',
    destinationPaymentMethod: '' as PaymentMethod,
    destinationCurrency: '',
  },
}

export const isContentKnown = ({customerId}: PaymentContent) => customerId !== ''

// Both a plain label and an object with a label are accepted, since the two sides of a transaction may differ.
const readCurrency = (currency: LooseCurrency): string => readText(getCurrencyLabel(currency))

// Reads the content from a transaction. Fields that the service leaves out stay empty.
export function readContent({customerId, source, destination}: LooseTransaction): PaymentContent {
  return {
    customerId: readText(customerId),
    source: {
      sourcePaymentAccountId: readText(source?.sourcePaymentAccountId),
      sourceCurrency: readCurrency(source?.sourceCurrency),
      sourcePaymentMethod: readText(source?.sourcePaymentMethod) as PaymentMethod,
      sourceAmount: readAmount(source?.sourceAmount),
    },
    destination: {
      destinationPaymentAccountId: readText(destination?.destinationPaymentAccountId),
      destinationPaymentMethod: readText(destination?.destinationPaymentMethod) as PaymentMethod,
      destinationCurrency: readCurrency(destination?.destinationCurrency),
    },
  }
}

const digest = (...parts: string[]) => hash('sha256', JSON.stringify(parts))

const digestLength = 40

// These identify a payment to the service. They are the same on every host and in every attempt, and do not reveal the key.
export const deriveCorrelationId = (serviceId: string, key: string) =>
  `svc_${digest('correlation', serviceId, key).slice(0, digestLength)}`
export const deriveIdempotencyKey = (serviceId: string, key: string) =>
  `svc_${digest('idempotency', serviceId, key).slice(0, digestLength)}`

// Reads the correlationId of a request from its bytes. A caller may have chosen its own.
export const readCorrelationId = (bytes: string | undefined): unknown =>
  bytes === undefined ? undefined : (JSON.parse(bytes) as {correlationId?: unknown}).correlationId
