// Quotes: the price of a payment from one payment account to another, valid for five minutes.
import {z} from 'zod'
import {amount, fees, opaqueId, paymentMethod, replyAmount, text, timestamp, uuid} from './scalars.ts'
import {developerFeeTypes} from './vocabulary.ts'

export const developerFee = z
  .strictObject({developerFeeType: z.enum(developerFeeTypes), developerFeeAmount: amount})
  .meta({id: 'DeveloperFee'})

export const quoteCreate = z
  .strictObject({
    customerId: uuid,
    source: z.strictObject({
      sourcePaymentAccountId: opaqueId,
      sourceCurrency: text.describe('Currency label'),
      sourcePaymentMethod: paymentMethod,
      sourceAmount: amount,
    }),
    destination: z.strictObject({
      destinationPaymentAccountId: opaqueId,
      destinationPaymentMethod: paymentMethod,
      destinationCurrency: text.describe('Currency label'),
    }),
    developerFee: developerFee.optional(),
    guaranteeQuote: z
      .boolean()
      .optional()
      .describe('When true, the exact destination amount of the quote is guaranteed to be received'),
  })
  .meta({id: 'QuoteCreate'})

export const quote = z
  .object({
    quoteId: opaqueId,
    expiresAt: timestamp.describe('Five minutes after creation'),
    estimatedExchangeRate: z.string().describe('Multiplier from source to destination currency'),
    destinationAmount: replyAmount.describe('Amount received after conversion and fees'),
    fees,
  })
  .meta({id: 'Quote'})
