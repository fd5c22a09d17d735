// The console in a real browser: live updates, use without JavaScript, and accessibility.
import fs from 'node:fs'
import path from 'node:path'
import axe from 'axe-core'
import type {BrowserContextOptions, Page} from 'playwright-core'
import {describe, expect, it} from 'vitest'
import {browserForAll, hasChromium} from '../support/browser.ts'
import {root} from '../support/svc.ts'
import {seeded} from '../support/transactions.ts'
import {newCustomer, newPage, sandboxForAll} from './sandbox.ts'

const hourMs = 3_600_000

const readClock = async (page: Page) =>
  Date.parse((await page.locator('#clock time').getAttribute('datetime')) ?? 'none')

interface Found {
  id: string
  impact: string
  nodes: {html: string; failureSummary: string}[]
}

async function findSeriousViolations(page: Page, runOnly?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const options = JSON.stringify({resultTypes: ['violations'], runOnly})
  const {violations} = (await page.evaluate(`axe.run(${options})`)) as {violations: Found[]}
  return violations
    .filter(({impact}) => impact === 'serious' || impact === 'critical')
    .map(({id, nodes}) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
}

// SVC_SCREENSHOTS=1 updates the screenshots.
async function takeScreenshot(page: Page, name: string) {
  if (!process.env['SVC_SCREENSHOTS']) return
  const folder = path.join(root, 'docs/screenshots')
  fs.mkdirSync(folder, {recursive: true})
  await page.screenshot({path: path.join(folder, `${name}.png`)})
}

describe.runIf(hasChromium)('the console in a browser', () => {
  const browser = browserForAll()
  const sandbox = sandboxForAll()

  // An address of the console, with its token.
  const at = (path_: string) => {
    const url = new URL(path_, sandbox.consoleUrl)
    url.searchParams.set('token', new URL(sandbox.consoleUrl).searchParams.get('token') ?? '')
    return url.href
  }
  const controls = (search = '') => at(`/console/sandbox${search}`)

  it('advances the clock with a click, without leaving the page', async () => {
    const page = await newPage(browser())
    await page.goto(controls())
    const before = await readClock(page)
    await page.click('#advance-1h')
    await page.getByRole('status').getByText('The clock was advanced.').waitFor()
    expect((await readClock(page)) - before).toBeGreaterThanOrEqual(hourMs)
    expect(page.url()).toBe(controls())
  })

  it('shows changes made elsewhere, and keeps the focus and the input', async () => {
    const {customerId} = await newCustomer(sandbox)
    const page = await newPage(browser())
    await page.goto(controls(`?customer=${customerId}`))
    const row = page.locator('#customers-table tr', {hasText: customerId})
    await row.getByText('CREATED').waitFor()
    await page.fill('#verify-message', 'Half a sen')
    await page.locator(`#customer-${customerId}`).focus()
    await sandbox.svc('sandbox', 'verify', customerId, '--outcome', 'rejected', '--code', 'FRAUD_WARNING')
    await row.getByText('REJECTED').waitFor()
    await row.getByText('FRAUD_WARNING').waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe(`customer-${customerId}`)
    expect(await page.inputValue('#verify-message')).toBe('Half a sen')
  })

  it('continues after a reset by another process, and can be paused', async () => {
    const page = await newPage(browser())
    await page.goto(controls())
    const token = () => page.locator('input[name=csrf]').first().inputValue()
    const before = await token()
    await sandbox.svc('sandbox', 'reset')
    await expect.poll(token).not.toBe(before)
    await page.getByText('svc sandbox clock freeze').click()
    await page.getByRole('button', {name: 'Freeze', exact: true}).click()
    await page.getByText('The clock is frozen.').waitFor()
    await page.locator('#clock').getByText('FROZEN').waitFor()
    await page.getByRole('button', {name: 'Pause'}).click()
    await sandbox.svc('sandbox', 'clock', 'run')
    await page.getByText('Updates are paused.').waitFor()
    expect(await page.locator('#clock').textContent()).toContain('Frozen')
    await page.getByRole('button', {name: 'Resume'}).click()
    await page.locator('#clock').getByText('RUNNING').waitFor()
  })

  it('says why an action was not done, and keeps the input', async () => {
    const page = await newPage(browser())
    await page.goto(controls('?account=none'))
    await page.fill('#fund-amount', '12.50')
    await page.getByRole('button', {name: 'Deposit money'}).click()
    await page.getByText('There is no payment account none.').waitFor()
    expect(await page.inputValue('#fund-amount')).toBe('12.50')
  })

  it('works without JavaScript', async () => {
    const page = await newPage(browser(), {javaScriptEnabled: false})
    await page.goto(controls())
    const before = await readClock(page)
    await page.click('#advance-1d')
    await page.getByText('The clock was advanced.').waitFor()
    expect((await readClock(page)) - before).toBeGreaterThanOrEqual(24 * hourMs)
    await page.getByText('svc sandbox settle').click()
    await page.fill('#settle-transaction', 'none')
    await page.locator('#settle').getByRole('button').click()
    await page.getByText('There is no transaction none.').waitFor()
    expect(await page.inputValue('#settle-transaction')).toBe('none')
  })

  it('acts on the page of an item, and shows what happened there', async () => {
    const page = await newPage(browser())
    await page.goto(at(`/console/transaction?id=${seeded.awaiting}`))
    await page.getByText('svc sandbox settle').click()
    await page.selectOption('#settle-outcome', 'cancelled')
    await page.getByRole('button', {name: 'Force outcome'}).click()
    await page.getByText('The outcome of the transaction was set.').waitFor()
    await page.locator('#transaction-timeline').getByText('Cancelled').waitFor()
    await page.getByRole('link', {name: 'Zoë Ångström'}).click()
    await page.getByRole('heading', {level: 1, name: /Zoë Ångström/}).waitFor()
    await page.getByRole('navigation', {name: 'Console'}).getByRole('link', {name: 'Customers'}).click()
    await page.fill('#q', 'mateo')
    await page.keyboard.press('Enter')
    await page.getByText('1 customer of the 2').waitFor()
    expect(await page.locator('#customers-list tbody tr').count()).toBe(1)
  })

  const overview = '/'
  const search = '/console/customers?q=mateo'
  const customer = `/console/customer?id=${seeded.customer}`
  const lists = ['customers', 'accounts', 'transactions', 'requests'].map((name) => `/console/${name}`)
  const others = [`/console/transaction?id=${seeded.awaiting}`, ...lists]

  // At these widths not even a table needs to scroll sideways.
  async function measure(page: Page, path_: string) {
    await page.goto(path_ === '/console/sandbox' ? controls() : at(path_))
    await page.evaluate("for (const each of document.querySelectorAll('main details')) each.open = true")
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    const wideTables = await page.evaluate(
      "[...document.querySelectorAll('.table, .scroll')].filter((each) => each.scrollWidth > each.clientWidth).length",
    )
    return {path: path_, overflow, wideTables}
  }

  const fits = {overflow: 0, wideTables: 0}

  // Without its script, which refreshes the page while it is examined.
  async function newStillPage(options: BrowserContextOptions) {
    const page = await newPage(browser(), {colorScheme: 'light', ...options})
    await page.route('**/assets/console.js', (route) => route.fulfill({contentType: 'text/javascript', body: ''}))
    return page
  }
  const wide = {viewport: {width: 1_280, height: 900}}
  const narrow = {viewport: {width: 390, height: 844}, isMobile: true}

  it('has no serious accessibility violations, light and dark', async () => {
    const page = await newStillPage(wide)
    for (const path_ of [customer, search]) {
      await page.goto(at(path_))
      expect([path_, await findSeriousViolations(page)]).toEqual([path_, []])
    }
    await page.goto(at(overview))
    await takeScreenshot(page, 'console-overview')
    await page.emulateMedia({colorScheme: 'dark'})
    await takeScreenshot(page, 'console-dark')
    expect(await findSeriousViolations(page)).toEqual([])
  })

  it('has no serious accessibility violations in its controls and on a phone', async () => {
    const page = await newStillPage(narrow)
    for (const path_ of [overview, '/console/sandbox']) {
      expect(await measure(page, path_)).toEqual({path: path_, ...fits})
      expect([path_, await findSeriousViolations(page)]).toEqual([path_, []])
    }
    // Only the colours differ in the dark.
    await page.goto(at(overview))
    await page.emulateMedia({colorScheme: 'dark'})
    expect(await findSeriousViolations(page, ['color-contrast'])).toEqual([])
  })

  // In pixels of the screen, since a drawing is scaled to the width that there is.
  const measureAxis = (page: Page) =>
    page.evaluate(
      "Math.min(...[...document.querySelectorAll('.axis text')].map((each) => each.getBoundingClientRect().height))",
    )

  // How many ids of the controls' tables are broken into several lines.
  const countBrokenIds = (page: Page) =>
    page.evaluate(
      "[...document.querySelectorAll('.scroll td code')].filter((each) => each.getClientRects().length > 1).length",
    )

  it.each(Object.entries({wide, narrow}))('fits the screen, %s', async (name, options) => {
    const page = await newStillPage(options)
    for (const path_ of [overview, customer, '/console/sandbox', ...others]) {
      expect(await measure(page, path_)).toEqual({path: path_, ...fits})
      if (path_ === overview) expect(await measureAxis(page)).toBeGreaterThan(10)
      if (path_ === '/console/sandbox') expect(await countBrokenIds(page)).toBe(0)
    }
    await page.goto(at(name === 'wide' ? customer : search))
    await takeScreenshot(page, name === 'wide' ? 'console-customer' : 'console-telephone')
  })
})
