// The documentation site in a browser, opened from a disk: accessible and still at every width, in light and dark, without
// JavaScript, with the keyboard alone, and a search that finds what is meant.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {pathToFileURL} from 'node:url'
import type {Page} from 'playwright-core'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {buildSite} from '../../scripts/site/build-site.ts'
import {loadSurface} from '../../scripts/surface.ts'
import {pageGroups} from '../../src/cli/help/groups.ts'
import {browserForAll, hasChromium} from '../support/browser.ts'
import {findViolations} from './accessibility.ts'
import {newPage} from './sandbox.ts'

const browser = browserForAll()
const widths = [390, 768, 1280]
const looks = widths.flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({width, colorScheme})))
const shownPages = ['index.html', 'tasks/pay-an-invoice.html', 'commands/customers-list.html']

let folder = ''
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-site-'))
  const {help, pjson} = await loadSurface()
  for (const [name, content] of buildSite(await help(), pjson.version).files) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), {recursive: true})
    fs.writeFileSync(path.join(folder, name), content)
  }
})
afterAll(() => fs.rmSync(folder, {recursive: true, force: true}))

const toUrl = (name: string) => pathToFileURL(path.join(folder, name)).href

// What has moved since the page was opened, as the browser measures it. 0 is nothing.
const measureShift = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    let sum = 0
    new PerformanceObserver((list) => list.getEntries().forEach(({value}) => (sum += value))).observe({type: 'layout-shift', buffered: true})
    requestAnimationFrame(() => setTimeout(() => resolve(sum), 100))
  })`)

const fits = (page: Page) => page.evaluate('document.documentElement.scrollWidth <= innerWidth')

async function search(page: Page, words: string): Promise<string[]> {
  await page.keyboard.press('/')
  await page.locator('#search').fill(words)
  await page
    .locator('#found')
    .filter({hasText: /result|Nothing/})
    .waitFor()
  return page.locator('#results [role=option] strong').allTextContents()
}

describe.runIf(hasChromium)('the documentation site', () => {
  it.each(shownPages)('has no violations, fits the screen and does not move: %s', async (name) => {
    const page = await newPage(browser())
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    for (const look of looks) {
      await page.setViewportSize({width: look.width, height: 800})
      await page.emulateMedia({colorScheme: look.colorScheme})
      await page.goto(toUrl(name))
      const found = {shift: await measureShift(page), fits: await fits(page), violations: await findViolations(page)}
      expect([look, found]).toEqual([look, {shift: 0, fits: true, violations: []}])
    }
    await page.evaluate("document.querySelector('main').prepend(document.querySelector('footer'))")
    await expect.poll(() => measureShift(page), {message: 'what moves is measured', timeout: 10_000}).toBeGreaterThan(0)
    expect(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([])
  })

  it('can be read without JavaScript: the pages in the groups of `svc docs`, and a list of everything', async () => {
    const page = await newPage(browser(), {javaScriptEnabled: false})
    await page.goto(toUrl('index.html'))
    expect(await page.locator('.pages .group').allTextContents()).toEqual([
      ...pageGroups.map(({title}) => title),
      'Commands',
    ])
    const isSeen = (locator: string) => page.locator(locator).isVisible()
    expect([await isSeen('#search'), await isSeen('#theme')]).toEqual([false, false])
    await page.locator('.pages').getByRole('link', {name: 'Pay an invoice'}).click()
    expect(await page.getByRole('heading', {level: 1}).textContent()).toBe('Pay an invoice')
    await page.setViewportSize({width: 390, height: 800})
    await page.locator('.bar').getByRole('link', {name: 'All pages'}).click()
    expect(await page.getByRole('link', {name: 'svc payouts run', exact: true}).isVisible()).toBe(true)
    await page.locator('a[href="commands/pay.html#flag-max-fee"]').click()
    expect(await page.locator('tr:target').textContent()).toContain('--max-fee')
  })

  it('shows the picture of a task in the colours that the reader has chosen', async () => {
    const page = await newPage(browser(), {colorScheme: 'light'})
    await page.goto(toUrl('tasks/pay-an-invoice.html'))
    const picture = page.getByRole('img', {name: /^A terminal: /})
    const size = await picture.boundingBox()
    expect(size?.width).toBe(Number(await picture.getAttribute('width')))
    const before = await picture.screenshot()
    await page.getByRole('button', {name: 'Switch between light and dark'}).click()
    expect(await page.evaluate('getComputedStyle(document.body).colorScheme')).toBe('dark')
    expect((await picture.screenshot()).equals(before)).toBe(false)
  })
})

describe.runIf(hasChromium)('the search of the documentation site', () => {
  it.each([
    ['pay', 'svc pay'],
    ['pay an invoice', 'Pay an invoice'],
    ['payroll', 'Pay a payroll'],
    ['possible duplicates', 'Paying once: Possible duplicates'],
    ['payouts run', 'svc payouts run'],
    ['max-fee', 'svc pay: --max-fee'],
    ['--cool-down', 'svc profiles set: --cool-down'],
    ['exit codes', 'Exit codes'],
    ['SVC_PROFILE', 'Flags and variables: SVC_PROFILE'],
    ['a.b*c(', undefined],
  ])('finds first what is meant by %s', async (words, first) => {
    const page = await newPage(browser())
    await page.goto(toUrl('index.html'))
    expect((await search(page, words))[0]).toBe(first)
  })

  it('works with the keyboard alone, and says to a screen reader how many were found and which one is chosen', async () => {
    const page = await newPage(browser())
    await page.goto(toUrl('commands/customers-list.html'))
    const field = page.getByRole('combobox', {name: 'Search the documentation'})
    await search(page, 'possible duplicates')
    expect(await page.getByRole('status').textContent()).toMatch(/^\d+ results?, arrow keys choose$/)
    expect(await findViolations(page)).toEqual([])
    expect(await field.getAttribute('aria-expanded')).toBe('true')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowDown')
    const chosen = page.getByRole('option', {selected: true})
    expect(await chosen.textContent()).toContain('Paying once: Possible duplicates')
    expect(await field.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'))
    await page.keyboard.press('Escape')
    expect(await page.locator('#results').isVisible()).toBe(false)
    await search(page, 'possible duplicates')
    await page.keyboard.press('Enter')
    await page.waitForURL(/paying-once\.html#possible-duplicates$/)
    expect(await page.getByRole('heading', {level: 1}).textContent()).toBe('Paying once')
  })
})
