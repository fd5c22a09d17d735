// What `svc payouts status FILE` says about a row is what `svc payouts run FILE` would say, and what a worker says of it.
import {describe, expect, it} from 'vitest'
import {useFleet} from '../../support/fleet.ts'
import {type PaymentService, refusal, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {createRow, writePayroll} from './payroll.ts'

const lagMs = 7 * 60_000

interface Row {
  state: string
  transaction?: string
  error?: {error: string; message: string}
}

// The exit code, and what is said of the only row.
function readTold({code, out}: {code: number | null; out: string}) {
  const [row] = json(out)['payouts'] as Row[]
  return {code, row: {state: row?.state, transaction: row?.transaction, error: row?.error}}
}

const payouts = (home: Home, {env}: PaymentService, ...args: string[]) => run(home, ['payouts', ...args], {env})

const runFile = (home: Home, service: PaymentService, ...flags: string[]) =>
  payouts(home, service, 'run', 'payroll.csv', '--yes', '--json', ...flags)

const readStatus = async (home: Home, service: PaymentService) => {
  const {code, row} = readTold(await payouts(home, service, 'status', 'payroll.csv', '--rows', '--json'))
  const totals = json((await payouts(home, service, 'status', 'payroll.csv', '--json')).out)
  return {code, row, totals}
}

// A second transaction of the first payment, as a service that ignores keys makes it.
async function makeTwice({url, transactionsByKey}: PaymentService): Promise<void> {
  const [key, [made]] = [...transactionsByKey][0] ?? ['', []]
  const {quoteId, correlationId} = made as Record<string, string>
  const headers = {authorization: 'Bearer test-key', 'x-idempotency-key': key}
  await fetch(`${url}/transactions`, {method: 'POST', headers, body: JSON.stringify({quoteId, correlationId})})
}

const writeRow = (home: Home, amount: string) => writePayroll(home, [createRow('a', {amount})])

async function prepare(home: Home = freshHome()) {
  const service = await servePayments({keys: 'ignored', quotes: 'many'})
  writeRow(home, '20')
  return {home, service}
}

const two = {
  name: 'two transactions',
  code: 'SEVERAL_TRANSACTIONS',
  spoil: makeTwice,
}
const vanished = {
  name: 'a transaction that the service does not list any more',
  code: 'TRANSACTION_MISSING',
  async spoil({behaviour, clock, transactions}: PaymentService) {
    behaviour.lostIds = new Set(transactions.map(({transactionId}) => String(transactionId)))
    clock.advance(lagMs)
  },
}

describe('a row of a file', () => {
  useVirtualTime()

  it.each([two, vanished])('that was made, with $name, is unknown with 7 for status as for a run', async (wrong) => {
    const {home, service} = await prepare()
    expect((await runFile(home, service)).code).toBe(0)
    const id = service.transactions[0]?.['transactionId']
    await wrong.spoil(service)
    const status = await readStatus(home, service)
    expect(status).toMatchObject({code: 7, row: {state: 'UNKNOWN', error: {error: wrong.code}, transaction: id}})
    expect(status.totals).toMatchObject({state: 'OPEN', made: 0, unknown: 1})
    const {code, row} = readTold(await runFile(home, service))
    expect({code, row}).toEqual({code: status.code, row: status.row})
    expect(service.requestsTo('POST /transactions').length).toBe(service.transactions.length)
  })

  it.each([
    {before: 'made', state: 'FAILED', code: 0, totals: {state: 'DONE', failed: 1}},
    {before: 'unknown', state: 'UNKNOWN', code: 7, totals: {state: 'OPEN', unknown: 1}},
  ])('that was $before and has another amount now is $state, for the reason for which a run refuses it', async (is) => {
    const {home, service} = await prepare()
    if (is.before === 'unknown') {
      service.script({at: 'POST /transactions', reply: 'reset', times: 1})
      service.behaviour.listLagMs = lagMs
    }
    expect((await runFile(home, service, '--timeout', '2s')).code).toBe(is.before === 'made' ? 0 : 7)
    writeRow(home, '21')
    const {code, row, totals} = await readStatus(home, service)
    expect({code, row}).toMatchObject({code: is.code, row: {state: is.state, error: {error: 'KEY_USED'}}})
    expect(totals).toMatchObject({waiting: 0, ...is.totals})
    const refused = await runFile(home, service)
    expect(refused.code).toBe(2)
    expect(refused.err).toContain(row.error?.message)
    expect(service.transactions).toHaveLength(1)
  })

  it('that the service refused and was corrected is to be paid, and a run pays it', async () => {
    const {home, service} = await prepare()
    service.script({at: 'POST /transactions', times: 1, acts: 'never', reply: refusal(400, 'BAD_REQUEST', 'no')})
    expect((await runFile(home, service)).code).toBe(3)
    expect(await readStatus(home, service)).toMatchObject({code: 0, row: {state: 'REJECTED'}, totals: {failed: 1}})
    writeRow(home, '21')
    const {code, row, totals} = await readStatus(home, service)
    expect({code, row}).toEqual({code: 8, row: {state: 'NOT_TRIED'}})
    expect(totals).toMatchObject({state: 'OPEN', waiting: 1, failed: 0})
    expect((await runFile(home, service)).code).toBe(0)
    expect(service.transactions).toHaveLength(1)
  })
})

describe('a row of a batch', () => {
  const {freshHost} = useFleet()

  it('that was made, with two transactions, is told by a worker as by a run', async () => {
    const {home, service} = await prepare(freshHost())
    expect((await runFile(home, service)).code).toBe(0)
    await two.spoil(service)
    const {code, row} = await readStatus(home, service)
    await payouts(home, service, 'submit', 'payroll.csv', '--yes')
    expect((await payouts(home, service, 'work', '--until-idle', '--yes', '--listen', 'off')).code).toBe(7)
    const batch = await readStatus(home, service)
    expect({code: batch.code, row: batch.row}).toEqual({code, row})
    expect(batch.totals).toMatchObject({unknown: 1, made: 0})
  })
})
