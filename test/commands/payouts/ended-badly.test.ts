// svc payouts run with transactions that fail, are cancelled or expire, at once or after the run.
import {describe, expect, it} from 'vitest'
import {type PaymentService, refusal, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {createRow, createRows, readResultRows, readStates, writePayroll} from './payroll.ts'

const runPayouts = (home: Home, {env}: PaymentService, file: string, ...flags: string[]) =>
  run(home, ['payouts', 'run', file, '--yes', ...flags], {env})

// Ends the transactions of these rows, counted from 0, with this status when they are created.
function endRows(service: PaymentService, status: string, ...numbers: number[]): void {
  service.alter = (transaction) =>
    numbers.includes(service.transactions.length) ? {...transaction, transactionStatus: status} : transaction
}

useVirtualTime()

describe('rows that end badly', () => {
  it.each(['FAILED', 'cancelled', 'Expired'])('are counted and named apart if they are %s at once', async (status) => {
    const [home, service] = [freshHome(), await servePayments()]
    endRows(service, status, 1, 3)
    const file = writePayroll(home, createRows('a', 5))
    const {code, out, err} = await runPayouts(home, service, file, '--concurrency', '1')
    expect(code).toBe(9)
    const ending = status.toUpperCase()
    expect(out).toMatch(
      new RegExp(`ENDED_BADLY {2}line 3 {2}a-2\\n {4}The transaction \\S+ is ${ending}; .* a new key`),
    )
    expect(out).toContain('Made         3 rows     7.50 USDC')
    expect(out).toContain('Ended badly  2 rows     5.00 USDC')
    expect(err).toContain('Of 5 rows, 3 made, 2 ended badly. To pay again what ended badly, give those rows new keys')
    expect(readStates(home)).toEqual(['CREATED', 'ENDED_BADLY', 'CREATED', 'ENDED_BADLY', 'CREATED'])
    expect(readResultRows(home)[1]).toMatchObject({status, error: `TRANSACTION_${ending}`})
    expect(readResultRows(home)[1]?.['reason']).toContain('the key a-2 keeps it')
  })

  it('are found by a rerun if they ended after the run', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, createRows('a', 3))
    expect((await runPayouts(home, service, file)).code).toBe(0)
    for (const transaction of service.transactions) transaction['transactionStatus'] = 'COMPLETED'
    Object.assign(service.transactions[1] ?? {}, {transactionStatus: 'EXPIRED'})
    const {code, err} = await runPayouts(home, service, file)
    expect(code).toBe(9)
    expect(err).toContain('Of 3 rows, 2 made, 1 ended badly.')
  })

  it('are known from the journal, which notes it once, if the service cannot be read', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, createRows('a', 2))
    expect((await runPayouts(home, service, file)).code).toBe(0)
    Object.assign(service.transactions[0] ?? {}, {transactionStatus: 'FAILED'})
    for (const _ of [1, 2]) expect((await runPayouts(home, service, file)).code).toBe(9)
    const ended = readResultRows(home).find(({state}) => state === 'ENDED_BADLY')
    const {out} = await run(home, ['journal', 'show', ended?.['key'] ?? '', '--json'], {env: service.env})
    const history = json(out)['history'] as Array<{what: string}>
    expect(history.filter(({what}) => what === 'ENDED')).toHaveLength(1)
    service.script({at: 'GET /transactions', times: 99, reply: refusal(400, 'BAD_REQUEST', 'not today')})
    const blind = await runPayouts(home, service, file)
    expect(blind.code).toBe(9)
    expect(readResultRows(home).find(({key}) => key === ended?.['key'])).toMatchObject({
      state: 'ENDED_BADLY',
      status: 'FAILED',
    })
  })

  it('end a batch with 9 even if no row ended well, and with 7 if something is unknown', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    endRows(service, 'FAILED', 0)
    expect((await runPayouts(home, service, writePayroll(home, [createRow('a')]))).code).toBe(9)
    service.intercept = ({method, path}, response) => {
      if (method !== 'POST' || path !== '/transactions') return false
      response.socket?.destroy()
      return true
    }
    const {code, err} = await runPayouts(
      home,
      service,
      writePayroll(home, [createRow('a'), createRow('b', {amount: '3'})]),
      '--timeout',
      '2s',
    )
    expect(code).toBe(7)
    expect(err).toContain('Of 2 rows, 1 ended badly, 1 unknown')
  })

  it('count for --stop-after in the run that made them, but not in a later one', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    endRows(service, 'FAILED', 0)
    const file = writePayroll(home, createRows('a', 3))
    const flags = ['--stop-after', '1', '--concurrency', '1']
    const {err} = await runPayouts(home, service, file, ...flags)
    expect(err).toContain('Of 3 rows, 1 ended badly, 2 not tried; the run stopped because --stop-after was reached.')
    expect((await runPayouts(home, service, file, ...flags)).code).toBe(9)
    expect(readStates(home)).toEqual(['ENDED_BADLY', 'CREATED', 'CREATED'])
  })
})
