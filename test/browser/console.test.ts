// The console in a real browser: live updates, use without JavaScript, and accessibility.
import type {BrowserContextOptions, Page} from 'playwright-core'
import {describe, expect, it} from 'vitest'
import {browserForAll, hasChromium} from '../support/browser.ts'
import {type EnteredPage, enterPage} from '../support/entrance.ts'
import {seeded} from '../support/transactions.ts'
import {findSeriousViolations, findViolations} from './accessibility.ts'
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
  const controls = (search = '') => at(`/console/sandbox${search}`)

  it('advances the clock with a click, without leaving the page', async () => {
    const page = await newConsolePage()
    await page.goto(controls())
    const before = await readClock(page)
    await page.click('#advance-1h')
    await page.getByRole('status').getByText('The clock was advanced.').waitFor()
    expect((await readClock(page)) - before).toBeGreaterThanOrEqual(hourMs)
    expect(page.url()).toBe(controls())
  })

  it('shows changes made elsewhere, and keeps the focus and the input', async () => {
    const {customerId} = await newCustomer(sandbox)
    const page = await newConsolePage()
    await page.goto(at(`/console/customer?id=${customerId}`))
    const heading = page.getByRole('heading', {level: 1})
    await heading.getByText('Created').waitFor()
    await page.getByText('svc sandbox verify').click()
    await page.fill('#verify-message', 'Half a sen')
    await page.locator('#verify-code').focus()
    await sandbox.svc('sandbox', 'verify', customerId, '--outcome', 'rejected', '--code', 'FRAUD_WARNING')
    await heading.getByText('Rejected').waitFor()
    await page.getByText('FRAUD_WARNING').first().waitFor()
    expect(await page.evaluate('document.activeElement.id')).toBe('verify-code')
    expect(await page.inputValue('#verify-message')).toBe('Half a sen')
  })

  it('continues after a reset by another process, and can be paused', async () => {
    const page = await newConsolePage()
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
    const page = await newConsolePage()
    await page.goto(controls('?account=none'))
    await page.fill('#fund-amount', '12.50')
    await page.getByRole('button', {name: 'Deposit money'}).click()
    await page.getByText('There is no payment account none.').waitFor()
    expect(await page.inputValue('#fund-amount')).toBe('12.50')
  })

  it('works without JavaScript', async () => {
    const page = await newConsolePage({javaScriptEnabled: false})
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
    const page = await newConsolePage()
    await page.goto(at(`/console/transaction?id=${seeded.awaiting}`))
    await page.getByText('svc sandbox settle', {exact: true}).click()
    await page.selectOption('#settle-outcome', 'cancelled')
    await page.getByRole('button', {name: 'Force outcome'}).click()
    await page.getByText('The outcome of the transaction was set.').waitFor()
    await page.locator('#transaction-timeline').getByText('Cancelled').waitFor()
    await page.locator(`a[title="${seeded.customer}"]`).first().click()
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
  const others = [`/console/transaction?id=${seeded.awaiting}`, ...lists, '/console/search?q=sepa']

  const open = (page: Page, path_: string) => page.goto(path_ === '/console/sandbox' ? controls() : at(path_))

  // At these widths not even a table needs to scroll sideways.
  async function measure(page: Page, path_: string) {
    const [overflow, wideTables] = (await page.evaluate(`(() => {
      for (const each of document.querySelectorAll('main details')) each.open = true
      const tables = [...document.querySelectorAll('.table')]
      const wide = tables.filter((each) => each.scrollWidth > each.clientWidth)
      return [document.documentElement.scrollWidth - innerWidth, wide.length]
    })()`)) as [number, number]
    return {path: path_, overflow, wideTables}
  }

  const fits = {overflow: 0, wideTables: 0}

  // Without its script, which refreshes the page while it is examined.
  async function newStillPage(options: BrowserContextOptions) {
    const page = await newConsolePage({colorScheme: 'light', ...options})
    await page.route('**/assets/console.js', (route) => route.fulfill({contentType: 'text/javascript', body: ''}))
    return page
  }
  const wide = {viewport: {width: 1_280, height: 900}}
  const narrow = {viewport: {width: 390, height: 844}, isMobile: true}

  // In pixels of the screen, since a drawing is scaled to the width that there is.
  const measureAxis = (page: Page) =>
    page.evaluate(
      "Math.min(...[...document.querySelectorAll('.axis text')].map((each) => each.getBoundingClientRect().height))",
    )

  // How many ids of the controls' tables are broken into several lines.
  const countBrokenIds = (page: Page) =>
    page.evaluate(
      "[...document.querySelectorAll('.list td code')].filter((each) => each.getClientRects().length > 1).length",
    )

  const measureTabs = (page: Page) =>
    page.evaluate(`(() => {
      const boxes = [...document.querySelectorAll('.tabs a')].map((each) => each.getBoundingClientRect().top)
      const current = document.querySelector('.tabs a[aria-current]')?.getBoundingClientRect()
      const isCurrentSeen = !current || (current.left >= 0 && current.right <= innerWidth)
      return {lines: new Set(boxes).size, isCurrentSeen}
    })()`)

  async function checkLayout(page: Page, path_: string) {
    expect(await measure(page, path_)).toEqual({path: path_, ...fits})
    if (path_ === overview) expect(await measureAxis(page)).toBeGreaterThan(10)
    // The navigation has one line, in which the page itself can be seen.
    expect(await measureTabs(page)).toEqual({lines: 1, isCurrentSeen: true})
    if (path_ === '/console/sandbox') expect(await countBrokenIds(page)).toBe(0)
  }

  it('has no serious accessibility violations, light and dark, and fits a wide screen', async () => {
    const page = await newStillPage(wide)
    await open(page, overview)
    await takeScreenshot(page, 'console-overview')
    await page.emulateMedia({colorScheme: 'dark'})
    await takeScreenshot(page, 'console-dark')
    expect(await findSeriousViolations(page)).toEqual([])
    await page.emulateMedia({colorScheme: 'light'})
    await checkLayout(page, overview)
    await open(page, customer)
    await takeScreenshot(page, 'console-customer')
    expect([customer, await findSeriousViolations(page)]).toEqual([customer, []])
    await checkLayout(page, customer)
    for (const path_ of [search, '/console/search?q=sepa']) {
      await open(page, path_)
      expect([path_, await findSeriousViolations(page)]).toEqual([path_, []])
    }
    for (const path_ of ['/console/sandbox', ...others]) {
      await open(page, path_)
      await checkLayout(page, path_)
    }
  })

  it('has no serious accessibility violations in its controls and on a phone, and fits its screen', async () => {
    const page = await newStillPage(narrow)
    for (const path_ of ['/console/sandbox', overview]) {
      await open(page, path_)
      await checkLayout(page, path_)
      expect([path_, await findSeriousViolations(page)]).toEqual([path_, []])
    }
    // Only the colours differ in the dark.
    await page.emulateMedia({colorScheme: 'dark'})
    expect(await findSeriousViolations(page, ['color-contrast'])).toEqual([])
    await page.emulateMedia({colorScheme: 'light'})
    for (const path_ of [customer, ...others]) {
      await open(page, path_)
      await checkLayout(page, path_)
    }
    await open(page, search)
    await takeScreenshot(page, 'console-telephone')
  })

  // Of everything that has a story: one that goes on, one that went wrong, and one that was made up.
  async function createStories(): Promise<string[]> {
    await sandbox.svc('sandbox', 'webhooks', 'add', 'http://127.0.0.1:9/hook')
    const {customerId} = await newCustomer(sandbox)
    const refused = ['--outcome', 'needs-information', '--code', 'DOC_QUALITY_POOR', '--code', 'DOCUMENT_EXPIRED']
    await sandbox.svc('sandbox', 'verify', customerId, ...refused)
    const route = ['--from', seeded.wallet, '--from-currency', 'USDC', '--to', seeded.sepaAccount, '--amount', '11']
    const payment = ['--customer', seeded.customer, ...route, '--key', 'story', '--yes', '-p', 'sandbox']
    const {transactionId} = await sandbox.svc('pay', ...payment)
    await sandbox.svc('sandbox', 'settle', String(transactionId), '--outcome', 'failed')
    const {events} = (await sandbox.svc('events', 'list', '-p', 'sandbox')) as {events: Array<{eventId: string}>}
    return [
      `customer?id=${customerId}`,
      `transaction?id=${String(transactionId)}`,
      `transaction?id=${seeded.processing}`,
      'payment?key=story',
      `account?id=${seeded.sepaAccount}&customer=${seeded.customer}`,
      `event?id=${events[0]?.eventId}`,
    ].map((page) => `/console/${page}`)
  }

  it('tells the story of each item without accessibility violations, at every width, light and dark', async () => {
    const stories = await createStories()
    const page = await newStillPage(wide)
    for (const path_ of stories) {
      await page.setViewportSize(wide.viewport)
      await open(page, path_)
      expect([path_, await page.locator('#lead').count()]).toEqual([path_, 1])
      expect([path_, await findViolations(page)]).toEqual([path_, []])
      for (const width of [1_280, 768, 390]) {
        await page.setViewportSize({width, height: 900})
        await checkLayout(page, path_)
      }
      expect([path_, await findViolations(page)]).toEqual([path_, []])
      await page.emulateMedia({colorScheme: 'dark'})
      expect([path_, await findSeriousViolations(page, ['color-contrast'])]).toEqual([path_, []])
      await page.emulateMedia({colorScheme: 'light'})
    }
    await open(page, stories[1] ?? '')
    await page.locator('#transaction-timeline').getByText('Made up in the sandbox').first().waitFor()
    await page.locator('#lead').getByText('Somebody set this outcome with a control of the sandbox.').waitFor()
    await page.getByRole('link', {name: 'story'}).click()
    await page.locator('#payment-timeline').getByText('The service quoted a price').waitFor()
  })
})
