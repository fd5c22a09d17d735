// The routes of a payout file: what the accounts decide need not be written, and what they leave open is refused
// with its line.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {bank, createRow, inSandbox, listCreated, readStates, runPayouts, wallet, writePayroll, zoe} from './payroll.ts'

function writeFile(home: Home, header: string, rows: readonly string[], name = 'payroll.csv'): string {
  fs.writeFileSync(path.join(home.folder, name), `${[header, ...rows].join('\n')}\n`)
  return name
}

async function listSent(home: Home) {
  const {out} = await run(home, ['sandbox', 'requests', '--method', 'POST', '--json'])
  return json(out)['requests']
}

describe('a payout file without currencies and methods', () => {
  it('is paid where the accounts decide them, and run again without reading accounts', async () => {
    const home = freshHome()
    const file = writeFile(home, 'key,customer,from,from-currency,to,amount', [
      `a,${zoe},${wallet},USDC,${bank},25`,
      `b,${zoe},${wallet},USDC,${bank},30`,
    ])
    expect(await runPayouts(home, file, '--quiet', '--no-names')).toEqual({code: 0, out: '', err: ''})
    expect(readStates(home)).toEqual(['CREATED', 'CREATED'])
    expect(await listCreated(home)).toHaveLength(2)
    const {out} = await run(home, ['journal', 'show', 'a', '--json', '-p', 'sandbox'])
    expect(json(out)).toMatchObject({
      source: {sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA'},
      destination: {destinationCurrency: 'USD', destinationPaymentMethod: 'ACH'},
    })
    const again = await runPayouts(home, file, '--json', '--no-names')
    expect(again.code).toBe(0)
    expect(await listCreated(home)).toHaveLength(2)
    const {out: read} = await run(home, ['sandbox', 'requests', '--path', '/payment-accounts', '--json'])
    // Two rows of one customer share one read, and rows that were paid need none.
    expect(json(read)['requests']).toHaveLength(1)
  })

  it('is the same payment as with them, so that neither pays it again', async () => {
    const home = freshHome()
    expect((await runPayouts(home, writePayroll(home, [createRow('a')]), '--quiet')).code).toBe(0)
    const short = writeFile(home, 'key,customer,from,to,amount', [`a,${zoe},${wallet},${bank},2.50`], 'short.csv')
    const {code, out} = await runPayouts(home, short, '--json')
    expect({code, rows: json(out)['payouts']}).toMatchObject({code: 0, rows: [{key: 'a', madeBefore: true}]})
    expect(await listCreated(home)).toHaveLength(1)
  })

  it('is refused with every choice and its line, before anything is paid', async () => {
    const home = freshHome()
    const file = writeFile(home, 'key,customer,from,from-currency,to,to-method,amount', [
      `a,${zoe},${wallet},,${bank},,2.50`,
      `b,${zoe},${wallet},USDC,${bank},,2.50`,
      `c,${zoe},${bank},,${wallet},,2.50`,
    ])
    for (const flags of [[], ['--dry-run']]) {
      const {code, out, err} = await runPayouts(home, file, ...flags)
      expect({code, out}).toEqual({code: 2, out: ''})
      expect(err).toContain('There are 2 problems in payroll.csv')
      expect(err).toMatch(/line 2: from-currency is needed: Service wallet .* takes USDC, USDT or another currency/)
      expect(err).toMatch(/line 4: to-currency is needed: Service wallet .* takes USDC, USDT or another currency/)
      expect(err).not.toContain('line 3')
    }
    expect(await listSent(home)).toEqual([])
    expect(fs.existsSync(path.join(home.folder, 'payroll.csv.result.csv'))).toBe(false)
  })

  it('says in JSON lines and YAML what it needs as well', async () => {
    const home = freshHome()
    const row = {key: 'a', customer: zoe, from: wallet, to: bank, amount: '2.50'}
    const {code, err} = await run(home, ['payouts', 'run', '-', ...inSandbox], {input: `${JSON.stringify(row)}\n`})
    expect(code).toBe(2)
    expect(err).toContain('line 1: from-currency is needed')
    const {code: paid} = await run(home, ['payouts', 'run', '-', ...inSandbox], {
      input: `${JSON.stringify({...row, fromCurrency: 'USDC'})}\n`,
    })
    expect(paid).toBe(0)
  })
})
