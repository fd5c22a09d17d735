// How a real browser gets to the pages of svc: from the private file that it is given, with and without JavaScript.
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import type {Page} from 'playwright-core'
import {describe, expect, it, onTestFinished} from 'vitest'
import {askForYes} from '../../features/mcp/agent.ts'
import {browserForAll, hasChromium} from '../../support/browser.ts'
import {type GivenPage, createBrowserLauncher} from '../../support/browser-launcher.ts'
import {listTransactions} from '../../support/payments.ts'
import {freshHome} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'
import {seeded} from '../../support/transactions.ts'
import {findViolations} from './accessibility.ts'
import {newPage} from './sandbox.ts'

// What a command gave to the browser.
async function openByCommand(args: string[]): Promise<GivenPage> {
  const home = freshHome()
  const browser = createBrowserLauncher(home, {isSlow: true})
  const screen = onPty(home, args, {cols: 200, env: browser.env})
  onTestFinished(() => screen.kill('SIGKILL'))
  const given = await browser.readGiven()
  browser.end()
  return given
}

const toFolder = ({link}: GivenPage) => link.replace(/enter\/.*$/, '')

// The address of the page, and what the browser keeps of the link, have no secret.
async function checkAddress(page: Page, given: GivenPage): Promise<void> {
  const {pathname} = new URL(toFolder(given))
  expect(page.url()).toBe(toFolder(given))
  expect(await page.context().cookies(page.url())).toEqual([
    expect.objectContaining({
      name: 'svc-page',
      httpOnly: true,
      sameSite: 'Strict',
      path: pathname.slice(0, -1),
      expires: -1,
    }),
  ])
}

// Another server of this machine, at another port or under another name. It records the cookies that it gets.
async function serveElsewhere(html = ''): Promise<{port: number; cookies: string[]}> {
  const cookies: string[] = []
  const server = http.createServer(({headers}, response) => {
    cookies.push(headers.cookie ?? '')
    response.writeHead(200, {'content-type': 'text/html'}).end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return {port: (server.address() as AddressInfo).port, cookies}
}

describe.runIf(hasChromium)('a page that svc opens', () => {
  const browser = browserForAll()

  it.each([true, false])('asks for a yes, JavaScript: %s', async (javaScriptEnabled) => {
    const {launcher, home, paying} = await askForYes()
    const given = await launcher.readGiven()
    launcher.end()
    const before = (await listTransactions(home)).length
    const page = await newPage(browser(), {javaScriptEnabled})
    await page.goto(given.argument)
    await page.getByRole('button', {name: 'Yes, pay'}).waitFor()
    await checkAddress(page, given)
    await page.getByText('Zoë Ångström').first().waitFor()
    if (javaScriptEnabled) {
      expect(await findViolations(page)).toEqual([])
      expect(await page.evaluate('document.referrer + document.cookie')).toBe('')
    }
    // A page that is shown again is the same question.
    await page.reload()
    await page.getByRole('button', {name: 'Yes, pay'}).click()
    await page.getByRole('heading', {name: 'Yes: svc pays it now'}).waitFor()
    expect(await paying).toMatchObject({exitCode: 0})
    expect(await listTransactions(home)).toHaveLength(before + 1)
  })

  it('gives its cookie to no other server of the machine, and takes no yes from another site', async () => {
    const {launcher, home, paying} = await askForYes()
    const given = await launcher.readGiven()
    launcher.end()
    const before = (await listTransactions(home)).length
    const page = await newPage(browser())
    await page.goto(given.argument)
    await page.getByRole('button', {name: 'Yes, pay'}).waitFor()
    const proof = await page.locator('input[name=proof]').inputValue()
    const other = await serveElsewhere()
    await page.goto(`http://127.0.0.1:${other.port}/`)
    await page.goto(`http://127.0.0.1:${other.port}/enter/`)
    expect(other.cookies.join('')).toBe('')
    // Even one that knew the address and the proof.
    const form = `<form method="post" action="${toFolder(given)}"><input name="proof" value="${proof}"><button name="answer" value="yes">Win</button></form>`
    const evil = await serveElsewhere(form)
    for (const host of ['localhost', '127.0.0.1']) {
      await page.goto(`http://${host}:${evil.port}/`)
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.url() === toFolder(given)),
        page.getByRole('button', {name: 'Win'}).click(),
      ])
      expect([host, answer.status()]).toEqual([host, 403])
    }
    await page.goto(toFolder(given))
    await page.getByRole('button', {name: 'No'}).click()
    await page.getByRole('heading', {name: 'No: nothing is paid'}).waitFor()
    expect(await paying).toMatchObject({error: 'NOT_APPROVED'})
    expect(await listTransactions(home)).toHaveLength(before)
  })

  it('is the console, without JavaScript too', async () => {
    const javaScriptEnabled = false
    const given = await openByCommand(['console', '-p', 'sandbox'])
    const page = await newPage(browser(), {javaScriptEnabled})
    await page.goto(given.argument)
    await page.getByRole('heading', {level: 1, name: 'Overview'}).waitFor()
    await checkAddress(page, given)
    await page.getByRole('navigation', {name: 'Console'}).getByRole('link', {name: 'Customers'}).click()
    await page.fill('#q', 'angstrom')
    await page.keyboard.press('Enter')
    await page.getByRole('link', {name: 'Zoë Ångström'}).click()
    await page.getByRole('heading', {level: 1, name: /Zoë Ångström/}).waitFor()
    expect(page.url().startsWith(toFolder(given))).toBe(true)
    // In another browser neither the link nor the address shows anything.
    const other = await newPage(browser(), {javaScriptEnabled, locale: 'de'})
    for (const address of [given.link, toFolder(given)]) {
      expect((await other.goto(address))?.status()).toBe(403)
    }
  })

  it('is a hosted form, whose link goes on working, without JavaScript too', async () => {
    const given = await openByCommand(['open', seeded.customer, '-p', 'sandbox'])
    const page = await newPage(browser(), {javaScriptEnabled: false})
    await page.goto(given.argument)
    await page.waitForURL(given.link)
    const heading = await page.getByRole('heading', {level: 1}).textContent()
    await page.goto('about:blank')
    expect((await page.goto(given.link))?.status()).toBe(200)
    expect(await page.getByRole('heading', {level: 1}).textContent()).toBe(heading)
  })
})
