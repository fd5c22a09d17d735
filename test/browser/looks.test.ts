// Accessibility and layout of the form pages, on wide and narrow screens, in light and dark mode.
// Takes screenshots for the documentation on request.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type {BrowserContextOptions, Page} from 'playwright-core'
import {describe, expect, it} from 'vitest'
import {browserForAll, hasChromium} from '../support/browser.ts'
import {completeKyc} from '../sandbox/open.ts'
import {findViolations} from './accessibility.ts'
import {fill, image, newCustomer, newPage, onOnePage, pendingAccount, person, sandboxForAll} from './sandbox.ts'
import {takeScreenshot} from './screenshots.ts'

interface Field {
  scrollIntoView(): void
}

// A sailing boat.
const logoImage = Buffer.from(
  [
    'iVBORw0KGgoAAAANSUhEUgAAAGAAAABgCAMAAADVRocKAAAACVBMVEX///8LYVf////moBZqAAAAA3RSTlMA//9EUNYhAAABDklE',
    'QVR42u3aQW6FMBAEUbruf+isIkURHxh7igChD9BvgYwlzyzLSjKYZT9piFy/QaQxcv0akbhC4gqJKySyYAOJLNhAIgs2kMjCCzwf',
    'iJz/BnB3gLsDyAB3B/gGcABOBDAAfgLoAO0AMsBvAB2gFWAFoBHgbwDaAD4A6AA9ADLABoAOMA+wDXB5gD2AOYB9AB1gAkAGOAag',
    'AwwCHAa4JkABYACgBKADVAFkgDKADlABGAG4EMAYwFGAUQAd4H1t6QGYyexHLvdXz0G5v3qSy/3Vn125v3oflPs/P5y29RfvzGL/',
    '5tNyR//7+n4IuP8U6gGTwAdMY/2BtT9y95cG/LUHf3HjhNWTE5ZnjPWfLyV9KKa3fbGQAAAAAElFTkSuQmCC',
  ].join(''),
  'base64',
)

interface Box {
  getBoundingClientRect(): {left: number; top: number}
}

// On how many lines, and in how many columns, the steps of a form are.
async function readStepLines(page: Page) {
  const corners = await page
    .locator('button.step .mark')
    .evaluateAll((marks: Box[]) =>
      marks.map((mark) => mark.getBoundingClientRect()).map(({left, top}) => ({left, top})),
    )
  const count = (edge: 'left' | 'top') => new Set(corners.map((corner) => Math.round(corner[edge]))).size
  return {steps: corners.length, lines: count('top'), columns: count('left')}
}

interface Look {
  width: number
  colorScheme: 'light' | 'dark'
}

const wide = {viewport: {width: 1_280, height: 800}}
const narrow = {viewport: {width: 360, height: 740}, isMobile: true, hasTouch: true}

// Every state of a page is checked in the look it is opened with, and then in the others.
const looks: Record<string, {options: BrowserContextOptions; others: readonly Look[]}> = {
  wide: {
    options: {...wide, colorScheme: 'light'},
    others: [
      {width: 1_280, colorScheme: 'dark'},
      {width: 768, colorScheme: 'light'},
      {width: 768, colorScheme: 'dark'},
    ],
  },
  narrow: {
    options: {...narrow, colorScheme: 'light'},
    others: [
      {width: 390, colorScheme: 'light'},
      {width: 390, colorScheme: 'dark'},
    ],
  },
}

const browser = browserForAll()

describe.runIf(hasChromium)('the pages of the hosted forms', () => {
  const sandbox = sandboxForAll()

  // Created once, because the tests only read them.
  let created: ReturnType<typeof createLinks> | undefined
  const links = () => (created ??= createLinks())

  async function createLinks() {
    const kycData = {...completeKyc, accountPurposeOther: 'MAGIC_DOC_QUALITY_POOR MAGIC_DATABASE_CHECK_FAILED_ON_CITY'}
    const logo = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'svc-logo-')), 'logo.png')
    fs.writeFileSync(logo, logoImage)
    await sandbox.svc('sandbox', 'branding', 'set', '--name', 'Harbour Payments', '--logo', logo)
    fs.rmSync(path.dirname(logo), {recursive: true})
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

  it.each(Object.keys(looks))(
    'have no accessibility violations, fit the screen and keep their steps in line, light and dark, %s',
    async (name) => {
      const {withIssues, fresh, business, bank} = await links()
      const {options = {}, others = []} = looks[name] ?? {}
      const page = await newPage(browser(), options)
      const {width = 0, height = 0} = options.viewport ?? {}
      const first: Look = {width, colorScheme: 'light'}
      const show = async (look: Look) => {
        await page.setViewportSize({width: look.width, height})
        await page.emulateMedia({colorScheme: look.colorScheme})
      }
      const takeDarkScreenshot = async (file: string) => {
        await page.emulateMedia({colorScheme: 'dark'})
        await takeScreenshot(page, file)
        await page.emulateMedia({colorScheme: 'light'})
      }
      const check = async (state: string, inLooks: readonly Look[] = [first, ...others]) => {
        for (const look of inLooks) {
          await show(look)
          expect([state, look, await findViolations(page)]).toEqual([state, look, []])
          const fits = await page.evaluate('document.documentElement.scrollWidth <= innerWidth')
          expect([state, look, fits]).toEqual([state, look, true])
          const {steps, lines, columns} = await readStepLines(page)
          // A list beside a wide form, and one line above it elsewhere.
          if (steps > 0)
            expect([look, lines, columns]).toEqual(look.width > 1_000 ? [look, steps, 1] : [look, 1, steps])
        }
        await show(first)
      }
      // What is entered stays, so each screen has a customer of its own.
      const customer = await newCustomer(sandbox)
      await page.goto(customer.verificationLink ?? '')
      await fill(page, {'kycData.legalFirstName': 'Ines', 'kycData.phoneNumber': '+1 23'})
      await page.evaluate('scrollTo(0, 0)')
      if (name === 'wide') await takeDarkScreenshot('form-step-dark')
      else await takeScreenshot(page, 'form-step')
      await page.getByRole('button', {name: /^Next/}).last().click()
      await check('a step with errors that the browser found')
      await page.goto(onOnePage(customer))
      await fill(page, {...person('kycData'), 'kycData.phoneNumber': '+1 23'})
      if (name === 'wide') {
        await page.locator('#kycData-documents-0-issuanceDate').evaluate((field: Field) => field.scrollIntoView())
        await takeScreenshot(page, 'form-document')
      }
      await page.getByRole('button', {name: /^Send/}).last().click()
      await page.getByRole('link', {name: /^The phone number must begin/}).waitFor()
      await check('errors that the service found, and a stored file')
      if (name === 'wide') await takeDarkScreenshot('form-errors-dark')
      await page.goto(withIssues)
      await check('issues beside the fields')
      if (name === 'wide') {
        await page.locator('#kycData-documents-0-expirationDate').evaluate((field: Field) => field.scrollIntoView())
        await takeScreenshot(page, 'form-corrections')
      } else await takeScreenshot(page, 'form-telephone')
      await page.goto(bank)
      await check('a bank account')
      if (name !== 'wide') return
      await page.goto(`${business}?step=all`)
      await check('a business on one page', [first])
      await page.goto(`${business}?step=5`)
      await check('a step of a business')
      await page.goto(`${fresh}0`)
      await check('a link that does not work', [first])
    },
  )

  it('can be reached by keyboard in reading order', async () => {
    const {fresh} = await links()
    const page = await newPage(browser())
    await page.goto(fresh)
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()')
    const walk = async (count: number) => {
      const visited: unknown[] = []
      for (let at = 0; at < count; at++) {
        await page.keyboard.press('Tab')
        visited.push(await focused())
      }
      return visited
    }
    const fields = ['kycData-legalFirstName', 'kycData-legalMiddleName', 'kycData-legalLastName']
    const [skip, ...reached] = await walk(7)
    expect(skip).toBe('Skip to the form')
    expect(reached.slice(0, 5).map((text) => /Step \d/.exec(String(text))?.[0])).toEqual(
      [1, 2, 3, 4, 5].map((step) => `Step ${step}`),
    )
    expect(reached[5]).toBe(fields[0])
    await page.locator('.skip').press('Enter')
    expect(await walk(3)).toEqual(fields)
    expect(await page.evaluate('document.documentElement.lang')).toBe('en')
  })

  it('describe each field with its rules and its error', async () => {
    const {fresh} = await links()
    const page = await newPage(browser())
    await page.goto(`${fresh}?step=5`)
    await fill(page, {'kycData.documents[0].frontIdImage': {...image(), buffer: Buffer.from('small')}})
    await page.locator('.wrong:visible').waitFor()
    const tree = await page.locator('.field', {has: page.getByLabel('Image of the front')}).ariaSnapshot()
    expect(tree).toContain('100 KB to 10 MB')
    expect(tree).toContain('The image of the front is not a JPG, PNG or PDF file')
  })
})
