// Accessibility and layout of the form pages, on wide and narrow screens, in light and dark mode. Takes screenshots for
// the documentation on request.
import fs from 'node:fs'
import path from 'node:path'
import axe from 'axe-core'
import type {BrowserContextOptions, Page} from 'playwright-core'
import {describe, expect, it} from 'vitest'
import {browserForAll, hasChromium} from '../support/browser.ts'
import {root} from '../support/svc.ts'
import {completeKyc} from '../sandbox/open.ts'
import {fill, image, newCustomer, newPage, pendingAccount, person, sandboxForAll} from './sandbox.ts'

interface Field {
  scrollIntoView(): void
}

interface Found {
  id: string
  impact: string
  nodes: {html: string; failureSummary: string}[]
}

// Removes the unselected options during the check, because hundreds of countries in every select make it slow.
const run = `(async () => {
  const lists = [...document.querySelectorAll('select')].map((list) => [list, [...list.options], list.value])
  for (const [list, options, value] of lists) list.replaceChildren(...options.filter((each) => each.value === value))
  const {violations} = await axe.run({resultTypes: ['violations']})
  for (const [list, options, value] of lists) {
    list.replaceChildren(...options)
    list.value = value
  }
  return violations
})()`

async function findSeriousViolations(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const violations = (await page.evaluate(run)) as Found[]
  return violations
    .filter(({impact}) => impact === 'serious' || impact === 'critical')
    .map(({id, nodes}) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`)
}

const wide = {viewport: {width: 1_000, height: 760}}
const narrow = {viewport: {width: 360, height: 740}, isMobile: true, hasTouch: true}

const looks: Record<string, BrowserContextOptions> = {
  'wide and light': {...wide, colorScheme: 'light'},
  'wide and dark': {...wide, colorScheme: 'dark'},
  'narrow and light': {...narrow, colorScheme: 'light'},
}

const screenshotFolder = path.join(root, 'docs/screenshots')

// SVC_SCREENSHOTS=1 updates the screenshots.
async function takeScreenshot(page: Page, name: string) {
  if (!process.env['SVC_SCREENSHOTS']) return
  fs.mkdirSync(screenshotFolder, {recursive: true})
  await page.screenshot({path: path.join(screenshotFolder, `${name}.png`)})
}

describe.runIf(hasChromium)('the pages of the hosted forms', () => {
  const browser = browserForAll()
  const sandbox = sandboxForAll()

  // Created once, because the tests only read them.
  let created: ReturnType<typeof createLinks> | undefined
  const links = () => (created ??= createLinks())

  async function createLinks() {
    const kycData = {...completeKyc, accountPurposeOther: 'MAGIC_DOC_QUALITY_POOR MAGIC_DATABASE_CHECK_FAILED_ON_CITY'}
    const [withIssues, fresh, business] = [
      await newCustomer(sandbox, {kycData}),
      await newCustomer(sandbox),
      await newCustomer(sandbox, {customerType: 'BUSINESS'}),
    ]
    await sandbox.svc('sandbox', 'clock', 'advance', '6s')
    const bank = await pendingAccount(sandbox, fresh.customerId)
    const getLink = ({verificationLink = ''}) => verificationLink
    return {withIssues: getLink(withIssues), fresh: getLink(fresh), business: getLink(business), bank}
  }

  it.each(Object.keys(looks))('have no serious accessibility violations and fit the screen, %s', async (name) => {
    const {withIssues, fresh, business, bank} = await links()
    const page = await newPage(browser(), looks[name])
    const check = async (state: string) => {
      expect([state, await findSeriousViolations(page)]).toEqual([state, []])
      expect([state, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([state, true])
    }
    await page.goto(fresh)
    await page.getByRole('button', {name: /^Send/}).last().click()
    await check('errors that the browser found')
    await fill(page, {...person('kycData'), 'kycData.phoneNumber': '+1 23'})
    if (name === 'wide and light') {
      await page.locator('#kycData-documents-0-issuanceDate').evaluate((field: Field) => field.scrollIntoView())
      await takeScreenshot(page, 'form-document')
    }
    await page.getByRole('button', {name: /^Send/}).last().click()
    await page.getByRole('link', {name: /^Phone number must be/}).waitFor()
    await check('errors that the service found, and a stored file')
    if (name === 'wide and dark') await takeScreenshot(page, 'form-errors-dark')
    await page.goto(withIssues)
    await check('issues beside the fields')
    if (name === 'wide and light') {
      await page.locator('#kycData-documents-0-expirationDate').evaluate((field: Field) => field.scrollIntoView())
      await takeScreenshot(page, 'form-corrections')
    }
    if (name === 'narrow and light') await takeScreenshot(page, 'form-telephone')
    await page.goto(bank)
    await check('a bank account')
    if (name !== 'wide and light') return
    await page.goto(business)
    await check('a business')
    await page.goto(`${fresh}0`)
    await check('a link that does not work')
  })

  it('can be reached by keyboard in reading order', async () => {
    const {fresh} = await links()
    const page = await newPage(browser())
    await page.goto(fresh)
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.textContent')
    const visited: unknown[] = []
    for (let count = 0; count < 4; count++) {
      await page.keyboard.press('Tab')
      visited.push(await focused())
    }
    expect(visited).toEqual([
      'Skip to the form',
      'kycData-legalFirstName',
      'kycData-legalMiddleName',
      'kycData-legalLastName',
    ])
    expect(await page.evaluate('document.documentElement.lang')).toBe('en')
  })

  it('describe each field with its rules and its error', async () => {
    const {fresh} = await links()
    const page = await newPage(browser())
    await page.goto(fresh)
    await fill(page, {'kycData.documents[0].frontIdImage': {...image(), buffer: Buffer.from('small')}})
    const tree = await page.locator('.field', {has: page.getByLabel('Image of the front')}).ariaSnapshot()
    expect(tree).toContain('100 KB to 10 MB')
    expect(tree).toContain('Is too small: it must have at least 100 KB.')
  })
})
