// Random payments of a seeded sandbox as a payout file: every kind of route, amounts of all sizes, fees, and magic amounts that fail.
import {createGenerator} from '../../support/random.ts'

// Customers of the seeded sandbox who can pay, each with a wallet on another network.
const customers = [
  '4738020a-a06d-4ef3-bc07-b5cacbf3446c',
  '150669df-2159-446c-9a2f-32fc467a5cdb',
  '88733fd6-f0d9-4ce7-9271-1ae464cc1e4c',
  '1d54a188-5f5d-4e1a-8452-f42a49ef8495',
]

export interface SandboxAccount {
  customerId: string
  paymentAccountId: string
  paymentAccountType: string
  method: string
  currency: string
}

export type CallSvc = (args: readonly string[]) => Promise<string>

const columns = 'paymentAccountId,paymentAccountType,method,currency'

export async function listAccounts(callSvc: CallSvc): Promise<SandboxAccount[]> {
  const found: SandboxAccount[] = []
  for (const customerId of customers) {
    const list = ['accounts', 'list', '--customer', customerId, '--all', '-o', 'csv', '--columns', columns]
    const [, ...lines] = (await callSvc([...list, '-p', 'sandbox'])).trim().split('\n')
    for (const line of lines) {
      const [paymentAccountId = '', paymentAccountType = '', method = '', currency = ''] = line.split(',')
      // A wallet of the service takes every currency.
      if (paymentAccountId !== '' && method !== '')
        found.push({customerId, paymentAccountId, paymentAccountType, method, currency: currency || 'USDC'})
    }
  }
  return found
}

const isWallet = ({paymentAccountType}: SandboxAccount) => paymentAccountType === 'SVC_CRYPTO_WALLET'
const isBank = ({paymentAccountType}: SandboxAccount) => paymentAccountType === 'EXTERNAL_BANK_ACCOUNT'

// Enough for the largest amount of each of so many payments.
export async function fundWallets(callSvc: CallSvc, accounts: readonly SandboxAccount[]): Promise<void> {
  for (const {paymentAccountId} of accounts.filter(isWallet)) {
    await callSvc(['sandbox', 'fund', paymentAccountId, '--amount', '900000000', '--quiet'])
  }
}

export const payoutHeader =
  'key,customer,from,from-currency,from-method,to,to-currency,to-method,amount,developer-fee,developer-fee-type'

// The amounts of a wallet have up to six decimals, of a bank two. Those with .01 to .05 are magic: some fail, are cancelled or
// stay open. A payment from a bank arrives by itself with .04.
export function createRows(accounts: readonly SandboxAccount[], count: number, seed: number): string[] {
  const random = createGenerator(seed)
  const below = (limit: number) => Math.floor(random() * limit)
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T
  return Array.from({length: count}, (_, index) => {
    const source = random() < 0.85 ? pick(accounts.filter(isWallet)) : pick(accounts.filter(isBank))
    const own = accounts.filter(
      ({customerId, paymentAccountId}) =>
        customerId === source.customerId && paymentAccountId !== source.paymentAccountId,
    )
    const destination = isWallet(source) ? pick(own) : pick(own.filter(isWallet))
    // More than all fees, also in rupees.
    const whole = (isBank(source) ? 1000 : 60) + below(10 ** (1 + below(5)))
    const scale = isWallet(source) ? below(7) : 2
    const digits = scale === 0 ? '' : `.${String(below(10 ** scale)).padStart(scale, '0')}`
    const isMagic = random() < 0.08
    const amount = isBank(source) ? `${whole}.04` : isMagic ? `${whole}.0${1 + below(2)}` : `${whole}${digits}`
    const fee =
      random() < 0.5
        ? ['', '']
        : random() < 0.5
          ? [`1.${10 + below(90)}`, 'USD']
          : [`0.${10 + below(90)}`, 'SOURCE_CURRENCY']
    return [
      `random-${index}`,
      source.customerId,
      source.paymentAccountId,
      source.currency,
      source.method,
      destination.paymentAccountId,
      destination.currency,
      destination.method,
      amount,
      ...fee,
    ].join(',')
  })
}
