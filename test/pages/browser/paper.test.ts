// The page of a report, which is a file, as a browser shows and prints it.
import fs from 'node:fs'
import path from 'node:path'
import type {Page} from 'playwright-core'
import {expect, it} from 'vitest'
import {browserForAll, hasChromium} from '../../support/browser.ts'
import {inSandbox, pay, payWithUnknownOutcome} from '../../support/payments.ts'
import {freshHome, run} from '../../support/svc.ts'
import {findViolations} from './accessibility.ts'
import {newPage} from './sandbox.ts'
import {takeScreenshot} from './screenshots.ts'

// A4 without the margins of 14 mm, in pixels of CSS.
const paper = {width: 688, height: 1016}
const a4 = /\/MediaBox \[0 0 59[45](\.\d+)? 84[12](\.\d+)?\]/g
const pagesMax = 2

async function writePage() {
  const home = freshHome()
  await pay(home, 'rent', '1500', '--quiet')
  await pay(home, 'lost', '10.01', '--quiet')
  await run(home, ['sandbox', 'clock', 'advance', '8d', '--quiet'])
  await pay(home, 'food', '250.3333', '--quiet')
  await run(home, ['sandbox', 'clock', 'until-idle', '--quiet'])
  await payWithUnknownOutcome(home, 'insurance', '20')
  await run(home, ['report', ...inSandbox, '--out', 'report.html'])
  return fs.readFileSync(path.join(home.folder, 'report.html'), 'utf8')
}

// What is wider than the place that it has. Headers of tables and labels of drawings may reach into a gap.
const findCut = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('main, .card, .table, pre, p, dd, td, details')]
    .filter((each) => each.clientWidth > 0 && (each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 2))
    .map((each) => each.outerHTML.slice(0, 80))`)

const browser = browserForAll()

it.runIf(hasChromium)(
  'the page of a report prints on a few sheets of A4, and can be read on every screen',
  async () => {
    const page = await newPage(browser(), {viewport: paper})
    await page.setContent(await writePage())
    await page.emulateMedia({media: 'print'})
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)')
    expect(await findCut(page)).toEqual([])
    await takeScreenshot(page, 'report-paper')
    const pdf = (await page.pdf({preferCSSPageSize: true})).toString('latin1')
    expect(pdf.match(a4)?.length).toBeGreaterThanOrEqual(1)
    expect(pdf.match(a4)?.length).toBeLessThanOrEqual(pagesMax)
    for (const [width, colorScheme] of [
      [390, 'dark'],
      [1_280, 'light'],
    ] as const) {
      await page.setViewportSize({width, height: 900})
      await page.emulateMedia({media: 'screen', colorScheme})
      expect([width, await findViolations(page)]).toEqual([width, []])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0)
    }
    await takeScreenshot(page, 'report')
  },
)
