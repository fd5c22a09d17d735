// Starts a sandbox server for the browser tests, and helpers to fill in its forms.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type {Browser, BrowserContextOptions, ConsoleMessage, Dialog, Page} from 'playwright-core'
import {afterAll, beforeAll, expect, onTestFinished} from 'vitest'
import type {Customer} from '../../../src/contract/customers.ts'
import {png} from '../../features/values/images.ts'
import type {EnteredPage} from '../../support/entrance.ts'
import {givePageBack, takePage} from './pages.ts'
import {startSvc} from '../../support/running.ts'
import {type Home, createHome, spawnSvc} from '../../support/svc.ts'

export interface Running {
  // For commands on the same sandbox.
  home: Home
  url: string
  consoleUrl: string
  call: <T>(method: string, path: string, body?: unknown) => Promise<T>
  // Runs a svc command on the same sandbox.
  svc: (...args: string[]) => Promise<Record<string, unknown>>
}

type Account = {bankAccountFormLink?: string}

// Serves all tests of a file. The arguments are a function, because they may depend on other servers.
export function sandboxForAll(args: () => readonly string[] = () => []): Running {
  let ready: Record<string, string> = {}
  let kill = () => {}
  const home = createHome(fs.mkdtempSync(path.join(os.tmpdir(), 'svc-browser-')))
  beforeAll(async () => {
    const words = ['sandbox', 'start', '--port', '0', '--json', ...args()]
    const server = startSvc(home, words, {}, (stop) => (kill = stop))
    ready = await server.readReady()
  })
  afterAll(() => {
    kill()
    fs.rmSync(home.folder, {recursive: true, force: true, maxRetries: 5})
  })
  return {
    home,
    get url() {
      return ready['url'] ?? ''
    },
    get consoleUrl() {
      return ready['consoleUrl'] ?? ''
    },
    async call<T>(method: string, at: string, body?: unknown) {
      const response = await fetch(`${ready['url']}${at}`, {
        method,
        headers: {authorization: `Bearer ${ready['apiKey']}`},
        ...(body !== undefined && {body: JSON.stringify(body)}),
      })
      const value: unknown = await response.json()
      expect([response.status, value]).toEqual([200, value])
      return value as T
    },
    async svc(...words) {
      const {code, out, err} = await spawnSvc(home, [...words, '--json'])
      expect({code, err}).toMatchObject({code: 0})
      return JSON.parse(out || '{}') as Record<string, unknown>
    },
  }
}

export const newCustomer = ({call}: Running, body: object = {}) =>
  call<Customer>('POST', '/customers', {customerType: 'INDIVIDUAL', email: 'ines@example.com', ...body})

export const readStatus = async ({call}: Running, {customerId}: Customer) =>
  (await call<Customer>('GET', `/customers/${customerId}`)).customerStatus

// Adds a pending bank account and returns the link to its form. The link is read from the server, because the command
// does not know the server's address.
export async function pendingAccount({svc, call, url}: Running, customerId: string, method = 'ACH'): Promise<string> {
  const account = ['--customer', customerId, '--method', method]
  await svc('sandbox', 'accounts', 'add', '--type', 'EXTERNAL_BANK_ACCOUNT', '--pending', ...account)
  const {paymentAccounts} = await call<{paymentAccounts: Account[]}>(
    'GET',
    `/payment-accounts?customerId=${customerId}`,
  )
  const link = paymentAccounts[0]?.bankAccountFormLink ?? ''
  expect(link).toMatch(new RegExp(`^${url}/forms/bank-account/`))
  return link
}

// Opens a page without cookies, and fails the test on errors in the browser.
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await takePage(browser, {reducedMotion: 'reduce', viewport: {width: 1280, height: 720}, ...options})
  const errors: string[] = []
  const listeners = {
    pageerror: (error: Error) => errors.push(error.message),
    dialog: (dialog: Dialog) => {
      errors.push(`a dialog: ${dialog.message()}`)
      void dialog.dismiss()
    },
    // The browser logs a rejected form as an error because of its status.
    console: (message: ConsoleMessage) => {
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) errors.push(message.text())
    },
  }
  page.on('pageerror', listeners.pageerror).on('dialog', listeners.dialog).on('console', listeners.console)
  onTestFinished(async () => {
    await page.goto('about:blank')
    page.off('pageerror', listeners.pageerror).off('dialog', listeners.dialog).off('console', listeners.console)
    expect(errors).toEqual([])
    givePageBack(browser, page)
  })
  return page
}

// A link works once, so every browser of a test gets the cookie that it became.
export async function letIn(page: Page, {url, cookie}: EnteredPage): Promise<void> {
  const [name = '', value = ''] = cookie.split('=')
  const {hostname: domain, pathname} = new URL(url)
  await page.context().addCookies([{name, value, domain, path: pathname, httpOnly: true, sameSite: 'Strict'}])
}

export const image = (name = 'passport.png') => ({
  name,
  mimeType: 'image/png',
  buffer: png({width: 420, height: 297, bytes: 101 * 1024}),
})

type Values = Record<string, string | ReturnType<typeof image>>

// Fills in fields by their names in the interface, as a person could: not one that is hidden or disabled.
export async function fill(page: Pick<Page, 'locator'>, values: Values): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    const field = page.locator(`[name="${name}"]`)
    if (typeof value !== 'string') await field.setInputFiles(value)
    else if (await field.evaluate((element: {options?: unknown}) => element.options !== undefined)) {
      await field.selectOption(value)
    } else await field.fill(value)
  }
}

export const person = (path_: string, firstName = 'Ines'): Values => ({
  [`${path_}.legalFirstName`]: firstName,
  [`${path_}.legalLastName`]: 'Vardø',
  [`${path_}.phoneNumber`]: '+44 7700 900123',
  [`${path_}.dateOfBirth`]: '1990-04-23',
  [`${path_}.nationality`]: 'NO',
  [`${path_}.address.countryCode`]: 'NO',
  [`${path_}.address.streetLine1`]: 'Naustveien 3',
  [`${path_}.address.city`]: 'Ålesund',
  [`${path_}.address.postalCode`]: '6002',
  [`${path_}.documents[0].subtype`]: 'PASSPORT',
  [`${path_}.documents[0].countryCode`]: 'NO',
  [`${path_}.documents[0].documentIdNumber`]: 'X123',
  [`${path_}.documents[0].issuanceDate`]: '2022-06-01',
  [`${path_}.documents[0].expirationDate`]: '2032-06-01',
  [`${path_}.documents[0].frontIdImage`]: image(),
})
