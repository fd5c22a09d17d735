// The ledger: money is conserved in every sequence of operations, and a violation is rolled back.
import {DatabaseSync} from 'node:sqlite'
import {Big} from 'big.js'
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {ControlError} from '../../src/sandbox/operations/control-error.ts'
import {settlements} from '../../src/sandbox/service/faults/behaviour-table.ts'
import {LedgerBreach, holders, postEntries} from '../../src/sandbox/service/money/ledger.ts'
import {openDatabase} from '../../src/sandbox/store/database.ts'
import {
  call,
  dayMs,
  dumpTables,
  endNames,
  findAccountEnds,
  listPage,
  openTemporary,
  pay,
  querySql,
  quoteBody,
  readBalance,
  requestQuote,
  sendTransaction,
  temporaryFile,
} from './open.ts'
import {seed} from '../support/seed.ts'

const amounts = fc.oneof(
  fc.integer({min: 1, max: 300_000}).map((cents) => (cents / 100).toFixed(2)),
  fc.constantFrom('10.01', '10.02', '10.03', '10.04', '10.05', '0.01', '1000000'),
)
const end = fc.constantFrom(...endNames)
const payment = fc.record({
  from: end,
  to: end,
  amount: amounts,
  guaranteeQuote: fc.boolean(),
  developerFeeAmount: fc.option(fc.constantFrom('0', '0.5', '3.25'), {nil: undefined}),
})
const small = {from: 'wallet', to: 'ACH', amount: '10', developerFeeAmount: undefined} as const
const step = fc.oneof(
  {weight: 5, arbitrary: fc.record({pay: payment})},
  {weight: 3, arbitrary: fc.record({waitMinutes: fc.nat({max: 6_000})})},
  {weight: 3, arbitrary: fc.record({settle: fc.nat(), outcome: fc.constantFrom(...settlements)})},
  {weight: 2, arbitrary: fc.record({fund: end, amount: amounts})},
  {weight: 2, arbitrary: fc.record({choose: fc.constantFrom(...settlements), afterSeconds: fc.constantFrom(0, 90)})},
  {weight: 1, arbitrary: fc.constant({again: true as const})},
)

// What is still queued for a transaction that has ended.
const stepsOfEnded = `select kind from queue join transactions on payload = json_object('transactionId', transactionId)
  where transactionStatus in ('COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED')`

// An impossible operation is rejected with a ControlError; any other error fails the test.
function tryControl(work: () => unknown) {
  try {
    work()
  } catch (error) {
    if (!(error instanceof ControlError)) throw error
  }
}

it('the ledger balances after any sequence of quotes, transactions, outcomes, deposits and waiting', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, {minLength: 1, maxLength: 25}), async (sequence) => {
      const file = temporaryFile()
      const sandbox = openTemporary({file})
      const ends = findAccountEnds(sandbox)
      const made: string[] = []
      let last: {body: {quoteId: string}; key: string; text: string} | undefined
      for (const [index, one] of sequence.entries()) {
        if ('pay' in one) {
          const {from, to, amount, guaranteeQuote, developerFeeAmount} = one.pay
          const developerFee = developerFeeAmount && {developerFee: {developerFeeType: 'USD', developerFeeAmount}}
          const body = quoteBody(ends[from], ends[to], amount, {guaranteeQuote, ...developerFee})
          const quoted = await call(sandbox, 'POST', '/quotes', body)
          expect([200, 400]).toContain(quoted.status)
          if (quoted.status !== 200) continue
          const [{quoteId}, key] = [quoted.body as {quoteId: string}, `key ${index}`]
          const {status, text} = await sendTransaction(sandbox, {quoteId}, key)
          expect([200, 422]).toContain(status)
          last = {body: {quoteId}, key, text}
          if (status === 200) made.push((JSON.parse(text) as {transactionId: string}).transactionId)
        } else if ('waitMinutes' in one) sandbox.clock.advance(one.waitMinutes * 60_000)
        else if ('settle' in one)
          tryControl(() => sandbox.money.settle(made[one.settle % made.length] ?? '', one.outcome))
        else if ('choose' in one)
          sandbox.faults.setBehaviours({transactionOutcome: one.choose, outcomeAfterSeconds: one.afterSeconds})
        else if ('fund' in one) tryControl(() => sandbox.money.fund(ends[one.fund].id, one.amount))
        else if (last) expect((await sendTransaction(sandbox, last.body, last.key)).text).toBe(last.text)
        sandbox.money.verifyLedger()
        expect(querySql(file, stepsOfEnded)).toEqual([])
      }
      const sums = new Map<string, Big>()
      for (const row of querySql(file, 'select holder, currency, amount from balances')) {
        const {holder, currency, amount} = row as Record<string, string>
        sums.set(currency ?? '', (sums.get(currency ?? '') ?? new Big(0)).plus(amount ?? ''))
        if (/^(wallet|transit|fees):/.test(holder ?? '')) expect(Number(amount)).toBeGreaterThanOrEqual(0)
      }
      expect([...sums.values()].every((sum) => sum.eq(0))).toBe(true)
      // Nothing stays in transit once every transaction is final.
      sandbox.clock.advance(10 * dayMs)
      const transit = querySql(file, "select amount from balances where holder like 'transit:%'")
      expect(transit.filter(({amount}) => amount !== '0')).toEqual([])
    }),
    {seed, numRuns: 25, examples: [[[{choose: 'failed', afterSeconds: 0}, {pay: {...small, guaranteeQuote: false}}]]]},
  )
})

describe('a violation of the ledger', () => {
  // Changes the database outside the sandbox.
  function meddle(file: string, sql: string, ...values: string[]) {
    const database = new DatabaseSync(file)
    expect(database.prepare(sql).run(...values).changes).toBe(1)
    database.close()
  }

  // The request log is stored independently of the requests' effects.
  const dumpRows = (file: string) => dumpTables(file, ['requests'])

  it.each([
    ['a balance that its entries do not sum to', "update balances set amount = '999999999999' where holder = ?"],
    [
      'an entry that does not follow from the one before',
      `update postings set entries = (select json_group_array(json(iif(value ->> 0 = ?1, json_set(value, '$[3]', '5'), value)))
         from json_each(postings.entries))
       where posting = (select max(lastPosting) from balances where holder = ?1)`,
    ],
  ])('by %s is answered with 500, and nothing is stored', async (_, sql) => {
    const file = temporaryFile()
    const faults: unknown[] = []
    const sandbox = openTemporary({file, onFault: (error) => faults.push(error)})
    const {wallet, ACH} = findAccountEnds(sandbox)
    const {quoteId} = await requestQuote(sandbox, quoteBody(wallet, ACH, '10'))
    meddle(file, sql, `wallet:${wallet.id}`)
    expect(() => sandbox.money.verifyLedger()).toThrow(LedgerBreach)
    const before = dumpRows(file)
    const {status, text} = await sendTransaction(sandbox, {quoteId}, 'k')
    expect({status, ...JSON.parse(text)}).toMatchObject({status: 500, error: 'INTERNAL_ERROR'})
    expect(faults.splice(0)).toEqual([expect.any(LedgerBreach)])
    expect(() => sandbox.money.fund(wallet.id, '1')).toThrow(LedgerBreach)
    expect(dumpRows(file)).toBe(before)
    expect((await listPage(sandbox, '/transactions')).transactions).toHaveLength(10)
  })

  it.each([
    ['does not sum to zero', ['1', '-0.99'], 'sums to 0.01 in USDC'],
    ['leaves a wallet below zero', ['-1', '1'], 'would be -1'],
  ])('by a posting that %s is refused', (_, [first = '', second = ''], problem) => {
    const file = temporaryFile()
    openTemporary({file}).close()
    const database = openDatabase(file, () => {})
    const post = () =>
      postEntries({database, now: 0}, 'test', [
        {holder: holders.wallet('new'), currency: 'USDC', amount: new Big(first)},
        {holder: holders.pool, currency: 'USDC', amount: new Big(second)},
      ])
    expect(post).toThrow(problem)
    database.close()
  })

  it('by a negative wallet balance is detected before the commit', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const {wallet, ACH} = findAccountEnds(sandbox)
    const {transactionId} = await pay(sandbox, wallet, ACH, '10')
    // Reverses a deposit that was already spent.
    meddle(
      file,
      'update quotes set terms = replace(terms, \'"amount":"10.00"\', \'"amount":"-99999"\') where transactionId = ?',
      transactionId,
    )
    const before = dumpRows(file)
    expect(() => sandbox.money.settle(transactionId, 'cancelled')).toThrow(/would be -/)
    expect(dumpRows(file)).toBe(before)
    expect(Number(readBalance(sandbox, wallet))).toBeGreaterThan(0)
  })
})
