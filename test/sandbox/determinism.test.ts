// With the same seed, a frozen clock and the same requests, two databases are equal byte for byte.
import {describe, expect, it} from 'vitest'
import {openSandbox} from '../../src/sandbox/sandbox.ts'
import {call, completeKyc, dumpTables, noon, requestTo, temporaryFile} from './open.ts'

interface Account {
  paymentAccountId: string
  svcCryptoWallet?: {address: {chain: string}}
  externalBankAccount?: {bankAccountPaymentMethod: string}
}

const dayMs = 86_400_000

// Uses every part of the service once.
async function runStory(seed: string): Promise<string> {
  const file = temporaryFile()
  const sandbox = openSandbox({file, seed, frozenAt: noon})
  sandbox.webhooks.add({url: 'http://127.0.0.1:9/hook'})
  sandbox.faults.add({method: 'GET', path: '/customers', kind: 'status', status: 503, probability: 0.5})
  for (let count = 0; count < 10; count++) await sandbox.fetch(requestTo(sandbox, 'GET', '/customers?pageSize=1'))
  sandbox.faults.clear()
  const created = (await call(sandbox, 'POST', '/customers', {
    customerType: 'INDIVIDUAL',
    email: 'ada@example.com',
    kycData: {...completeKyc, accountPurposeOther: 'MAGIC_DOC_QUALITY_POOR'},
  })) as {body: {customerId: string}}
  sandbox.clock.advance(60_000)
  await call(sandbox, 'PATCH', `/customers/${created.body.customerId}`, {kycData: {phoneNumber: '+15551234567'}})
  sandbox.clock.advance(60_000)
  const {customers} = (await call(sandbox, 'GET', '/customers?pageSize=100')).body as {
    customers: Array<{customerId: string; customerStatus: string}>
  }
  const customerId = customers.findLast(({customerStatus}) => customerStatus === 'ACTIVE')?.customerId ?? ''
  const accounts = (await call(sandbox, 'GET', `/payment-accounts?customerId=${customerId}&pageSize=100`)).body as {
    paymentAccounts: Account[]
  }
  const wallet = accounts.paymentAccounts.find(({svcCryptoWallet}) => svcCryptoWallet)
  const bank = accounts.paymentAccounts.find(
    (one) => one.paymentAccountId && one.externalBankAccount?.bankAccountPaymentMethod === 'ACH',
  )
  const source = {
    sourcePaymentAccountId: wallet?.paymentAccountId,
    sourceCurrency: 'USDC',
    sourcePaymentMethod: wallet?.svcCryptoWallet?.address.chain,
  }
  const destination = {
    destinationPaymentAccountId: bank?.paymentAccountId,
    destinationPaymentMethod: 'ACH',
    destinationCurrency: 'USD',
  }
  const quote = (await call(sandbox, 'POST', '/quotes', {
    customerId,
    source: {...source, sourceAmount: '12.34'},
    destination,
  })) as {body: {quoteId: string}}
  const request = requestTo(sandbox, 'POST', '/transactions', {quoteId: quote.body.quoteId})
  request.headers.set('x-idempotency-key', 'one')
  expect((await sandbox.fetch(request)).status).toBe(200)
  const rule = await call(sandbox, 'POST', '/automation-rules', {
    name: 'Daily',
    customerId,
    transactionTemplate: {source, destination, amount: {type: 'PCT', value: '1'}},
    trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * *'},
  })
  expect(rule.status).toBe(200)
  sandbox.clock.advance(3 * dayMs)
  sandbox.seedCustomers(5)
  sandbox.money.verifyLedger()
  sandbox.close()
  return dumpTables(file)
}

describe('the same seed, a frozen clock and the same requests', () => {
  it('give a byte-identical database, twice', async () => {
    const [one, other] = [await runStory('twin'), await runStory('twin')]
    expect(one.length).toBeGreaterThan(50_000)
    expect(other).toBe(one)
  })

  it('give another database with another seed', async () => {
    expect(await runStory('twin')).not.toBe(await runStory('stranger'))
  })
})
