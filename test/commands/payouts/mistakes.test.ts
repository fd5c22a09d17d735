// Everything that is wrong with a payout file is said at once, by itself or by what the accounts say.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, run} from '../../support/svc.ts'
import {bank, createRow, listCreated, runPayouts, wallet, writePayroll, zoe} from './payroll.ts'

function write(home: Home, name: string, content: string): string {
  fs.writeFileSync(path.join(home.folder, name), content)
  return name
}

it('takes whole ids only', async () => {
  const home = freshHome()
  for (const customer of ['Zoë Ångström', 'zoe.angstrom@example.org', zoe.slice(0, 8)]) {
    const {code, err} = await runPayouts(home, writePayroll(home, [createRow('a', {customer})]))
    expect({code, err}).toMatchObject({
      code: 2,
      err: expect.stringContaining('line 2: customer must be a UUID; ') as string,
    })
  }
})

describe('a payout file with several mistakes', () => {
  const header = 'key,customer,from,from-currency,to,amount'

  it('is refused with all that it has by itself, and all that the service says of the other rows', async () => {
    const home = freshHome()
    const rows = [
      `a,${zoe},${wallet},USDC,${bank},twelve`,
      `b,${zoe},${wallet},USDC,nowhere,2.50`,
      `e,${zoe},${wallet},USDC,${bank},2.50`,
      `d,nobody,${wallet},USDC,${bank},-5`,
    ]
    const file = write(home, 'payroll.csv', [header, ...rows].join('\n'))
    for (const flags of [[], ['--dry-run']]) {
      const {code, err} = await runPayouts(home, file, ...flags)
      expect(code).toBe(2)
      expect(err).toContain('There are 4 problems in payroll.csv')
      expect(err).toContain('line 2: amount must be')
      expect(err).toContain('line 5: amount must be a decimal number without a sign, such as 120.50 (found "-5")')
      expect(err).toContain('line 5: customer must be a UUID')
      expect(err).toContain(`line 3: The customer ${zoe} has no payment account "nowhere" (to)`)
    }
    // What is wrong by itself is told without the service, too.
    const away = {SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'x', SVC_NO_RETRY: '1'}
    const {code, err} = await run(home, ['payouts', 'run', file, '--yes'], {env: away})
    expect([code, err]).toEqual([2, expect.stringContaining('There are 3 problems in payroll.csv')])
    expect(await listCreated(home)).toEqual([])
  })

  it('says one habit once, such as a decimal comma', async () => {
    const home = freshHome()
    const rows = ['1,50', '2,50', '3,50', '4,50'].map(
      (amount, index) => `r${index};${zoe};${wallet};USDC;${bank};${amount}`,
    )
    const file = write(home, 'payroll.csv', [header.replaceAll(',', ';'), ...rows].join('\n'))
    const {code, err} = await runPayouts(home, file)
    expect(code).toBe(2)
    expect(err).toMatch(/line 2: amount .* with a point and no comma \(found "1,50"\); so too in lines 3, 4, 5\n$/)
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
})
