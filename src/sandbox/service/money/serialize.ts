// Serializes new transactions and quotes as JSON.stringify() would, in a fifth of the time: their fields and the order are known.
import {quoteText} from '../../store/memoize-by-text.ts'
import type {Terms} from './terms.ts'
import type {Transaction} from './transitions.ts'

type CurrencyObject = Transaction['source']['sourceCurrency']

// Objects of currencies are shared between replies.
const currencyTexts = new WeakMap<CurrencyObject, string>()

function serializeCurrency(currency: CurrencyObject): string {
  let text = currencyTexts.get(currency)
  if (text === undefined) {
    text = JSON.stringify(currency)
    currencyTexts.set(currency, text)
  }
  return text
}

const serializeReference = (name: string, reference: string | undefined) =>
  reference === undefined ? '' : `,"${name}":"${reference}"`

// The reply that openTransaction() has built, in any status. Only ids and names can have characters that JSON escapes.
export function serializeTransaction(reply: Transaction): string {
  const {source, destination, fees, correlationId, transferInstructions, expiresAt} = reply
  const {svcFee, developerFee} = fees
  if (transferInstructions !== undefined || expiresAt !== undefined || !developerFee) return JSON.stringify(reply)
  return (
    `{"transactionId":"${reply.transactionId}","customerId":${quoteText(reply.customerId)}` +
    `,"quoteId":"${reply.quoteId}","transactionStatus":"${reply.transactionStatus}"` +
    (correlationId === undefined ? '' : `,"correlationId":${quoteText(correlationId)}`) +
    `,"source":{"sourcePaymentAccountId":${quoteText(source.sourcePaymentAccountId)}` +
    `,"sourceCurrency":${serializeCurrency(source.sourceCurrency)}` +
    `,"sourcePaymentMethod":"${source.sourcePaymentMethod}","sourceAmount":"${source.sourceAmount}"` +
    `${serializeReference('sourceReferenceId', source.sourceReferenceId)}}` +
    `,"destination":{"destinationPaymentAccountId":${quoteText(destination.destinationPaymentAccountId)}` +
    `,"destinationPaymentMethod":"${destination.destinationPaymentMethod}"` +
    `,"destinationCurrency":${serializeCurrency(destination.destinationCurrency)}` +
    `,"exchangeRate":"${destination.exchangeRate}","destinationAmount":"${destination.destinationAmount}"` +
    `${serializeReference('destinationReferenceId', destination.destinationReferenceId)}}` +
    `,"fees":{"feeCurrency":${serializeCurrency(fees.feeCurrency)}` +
    `,"svcFee":{"feeAmount":"${svcFee.feeAmount}","feeUSDAmount":"${svcFee.feeUSDAmount}"}` +
    `,"developerFee":{"feeAmount":"${developerFee.feeAmount}","feeUSDAmount":"${developerFee.feeUSDAmount}"}}` +
    `,"createdAt":"${reply.createdAt}","updatedAt":"${reply.updatedAt}"}`
  )
}

const serializeEnd = ({accountId, method, currency, accountType, minor}: Terms['source']) =>
  `{"accountId":${quoteText(accountId)},"method":"${method}","currency":"${currency}"` +
  `,"accountType":"${accountType}","minor":"${minor}"}`

// The terms that priceQuote() has made.
export const serializeTerms = (terms: Terms): string =>
  `{"customerId":${quoteText(terms.customerId)},"organizationId":${quoteText(terms.organizationId)}` +
  `,"source":${serializeEnd(terms.source)},"destination":${serializeEnd(terms.destination)},"rate":"${terms.rate}"` +
  `,"svcFee":{"minor":"${terms.svcFee.minor}","usd":"${terms.svcFee.usd}"}` +
  `,"developerFee":{"minor":"${terms.developerFee.minor}","usd":"${terms.developerFee.usd}"}` +
  `,"guaranteed":${terms.guaranteed}}`
