// Everything that is wrong with a payout file by itself is said at once, ids that are not whole included.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Home, freshHome} from '../../support/svc.ts'
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

  it('is refused with all that it has by itself, and then with all that the service says', async () => {
    const home = freshHome()
    const writeRows = (...rows: string[]) => write(home, 'payroll.csv', [header, ...rows].join('\n'))
    const fine = [`b,${zoe},${wallet},USDC,nowhere,2.50`, `e,${zoe},${wallet},USDC,${bank},2.50`]
    const own = [`a,${zoe},${wallet},USDC,${bank},twelve`, ...fine, `d,nobody,${wallet},USDC,${bank},-5`]
    for (const flags of [[], ['--dry-run']]) {
      const {code, err} = await runPayouts(home, writeRows(...own), ...flags)
      expect(code).toBe(2)
      expect(err).toContain('There are 3 problems in payroll.csv')
      expect(err).toContain('line 2: amount must be')
      expect(err).toContain('line 5: amount must be a decimal number without a sign, such as 120.50 (found "-5")')
      expect(err).toContain('line 5: customer must be a UUID')
      const later = await runPayouts(home, writeRows(...fine), ...flags)
      expect(later.code).toBe(2)
      expect(later.err).toContain(`line 2: The customer ${zoe} has no payment account "nowhere" (to)`)
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
})
