// Rows that say what is to arrive: the amount to send is found when each is paid.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, run} from '../../support/svc.ts'
import {bank, createRow, listCreated, readResultRows, runPayouts, zoe} from './payroll.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

const header = 'key,customer,from,from-currency,from-method,to,to-currency,to-method,amount,max-fee,receive,max-send'

function writeInvoices(home: Home, rows: readonly string[]): string {
  fs.writeFileSync(path.join(home.folder, 'invoices.csv'), `${[header, ...rows].join('\n')}\n`)
  return 'invoices.csv'
}

const invoice = (key: string, receive: string, sendMax = '') => `${createRow(key, {amount: ''})},${receive},${sendMax}`

interface Row {
  key: string
  state: string
  amount: string
  receive?: string
  received?: string
  guaranteed?: boolean
  error?: {message: string}
}

const readRows = (out: string) => (JSON.parse(out) as {payouts: Row[]}).payouts

describe('rows with receive', () => {
  useVirtualTime()

  it('are paid with the amount that brings it, once, beside rows with an amount', async () => {
    const home = freshHome()
    const file = writeInvoices(home, [invoice('a', '23.00'), `${createRow('b')},,`, invoice('c', '7.77')])
    const first = await runPayouts(home, file, '--json')
    expect(first.code).toBe(0)
    const rows = readRows(first.out)
    expect(rows).toMatchObject([
      {key: 'a', state: 'CREATED', receive: '23.00', received: '23.00', guaranteed: true},
      {key: 'b', state: 'CREATED', amount: '2.50', guaranteed: false},
      {key: 'c', state: 'CREATED', receive: '7.77', received: '7.77', guaranteed: true},
    ])
    expect(Number(rows[0]?.amount)).toBeGreaterThan(23)
    expect(readResultRows(home, 'invoices.csv.result.csv').map(({amount}) => amount)).toEqual(
      rows.map(({amount}) => amount),
    )
    await run(home, ['sandbox', 'clock', 'advance', '2d', '--quiet'])
    const again = await runPayouts(home, file, '--json')
    expect(again.code).toBe(0)
    expect(readRows(again.out).map(({amount}) => amount)).toEqual(rows.map(({amount}) => amount))
    expect(await listCreated(home)).toHaveLength(3)
  })

  it('show with --dry-run --with-quotes what would be sent, and without quotes what is to arrive', async () => {
    const home = freshHome()
    const file = writeInvoices(home, [invoice('a', '23.00'), invoice('b', '50', '40')])
    const {out} = await runPayouts(home, file, '--dry-run', '--with-quotes', '--json')
    expect(readRows(out)).toMatchObject([
      {key: 'a', state: 'READY', amount: expect.stringMatching(/^23\.\d+$/), received: '23.00', guaranteed: true},
      {key: 'b', state: 'STOPPED', error: {message: expect.stringContaining('at most 40 USDC may be sent')}},
    ])
    const plain = await runPayouts(home, writeInvoices(home, [invoice('a', '23.00')]), '--dry-run')
    expect(plain.out).toContain('Ready        1 row      23.00 USD to arrive\n')
    expect(await listCreated(home)).toEqual([])
  })

  it('are bound by the cap of a day with what they send', async () => {
    const home = freshHome()
    await run(home, ['profiles', 'set', 'sandbox', '--day-max', 'USDC=40', '--quiet'])
    const {code, out} = await runPayouts(home, writeInvoices(home, [invoice('a', '23'), invoice('b', '24')]), '--json')
    expect(code).toBe(9)
    expect(
      readRows(out)
        .map(({state}) => state)
        .toSorted(),
    ).toEqual(['CREATED', 'STOPPED'])
  })

  it('are duplicates of each other if the same is to arrive at the same account', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writeInvoices(home, [invoice('a', '23'), invoice('b', '23.00')])
    const env = {...service.env, SVC_DUPLICATE_WINDOW: '3d'}
    const {code, err} = await run(home, ['payouts', 'run', file, '--yes'], {env})
    expect(code).toBe(10)
    expect(err).toContain(`Line 2 (a) also pays 23.00 USD to ${bank}`)
  })

  it('have either an amount or what is to arrive', async () => {
    const home = freshHome()
    const both = `${createRow('a')},23,`
    const limit = `${createRow('b')},,30`
    const {code, err} = await runPayouts(home, writeInvoices(home, [both, limit, invoice('c', '0')]))
    expect(code).toBe(2)
    expect(err).toContain('line 2: receive is given, and so is amount: only one of them may be')
    expect(err).toContain('line 3: max-send belongs to receive, which is missing')
    expect(err).toContain('line 4: receive must be more than 0')
    const bare = path.join(home.folder, 'bare.csv')
    fs.writeFileSync(bare, `key,customer,from,from-currency,to,receive\na,${zoe},64fbd491,USDC,${bank},5\n`)
    expect((await runPayouts(home, 'bare.csv', '--json')).code).toBe(0)
  })
})
