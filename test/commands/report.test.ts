// svc report: in a terminal, in a pipe, as JSON and CSV, as a page, and rejected.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {inSandbox, pay, payWithUnknownOutcome} from '../support/payments.ts'
import {type Home, freshHome, json, run} from '../support/svc.ts'
import {seeded} from '../support/transactions.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

const report = (home: Home, ...flags: string[]) => run(home, ['report', ...inSandbox, ...flags])

async function payTwo(): Promise<Home> {
  const home = freshHome()
  await pay(home, 'rent', '100', '--quiet')
  await pay(home, 'lost', '10.01', '--quiet')
  await run(home, ['sandbox', 'clock', 'until-idle', '--quiet'])
  return home
}

describe('svc report', () => {
  useVirtualTime()

  it('leaves names out with --no-names, and reads none for JSON and CSV', async () => {
    const home = await payTwo()
    await run(home, ['sandbox', 'faults', 'add', '--path', '/payment-accounts', '--kind', 'status', '--status', '500'])
    const bare = await report(home, '--no-names')
    expect(bare).toMatchObject({code: 0})
    expect(bare.out + bare.err).not.toMatch(/Zoë|could not be read/)
    expect(bare.out).toMatch(new RegExp(`FAILED +lost +${seeded.externalWallet} +10.01 USDC`))
    for (const format of ['json', 'csv']) {
      const {out, err} = await report(home, '-o', format)
      expect(out + err).not.toMatch(/Zoë|could not be read/)
    }
    expect((await report(home, '-o', 'csv')).err).toContain('FAILED lost, transaction ')
  })

  it('prints everything as JSON, and the rows alone as CSV', async () => {
    const home = await payTwo()
    const all = json((await report(home, '--json', '--quiet')).out)
    const sums = {currency: 'USDC', payments: 1, paid: '100.000000', failed: 1}
    const row = {...sums, customerId: seeded.customer, accountId: seeded.wallet, destinationCurrency: 'USDC'}
    expect(all).toMatchObject({
      period: {zone: 'UTC'},
      payments: 1,
      totals: [{...sums, developerFee: '0.000000', open: 0, unknown: 0}],
      received: [{currency: 'USDC', payments: 1, difference: '0'}],
      omitted: [{kind: 'FAILED', key: 'lost', amount: '10.01'}],
      rows: [row],
    })
    const {out} = await report(home, '-o', 'csv', '--quiet')
    expect(out.split('\n')).toEqual([
      'customerId,accountId,currency,destinationCurrency,payments,paid,svcFee,developerFee,received,failed,open,unknown',
      expect.stringMatching(new RegExp(`^${seeded.customer},${seeded.wallet},USDC,USDC,1,100\\.000000,.*,1,0,0$`)),
      '',
    ])
    const month = json((await report(home, '--month', '1999-12', '--json', '--quiet')).out)
    expect(month).toMatchObject({
      period: {since: '1999-12-01T00:00:00Z', until: '2000-01-01T00:00:00Z'},
      payments: 0,
      rows: [],
    })
  })

  it('writes a page that loads nothing, and ends with 12 while a payment is unknown', async () => {
    const home = await payTwo()
    await payWithUnknownOutcome(home, 'open', '20')
    const {code, out, err} = await report(home, '--out', 'report.html')
    expect({code, out}).toEqual({code: 12, out: ''})
    expect(err).toContain('The page is in report.html.')
    const page = fs.readFileSync(path.join(home.folder, 'report.html'), 'utf8')
    expect(page).toContain('<h1>Payments of sandbox</h1>')
    expect(page).toContain('the journal says UNKNOWN')
    expect(page.replace(/\s+/g, ' ')).toContain('cannot be closed yet: 1 payment below')
    expect(page).toContain('Zoë Ångström, External wallet M6esmM…WNS1')
    await report(home, '--out', 'bare.html', '--no-names')
    expect(fs.readFileSync(path.join(home.folder, 'bare.html'), 'utf8')).not.toContain('Zoë')
    expect(page).not.toMatch(/<script|<link|src=|https?:/)
  })
})
