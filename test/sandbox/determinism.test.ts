// With the same seed, a frozen clock and the same requests, two databases are equal byte for byte.
import {expect, it} from 'vitest'
import {
  call,
  completeKyc,
  createCustomer,
  createTransaction,
  dayMs,
  dumpTables,
  findAccountEnds,
  minuteMs,
  openTemporary,
  patchCustomer,
  quoteBody,
  requestQuote,
  temporaryFile,
  toRoute,
  zoe,
} from './open.ts'

// Uses every part of the service once.
async function runStory(seed: string): Promise<string> {
  const file = temporaryFile()
  const sandbox = openTemporary({file, seed})
  sandbox.webhooks.add({url: 'http://127.0.0.1:9/hook'})
  sandbox.faults.add({method: 'GET', path: '/customers', kind: 'status', status: 503, probability: 0.5})
  for (let count = 0; count < 10; count++) await call(sandbox, 'GET', '/customers?pageSize=1')
  sandbox.faults.clear()
  const kycData = {...completeKyc, accountPurposeOther: 'MAGIC_DOC_QUALITY_POOR'}
  const {customerId} = await createCustomer(sandbox, {kycData})
  sandbox.clock.advance(minuteMs)
  await patchCustomer(sandbox, customerId, {kycData: {phoneNumber: '+15551234567'}})
  sandbox.clock.advance(minuteMs)
  const {wallet, ACH} = findAccountEnds(sandbox)
  const {quoteId} = await requestQuote(sandbox, quoteBody(wallet, ACH, '12.34'))
  await createTransaction(sandbox, {quoteId}, 'one')
  const rule = await call(sandbox, 'POST', '/automation-rules', {
    name: 'Daily',
    customerId: zoe,
    transactionTemplate: {...toRoute(wallet, ACH), amount: {type: 'PCT', value: '1'}},
    trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * *'},
  })
  expect(rule.status).toBe(200)
  sandbox.clock.advance(3 * dayMs)
  sandbox.seedCustomers(5)
  sandbox.money.verifyLedger()
  return dumpTables(file)
}

it('the same seed, a frozen clock and the same requests give a byte-identical database, and another seed does not', async () => {
  const [one, other] = [await runStory('twin'), await runStory('twin')]
  expect(one.length).toBeGreaterThan(50_000)
  expect(other).toBe(one)
  expect(await runStory('stranger')).not.toBe(one)
})
