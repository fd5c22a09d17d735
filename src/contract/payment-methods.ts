// The payment methods and the types of developer fees, apart from the schemas, so that naming one does not load zod.

export const fiatMethods = ['ACH', 'WIRE', 'SEPA', 'CA_INTERAC', 'IN_NEFT_RTGS_IMPS'] as const
export const cryptoMethods = ['ARBITRUM', 'BASE', 'ETHEREUM', 'OPTIMISM', 'POLYGON', 'SOLANA'] as const

export const developerFeeTypes = ['USD', 'SOURCE_CURRENCY'] as const
