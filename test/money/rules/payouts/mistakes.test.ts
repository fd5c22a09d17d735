// Everything that is wrong with a payout file is said at once, by itself or by what the accounts say; what the accounts decide need not be
// written.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, json, run} from '../../../support/svc.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'
import {
  bank,
  createRow,
  inSandbox,
  listCreated,
  readStates,
  runPayouts,
  wallet,
  writePayroll,
  zoe,
} from '../../../support/payroll.ts'

const header = 'key,customer,from,from-currency,to,amount'

function write(home: Home, rows: readonly string[], head = header): string {
  fs.writeFileSync(path.join(home.folder, 'payroll.csv'), `${[head, ...rows].join('\n')}\n`)
  return 'payroll.csv'
}

it('a payout file with mistakes is refused with all that it has by itself, and all that the service says of the other rows', async () => {
  const home = freshHome()
  const file = write(home, [
    `a,${zoe},${wallet},USDC,${bank},twelve`,
    `b,${zoe},${wallet},USDC,nowhere,2.50`,
    `c,${zoe},${wallet},,${bank},2.50`,
    `d,${zoe},${bank},,${wallet},2.50`,
    `e,${zoe},${wallet},USDC,${bank},2.50`,
    `f,zoe.angstrom@example.org,${wallet},USDC,${bank},-5`,
  ])
  for (const flags of [[], ['--dry-run']]) {
    const {code, out, err} = await runPayouts(home, file, ...flags)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain('There are 6 problems in payroll.csv')
    expect(err).toContain('line 2: amount must be')
    expect(err).toContain(
      `line 3: The customer ${zoe} has no payment account "nowhere"; \`svc accounts list --customer ${zoe}`,
    )
    expect(err).toMatch(/line 4: from-currency is needed: Service wallet .* takes USDC, USDT or another currency/)
    expect(err).toMatch(/line 5: to-currency is needed: Service wallet .* takes USDC, USDT or another currency/)
    expect(err).toContain('line 7: customer must be a UUID; ')
    expect(err).toContain('line 7: amount must be a decimal number without a sign, such as 120.50 (found "-5")')
  }
  // What is wrong by itself is told without the service, too.
  const away = {SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'x'}
  const {code, err} = await run(home, ['payouts', 'run', file, '--yes'], {env: away})
  expect([code, err]).toEqual([2, expect.stringContaining('There are 3 problems in payroll.csv')])
  expect(await listCreated(home)).toEqual([])
  expect(fs.existsSync(path.join(home.folder, 'payroll.csv.result.csv'))).toBe(false)
})

it('a payout file without currencies and methods is paid where the accounts decide them, as the same payment, and run again without reading accounts', async () => {
  const home = freshHome()
  const rows = [`a,${zoe},${wallet},USDC,${bank},2.50`, `b,${zoe},${wallet},USDC,${bank},30`]
  expect(await runPayouts(home, write(home, rows), '--quiet', '--no-names')).toMatchObject({code: 0, out: ''})
  expect(readStates(home)).toEqual(['CREATED', 'CREATED'])
  const {out} = await run(home, ['journal', 'show', 'a', '--json', '-p', 'sandbox'])
  expect(json(out)).toMatchObject({
    source: {sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA'},
    destination: {destinationCurrency: 'USD', destinationPaymentMethod: 'ACH'},
  })
  expect((await runPayouts(home, 'payroll.csv', '--json', '--no-names')).code).toBe(0)
  const {out: read} = await run(home, ['sandbox', 'requests', '--path', '/payment-accounts', '--json'])
  // Two rows of one customer share one read, and rows that were paid need none.
  expect(json(read)['requests']).toHaveLength(1)
  const whole = await runPayouts(home, writePayroll(home, [createRow('a')]), '--json')
  expect(json(whole.out)['payouts']).toMatchObject([{key: 'a', madeBefore: true}])
  const input = `${JSON.stringify({key: 'c', customer: zoe, from: wallet, to: bank, amount: '2.50', fromCurrency: 'USDC'})}\n`
  expect(await run(home, ['payouts', 'run', '-', ...inSandbox], {input})).toMatchObject({code: 0})
  expect(await listCreated(home)).toHaveLength(3)
})

describe('the note of a row', () => {
  useVirtualTime()

  it('is kept in the journal with the payment and in the books, never sent, and may change until the payment is made', async () => {
    const home = freshHome()
    const pay = async (note: string, amountAndFee: string, ...flags: string[]) => {
      const row = `a,${zoe},${wallet},USDC,${bank},${amountAndFee},${note}`
      return (await runPayouts(home, write(home, [row], `${header},max-fee,note`), ...flags)).code
    }
    const read = async () => json((await run(home, ['journal', 'show', 'a', '--json', '-p', 'sandbox'])).out)
    expect(await pay('"First, May"', '2.50,0.01')).toBe(10)
    expect(await read()).toMatchObject({state: 'STOPPED', note: 'First, May'})
    for (const note of ['second', 'third']) expect(await pay(note, '2.50,50%', '--wait')).toBe(0)
    expect(await read()).toMatchObject({state: 'CREATED', note: 'second'})
    const made = await listCreated(home)
    expect([made.length, JSON.stringify(made)]).toEqual([1, expect.not.stringContaining('second')])
    expect((await run(home, ['journal', 'verify', '-p', 'sandbox'])).code).toBe(0)
    for (const format of ['csv', 'jsonl', 'hledger', 'beancount']) {
      const books = await run(home, ['journal', 'export', '--format', format, '-p', 'sandbox'])
      expect([format, books.code, books.out]).toEqual([format, 0, expect.stringContaining('second')])
    }
  })
})
