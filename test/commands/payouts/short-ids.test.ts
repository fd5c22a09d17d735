// Payout files with shortened ids: they mean the same as whole ids, and everything that is wrong with a file is said at once.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {servePayments} from '../../support/scripted-service.ts'
import {customer} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {seeded} from '../../support/transactions.ts'
import {bank, createRow, listCreated, runPayouts, wallet, writePayroll, zoe} from './payroll.ts'

const email = 'zoe.angstrom@example.org'

function write(home: Home, name: string, content: string): string {
  fs.writeFileSync(path.join(home.folder, name), content)
  return name
}

const shortFiles: ReadonlyArray<readonly [name: string, content: string]> = [
  [
    'short.csv',
    `key,customer,from,from-currency,to,amount\na,${zoe.slice(0, 8)},${wallet.slice(0, 8)},USDC,${bank.slice(0, 10)},25.00\n`,
  ],
  [
    'short.jsonl',
    `${JSON.stringify({key: 'a', customer: email, from: wallet, fromCurrency: 'USDC', fromMethod: 'SOLANA', to: bank.slice(0, 8), toCurrency: 'USD', toMethod: 'ACH', amount: '25.00'})}\n`,
  ],
]

describe('a payout file with shortened ids', () => {
  it.each(shortFiles)('is paid and recorded with whole ids: %s', async (name, content) => {
    const home = freshHome()
    expect(await runPayouts(home, write(home, name, content), '--quiet')).toEqual({code: 0, out: '', err: ''})
    const {out} = await run(home, ['journal', 'show', 'a', '--json', '-p', 'sandbox'])
    expect(json(out)).toMatchObject({
      customerId: zoe,
      source: {sourcePaymentAccountId: wallet},
      destination: {destinationPaymentAccountId: bank},
    })
    expect(fs.readFileSync(path.join(home.folder, `${name}.result.csv`), 'utf8')).toContain(zoe)
    const same = await runPayouts(home, writePayroll(home, [createRow('a', {amount: '25'})]), '--json')
    expect({code: same.code, rows: json(same.out)['payouts']}).toMatchObject({code: 0, rows: [{madeBefore: true}]})
    const again = await runPayouts(home, name, '--json')
    expect({code: again.code, rows: json(again.out)['payouts']}).toMatchObject({code: 0, rows: [{madeBefore: true}]})
    expect(await listCreated(home)).toHaveLength(1)
  })

  it('is refused with every match and its line if there are several, and nothing is sent', async () => {
    const service = await servePayments()
    const [first = '', second = ''] = ['1111', '2222'].map((part) => `4738020a-${part}-4ef3-bc07-b5cacbf3446c`)
    service.customers = [customer(1, {customerId: first}), customer(2, {customerId: second})]
    const home = freshHome()
    const rows = [createRow('a', {customer: '4738020a'}), createRow('b', {customer: '4738020a-2222'})]
    const {code, err} = await run(home, ['payouts', 'run', writePayroll(home, rows), '--yes'], {env: service.env})
    expect(code).toBe(2)
    expect(err).toContain(`line 2: customer "4738020a" matches 2 customers: ${first}`)
    expect(err).toContain(second)
    expect(service.requests.every(({method}) => method === 'GET')).toBe(true)
    expect(fs.existsSync(path.join(home.folder, 'payroll.csv.result.csv'))).toBe(false)
  })

  it('takes the recorded ids for what was paid, even if others begin alike meanwhile', async () => {
    const service = await servePayments()
    service.customers = [customer(1, {customerId: seeded.customer})]
    const home = freshHome()
    const header = 'key,customer,from,from-currency,from-method,to,to-currency,to-method,amount'
    const row = `a,${seeded.customer.slice(0, 8)},${seeded.wallet.slice(0, 8)},USDC,SOLANA,${seeded.externalWallet.slice(0, 8)},USDC,SOLANA,10`
    const args = ['payouts', 'run', write(home, 'p.csv', `${header}\n${row}\n`), '--yes', '--json']
    expect(await run(home, args, {env: service.env})).toMatchObject({code: 0})
    service.customers.push(customer(2, {customerId: `${seeded.customer.slice(0, 8)}-0000-4000-8000-000000000000`}))
    const again = await run(home, args, {env: service.env})
    expect({code: again.code, rows: json(again.out)['payouts']}).toMatchObject({code: 0, rows: [{madeBefore: true}]})
    expect(service.transactions).toHaveLength(1)
  })

  it('may not have names', async () => {
    const home = freshHome()
    const {code, err} = await runPayouts(home, writePayroll(home, [createRow('a', {customer: 'Zoë Ångström'})]))
    expect(code).toBe(2)
    expect(err).toContain(
      "line 2: customer must be a UUID, its first 8 or more characters, or an email; `svc customers list --search 'Zoë Ångström' -p sandbox` searches names",
    )
  })
})

describe('a payout file with several mistakes', () => {
  const header = 'key,customer,from,from-currency,to,amount'

  it('is refused with all of them at once, those of the service included', async () => {
    const home = freshHome()
    const file = write(
      home,
      'payroll.csv',
      [
        header,
        `a,${zoe},${wallet},USDC,${bank},twelve`,
        `b,${zoe},${wallet},USDC,nowhere,2.50`,
        `c,${zoe},${wallet},USDC,nowhere,-5`,
        `d,nobody@example.org,${wallet},USDC,${bank},2.50`,
        `e,${zoe},${wallet},USDC,${bank},2.50`,
      ].join('\n'),
    )
    for (const flags of [[], ['--dry-run']]) {
      const {code, err} = await runPayouts(home, file, ...flags)
      expect(code).toBe(2)
      expect(err).toContain('There are 5 problems in payroll.csv')
      expect(err).toContain('line 2: amount must be')
      expect(err).toContain(`line 3: The customer ${zoe} has no payment account "nowhere" (to)`)
      expect(err).toContain('line 4: amount must be a decimal number without a sign, such as 120.50 (found "-5")')
      expect(err).toContain(`line 4: The customer ${zoe} has no payment account "nowhere" (to)`)
      expect(err).toContain('line 5: customer "nobody@example.org" matches no customer')
      expect(err).not.toContain('line 6')
    }
    expect(await listCreated(home)).toEqual([])
  })

  it('says once what many rows lack', async () => {
    const home = freshHome()
    const rows = ['a', 'b', 'c', 'd'].map((key) => `${key},${zoe},${wallet},${bank},2.50`)
    const file = write(home, 'payroll.csv', ['key,customer,from,to,amount', ...rows].join('\n'))
    const {code, err} = await runPayouts(home, file)
    expect(code).toBe(2)
    expect(err).toContain('There is a problem in payroll.csv')
    expect(err).toMatch(/line 2: from-currency is needed: .*; so too in lines 3, 4, 5\n/)
  })

  it('names what the service would refuse beside what keeps the file from being paid', async () => {
    const home = freshHome()
    const rows = [createRow('a', {to: '00000000-0000-4000-8000-000000000000'}), createRow('b').replace(',2.50', ',two')]
    const {code, err} = await runPayouts(home, writePayroll(home, rows))
    expect(code).toBe(2)
    expect(err).toContain('There are 2 problems in payroll.csv')
    expect(err).toContain('line 2: The customer')
    expect(err).toContain('line 3: amount must be')
  })

  it('is refused for what svc sees itself if the service cannot be asked', async () => {
    const home = freshHome()
    const file = writePayroll(home, [createRow('a').replace(',2.50', ',two')])
    const {code, err} = await run(home, ['payouts', 'run', file])
    expect({code, err}).toMatchObject({code: 2, err: expect.stringContaining('line 2: amount must be') as string})
  })
})
