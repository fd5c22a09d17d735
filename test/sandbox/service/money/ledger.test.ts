// The ledger of the sandbox: money is conserved in every sequence of operations, and a violation is rolled back.
import {DatabaseSync} from 'node:sqlite'
import {Big} from 'big.js'
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {ControlError} from '../../../../src/sandbox/operations/control-error.ts'
import type {Settlement} from '../../../../src/sandbox/service/faults/behaviour-table.ts'
import {LedgerBreach} from '../../../../src/sandbox/service/money/ledger.ts'
import {openSandbox} from '../../../../src/sandbox/sandbox.ts'
import {dumpTables, noon, openTemporary, requestTo, temporaryFile} from '../../open.ts'
import {
  hourMs,
  readUsdcBalance,
  listTransactions,
  pay,
  requestQuote,
  quoteBody,
  sendTransaction,
  type AccountEndName,
  findAccountEnds,
} from './payments.ts'

const accountNames = [
  'wallet',
  'ownWallet',
  'deposits',
  'ACH',
  'WIRE',
  'SEPA',
  'CA_INTERAC',
  'IN_NEFT_RTGS_IMPS',
] as const satisfies readonly AccountEndName[]

const outcomes = ['completed', 'failed', 'cancelled', 'expired'] as const satisfies readonly Settlement[]

const amounts = fc.oneof(
  fc.integer({min: 1, max: 300_000}).map((cents) => (cents / 100).toFixed(2)),
  fc.constantFrom('10.01', '10.02', '10.03', '10.04', '10.05', '0.01', '1000000'),
)

const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('pay' as const),
        from: fc.constantFrom(...accountNames),
        to: fc.constantFrom(...accountNames),
        amount: amounts,
        guaranteeQuote: fc.boolean(),
        developerFeeAmount: fc.option(fc.constantFrom('0', '0.5', '3.25')),
      }),
    },
    {weight: 3, arbitrary: fc.record({kind: fc.constant('wait' as const), minutes: fc.integer({min: 0, max: 6_000})})},
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('settle' as const),
        pick: fc.nat(),
        outcome: fc.constantFrom(...outcomes),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('fund' as const),
        at: fc.constantFrom(...accountNames),
        amount: amounts,
      }),
    },
    {weight: 1, arbitrary: fc.record({kind: fc.constant('again' as const)})},
  ),
  {minLength: 1, maxLength: 25},
)

// An impossible operation is rejected with a ControlError; any other error fails the test.
function ignoreRejection(work: () => unknown) {
  try {
    work()
  } catch (error) {
    if (!(error instanceof ControlError)) throw error
  }
}

function readRows(file: string, sql: string) {
  const database = new DatabaseSync(file, {readOnly: true})
  const rows = database.prepare(sql).all()
  database.close()
  return rows as {holder: string; currency: string; amount: string}[]
}

describe('the ledger', () => {
  it('balances after any sequence of quotes, transactions, outcomes, deposits and waiting', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const faults: unknown[] = []
        const file = temporaryFile()
        const sandbox = openSandbox({file, seed: 'p', frozenAt: noon, onFault: (error) => faults.push(error)})
        const spots = findAccountEnds(sandbox)
        const made: string[] = []
        let last: {body: {quoteId: string}; key: string; text: string} | undefined
        for (const [index, step] of sequence.entries()) {
          if (step.kind === 'pay') {
            const developerFee = step.developerFeeAmount && {
              developerFee: {developerFeeType: 'USD', developerFeeAmount: step.developerFeeAmount},
            }
            const body = quoteBody(spots[step.from], spots[step.to], step.amount, {
              guaranteeQuote: step.guaranteeQuote,
              ...developerFee,
            })
            const quoted = await sandbox.fetch(requestTo(sandbox, 'POST', '/quotes', body))
            expect([200, 400]).toContain(quoted.status)
            if (quoted.status !== 200) continue
            const {quoteId} = (await quoted.json()) as {quoteId: string}
            const key = `key ${index}`
            const {status, text} = await sendTransaction(sandbox, {quoteId}, key)
            expect([200, 422]).toContain(status)
            last = {body: {quoteId}, key, text}
            if (status === 200) made.push((JSON.parse(text) as {transactionId: string}).transactionId)
          }
          if (step.kind === 'wait') sandbox.clock.advance(step.minutes * 60_000)
          const picked = step.kind === 'settle' ? made[step.pick % made.length] : undefined
          if (step.kind === 'settle' && picked) ignoreRejection(() => sandbox.money.settle(picked, step.outcome))
          if (step.kind === 'fund') ignoreRejection(() => sandbox.money.fund(spots[step.at].id, step.amount))
          if (step.kind === 'again' && last)
            expect((await sendTransaction(sandbox, last.body, last.key)).text).toBe(last.text)
          sandbox.money.verifyLedger()
        }
        sandbox.close()
        expect(faults).toEqual([])
        const balances = readRows(file, 'select holder, currency, amount from balances')
        const sums = new Map<string, Big>()
        for (const {holder, currency, amount} of balances) {
          sums.set(currency, (sums.get(currency) ?? new Big(0)).plus(amount))
          if (holder.startsWith('wallet:') || holder.startsWith('transit:') || holder.startsWith('fees:')) {
            expect(Number(amount)).toBeGreaterThanOrEqual(0)
          }
        }
        expect([...sums.values()].every((sum) => sum.eq(0))).toBe(true)
      }),
      {numRuns: 25},
    )
  })

  it('has nothing in transit once every transaction is final', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const {wallet, ACH, SEPA} = findAccountEnds(sandbox)
    await pay(sandbox, wallet, ACH, '10')
    await pay(sandbox, SEPA, wallet, '20.04')
    await pay(sandbox, wallet, SEPA, '20.01')
    sandbox.clock.advance(100 * hourMs)
    const transit = readRows(file, "select holder, currency, amount from balances where holder like 'transit:%'")
    expect(transit.length).toBeGreaterThan(0)
    expect(transit.map(({amount}) => amount)).toEqual(transit.map(() => '0'))
  })
})

describe('a violation of the ledger', () => {
  // Changes the database outside the sandbox.
  function meddle(file: string, sql: string, ...values: string[]) {
    const database = new DatabaseSync(file)
    expect(database.prepare(sql).run(...values).changes).toBe(1)
    database.close()
  }

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
    const before = rowsIn(file)
    const {status, text} = await sendTransaction(sandbox, {quoteId}, 'k')
    expect({status, text: JSON.parse(text) as unknown}).toMatchObject({status: 500, text: {error: 'INTERNAL_ERROR'}})
    expect(rowsIn(file)).toBe(before)
    expect(faults.splice(0)).toEqual([expect.any(LedgerBreach)])
    expect(() => sandbox.money.fund(wallet.id, '1')).toThrow(LedgerBreach)
    expect(rowsIn(file)).toBe(before)
    expect((await listTransactions(sandbox)).transactions).toHaveLength(10)
  })

  it('by a negative wallet balance is detected before the commit', async () => {
    const file = temporaryFile()
    const faults: unknown[] = []
    const sandbox = openTemporary({file, onFault: (error) => faults.push(error)})
    const {wallet, ACH} = findAccountEnds(sandbox)
    const {transactionId} = await pay(sandbox, wallet, ACH, '10')
    // Reverses a deposit that was already spent.
    meddle(
      file,
      'update quotes set terms = replace(terms, \'"amount":"10.00"\', \'"amount":"-99999"\') where transactionId = ?',
      transactionId,
    )
    const before = rowsIn(file)
    expect(() => sandbox.money.settle(transactionId, 'cancelled')).toThrow(/would be -/)
    expect(rowsIn(file)).toBe(before)
    expect(Number(readUsdcBalance(sandbox, wallet))).toBeGreaterThan(0)
  })

  // The request log is stored independently of the requests' effects.
  const rowsIn = (file: string) =>
    JSON.stringify((JSON.parse(dumpTables(file)) as [string, unknown][]).filter(([table]) => table !== 'requests'))
})
