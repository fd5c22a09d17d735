// Payment accounts: sources and destinations of transfers.
import {z} from 'zod'
import {currency, fiatMethod, timestamp, url, uuid} from './scalars.ts'
import {accountTypes} from './vocabulary.ts'

// The interface shows only these two statuses; there may be others.
const accountStatusesSeen = ['ACTIVE', 'PENDING'] as const

const chainAddress = z.object({address: z.string(), chain: z.string()}).meta({id: 'ChainAddress'})

export const account = z
  .object({
    paymentAccountId: z.string().describe('Empty while the account is PENDING'),
    paymentAccountType: z.enum(accountTypes),
    nickname: z.string().optional(),
    createdAt: timestamp.optional().describe('Absent while PENDING'),
    customerId: uuid,
    paymentAccountStatus: z.enum(accountStatusesSeen),
    isThirdParty: z.boolean().optional(),
    bankAccountFormLink: url.optional().describe('Hosted form of a PENDING bank account'),
    externalBankAccount: z
      .object({
        bankAccountType: z
          .string()
          .optional()
          .meta({examples: ['CHECKING'], 'x-values-seen': ['CHECKING']}),
        bankAccountOwnerName: z.string().optional(),
        bankAccountOwnerEmail: z.string().optional(),
        bankName: z.string().optional(),
        bankAccountCurrency: currency.optional(),
        bankAccountMask: z.string().optional(),
        bankAccountPaymentMethod: fiatMethod.optional(),
      })
      .optional(),
    svcAutoFiatAccount: z
      .object({currency: currency.optional(), supportedDestinationCurrencies: z.array(currency).optional()})
      .optional(),
    externalCryptoWallet: z.object({currency: currency.optional(), address: chainAddress.optional()}).optional(),
    svcCryptoWallet: z
      .object({
        cryptoWalletType: z
          .string()
          .optional()
          .meta({examples: ['EVM'], 'x-values-seen': ['EVM']}),
        address: chainAddress.optional(),
      })
      .optional(),
  })
  .meta({id: 'PaymentAccount'})
