// svc payouts run --wait: follows every row to its end.
import {describe, expect, it} from 'vitest'
import {refusal, servePayments} from '../../../support/scripted-service.ts'
import {freshHome, run} from '../../../support/svc.ts'
import {onPty} from '../../../support/terminal.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'
import {createRow, readResultRows, writePayroll} from '../../../support/payroll.ts'

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
