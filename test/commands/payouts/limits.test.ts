// svc payouts run with a file that does not fit the limits of the profile: nothing is paid, or what fits.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {addBankAccounts, createRow, header, logIn, readResultRows, readStates, writePayroll} from './payroll.ts'

// A profile for the scripted service, with these limits.
async function prepare(...limits: string[]): Promise<{home: Home; service: PaymentService}> {
  const [home, service] = [freshHome(), await servePayments()]
  await logIn(home, service)
  if (limits.length > 0) {
    expect(await run(home, ['profiles', 'set', 'acme', ...limits, '--quiet'])).toMatchObject({code: 0})
  }
  return {home, service}
}

const runPayouts = (home: Home, file: string, ...flags: string[]) =>
  run(home, ['payouts', 'run', file, '-p', 'acme', '--yes', ...flags])

const rows = ['10', '20', '30', '5'].map((amount, index) => createRow(`r-${index + 1}`, {amount}))

describe('a file that does not fit', () => {
  it('the daily cap is not paid at all, and the lines are named', async () => {
    const {home, service} = await prepare('--day-max', 'USDC=45')
    const {code, out, err} = await runPayouts(home, writePayroll(home, rows))
    expect(code).toBe(10)
    expect(err).toContain('1 of 4 rows does not fit the limits (line 4), so nothing was paid: ')
    expect(err).toContain(
      '30 USDC is paid or pending today, with the rows above, and 30 USDC more would exceed the 45 USDC',
    )
    expect(err).toContain('--up-to-cap')
    expect(out).toContain('STOPPED  line 4  r-3')
    expect(service.requestsTo('POST /quotes')).toEqual([])
    expect(readStates(home)).toEqual(['NOT_TRIED', 'NOT_TRIED', 'STOPPED', 'NOT_TRIED'])
    expect(readResultRows(home)[2]).toMatchObject({error: 'LIMIT_REACHED'})
  })

  it('is paid as far as it fits with --up-to-cap, in the order of the file', async () => {
    const {home, service} = await prepare('--day-max', 'USDC=45')
    const {code, err} = await runPayouts(home, writePayroll(home, rows), '--up-to-cap')
    expect(code).toBe(9)
    expect(err).toContain('Of 4 rows, 3 made, 1 stopped.')
    expect(readStates(home)).toEqual(['CREATED', 'CREATED', 'STOPPED', 'CREATED'])
    expect(service.transactions).toHaveLength(3)
    const again = await runPayouts(home, writePayroll(home, rows), '--up-to-cap', '-o', 'jsonl')
    expect(again.code).toBe(9)
    const lines = again.out.trimEnd().split('\n').map(json)
    expect(new Set(lines.map(({key, state}) => `${String(key)} ${String(state)}`))).toEqual(
      new Set(['r-1 CREATED', 'r-2 CREATED', 'r-3 STOPPED', 'r-4 CREATED']),
    )
    expect(service.transactions).toHaveLength(3)
  })

  it('counts the days of the service', async () => {
    const {home, service} = await prepare('--day-max', 'USDC=40')
    service.clock.advance(5 * 86_400_000)
    expect(await runPayouts(home, writePayroll(home, rows.slice(0, 2)))).toMatchObject({code: 0})
    expect(await runPayouts(home, writePayroll(home, rows.slice(2, 3)))).toMatchObject({code: 10})
    service.clock.advance(86_400_000)
    expect(await runPayouts(home, writePayroll(home, rows.slice(2, 3)))).toMatchObject({code: 0})
  })

  it('names rows over the payment cap, other currencies, other destinations and fees over max-fee', async () => {
    const {home, service} = await prepare('--payment-max', 'USDC=20', '--allow', 'e6086267-7e5a-4a91-b136-a94b38bbbfb8')
    const feeHeader = `${header},developer-fee`
    const file = writePayroll(home, [
      `${createRow('fits')},`,
      `${createRow('big', {amount: '20.01'})},`,
      `${createRow('elsewhere', {to: 'e6086267-7e5a-4a91-b136-a94b38bbbfb9'})},`,
      `${createRow('currency').replace('USDC', 'EUR')},`,
      `${createRow('fee', {maxFee: '1%'})},0.03`,
    ])
    const at = path.join(home.folder, file)
    fs.writeFileSync(at, fs.readFileSync(at, 'utf8').replace(header, feeHeader))
    const {code, out, err} = await runPayouts(home, file)
    expect(code).toBe(10)
    expect(err).toContain('4 of 5 rows do not fit the limits (lines 3, 4, 5, 6)')
    expect(out).toContain('20.01 USDC is more than the 20 USDC')
    expect(out).toContain('is not among those that may be paid')
    expect(out).toContain('No payment in EUR is allowed')
    expect(out).toContain('The developer fee of 0.03 USDC alone is more than the 0.025 USDC that is allowed')
    expect(service.requestsTo('POST /quotes')).toEqual([])
  })

  it('is shown the same by a dry run', async () => {
    const {home, service} = await prepare('--day-max', 'USDC=45')
    addBankAccounts(service)
    const file = writePayroll(home, rows)
    const all = await runPayouts(home, file, '--dry-run')
    expect(all.code).toBe(10)
    expect(all.err).toContain('1 of 4 rows does not fit the limits (line 4), so nothing would be paid')
    expect(all.out).toContain('STOPPED  line 4  r-3')
    expect(all.out).toContain('Ready        3 rows     35 USDC')
    const part = await runPayouts(home, file, '--dry-run', '--up-to-cap')
    expect(part.code).toBe(9)
    expect(part.err).toContain('Of 4 rows, 3 ready, 1 stopped. Nothing was paid.')
  })
})
