// The schemas of payment methods, currencies and fees, which the other entities share.
import {z} from 'zod'
import {cryptoMethods, fiatMethods} from './payment-methods.ts'
import {replyAmount} from './scalars.ts'

export const fiatMethod = z.enum(fiatMethods)
export const paymentMethod = z.enum([...fiatMethods, ...cryptoMethods])

// Replies carry this object; requests carry only the label.
export const currency = z
  .object({
    label: z.string().describe('Currency code: fiat such as USD or EUR, crypto such as USDC'),
    chain: z.string().optional().describe('Crypto network name; crypto only'),
    contractAddress: z.string().optional().describe('Token contract address; crypto only'),
    currencyDecimals: z.int().optional().describe('Decimal places of the token; crypto only'),
  })
  .meta({id: 'Currency'})

const fee = z.object({feeAmount: replyAmount, feeUSDAmount: replyAmount}).meta({id: 'Fee'})

export const fees = z
  .object({
    feeCurrency: currency.describe('Currency of the fees: the source currency'),
    svcFee: fee,
    // The interface does not require it, and a service may leave it out if none was asked for.
    developerFee: fee.optional(),
  })
  .meta({id: 'Fees'})
