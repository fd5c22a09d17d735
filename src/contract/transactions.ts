// Transactions: value in motion, made from a quote under an idempotency key.
import {z} from 'zod'
import {currency, fees} from './methods.ts'
import {opaqueId, replyAmount, text, timestamp, uuid} from './scalars.ts'
import {type FiatInstructionField, fiatInstructionFields} from './transfer-instructions.ts'

export const transactionStatuses = [
  'AWAITING_TRANSFER',
  'PROCESSING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
  'CREATED',
  'EXPIRED',
] as const

// Which fields are populated depends on the rail. Crypto instructions are not shown by the interface: only their type is sure.
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
