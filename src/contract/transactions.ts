// Transactions, which are created from a quote with an idempotency key.
import {z} from 'zod'
import {currency, fees, opaqueId, replyAmount, text, timestamp, uuid} from './scalars.ts'
import {type FiatInstructionField, fiatInstructionFields} from './vocabulary.ts'

export const transactionStatuses = [
  'AWAITING_TRANSFER',
  'PROCESSING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'CREATED',
  'EXPIRED',
] as const

// The payment method determines which fields are set. The interface shows no crypto instructions, so only `type` is certain.
const transferInstructions = z
  .looseObject({
    type: z.string().meta({examples: ['fiat', 'crypto'], 'x-values-seen': ['fiat']}),
    ...(Object.fromEntries(fiatInstructionFields.map((field) => [field, z.string().optional()])) as Record<
      FiatInstructionField,
      z.ZodOptional<z.ZodString>
    >),
  })
  .meta({id: 'TransferInstructions'})

export const transactionCreate = z
  .strictObject({
    quoteId: opaqueId,
    correlationId: text.optional().describe('Caller-supplied value to match internal records'),
  })
  .meta({id: 'TransactionCreate'})

export const transaction = z
  .object({
    transactionId: uuid,
    customerId: z.string(),
    quoteId: z.string(),
    transactionStatus: z.enum(transactionStatuses),
    correlationId: z.string().optional(),
    source: z.object({
      sourcePaymentAccountId: z.string(),
      sourceCurrency: currency,
      sourcePaymentMethod: z.string(),
      sourceAmount: replyAmount,
      sourceReferenceId: z.string().optional().describe('For example a chain transaction hash'),
    }),
    destination: z.object({
      destinationPaymentAccountId: z.string(),
      destinationPaymentMethod: z.string(),
      destinationCurrency: currency,
      exchangeRate: z.string().optional(),
      destinationAmount: replyAmount.optional(),
      destinationReferenceId: z.string().optional(),
    }),
    fees,
    transferInstructions: transferInstructions.optional(),
    createdAt: timestamp,
    updatedAt: timestamp,
    expiresAt: timestamp.optional().describe('Only for status AWAITING_TRANSFER'),
  })
  .meta({id: 'Transaction'})
