// The payment methods, the types of accounts and the types of developer fees, apart from the schemas, so that naming one does not load zod.

export const fiatMethods = ['ACH', 'WIRE', 'SEPA', 'CA_INTERAC', 'IN_NEFT_RTGS_IMPS'] as const
export const cryptoMethods = ['ARBITRUM', 'BASE', 'ETHEREUM', 'OPTIMISM', 'POLYGON', 'SOLANA'] as const

export const accountTypes = [
  'EXTERNAL_BANK_ACCOUNT',
  'SVC_AUTO_FIAT_ACCOUNT',
  'EXTERNAL_CRYPTO_WALLET',
  'SVC_CRYPTO_WALLET',
] as const

export const developerFeeTypes = ['USD', 'SOURCE_CURRENCY'] as const
