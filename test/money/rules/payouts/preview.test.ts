// What a person sees before a payout file is paid. That it is asked about on a terminal stands in run.test.ts.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, run} from '../../../support/svc.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'
import {bank, inSandbox, wallet, zoe} from '../../../support/payroll.ts'

const sepa = '861c3341-c5aa-48c7-a8e2-f2bb23581ca9'
const wire = '84c9d317-c196-4c7a-8513-b69930dc3805'
const rupees = 'bbb1a057-24f2-4212-952a-5d3feb533db4'
const dollars = '31c14e62-ed4a-4d7f-9fe9-0143d86d5252'

type Row = readonly [to: string, amount: string, more?: {maxFee?: string; guarantee?: string; note?: string}]

function writeFile(home: Home, rows: readonly Row[], name = 'payroll.csv'): string {
  const lines = rows.map(([to, amount, {maxFee = '', guarantee = '', note = ''} = {}], index) =>
    [`${name}-${index + 1}`, zoe, wallet, 'USDC', to, amount, maxFee, guarantee, note].join(','),
  )
  const header = 'key,customer,from,from-currency,to,amount,max-fee,guarantee,note'
  fs.writeFileSync(path.join(home.folder, name), `${[header, ...lines].join('\n')}\n`)
  return name
}

const payroll: readonly Row[] = [
  [bank, '20.50'],
  [sepa, '30.50', {guarantee: 'yes'}],
  [wire, '25.00'],
  [rupees, '2.50'],
  [rupees, '2.60', {maxFee: '50%'}],
  [dollars, '300.00', {note: 'Once'}],
]

describe('the preview of a payout file', () => {
  useVirtualTime()

  it('shows every row with payee, fee and what arrives, the totals, new payees and high fees; programs get no names', async () => {
    const home = freshHome()
    await run(home, ['payouts', 'run', writeFile(home, [[bank, '20.50']], 'before.csv'), ...inSandbox])
    const file = writeFile(home, payroll)
    const dryRun = ['payouts', 'run', file, '--dry-run', '--with-quotes', ...inSandbox]
    const {code, out} = await run(home, dryRun)
    expect(code).toBe(0)
    expect(out).toMatch(/\n +2 {2}Zoë Ångström, Prairie Mutual Bank \*{4}2169 +20\.50 USDC /)
    expect(out).toMatch(/\n +3 .* 30\.50 USDC .* \d+\.\d\d EUR, guaranteed\n/)
    expect(out).toContain('New payees   lines 3, 4, 5, 6, 7')
    // Line 6 sets its own limit.
    expect(out).toContain('High fees    lines 4, 5: above 5 % of what is sent\n')
    expect(out).toMatch(
      /\nReady +6 rows +381\.10 USDC, fees \d+\.\d+ USDC\n +arrives: about \d+\.\d\d USD \(not guaranteed\)\n/,
    )
    const json = await run(home, [...dryRun, '--json'])
    expect(json.out).not.toContain('Ångström')
    expect((await run(home, [...dryRun, '--no-names'])).out).not.toContain('Ångström')
  })
})
