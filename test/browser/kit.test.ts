// The page of all parts that the pages are made of, as `npm run kit` writes it.
import {describe, expect, it} from 'vitest'
import {renderKit} from '../../scripts/kit.ts'
import {browserForAll, hasChromium} from '../support/browser.ts'
import {findViolations} from './accessibility.ts'
import {newPage} from './sandbox.ts'

const widths = [390, 768, 1_280]

describe.runIf(hasChromium)('the page of all parts', () => {
  const browser = browserForAll()

  it.each(['light', 'dark'] as const)(
    'has no accessibility violations and fits every screen, %s',
    async (colorScheme) => {
      const page = await newPage(browser(), {viewport: {width: 1_280, height: 900}})
      await page.setContent(renderKit())
      await page.emulateMedia({colorScheme})
      for (const width of widths) {
        await page.setViewportSize({width, height: 900})
        expect([width, await findViolations(page)]).toEqual([width, []])
        expect([width, await page.evaluate('document.documentElement.scrollWidth - innerWidth')]).toEqual([width, 0])
      }
      // Every part was really drawn.
      for (const part of [
        '.card',
        '.figure',
        'table.list',
        'svg',
        '.timeline',
        '.facts',
        '.field',
        '.failure',
        '.none',
      ]) {
        expect([part, await page.locator(part).first().isVisible()]).toEqual([part, true])
      }
    },
  )
})
