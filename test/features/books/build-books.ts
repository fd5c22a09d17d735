// Books of payments and transactions that a test writes down, without a journal file and a service.
import type {Books, Period} from '../../../src/books/books.ts'
import {type CollectSettings, collectBooks} from '../../../src/books/collect.ts'
import type {LooseTransaction} from '../../../src/contract/loose.ts'
import {
  type Made,
  type Payment,
  type PaymentState,
  deriveCorrelationId,
} from '../../../src/payments/protocol/payment.ts'
import {createAttempt, enterState} from '../../support/recorded.ts'
import {transaction, transactionId} from '../../support/transactions.ts'

export const serviceId = 'https://api.example.com'
export const customerId = '00000000-0000-4000-8000-000000000001'

const content: Payment['content'] = {
  customerId,
  source: {
    sourcePaymentAccountId: 'wallet_1',
    sourceCurrency: 'USDC',
    sourcePaymentMethod: 'SOLANA',
    sourceAmount: '100',
  },
  destination: {
    destinationPaymentAccountId: 'bank_1',
    destinationPaymentMethod: 'SEPA',
    destinationCurrency: 'EUR',
  },
}

const madeAt = Date.parse('2026-11-03T12:00:00Z')

type Change = Partial<Pick<Payment, 'key' | 'content' | 'updatedAt'> & Made>

// Payment number N has the key pay-N and, if it was made, transaction N.
export function createPayment(number: number, state: PaymentState = 'CREATED', change: Change = {}): Payment {
  const price = {rate: '0.9', received: '89.1', svcFee: '1', developerFee: '0', feeCurrency: 'USDC'}
  const quote = {id: `quote_${number}`, expiresAt: madeAt + 300_000, price}
  const attempts = [createAttempt({quote, armed: {at: madeAt}})]
  const {key = `pay-${number}`, updatedAt = madeAt, content: paid = content, ...made} = change
  const intended: Payment = {serviceId, key, content, state: 'INTENDED', attempts, createdAt: madeAt, updatedAt}
  return enterState(intended, state, {content: paid, made: {transactionId: transactionId(number), madeAt, ...made}})
}

export function createTransaction(
  number: number,
  transactionStatus = 'COMPLETED',
  change: Record<string, unknown> = {},
): Record<string, unknown> {
  return transaction(number, transactionStatus, {
    correlationId: deriveCorrelationId(serviceId, `pay-${number}`),
    source: {
      sourcePaymentAccountId: 'wallet_1',
      sourceCurrency: {label: 'USDC', chain: 'SOLANA'},
      sourcePaymentMethod: 'SOLANA',
      sourceAmount: '100.00',
      sourceReferenceId: `chain-${number}`,
    },
    destination: {
      destinationPaymentAccountId: 'bank_1',
      destinationPaymentMethod: 'SEPA',
      destinationCurrency: {label: 'EUR'},
      exchangeRate: '0.9123',
      destinationAmount: '90.31',
    },
    fees: {
      feeCurrency: {label: 'USDC'},
      svcFee: {feeAmount: '0.75', feeUSDAmount: '0.75'},
      developerFee: {feeAmount: '0.25', feeUSDAmount: '0.25'},
    },
    createdAt: '2026-11-03T12:00:00Z',
    updatedAt: '2026-11-04T09:30:00Z',
    ...change,
  })
}

interface Settings {
  payments: readonly Payment[]
  transactions: ReadonlyArray<Record<string, unknown>>
  period?: Period
  customerId?: string
  journal?: CollectSettings['context']['journal']
  // Transactions of which a person said that they are dealt with.
  dealtWith?: string[]
  // The service's clock.
  now?: string
}

const listAll = (payments: readonly Payment[], dealtWith: readonly string[] = []) => ({
  list: async () => [...payments],
  listDecisions: async () =>
    dealtWith.map((id) => ({at: 0, detail: {kind: 'ENDING_DEALT_WITH', transactionId: id, why: 'asked'}})),
})

const pageSize = 3

// In the first walk pages repeat their last transaction, as a list does that grows while it is read.
function createLists(transactions: ReadonlyArray<Record<string, unknown>>) {
  let walks = 0
  return async function* walk(): AsyncGenerator<LooseTransaction[]> {
    const step = walks++ === 0 ? pageSize - 1 : pageSize
    for (let at = 0; at < transactions.length; at += step) yield transactions.slice(at, at + pageSize)
  }
}

export async function buildBooks(settings: Settings): Promise<Books> {
  const {payments, transactions, period = {}, now = '2026-12-24T00:00:00Z'} = settings
  const context = {
    service: {transactions: createLists(transactions)},
    journal: settings.journal ?? listAll(payments, settings.dealtWith),
    clock: {earliest: () => Date.parse(now), wall: () => Date.parse(now), ticks: () => 0},
    listLagMaxMs: 360_000,
  } as unknown as CollectSettings['context']
  return collectBooks({
    context,
    serviceId,
    period,
    customerId: settings.customerId,
  })
}

export const collectText = async (chunks: Iterable<string> | AsyncIterable<string>): Promise<string> => {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text
}
