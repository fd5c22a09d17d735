// Pages that tests use one after the other, because Chromium takes longer to open a window than most tests to use it.
import type {Browser, BrowserContextOptions, Page} from 'playwright-core'

interface IdlePage {
  page: Page
  options: BrowserContextOptions
}

const idlePages = new WeakMap<Browser, IdlePage[]>()
const optionsOfPages = new WeakMap<Page, BrowserContextOptions>()

// As in a new context: no cookies, no routes, and the look of the options.
async function reset(page: Page, {viewport, colorScheme, reducedMotion}: BrowserContextOptions): Promise<void> {
  await page.context().clearCookies()
  await page.unrouteAll()
  await page.emulateMedia({colorScheme: colorScheme ?? 'light', reducedMotion: reducedMotion ?? 'no-preference'})
  if (viewport) await page.setViewportSize(viewport)
}

// The page of an earlier test whose context has the same options, or a new one in a context of its own.
export async function takePage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const idle = idlePages.get(browser) ?? []
  const at = idle.findIndex((each) => JSON.stringify(each.options) === JSON.stringify(options))
  const [found] = at === -1 ? [] : idle.splice(at, 1)
  if (found) {
    await reset(found.page, options)
    return found.page
  }
  const context = await browser.newContext(options)
  const page = await context.newPage()
  optionsOfPages.set(page, options)
  return page
}

// For later tests. The page shows nothing any more.
export function givePageBack(browser: Browser, page: Page): void {
  const idle = idlePages.get(browser) ?? []
  idle.push({page, options: optionsOfPages.get(page) ?? {}})
  idlePages.set(browser, idle)
}
