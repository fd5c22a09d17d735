// How the pages of the forms look and read: an accessibility check by a public library, on wide and narrow screens, in
// light and dark; and pictures of them for the documentation where they are asked for.
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

// Hundreds of countries to choose from, many times over, are put aside meanwhile: one option is like another.
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

// Whatever would keep somebody from using the page.
async function seriousFindings(page: Page): Promise<string[]> {
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

const pictures = path.join(root, 'docs/screenshots')

// SVC_SCREENSHOTS=1 takes them anew.
async function picture(page: Page, name: string) {
  if (!process.env['SVC_SCREENSHOTS']) return
  fs.mkdirSync(pictures, {recursive: true})
  await page.screenshot({path: path.join(pictures, `${name}.png`)})
}

describe.runIf(hasChromium)('the pages of the hosted forms', () => {
  const browser = browserForAll()
  const sandbox = sandboxForAll()

  // Made once: the pages only look at them.
  let made: ReturnType<typeof makeLinks> | undefined
  const links = () => (made ??= makeLinks())

  async function makeLinks() {
    const kycData = {...completeKyc, accountPurposeOther: 'MAGIC_DOC_QUALITY_POOR MAGIC_DATABASE_CHECK_FAILED_ON_CITY'}
    const [refused, fresh, business] = [
      await newCustomer(sandbox, {kycData}),
      await newCustomer(sandbox),
      await newCustomer(sandbox, {customerType: 'BUSINESS'}),
    ]
    await sandbox.svc('sandbox', 'clock', 'advance', '6s')
    const bank = await pendingAccount(sandbox, fresh.customerId)
    const linkOf = ({verificationLink = ''}) => verificationLink
    return {refused: linkOf(refused), fresh: linkOf(fresh), business: linkOf(business), bank}
  }

  it.each(Object.keys(looks))('have no serious findings of accessibility and fit the screen, %s', async (name) => {
    const {refused, fresh, business, bank} = await links()
    const page = await newPage(browser(), looks[name])
    const check = async (state: string) => {
      expect([state, await seriousFindings(page)]).toEqual([state, []])
      expect([state, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([state, true])
    }
    await page.goto(fresh)
    await page.getByRole('button', {name: /^Send/}).last().click()
    await check('errors that the browser found')
    await fill(page, {...person('kycData'), 'kycData.phoneNumber': '+1 23'})
    if (name === 'wide and light') {
      await page.locator('#kycData-documents-0-issuanceDate').evaluate((field: Field) => field.scrollIntoView())
      await picture(page, 'form-document')
    }
    await page.getByRole('button', {name: /^Send/}).last().click()
    await page.getByRole('link', {name: /^Phone number must be/}).waitFor()
    await check('errors that the service found, and a file that is kept')
    if (name === 'wide and dark') await picture(page, 'form-errors-dark')
    await page.goto(refused)
    await check('issues beside the fields')
    if (name === 'wide and light') {
      await page.locator('#kycData-documents-0-expirationDate').evaluate((field: Field) => field.scrollIntoView())
      await picture(page, 'form-corrections')
    }
    if (name === 'narrow and light') await picture(page, 'form-telephone')
    await page.goto(bank)
    await check('a bank account')
    if (name !== 'wide and light') return
    await page.goto(business)
    await check('a business')
    await page.goto(`${fresh}0`)
    await check('a link that is not known')
  })

  it('lead a keyboard to the form and through it in the order in which they are read', async () => {
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

  it('describe each field with its rule and what is wrong with it', async () => {
    const {fresh} = await links()
    const page = await newPage(browser())
    await page.goto(fresh)
    await fill(page, {'kycData.documents[0].frontIdImage': {...image(), buffer: Buffer.from('small')}})
    const tree = await page.locator('.field', {has: page.getByLabel('Image of the front')}).ariaSnapshot()
    expect(tree).toContain('100 KB to 10 MB')
    expect(tree).toContain('Is too small: at least 100 KB are needed.')
  })
})
