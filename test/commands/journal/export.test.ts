// svc journal export: in a terminal, in a pipe, to a file, rejected, and with payments that keep the books open.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {inSandbox, pay, payWithUnknownOutcome} from '../../support/payments.ts'
import {type Home, freshHome, run} from '../../support/svc.ts'
import {seeded} from '../../support/transactions.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

const exportBooks = (home: Home, ...flags: string[]) => run(home, ['journal', 'export', ...inSandbox, ...flags])
const settle = (home: Home) => run(home, ['sandbox', 'clock', 'until-idle', '--quiet'])

describe('svc journal export', () => {
  useVirtualTime()

  it('prints postings in a pipe, and says on standard error what is in them', async () => {
    const home = freshHome()
    await pay(home, 'rent', '100', '--quiet')
    await pay(home, 'lost', '10.01', '--quiet')
    await settle(home)
    const {code, out, err} = await exportBooks(home)
    expect(code).toBe(0)
    expect(out.split('\n').map((line) => line.split(',').slice(3, 10).join(','))).toEqual([
      'key,customerId,kind,account,debit,credit,currency',
      `rent,${seeded.customer},source,Assets:Svc:A-${seeded.wallet},,100.000000,USDC`,
      expect.stringMatching(/^rent,.*,serviceFee,Expenses:Svc:ServiceFee,0\.\d{6},,USDC$/),
      expect.stringMatching(/^rent,.*,destination,Expenses:Svc:A-.*,99\.\d{6},,USDC$/),
      '',
    ])
    expect(err).toMatch(
      /^1 payment completed so far; 1 not posted; \d+ completed transactions without a payment in this journal /,
    )
    expect(err).toMatch(
      /\nFAILED lost, to Zoë Ångström, External wallet \S+, transaction \S+, 10\.01 USDC, \S+Z: the money did not arrive\n$/,
    )
    expect((await exportBooks(home, '--quiet')).err).toBe('')
    // Another customer paid nothing, and nothing was paid in another century.
    for (const flags of [
      ['--customer', '150669df-2159-446c-9a2f-32fc467a5cdb'],
      ['--month', '1999-12'],
      ['--until', '2000-01-01'],
    ]) {
      expect((await exportBooks(home, '--quiet', ...flags)).out.split('\n')).toHaveLength(2)
    }
  })

  it('says why a failed payment is dealt with, that a month is not over, and how to list what others made', async () => {
    const home = freshHome()
    await pay(home, 'lost', '10.01', '--quiet')
    await settle(home)
    const why = ['--why', 'paid again as found', '--yes', '--quiet']
    expect(await run(home, ['journal', 'settle', 'lost', ...inSandbox, ...why])).toMatchObject({code: 0})
    const reason = 'the money did not arrive; dealt with: paid again as found\n'
    const month = new Date().toISOString().slice(0, 'YYYY-MM'.length)
    const {code, out, err} = await exportBooks(home, '--format', 'hledger', '--month', month)
    expect({code, out, err}).toEqual({
      code: 0,
      out: expect.stringContaining(reason),
      err: expect.stringContaining(reason),
    })
    expect(err).toMatch(/ It was read at [-:TZ\d]+, before this time was over\.\n/)
    const report = ['report', ...inSandbox, '--month', month]
    expect((await run(home, report)).out.replace(/\s+/g, ' ')).toContain('dealt with: paid again as found')
    await run(home, [...report, '--out', 'report.html'])
    expect(fs.readFileSync(path.join(home.folder, 'report.html'), 'utf8')).toContain('dealt with: paid again as found')
    expect((await exportBooks(home)).err).toContain('`svc reconcile --foreign --since DAY -p sandbox` lists them.')
  })

  it('writes a private file and replaces an earlier one, with the names of your own books', async () => {
    const home = freshHome()
    await pay(home, 'rent', '100', '--quiet')
    await settle(home)
    const file = path.join(home.folder, 'books.journal')
    fs.writeFileSync(file, 'earlier')
    const names = `serviceFee: Expenses:Bank:Fees\naccounts:\n  ${seeded.wallet}: Assets:Payroll\n`
    fs.writeFileSync(path.join(home.folder, 'accounts.yaml'), names)
    const flags = ['--format', 'hledger', '--accounts', 'accounts.yaml']
    const {code, out, err} = await exportBooks(home, ...flags, '--out', 'books.journal')
    expect({code, out}).toEqual({code: 0, out: ''})
    expect(err).toContain('The books are in books.journal.')
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    const text = fs.readFileSync(file, 'utf8')
    expect(text).toContain('\naccount Expenses:Bank:Fees\n')
    expect(text).toContain('\n    Assets:Payroll  -100.000000 USDC ; Zoë Ångström - Service wallet ')
    const bare = await exportBooks(home, ...flags, '--entries-only')
    expect(bare.out).not.toMatch(/^(account|commodity) /m)
    // A file to begin with, which changes nothing yet.
    const plain = await exportBooks(home)
    const starter = await exportBooks(home, '--format', 'accounts')
    expect(starter.out).toMatch(
      new RegExp(`\n  "${seeded.wallet}": Assets:Svc:A-${seeded.wallet} # Zoë Ångström - Service wallet `),
    )
    fs.writeFileSync(path.join(home.folder, 'accounts.yaml'), starter.out)
    expect((await exportBooks(home, '--accounts', 'accounts.yaml')).out).toBe(plain.out)
  })

  it('says who was paid in every format for people, and in none with --no-names', async () => {
    const home = freshHome()
    await pay(home, 'rent', '100', '--quiet')
    await settle(home)
    const payee = 'Zoë Ångström - External wallet M6esmM…WNS1'
    for (const [format, text] of [
      ['csv', `,Zoë Ångström,"${payee.replace(' -', ',')}",`],
      ['beancount', `  paid-to: "${payee}"\n`],
      ['hledger', `    ; customer-name:Zoë Ångström\n    ; paid-to:${payee}\n`],
    ] as const) {
      expect((await exportBooks(home, '--format', format)).out).toContain(text)
      expect((await exportBooks(home, '--format', format, '--no-names')).out).not.toContain('Zoë')
    }
    expect((await exportBooks(home, '--json')).out).not.toContain('Zoë')
    await run(home, ['sandbox', 'faults', 'add', '--path', '/payment-accounts', '--kind', 'status', '--status', '403'])
    const {code, out, err} = await exportBooks(home)
    expect({code, lines: out.trim().split('\n').length}).toEqual({code: 0, lines: 4})
    expect(err.match(/Names of 1 customer could not be read/g)).toHaveLength(1)
  })

  it('writes the books and ends with 12 while the outcome of a payment is unknown', async () => {
    const home = freshHome()
    await pay(home, 'rent', '100', '--quiet')
    await settle(home)
    await payWithUnknownOutcome(home, 'open', '20')
    const {code, out, err} = await exportBooks(home, '--json')
    expect(code).toBe(12)
    expect(out.trim().split('\n')).toHaveLength(2)
    expect(err).toContain('UNKNOWN open, 20 USDC')
    expect(err).toContain('The books of this time cannot be closed: 1 UNKNOWN')
  })

  it('rejects a file of names that are none', async () => {
    const home = freshHome()
    for (const [text, message] of [
      ['serviceFee: Fees', 'serviceFee is not a name of an account'],
      ['serviceFees: Expenses:Fees', 'Unrecognized key: "serviceFees"'],
      ['accounts: Assets:X', 'accounts Invalid input: expected record'],
    ] as const) {
      fs.writeFileSync(path.join(home.folder, 'accounts.yaml'), text)
      const {code, err} = await exportBooks(home, '--accounts', 'accounts.yaml')
      expect([code, err]).toEqual([2, expect.stringContaining(message)])
    }
  })
})
