// svc payouts run --wait: follows every row to its end.
import {describe, expect, it} from 'vitest'
import {type PaymentService, refusal, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, run} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'
import {createRow, readResultRows, readStates, writePayroll} from './payroll.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const rows = ['1', '2', '3', '4'].map((amount) => createRow(`r-${amount}`, {amount}))

// Keys are known to be honoured, so that only the waiting reads the list again.
const trusted = ({env}: PaymentService) => ({...env, SVC_RESEND: 'yes'})

const runPayouts = (home: Home, service: PaymentService, file: string, ...flags: string[]) =>
  run(home, ['payouts', 'run', file, '--yes', '--wait', ...flags], {env: trusted(service)})

const countReads = (service: PaymentService) => service.requestsTo('GET /transactions').length

describe('svc payouts run --wait', () => {
  it('ends with 0 when every row is completed, and reads one list for all rows of a customer', async () => {
    const [home, service] = [freshHome(), await servePayments({laterStatus: {status: 'COMPLETED', afterReads: 1}})]
    const {code} = await runPayouts(home, service, writePayroll(home, rows))
    expect(code).toBe(0)
    expect(readResultRows(home).map(({state, status}) => `${state} ${status}`)).toEqual(
      rows.map(() => 'CREATED COMPLETED'),
    )
    // One before the first row, one that shows the rows for the first time, and one that shows that they have ended.
    expect(countReads(service)).toBe(3)
  })

  it('ends with 9 if some end badly, which the journal notes', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    service.alter = (transaction) => {
      const {sourceAmount} = transaction['source'] as Record<string, unknown>
      setTimeout(() => (transaction['transactionStatus'] = sourceAmount === '2' ? 'FAILED' : 'COMPLETED'), 500)
      return transaction
    }
    const {code, err} = await runPayouts(home, service, writePayroll(home, rows))
    expect(code).toBe(9)
    expect(err).toContain('Of 4 rows, 3 made, 1 ended badly.')
    expect(readStates(home)).toEqual(['CREATED', 'ENDED_BADLY', 'CREATED', 'CREATED'])
    const {out} = await run(home, ['journal', 'show', 'r-2', '--json'], {env: service.env})
    expect(out).toContain('"ENDED"')
  })

  it('says what has completed and what has not, and in the sandbox how time is moved', async () => {
    const [home, service] = [freshHome(), await servePayments({laterStatus: {status: 'COMPLETED', afterReads: 1}})]
    const {out} = await runPayouts(home, service, writePayroll(home, rows))
    expect(out).toMatch(/^Completed {4}4 rows {5}10 USDC/)
    expect(out).not.toContain('Made')
    const inSandbox = ['-p', 'sandbox', '--allow-duplicates', '--wait', '--timeout', '1ms']
    const pending = await run(home, ['payouts', 'run', writePayroll(home, [createRow('a')]), ...inSandbox])
    expect(pending.code).toBe(8)
    expect(pending.out).toMatch(/^Not ended {4}1 row {6}2\.50 USDC/)
    expect(pending.err).toContain('In the sandbox, `svc sandbox clock until-idle` moves time.')
  })

  it('ends with 8 if --timeout ends first, and a rerun follows them', async () => {
    const [home, service] = [freshHome(), await servePayments({status: 'PROCESSING'})]
    const file = writePayroll(home, rows)
    const {code, err} = await runPayouts(home, service, file, '--timeout', '1m')
    expect(code).toBe(8)
    expect(err).toContain(
      'Of 4 rows, 4 made (4 not ended yet); the run stopped because --timeout ran out. Run it again with --wait',
    )
    expect(readResultRows(home)[0]).toMatchObject({state: 'CREATED', status: 'PROCESSING'})
    service.behaviour.laterStatus = {status: 'completed', afterReads: 0}
    expect(await runPayouts(home, service, file)).toMatchObject({code: 0})
    expect(service.transactions).toHaveLength(4)
  })

  it('tolerates a list that fails for a while, and tells once that a transfer is awaited', async () => {
    const [home, service] = [freshHome(), await servePayments({status: 'AWAITING_TRANSFER'})]
    service.script({
      at: 'GET /transactions',
      skip: 2,
      times: 4,
      reply: refusal(503, 'SERVICE_UNAVAILABLE', 'later'),
    })
    setTimeout(() => (service.behaviour.laterStatus = {status: 'COMPLETED', afterReads: 0}), 4_000)
    const {code, err} = await runPayouts(home, service, writePayroll(home, rows))
    expect(code).toBe(0)
    expect(err.match(/4 rows await a transfer \(lines 2, 3, 4, 5\); `svc transactions get \S+` shows/g)).toHaveLength(1)
  })

  it('shows in a terminal what the rows are doing, and Ctrl-C ends the waiting with 130', async () => {
    const [home, service] = [freshHome(), await servePayments({status: 'PROCESSING'})]
    service.alter = (transaction) => {
      const isFirst = (transaction['source'] as Record<string, unknown>)['sourceAmount'] === '1'
      return isFirst ? {...transaction, transactionStatus: 'COMPLETED'} : transaction
    }
    const args = ['payouts', 'run', writePayroll(home, rows), '--yes', '--wait']
    const screen = onPty(home, args, {cols: 100, env: trusted(service)})
    await screen.waitFor(/░ 0 of 3 ended, 3 PROCESSING/)
    expect(screen.text()).toContain('It may take long. Ctrl-C stops only the waiting.')
    expect(screen.text()).not.toContain('sandbox')
    screen.type('\u0003')
    expect(await screen.ended).toBe(130)
    expect(screen.text()).toContain('Of 4 rows, 4 made (3 not ended yet); the run stopped because it was interrupted')
    expect(readResultRows(home).map(({status}) => status)).toEqual([
      'COMPLETED',
      'PROCESSING',
      'PROCESSING',
      'PROCESSING',
    ])
  })
})
