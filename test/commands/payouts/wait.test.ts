// svc payouts run --wait: follows every row to its end.
import {describe, expect, it} from 'vitest'
import {refusal, servePayments} from '../../support/scripted-service.ts'
import {freshHome, run} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {createRow, readResultRows, writePayroll} from './payroll.ts'

useVirtualTime()

const rows = ['1', '2', '3', '4'].map((amount) => createRow(`r-${amount}`, {amount}))

async function prepare(behaviour?: Parameters<typeof servePayments>[0]) {
  const [home, service] = [freshHome(), await servePayments(behaviour)]
  const args = ['payouts', 'run', writePayroll(home, rows), '--yes', '--wait']
  // Keys are known to be honoured, so that only the waiting reads the list again.
  const env = {...service.env, SVC_RESEND: 'yes'}
  const pay = (...flags: string[]) => run(home, [...args, ...flags], {env})
  const readOutcomes = () => readResultRows(home).map(({state, status}) => `${state} ${status}`)
  return {home, service, args, env, pay, readOutcomes}
}

describe('svc payouts run --wait', () => {
  it('ends with 0 when every row is completed, and reads one list for all rows of a customer', async () => {
    const {service, pay, readOutcomes} = await prepare({laterStatus: {status: 'COMPLETED', afterReads: 1}})
    const {code, out} = await pay()
    expect(code).toBe(0)
    expect(readOutcomes()).toEqual(rows.map(() => 'CREATED COMPLETED'))
    expect(out).toMatch(/^Made {9}4 rows {5}10 USDC.*\n.*received/)
    // One before the first row, one that shows the rows for the first time, and one that shows that they have ended.
    expect(service.requestsTo('GET /transactions')).toHaveLength(3)
  })

  it('ends with 9 if some end badly, which the journal notes', async () => {
    const {home, service, pay, readOutcomes} = await prepare()
    service.alter = (transaction) => {
      const {sourceAmount} = transaction['source'] as Record<string, unknown>
      setTimeout(() => (transaction['transactionStatus'] = sourceAmount === '2' ? 'FAILED' : 'COMPLETED'), 500)
      return transaction
    }
    const {code, err} = await pay()
    expect(code).toBe(9)
    expect(err).toContain('Of 4 rows, 3 made, 1 ended badly.')
    expect(readOutcomes()[1]).toBe('ENDED_BADLY FAILED')
    const {out} = await run(home, ['journal', 'show', 'r-2', '--json'], {env: service.env})
    expect(out).toContain('"ENDED"')
  })

  it('ends with 8 if --timeout ends first, says how time is moved in the sandbox, and a rerun follows them', async () => {
    const {home, service, pay, readOutcomes} = await prepare({status: 'PROCESSING'})
    const {code, err} = await pay('--timeout', '1m')
    expect(code).toBe(8)
    expect(err).toContain(
      'Of 4 rows, 4 made (4 not ended yet); the run stopped because --timeout ran out. Run it again with --wait',
    )
    expect(readOutcomes()[0]).toBe('CREATED PROCESSING')
    service.behaviour.laterStatus = {status: 'completed', afterReads: 0}
    expect(await pay()).toMatchObject({code: 0})
    expect(service.transactions).toHaveLength(4)
    const inSandbox = ['-p', 'sandbox', '--wait', '--timeout', '1ms']
    const pending = await run(home, ['payouts', 'run', writePayroll(home, [createRow('a')]), ...inSandbox])
    expect(pending.code).toBe(8)
    expect(pending.err).toContain('In the sandbox, `svc sandbox clock until-idle` moves time.')
  })

  it('tolerates a list that fails for a while', async () => {
    const {service, pay} = await prepare({status: 'AWAITING_TRANSFER'})
    service.script({at: 'GET /transactions', skip: 2, times: 4, reply: refusal(503, 'SERVICE_UNAVAILABLE', 'later')})
    setTimeout(() => (service.behaviour.laterStatus = {status: 'COMPLETED', afterReads: 0}), 4_000)
    expect(await pay()).toMatchObject({code: 0})
  })

  it('shows in a terminal what the rows are doing, and Ctrl-C ends the waiting with 130', async () => {
    const {home, service, args, env, readOutcomes} = await prepare({status: 'PROCESSING'})
    service.alter = (transaction) => {
      const isFirst = (transaction['source'] as Record<string, unknown>)['sourceAmount'] === '1'
      return isFirst ? {...transaction, transactionStatus: 'COMPLETED'} : transaction
    }
    const screen = onPty(home, args, {cols: 100, env})
    await screen.waitFor(/░ 0 of 3 ended, 3 PROCESSING/)
    expect(screen.text()).toContain('It may take long. Ctrl-C stops only the waiting.')
    screen.type('\u0003')
    expect(await screen.ended).toBe(130)
    expect(screen.text()).toContain('Of 4 rows, 4 made (3 not ended yet); the run stopped because it was interrupted')
    expect(readOutcomes()).toEqual(['CREATED COMPLETED', ...rows.slice(1).map(() => 'CREATED PROCESSING')])
  })
})
