// The fields of a transaction that are used after its list was read: the rest of a long list would fill the memory.
import type {LooseTransaction} from '../../contract/loose.ts'

export const keepNeededFields = ({
  transactionId,
  quoteId,
  correlationId,
  customerId,
  transactionStatus,
  createdAt,
  updatedAt,
  expiresAt,
  source,
  destination,
  fees,
}: LooseTransaction): LooseTransaction => ({
  transactionId,
  quoteId,
  correlationId,
  customerId,
  transactionStatus,
  createdAt,
  updatedAt,
  expiresAt,
  source: {
    sourcePaymentAccountId: source?.sourcePaymentAccountId,
    sourcePaymentMethod: source?.sourcePaymentMethod,
    sourceCurrency: source?.sourceCurrency,
    sourceAmount: source?.sourceAmount,
  },
  destination: {
    destinationPaymentAccountId: destination?.destinationPaymentAccountId,
    destinationPaymentMethod: destination?.destinationPaymentMethod,
    destinationCurrency: destination?.destinationCurrency,
    destinationAmount: destination?.destinationAmount,
    exchangeRate: destination?.exchangeRate,
  },
  fees,
})
