// Invented transactions in the format of the contract, and ids of the seeded sandbox.
import {customerId} from './service.ts'
import {type Home, json, run} from './svc.ts'

export const transactionId = (number: number) => `00000000-0000-4000-9000-${String(number).padStart(12, '0')}`

export const transaction = (number: number, transactionStatus = 'PROCESSING', more: Record<string, unknown> = {}) => ({
  transactionId: transactionId(number),
  customerId: customerId(1),
  quoteId: `quote_${number}`,
  transactionStatus,
  source: {
    sourcePaymentAccountId: 'account_1',
    sourceCurrency: {label: 'USD'},
    sourcePaymentMethod: 'ACH',
    sourceAmount: '120.50',
  },
  destination: {
    destinationPaymentAccountId: 'account_2',
    destinationPaymentMethod: 'BASE',
    destinationCurrency: {label: 'USDC', chain: 'BASE'},
    exchangeRate: '1',
    destinationAmount: '119.50',
  },
  fees: {
    feeCurrency: {label: 'USD'},
    svcFee: {feeAmount: '0.75', feeUSDAmount: '0.75'},
    developerFee: {feeAmount: '0.25', feeUSDAmount: '0.25'},
  },
  createdAt: '2026-11-01T12:00:00Z',
  updatedAt: '2026-11-01T12:00:00Z',
  ...more,
})

// One customer of the seeded sandbox with its accounts, and two of its transactions, which keep their status until a test
// settles them.
export const seeded = {
  customer: '4738020a-a06d-4ef3-bc07-b5cacbf3446c',
  wallet: '64fbd491-4b09-49d5-b40c-8b27facb31a9',
  externalWallet: '5e24c2b3-ff61-4ecc-b251-513b79598ccd',
  sepaAccount: '861c3341-c5aa-48c7-a8e2-f2bb23581ca9',
  processing: '08453f1a-c9c6-45d0-9ab5-159985b690a4',
  awaiting: '9884bda0-8957-4b2f-b39e-a74ed6a4dc7b',
}

const sides = {
  wallet: {account: seeded.wallet, currency: 'USDC', method: 'SOLANA'},
  externalWallet: {account: seeded.externalWallet, currency: 'USDC', method: 'SOLANA'},
  sepaAccount: {account: seeded.sepaAccount, currency: 'EUR', method: 'SEPA'},
}

export function createQuoteBody(amount: string, from: keyof typeof sides, to: keyof typeof sides) {
  const [source, destination] = [sides[from], sides[to]]
  return {
    customerId: seeded.customer,
    source: {
      sourcePaymentAccountId: source.account,
      sourceCurrency: source.currency,
      sourcePaymentMethod: source.method,
      sourceAmount: amount,
    },
    destination: {
      destinationPaymentAccountId: destination.account,
      destinationCurrency: destination.currency,
      destinationPaymentMethod: destination.method,
    },
  }
}

// Creates a quote in the sandbox and returns its id.
export async function createQuote(home: Home, amount: string, from: keyof typeof sides, to: keyof typeof sides) {
  const body = createQuoteBody(amount, from, to)
  const {out} = await run(home, ['api', 'POST', '/quotes', '-f', '-', '-p', 'sandbox'], {input: JSON.stringify(body)})
  return json(out)['quoteId'] as string
}
