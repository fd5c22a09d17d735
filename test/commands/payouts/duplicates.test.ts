// svc payouts run with rows of the same amount to the same account: asked about, or stopped.
import {describe, expect, it} from 'vitest'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, run} from '../../support/svc.ts'
import {addBankAccounts, bank, createRow, readResultRows, readStates, writePayroll} from './payroll.ts'

const other = 'e6086267-7e5a-4a91-b136-a94b38bbbfb9'
const rows = [
  createRow('a', {amount: '5'}),
  createRow('b', {amount: '5.00'}),
  createRow('c', {amount: '5', to: other}),
  createRow('d', {amount: '6'}),
]

const watched = ({env}: PaymentService) => ({...env, SVC_DUPLICATE_WINDOW: '3d'})

const runPayouts = (home: Home, service: PaymentService, file: string, ...flags: string[]) =>
  run(home, ['payouts', 'run', file, '--yes', ...flags], {env: watched(service)})

describe('rows that may be duplicates', () => {
  it('of each other stop a script with 10 before anything is sent, unless they are allowed', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, rows)
    const {code, out, err} = await runPayouts(home, service, file)
    expect(code).toBe(10)
    expect(err).toContain('1 of 4 rows may be a duplicate (line 3), so nothing was paid: ')
    expect(err).toContain(`Line 2 (a) also pays 5.00 USDC to ${bank}. `)
    expect(err).toContain('--allow-duplicates')
    expect(out).toContain('STOPPED  line 3  b')
    expect(service.requestsTo('POST /quotes')).toEqual([])
    expect(readStates(home)).toEqual(['NOT_TRIED', 'STOPPED', 'NOT_TRIED', 'NOT_TRIED'])
    expect(readResultRows(home)[1]).toMatchObject({error: 'POSSIBLE_DUPLICATE'})
    expect(await runPayouts(home, service, file, '--allow-duplicates')).toMatchObject({code: 0})
    expect(service.transactions).toHaveLength(4)
    // Rows that are made have no duplicates, so a rerun needs no flag.
    expect(await runPayouts(home, service, file)).toMatchObject({code: 0})
  })

  it('are not looked for without a profile, and are with one', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, rows)
    const args = ['payouts', 'run', file, '--yes']
    expect(await run(home, args, {env: service.env})).toMatchObject({code: 0})
    const inSandbox = await run(freshHome(), ['payouts', 'run', `${home.folder}/${file}`, '-p', 'sandbox'])
    expect(inSandbox.code).toBe(10)
    expect(inSandbox.err).toContain('may be a duplicate (line 3)')
  })

  it('are shown by a dry run, which ends as the run would', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    addBankAccounts(service, other)
    const file = writePayroll(home, rows)
    const {code, out, err} = await runPayouts(home, service, file, '--dry-run')
    expect(code).toBe(10)
    expect(err).toContain('1 of 4 rows may be a duplicate (line 3), so nothing would be paid')
    expect(out).toContain('Ready        3 rows')
    expect(await runPayouts(home, service, file, '--dry-run', '--allow-duplicates')).toMatchObject({code: 0})
  })
})
