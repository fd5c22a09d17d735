// The console in a real browser: live updates, actions with and without JavaScript, and accessibility.
import type {BrowserContextOptions, Page} from 'playwright-core'
import {describe, expect, it} from 'vitest'
import {browserForAll, hasChromium} from '../../support/browser.ts'
import {type EnteredPage, enterPage} from '../../support/entrance.ts'
import {seeded} from '../../support/transactions.ts'
import {findProblems} from './accessibility.ts'
import {letIn, newCustomer, newPage, sandboxForAll} from './sandbox.ts'
import {takeScreenshot} from './screenshots.ts'

const hourMs = 3_600_000

const readClock = async (page: Page) =>
  Date.parse((await page.locator('#clock time').getAttribute('datetime')) ?? 'none')

describe.runIf(hasChromium)('the console in a browser', () => {
  const browser = browserForAll()
  const sandbox = sandboxForAll()

  // An address of the console, below the folder of its link.
  const at = (path_: string) => sandbox.consoleUrl.replace(/\/enter\/.*$/, '') + path_

  let entered: Promise<EnteredPage> | undefined
  async function newConsolePage(options: BrowserContextOptions = {}): Promise<Page> {
    const page = await newPage(browser(), options)
    entered ??= enterPage(sandbox.consoleUrl)
    await letIn(page, await entered)
    return page
  }

  it('advances the clock with a click, without JavaScript', async () => {
    const page = await newConsolePage({javaScriptEnabled: false})
    await page.goto(at('/console/clock'))
    const before = await readClock(page)
    await page.click('#advance-1h')
    await page.getByText('The clock was advanced.').waitFor()
    expect((await readClock(page)) - before).toBeGreaterThanOrEqual(hourMs)
  })

  it('loads its first page with less than 60 kB, all from its own server', async () => {
    const page = await newConsolePage()
    const sizes: Array<Promise<number>> = []
    const origins = new Set<string>()
    page.on('requestfinished', (request) => {
      origins.add(new URL(request.url()).protocol === 'data:' ? 'data:' : new URL(request.url()).origin)
      sizes.push(
        request.sizes().then(({responseBodySize, responseHeadersSize}) => responseBodySize + responseHeadersSize),
      )
    })
    await page.goto(at('/'), {waitUntil: 'load'})
    const loaded = await Promise.all(sizes)
    expect(loaded.length).toBeGreaterThanOrEqual(3)
    expect(loaded.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000)
    expect([...origins].filter((origin) => origin !== 'data:')).toEqual([new URL(sandbox.consoleUrl).origin])
  })

  it('shows changes made elsewhere, keeps the focus and the input, and can be paused', async () => {
    const {customerId} = await newCustomer(sandbox)
    const page = await newConsolePage()
    await page.goto(at(`/console/customer?id=${customerId}`))
    const heading = page.getByRole('heading', {level: 1})
    await heading.getByText('Created').waitFor()
    await page.fill('#verify-message', 'Half a sen')
    await page.locator('#verify-code').focus()
    await sandbox.svc('sandbox', 'verify', customerId, '--outcome', 'rejected', '--code', 'FRAUD_WARNING')
    await heading.getByText('Rejected').waitFor()
    await page.getByText('FRAUD_WARNING').first().waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('verify-code')
    expect(await page.inputValue('#verify-message')).toBe('Half a sen')
    await page.getByRole('button', {name: 'Pause'}).click()
    await page.getByText('Paused.').waitFor()
  })

  it('acts on the page of an item, says why it did not, and shows what happened there', async () => {
    const page = await newConsolePage()
    await page.goto(at(`/console/transaction?id=${seeded.awaiting}`))
    await page.selectOption('#settle-outcome', 'cancelled')
    await page.getByRole('button', {name: 'Force outcome'}).click()
    await page.getByText('The outcome of the transaction was set.').waitFor()
    await page.locator('#transaction-timeline').getByText('Cancelled').waitFor()
    await page.selectOption('#settle-outcome', 'completed')
    await page.getByRole('button', {name: 'Force outcome'}).click()
    await page.locator('#notice').getByText('Not done').waitFor()
    expect(await page.inputValue('#settle-outcome')).toBe('completed')
  })

  // One of each kind: the first page, a list, a search, the clock, and every item.
  async function listPages(): Promise<string[]> {
    const {customerId} = await newCustomer(sandbox)
    await sandbox.svc('sandbox', 'verify', customerId, '--outcome', 'needs-information', '--code', 'DOC_QUALITY_POOR')
    const route = ['--from', seeded.wallet, '--from-currency', 'USDC', '--to', seeded.sepaAccount, '--amount', '11']
    await sandbox.svc('pay', '--customer', seeded.customer, ...route, '--key', 'story', '--yes', '-p', 'sandbox')
    return [
      '/',
      '/console/clock',
      '/console/customers?q=mateo',
      '/console/transactions?q=sepa',
      `/console/customer?id=${customerId}`,
      `/console/transaction?id=${seeded.processing}`,
      `/console/account?id=${seeded.sepaAccount}&customer=${seeded.customer}`,
      '/console/payment?key=story',
    ]
  }

  it('has no accessibility violations and fits the screen, wide and narrow, light and dark', async () => {
    const paths = await listPages()
    const page = await newConsolePage({viewport: {width: 1_280, height: 900}, colorScheme: 'light'})
    // The script refreshes the page while it is examined.
    await page.route('**/assets/console.js', (route) => route.fulfill({contentType: 'text/javascript', body: ''}))
    for (const [index, path_] of paths.entries()) {
      await page.goto(at(path_))
      if (path_ === '/') await takeScreenshot(page, 'console-overview')
      expect([path_, await findProblems(page, index)]).toEqual([path_, []])
    }
  })
})
