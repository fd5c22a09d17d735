// The console in process: what it shows, escaping, protection of its actions, and what they do.
import http from 'node:http'
import {describe, expect, it} from 'vitest'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {createCustomer, noon, openTemporary} from '../open.ts'
import {seeded} from '../../support/transactions.ts'
import {enterPage} from '../../support/entrance.ts'
import {type Served, sendRequest, serveTemporary} from '../http/serving.ts'

async function enterConsole({consoleUrl}: Served): Promise<{folder: string; cookie: string}> {
  const {url, cookie} = await enterPage(consoleUrl)
  return {folder: new URL(url).pathname, cookie}
}

interface Page {
  status: number
  headers: Headers
  text: string
}

const address = 'http://localhost'

// The page of the clock, unless another is named.
async function openPage(sandbox: Sandbox, at = '/console/clock', init: RequestInit = {}): Promise<Page> {
  const headers = {accept: 'text/html,application/xhtml+xml,*/*;q=0.8'}
  const response = await sandbox.fetch(new Request(address + at, {headers, ...init}))
  return {status: response.status, headers: response.headers, text: await response.text()}
}

const readCsrf = ({text}: Page) => /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''

const postAction = (sandbox: Sandbox, at: string, input: Record<string, string>) =>
  openPage(sandbox, at, {method: 'POST', body: new URLSearchParams(input)})

// Opens the page and posts one of its forms, as a browser without JavaScript does.
const submitAction = async (sandbox: Sandbox, at: string, name: string, input: Record<string, string> = {}) =>
  postAction(sandbox, at, {csrf: readCsrf(await openPage(sandbox)), do: name, ...input})

const readNotice = ({text}: Page) =>
  /id="notice"[^>]*>([^]*?)<\/div>/
    .exec(text)?.[1]
    ?.replaceAll(/(?:<[^>]+>|\s)+/g, ' ')
    .trim()

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

describe('the pages', () => {
  it('show the clock and what happens next, and answer JSON clients as the API does', async () => {
    const sandbox = openTemporary()
    const page = await openPage(sandbox)
    expect(page.status).toBe(200)
    expect(page.text).toMatch(/id="queue"[^]*verification|id="queue"[^]*settle/)
    expect(page.text).toContain('2026-11-15 12:00:00')
    for (const accept of ['application/json', '*/*']) {
      expect((await openPage(sandbox, '/', {headers: {accept}})).status).toBe(401)
    }
    const authorization = `Bearer ${sandbox.apiKey}`
    expect((await openPage(sandbox, '/', {headers: {accept: 'application/json', authorization}})).status).toBe(404)
  })

  it('does not reveal the API key, sets no cookie, cannot be framed, and is not logged', async () => {
    const sandbox = openTemporary({frameAncestors: ['http://localhost:3000']})
    const {text, headers} = await openPage(sandbox)
    expect(text).not.toContain(sandbox.apiKey)
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/,
    )
    expect(text).not.toMatch(/<script(?! src=)|style="|onclick/)
    expect(sandbox.requests.last(10)).toEqual([])
  })

  it('stays in a folder of its own, which no cookie of another sandbox opens', async () => {
    const served = await serveTemporary()
    const accept = 'text/html'
    const {folder, cookie} = await enterConsole(served)
    const {status, text} = await sendRequest(served, 'GET', folder, {headers: {accept, cookie}})
    expect(status).toBe(200)
    // Every link and form of every page stays in the folder of the console, to which the cookie is sent.
    const clockUrl = new URL(`${folder}console/clock`, served.url)
    const clock = await sendRequest(served, 'GET', clockUrl.pathname, {headers: {accept, cookie}})
    for (const [page, base] of [
      [text, new URL(folder, served.url)],
      [clock.text, clockUrl],
    ] as const) {
      const links = [...page.matchAll(/ (?:href|action)="([^"#]+)"/g)].map(([, link = '']) => new URL(link, base))
      const own = links.filter(({origin, pathname}) => origin === served.url && !/^\/(assets|forms)\//.test(pathname))
      expect(own.length).toBeGreaterThan(5)
      expect(own.filter(({pathname}) => !pathname.startsWith(folder))).toEqual([])
    }
    const told = await sendRequest(served, 'GET', '/', {headers: {accept}})
    expect(told.text).toContain('a link that works once, which svc sandbox start and svc console print')
    // Inside, it is a page for any client, also where there is none.
    for (const any of ['*/*', 'application/json']) {
      const page = await sendRequest(served, 'GET', folder, {headers: {accept: any, cookie}})
      expect([page.status, page.text.includes('<h1>Overview</h1>')]).toEqual([200, true])
      const missing = await sendRequest(served, 'GET', `${folder}nosuch`, {headers: {accept: any, cookie}})
      expect([missing.status, missing.text]).toEqual([404, expect.stringContaining('The console has no such page.')])
    }
    const untold = await sendRequest(served, 'GET', '/nosuch', {headers: {accept, cookie}})
    expect([untold.status, untold.text.includes('The console')]).toEqual([404, false])
    const other = await serveTemporary()
    const elsewhere = await sendRequest(other, 'GET', folder, {headers: {accept, cookie}})
    expect([elsewhere.status, elsewhere.text.includes('Zoë')]).toEqual([404, false])
    const foreign = await enterConsole(other)
    expect((await sendRequest(other, 'GET', foreign.folder, {headers: {accept, cookie}})).status).toBe(403)
  })

  it('refuses an action without the cookie or of another origin before its body is read', async () => {
    const served = await serveTemporary()
    const {folder, cookie} = await enterConsole(served)
    for (const [path, headers] of [
      ['/console/clock', {}],
      [`${folder}console/clock`, {}],
      [`${folder}console/clock`, {cookie, origin: 'http://127.0.0.1:1'}],
    ] as const) {
      const reply = await new Promise<number | undefined>((resolve, reject) => {
        const request = http.request(served.url + path, {
          method: 'POST',
          agent: false,
          headers: {...headers, 'content-length': '1000000'},
        })
        request.on('error', reject)
        request.on('response', (response) => {
          resolve(response.statusCode)
          request.destroy()
        })
        // The rest of the body never comes.
        request.write('csrf=')
      })
      expect(reply).toBe(403)
    }
  })

  it('escapes everything that customers and callers entered', async () => {
    const sandbox = openTemporary()
    const attack = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`
    const {customerId} = await createCustomer(sandbox, {
      customerType: 'INDIVIDUAL',
      email: 'a@example.com',
      kycData: {legalFirstName: attack},
    })
    sandbox.money.addAccount({customerId: zoe, type: 'SVC_CRYPTO_WALLET', nickname: attack})
    await sandbox.fetch(new Request(`${address}/${encodeURIComponent(attack)}?q=${attack}`))
    const pages = [
      await openPage(sandbox, `/console/customer?id=${customerId}`),
      await submitAction(sandbox, `/console/account?id=${encodeURIComponent(attack)}`, 'fund', {amount: attack}),
    ]
    for (const {text} of pages) {
      expect(text).not.toContain('<script>alert')
      expect(text).not.toContain('<img')
    }
    expect(pages[0]?.text).toContain('&lt;script&gt;alert(1)')
  })
})

describe('an action of the console', () => {
  it('does nothing without the CSRF token of the page, or on another page', async () => {
    const sandbox = openTemporary()
    const advance = {do: 'advance', duration: '1h'}
    for (const csrf of ['', 'x', readCsrf(await openPage(openTemporary()))]) {
      expect((await postAction(sandbox, '/console/clock', {...advance, csrf})).status).toBe(403)
    }
    expect((await openPage(sandbox, '/console/clock?do=advance&duration=1h')).status).toBe(200)
    expect((await submitAction(sandbox, '/console/customers', 'advance', {duration: '1h'})).status).toBe(405)
    expect((await submitAction(sandbox, `/console/customer?id=${zoe}`, 'advance', {duration: '1h'})).status).toBe(404)
    expect((await openPage(sandbox, '/console/nothing', {method: 'POST', body: ''})).status).toBe(404)
    expect(sandbox.clock.status().now).toBe(noon.toISOString())
  })

  it('moves, freezes and runs the clock, and redirects to its page', async () => {
    const sandbox = openTemporary()
    const page = await submitAction(sandbox, '/console/clock', 'advance', {duration: '90m'})
    expect([page.status, page.headers.get('location')]).toEqual([303, '/console/clock?done=advance'])
    expect(sandbox.clock.status().now).toBe('2026-11-15T13:30:00.000Z')
    expect(readNotice(await openPage(sandbox, '/console/clock?done=advance'))).toBe('The clock was advanced.')
    await submitAction(sandbox, '/console/clock', 'run')
    expect(sandbox.clock.status().frozen).toBe(false)
    await submitAction(sandbox, '/console/clock', 'freeze')
    expect(sandbox.clock.status().frozen).toBe(true)
  })

  it('says why it was not done, and keeps the input', async () => {
    const sandbox = openTemporary()
    const wallet = sandbox.money.accounts(zoe).find((each) => each.paymentAccountType === 'SVC_CRYPTO_WALLET')
    const page = await submitAction(
      sandbox,
      `/console/account?id=${wallet?.paymentAccountId}&customer=${zoe}`,
      'fund',
      {
        amount: '12.50',
        currency: 'EUR',
      },
    )
    expect([page.status, readNotice(page)]).toEqual([400, expect.stringMatching(/^Not done: /)])
    expect(page.text).toMatch(/name="amount"\s+value="12.50"/)
    expect(readNotice(await submitAction(sandbox, '/console/clock', 'advance', {duration: 'soon'}))).toMatch(
      /^Not done: Duration must be a duration/,
    )
    expect(readNotice(await submitAction(sandbox, '/console/transaction?id=x', 'settle', {outcome: 'lost'}))).toBe(
      'Not done: Outcome must be one of completed, failed, cancelled, expired.',
    )
  })

  it('deposits money and settles a transaction, on the page of each', async () => {
    const sandbox = openTemporary()
    const {paymentAccountId} = sandbox.money.addAccount({
      customerId: zoe,
      type: 'SVC_CRYPTO_WALLET',
      nickname: 'Jar',
    })
    await submitAction(sandbox, `/console/account?id=${paymentAccountId}`, 'fund', {amount: '2.5', currency: 'USDC'})
    expect(sandbox.money.accounts(zoe).find(({nickname}) => nickname === 'Jar')?.balances).toMatchObject({
      USDC: expect.stringMatching(/^2\.50*$/) as string,
    })
    const at = `/console/transaction?id=${seeded.awaiting}`
    expect((await submitAction(sandbox, at, 'settle', {outcome: 'expired'})).status).toBe(303)
    expect((await openPage(sandbox, at)).text).toContain('Expired')
  })
})
