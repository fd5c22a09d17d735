// The console in a real browser: live updates, use without JavaScript, and accessibility.
import fs from 'node:fs'
import path from 'node:path'
import axe from 'axe-core'
import type {BrowserContextOptions, Page} from 'playwright-core'
import {describe, expect, it} from 'vitest'
import {browserForAll, hasChromium} from '../support/browser.ts'
import {root} from '../support/svc.ts'
import {newCustomer, newPage, sandboxForAll} from './sandbox.ts'

const hourMs = 3_600_000

const readClock = async (page: Page) =>
  Date.parse((await page.locator('#clock time').getAttribute('datetime')) ?? 'none')

interface Found {
  id: string
  impact: string
  nodes: {html: string; failureSummary: string}[]
}

async function findSeriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const {violations} = (await page.evaluate("axe.run({resultTypes: ['violations']})")) as {violations: Found[]}
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

  it('advances the clock with a click, without leaving the page', async () => {
    const page = await newPage(browser())
    await page.goto(sandbox.consoleUrl)
    const before = await readClock(page)
    await page.click('#advance-1h')
    await page.getByRole('status').getByText('The clock was advanced.').waitFor()
    expect((await readClock(page)) - before).toBeGreaterThanOrEqual(hourMs)
    expect(page.url()).toBe(sandbox.consoleUrl)
  })

  it('shows changes made elsewhere, and keeps the focus and the input', async () => {
    const {customerId} = await newCustomer(sandbox)
    const page = await newPage(browser())
    await page.goto(`${sandbox.consoleUrl}&customer=${customerId}`)
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
    await page.goto(sandbox.consoleUrl)
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
    expect(await page.locator('#clock').textContent()).toContain('FROZEN')
    await page.getByRole('button', {name: 'Resume'}).click()
    await page.locator('#clock').getByText('RUNNING').waitFor()
  })

  it('says why an action was not done, and keeps the input', async () => {
    const page = await newPage(browser())
    await page.goto(`${sandbox.consoleUrl}&account=none`)
    await page.fill('#fund-amount', '12.50')
    await page.getByRole('button', {name: 'Deposit money'}).click()
    await page.getByText('There is no payment account none.').waitFor()
    expect(await page.inputValue('#fund-amount')).toBe('12.50')
  })

  it('works without JavaScript', async () => {
    const page = await newPage(browser(), {javaScriptEnabled: false})
    await page.goto(sandbox.consoleUrl)
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

  const looks: Record<string, BrowserContextOptions> = {
    'wide and light': {viewport: {width: 1_200, height: 800}, colorScheme: 'light'},
    'narrow and dark': {viewport: {width: 360, height: 740}, colorScheme: 'dark', isMobile: true},
  }

  it.each(Object.keys(looks))('has no serious accessibility violations and fits the screen, %s', async (name) => {
    const page = await newPage(browser(), looks[name])
    await page.goto(sandbox.consoleUrl)
    await takeScreenshot(page, `console-${name.replaceAll(' ', '-')}`)
    await page.evaluate("for (const each of document.querySelectorAll('main details')) each.open = true")
    expect(await findSeriousViolations(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  })
})
