// The overview over a real journal, in a browser: what stands in each of its parts is tested in web/console/overview.test.ts.
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {beforeAll, describe, expect, it} from 'vitest'
import {createKey} from '../../support/approvals.ts'
import {browserForAll, hasChromium} from '../../support/browser.ts'
import {enterPage} from '../../support/entrance.ts'
import {payment, writePlan} from '../../support/payments.ts'
import {type Home, run} from '../../support/svc.ts'
import {seeded} from '../../support/transactions.ts'
import {letIn, newPage, sandboxForAll} from './sandbox.ts'

const minuteMs = 60_000

// A journal with a payment that somebody has to approve, and one to a customer that was deactivated.
async function prepare(home: Home): Promise<void> {
  const policy = {
    approvers: [{name: 'alice@example.com', keys: [createKey(path.join(home.folder, 'keys', 'alice'))]}],
    approvals: {count: 1, above: {USDC: '1000'}},
  }
  fs.writeFileSync(path.join(home.folder, 'policy.json'), JSON.stringify(policy))
  writePlan(path.join(home.folder, 'machine.yaml'), 'machine', '2000')
  for (const [code, args] of [
    [0, ['policy', 'set', 'policy.json']],
    [10, ['pay', '-f', 'machine.yaml']],
    [0, payment('invoice-6', '35')],
    [0, ['sandbox', 'verify', seeded.customer, '--outcome', 'deactivated']],
    [3, payment('invoice-7', '20')],
  ] as const) {
    const ended = await run(home, [...args, '-p', 'sandbox'])
    expect([args, ended.code, ended.err]).toEqual([args, code, ended.err])
  }
  // While it may still be in hand, nothing is said of it.
  const journal = new DatabaseSync(path.join(home.folder, 'config', 'state', 'journal.sqlite'))
  journal.exec(`update payments set updated_at = updated_at - ${minuteMs} where key = 'invoice-7'`)
  journal.close()
}

describe.runIf(hasChromium)('on the overview a person', () => {
  const browser = browserForAll()
  const sandbox = sandboxForAll()
  beforeAll(() => prepare(sandbox.home))

  it('sees fees, what needs an approval and who cannot be paid, and is led to the reason with one click', async () => {
    const page = await newPage(browser())
    const entered = await enterPage(sandbox.consoleUrl)
    await letIn(page, entered)
    await page.goto(entered.url)
    const heading = page.getByRole('heading', {name: /^Fees in \w+ \d{4}$/})
    const card = page.locator('.card').filter({has: heading})
    expect(await card.locator('.figure').innerText()).toMatch(/^[\d,]*\d\.\d\d [A-Z]{3,4}/)
    const findRow = (text: string) => page.locator('#needs tbody tr').filter({hasText: text})
    expect(await findRow('machine.yaml').innerText()).toMatch(
      /machine\.yaml, 2,000 USDC: needs 1 approval and has none[^]*Approve: svc approve machine\.yaml/,
    )
    expect(await findRow('invoice-7').innerText()).toContain('Nothing was sent')
    await findRow('invoice-7').getByRole('link', {name: 'Zoë Ångström'}).click()
    await page.getByRole('heading', {level: 1, name: /Zoë Ångström.*Deactivated/}).waitFor()
    await page.getByText('This customer cannot be paid: the service deactivated the customer').waitFor()
  })
})
