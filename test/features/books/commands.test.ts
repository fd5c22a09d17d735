// svc journal export and svc report: what is posted and what is not, for whom it is written, and when the books stay open.
import fs from 'node:fs'
import path from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {inSandbox, pay, payWithUnknownOutcome} from '../../support/payments.ts'
import {type Home, freshHome, json, run, setUp, sharedHome} from '../../support/svc.ts'
import {seeded} from '../../support/transactions.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

// A journal with a payment that completed and one that failed, which no test changes.
let home: Home

async function payTwo(own: Home): Promise<Home> {
  await pay(own, 'rent', '100', '--quiet')
  await pay(own, 'lost', '10.01', '--quiet')
  await setUp(own, ['sandbox', 'clock', 'until-idle', '--quiet'])
  return own
}

beforeAll(async () => void (home = await payTwo(sharedHome())))

afterAll(() => fs.rmSync(home.folder, {recursive: true, force: true}))

const runIn = (own: Home, ...args: string[]) => run(own, [...args, ...inSandbox])
const exportBooks = (...flags: string[]) => runIn(home, 'journal', 'export', ...flags)
const report = (...flags: string[]) => runIn(home, 'report', ...flags)
const read = ({folder}: Home, name: string) => fs.readFileSync(path.join(folder, name), 'utf8')
const breakAccounts = ['sandbox', 'faults', 'add', '--path', '/payment-accounts', '--kind', 'status', '--status', '403']

describe('svc journal export', () => {
  it('prints postings, and says on standard error what is in them and what is not', async () => {
    const {code, out, err} = await exportBooks()
    expect(code).toBe(0)
    expect(out.split('\n').map((line) => line.split(',').slice(3, 10).join(','))).toEqual([
      'key,customerId,kind,account,debit,credit,currency',
      `rent,${seeded.customer},source,Assets:Svc:A-${seeded.wallet},,100.000000,USDC`,
      expect.stringMatching(/^rent,.*,serviceFee,Expenses:Svc:ServiceFee,0\.\d{6},,USDC$/),
      expect.stringMatching(/^rent,.*,destination,Expenses:Svc:A-.*,99\.\d{6},,USDC$/),
      '',
    ])
    expect(err).toMatch(/^1 payment completed so far; 1 not posted; \d+ completed transactions without a payment /)
    expect(err).toMatch(/\nFAILED lost, .*, 10\.01 USDC, \S+Z: the money did not arrive\n$/)
    expect((await exportBooks('--quiet')).err).toBe('')
  })

  it.each([
    ['--customer', '150669df-2159-446c-9a2f-32fc467a5cdb'],
    ['--month', '1999-12'],
    ['--until', '2000-01-01'],
  ])('posts nothing that was not paid with %s %s', async (...flags) => {
    expect((await exportBooks('--quiet', ...flags)).out.split('\n')).toHaveLength(2)
  })

  const payee = 'Zoë Ångström - External wallet M6esmM…WNS1'

  it.each([
    ['csv', `,Zoë Ångström,"${payee.replace(' -', ',')}",`],
    ['beancount', `  paid-to: "${payee}"\n`],
    ['hledger', `    ; customer-name:Zoë Ångström\n    ; paid-to:${payee}\n`],
  ])('says in %s who was paid, and not with --no-names', async (format, text) => {
    expect((await exportBooks('--format', format)).out).toContain(text)
    expect((await exportBooks('--format', format, '--no-names')).out).not.toContain('Zoë')
  })

  it('has the names of your own books, in a private file that replaces an earlier one', async () => {
    const own = await payTwo(freshHome())
    const write = (...flags: string[]) => runIn(own, 'journal', 'export', '--accounts', 'accounts.yaml', ...flags)
    const accounts = path.join(own.folder, 'accounts.yaml')
    fs.writeFileSync(accounts, `serviceFee: Expenses:Bank:Fees\naccounts:\n  ${seeded.wallet}: Assets:Payroll\n`)
    fs.writeFileSync(path.join(own.folder, 'books.journal'), 'earlier')
    expect(await write('--format', 'hledger', '--out', 'books.journal')).toMatchObject({code: 0, out: ''})
    expect(fs.statSync(path.join(own.folder, 'books.journal')).mode & 0o777).toBe(0o600)
    expect(read(own, 'books.journal')).toMatch(
      /\naccount Expenses:Bank:Fees\n[^]*\n {4}Assets:Payroll {2}-100\.000000 USDC ;/,
    )
    expect((await write('--format', 'hledger', '--entries-only')).out).not.toMatch(/^(account|commodity) /m)
    // A file to begin with, which changes nothing yet.
    for (const period of [[], ['--until', '2020-01-01']]) {
      fs.writeFileSync(accounts, (await runIn(own, 'journal', 'export', '--format', 'accounts', ...period)).out)
      expect([period, (await write()).out]).toEqual([period, (await runIn(own, 'journal', 'export')).out])
    }
    for (const [text, message] of [
      ['serviceFee: Fees', 'serviceFee is not a name of an account'],
      ['serviceFees: Expenses:Fees', 'Unrecognized key: "serviceFees"'],
      ['accounts: Assets:X', 'accounts Invalid input: expected record'],
    ] as const) {
      fs.writeFileSync(accounts, text)
      expect(await write()).toMatchObject({code: 2, err: expect.stringContaining(message)})
    }
  })

  it('is complete without names that cannot be read, and reads none for JSON and --no-names', async () => {
    const own = await payTwo(freshHome())
    await run(own, breakAccounts)
    const {code, out, err} = await runIn(own, 'journal', 'export')
    expect({code, lines: out.trim().split('\n').length}).toEqual({code: 0, lines: 4})
    expect(err.match(/Names of 1 customer could not be read/g)).toHaveLength(1)
    for (const command of ['journal export --json', 'report --no-names', 'report --json', 'report -o csv']) {
      const bare = await runIn(own, ...command.split(' '))
      expect(bare.code).toBe(0)
      expect(bare.out + bare.err).not.toMatch(/Zoë|could not be read/)
    }
  })
})

it('svc report prints everything as JSON, and the rows alone as CSV', async () => {
  const sums = {currency: 'USDC', payments: 1, paid: '100.000000', failed: 1}
  expect(json((await report('--json', '--quiet')).out)).toMatchObject({
    period: {zone: 'UTC'},
    payments: 1,
    totals: [{...sums, developerFee: '0.000000', open: 0, unknown: 0}],
    received: [{currency: 'USDC', payments: 1, difference: '0'}],
    omitted: [{kind: 'FAILED', key: 'lost', amount: '10.01'}],
    rows: [{...sums, customerId: seeded.customer, accountId: seeded.wallet, destinationCurrency: 'USDC'}],
  })
  expect((await report('-o', 'csv', '--quiet')).out.split('\n')).toEqual([
    'customerId,accountId,currency,destinationCurrency,payments,paid,svcFee,developerFee,received,failed,open,unknown',
    expect.stringMatching(new RegExp(`^${seeded.customer},${seeded.wallet},USDC,USDC,1,100\\.000000,.*,1,0,0$`)),
    '',
  ])
  expect(json((await report('--month', '1999-12', '--json', '--quiet')).out)).toMatchObject({
    period: {since: '1999-12-01T00:00:00Z', until: '2000-01-01T00:00:00Z'},
    payments: 0,
    rows: [],
  })
})

describe('books that are open', () => {
  useVirtualTime()

  it('end with 12 while a payment is unknown, and say what was dealt with, in the export and on a page that loads nothing', async () => {
    const own = await payTwo(freshHome())
    await payWithUnknownOutcome(own, 'open', '20')
    const why = ['--why', 'paid again as found', '--yes', '--quiet']
    expect(await runIn(own, 'journal', 'settle', 'lost', ...why)).toMatchObject({code: 0})
    const books = await runIn(own, 'journal', 'export', '--format', 'hledger', '--until', '2999-01-01')
    expect(books.code).toBe(12)
    for (const words of [
      'UNKNOWN open, ',
      'The books of this time cannot be closed: 1 UNKNOWN',
      'the money did not arrive; dealt with: paid again as found\n',
      'before this time was over',
    ]) {
      expect(books.err).toContain(words)
    }
    expect(await runIn(own, 'report', '--out', 'report.html')).toMatchObject({code: 12, out: ''})
    const page = read(own, 'report.html').replace(/\s+/g, ' ')
    for (const words of [
      'the journal says UNKNOWN',
      'cannot be closed yet: 1 payment',
      'dealt with: paid again',
      'Zoë',
    ]) {
      expect(page).toContain(words)
    }
    expect(page).not.toMatch(/<script|<link|src=|https?:/)
    await runIn(own, 'report', '--out', 'bare.html', '--no-names')
    expect(read(own, 'bare.html')).not.toContain('Zoë')
  })
})
