// svc payouts status of a file that one machine pays: what the journal has of its rows, without a fleet.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {
  addFault,
  bank,
  createRow,
  listCreated,
  readResultRows,
  runPayouts,
  wallet,
  writePayroll,
  zoe,
} from './payroll.ts'

const inSandbox = ['-p', 'sandbox']

interface Row {
  key: string
  state: string
  transaction?: string
  note?: string
  error?: {error: string; message: string}
}

const readRows = (out: string) => (JSON.parse(out) as {payouts: Row[]}).payouts
const listStates = (out: string) => readRows(out).map(({key, state}) => `${key} ${state}`)

describe('a payout file on one machine', () => {
  useVirtualTime()

  it('is told by status as the journal has it: before, between and after its runs', async () => {
    const home = freshHome()
    const file = writePayroll(home, [createRow('a', {amount: '20'}), createRow('b', {amount: '30', maxFee: '0.01'})])
    const before = await run(home, ['payouts', 'status', file, '--rows', '--json', ...inSandbox])
    expect(before.code).toBe(8)
    expect(listStates(before.out)).toEqual(['a NOT_TRIED', 'b NOT_TRIED'])
    expect(json(before.err)['message']).toBe('Of payroll.csv, 2 rows not ended yet.')
    expect((await runPayouts(home, file)).code).toBe(9)
    const between = await run(home, ['payouts', 'status', file, '--rows', '--json', ...inSandbox])
    expect(listStates(between.out)).toEqual(['a CREATED', 'b STOPPED'])
    expect(readRows(between.out)[1]?.error?.message).toContain('fees')
    expect(between.code).toBe(0)
    const status = await run(home, ['payouts', 'status', file, '--json', ...inSandbox])
    expect(json(status.out)).toMatchObject({state: 'DONE', rows: 2, made: 1, failed: 1, waiting: 0, unknown: 0})
    const [made] = await listCreated(home)
    expect(readRows(between.out)[0]?.transaction).toBe(made?.transactionId)
    writePayroll(home, [createRow('a', {amount: '20'}), createRow('b', {amount: '30'})])
    expect((await runPayouts(home, file)).code).toBe(0)
    const after = await run(home, ['payouts', 'status', file, ...inSandbox])
    expect(after).toMatchObject({code: 0, err: ''})
    expect(after.out).toMatch(/State +DONE\nRows +2 of 2 \(100%\), 2 made\n\nMade +2 rows +50 USDC, fees/)
  })

  it('ends with 7 while a row may have been paid, and never calls it untried', async () => {
    const home = freshHome()
    const file = writePayroll(home, [createRow('a', {amount: '20'})])
    await addFault(home, '--method', 'POST', '--path', '/transactions', '--kind', 'reset')
    expect((await runPayouts(home, file)).code).toBe(7)
    const {code, out, err} = await run(home, ['payouts', 'status', file, '--rows', '--json', ...inSandbox])
    expect(code).toBe(7)
    expect(listStates(out)).toEqual(['a UNKNOWN'])
    expect(json(err)).toMatchObject({
      message: 'Of payroll.csv, 1 row may have been paid, with an outcome that is not known yet.',
      hint: 'Run the file again to settle them: `svc payouts run payroll.csv -p sandbox`; nothing is paid twice.',
    })
    const status = await run(home, ['payouts', 'status', file, '--json', ...inSandbox])
    expect(json(status.out)).toMatchObject({state: 'OPEN', unknown: 1, waiting: 0})
  })

  it('has names, banks and notes in its files, the ids in their own columns, and no names with --no-names', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'notes.csv')
    fs.writeFileSync(
      file,
      `key,customer,from,from-currency,to,amount,note\na,${zoe},${wallet},USDC,${bank},20,"May, first half"\n`,
    )
    await run(home, ['payouts', 'run', file, ...inSandbox])
    const payee = {payee: 'Zoë Ångström', bank: 'Prairie Mutual Bank ****2169', note: 'May, first half'}
    expect(readResultRows(home, 'notes.csv.result.csv')).toMatchObject([{...payee, destination: bank, customer: zoe}])
    await run(home, ['payouts', 'status', file, '--out', path.join(home.folder, 'named.csv'), ...inSandbox])
    expect(readResultRows(home, 'named.csv')).toMatchObject([{...payee, destination: bank, state: 'CREATED'}])
    const bare = ['--out', path.join(home.folder, 'bare.csv'), '--no-names']
    await run(home, ['payouts', 'status', file, ...bare, ...inSandbox])
    expect(readResultRows(home, 'bare.csv')).toMatchObject([{payee: '', bank: '', note: 'May, first half'}])
    const {out} = await run(home, ['payouts', 'status', file, '--rows', '--json', ...inSandbox])
    expect(out).not.toContain('Ångström')
    expect(readRows(out)[0]?.note).toBe('May, first half')
    const screen = onTerminal(home, ['payouts', 'status', file, '--rows', ...inSandbox])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/PAYEE[^]*Zoë Ån[^\n]* \*\*\*\*2169/)
  })
})
