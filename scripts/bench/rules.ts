// Measures how long the sandbox takes for a year of virtual time with rules that pay every day.
import path from 'node:path'
import {openSandbox, type Sandbox} from '../../src/sandbox/sandbox.ts'
import type {Row, SizeCost} from './row.ts'

const ruleCount = 1_000
const dayMs = 24 * 60 * 60 * 1_000
const daysInYear = 365
// A year would take half a minute. Its days take the same time each, which the exponent of the growth shows, but for the first ones,
// in which the code is not compiled yet.
const days = [10, 20, 40]
const walletFunds = '900000000'

interface Account {
  paymentAccountId: string
  externalBankAccount?: {bankAccountPaymentMethod: string}
  svcCryptoWallet?: {address: {chain: string}}
}

async function request<Reply>(sandbox: Sandbox, method: string, at: string, body?: unknown): Promise<Reply> {
  const response = await sandbox.fetch(
    new Request(`http://localhost${at}`, {
      method,
      headers: {authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json'},
      ...(body !== undefined && {body: JSON.stringify(body)}),
    }),
  )
  if (!response.ok) throw new Error(`${method} ${at} was answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Reply
}

// All from one wallet with enough money, at four hours of the day.
async function createRules(sandbox: Sandbox) {
  const {customers} = await request<{customers: Array<{customerId: string; customerStatus: string}>}>(
    sandbox,
    'GET',
    '/customers?pageSize=100',
  )
  const customerId = customers.find(({customerStatus}) => customerStatus === 'ACTIVE')?.customerId ?? ''
  const {paymentAccounts} = await request<{paymentAccounts: Account[]}>(
    sandbox,
    'GET',
    `/payment-accounts?customerId=${customerId}&pageSize=100`,
  )
  const wallet = paymentAccounts.find(({svcCryptoWallet}) => svcCryptoWallet)
  const bank = paymentAccounts.find(
    (one) => one.externalBankAccount?.bankAccountPaymentMethod === 'ACH' && one.paymentAccountId !== '',
  )
  sandbox.money.fund(wallet?.paymentAccountId ?? '', walletFunds, 'USDC')
  const transactionTemplate = {
    source: {
      sourcePaymentAccountId: wallet?.paymentAccountId,
      sourceCurrency: 'USDC',
      sourcePaymentMethod: wallet?.svcCryptoWallet?.address.chain,
    },
    destination: {
      destinationPaymentAccountId: bank?.paymentAccountId,
      destinationPaymentMethod: 'ACH',
      destinationCurrency: 'USD',
    },
    amount: {type: 'FLAT', value: '10'},
  }
  for (let count = 0; count < ruleCount; count++) {
    const trigger = {type: 'TIME_BASED', cronSchedule: `0 ${8 + (count % 4)} * * *`}
    await request(sandbox, 'POST', '/automation-rules', {
      name: `rule ${count}`,
      customerId,
      transactionTemplate,
      trigger,
    })
  }
}

// In seconds of CPU time: one thread does everything, and waits for the disk once in 40,000 tasks.
function advance(sandbox: Sandbox, dayCount: number): number {
  const used = process.cpuUsage()
  sandbox.clock.advance(dayCount * dayMs)
  const {user, system} = process.cpuUsage(used)
  return (user + system) / 1_000_000
}

export const rulesRow: Row = {
  name: 'rules-year',
  isLong: true,
  title: 'a year with 1,000 daily rules that pay, CPU time',
  unit: 's',
  // What was reached: 365,000 payments, each a transaction with its events, of some 125 µs.
  bound: {atMost: 50},
  sizeUnit: 'days',
  async measure({folder}) {
    const sandbox = openSandbox({file: path.join(folder, 'rules.sqlite'), frozenAt: new Date('2026-01-01T00:00:00Z')})
    await createRules(sandbox)
    const sizes: SizeCost[] = days.map((size) => ({size, value: advance(sandbox, size)}))
    sandbox.close()
    const rounds = sizes.map(({size, value}) => ({own: {value: (value / size) * daysInYear}}))
    return {rounds, sizes}
  },
}
