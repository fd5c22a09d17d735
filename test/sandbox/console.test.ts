// The console of the sandbox: who is let in, how its actions are protected and what they do, and that a page shows one true state.
import http from 'node:http'
import {describe, expect, it} from 'vitest'
import {badSettings} from '../../src/errors.ts'
import type {Sandbox} from '../../src/sandbox/sandbox.ts'
import type {JournalSource} from '../../src/web/console/source.ts'
import {enterPage} from '../support/entrance.ts'
import {seeded} from '../support/transactions.ts'
import {sendRequest, serveTemporary} from './http/serving.ts'
import {createCustomer, noon, openTemporary, querySql, temporaryFile, zoe} from './open.ts'

const address = 'http://localhost'

// The page of the clock, unless another is named.
async function open(sandbox: Sandbox, at = '/console/clock', init: RequestInit = {}) {
  const headers = {accept: 'text/html,application/xhtml+xml,*/*;q=0.8'}
  const response = await sandbox.fetch(new Request(address + at, {headers, ...init}))
  const html = await response.text()
  const strip = (part: string) =>
    part
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
  return {
    status: response.status,
    headers: response.headers,
    html,
    // What a person reads, without tags.
    text: strip(html),
    notice: strip(/id="notice"[^>]*>([^]*?)<\/div>/.exec(html)?.[1] ?? ''),
    csrf: /name="csrf" value="([^"]*)"/.exec(html)?.[1] ?? '',
    rows: [...html.matchAll(/<th scope="row"/g)].length,
  }
}

const post = (sandbox: Sandbox, at: string, input: Record<string, string>) =>
  open(sandbox, at, {method: 'POST', body: new URLSearchParams(input)})

// Opens the page and posts one of its forms, as a browser without JavaScript does.
const act = async (sandbox: Sandbox, at: string, name: string, input: Record<string, string> = {}) =>
  post(sandbox, at, {csrf: (await open(sandbox)).csrf, do: name, ...input})

describe('the pages', () => {
  it('show what happens next, reveal no key, set no cookie, cannot be framed, and are not logged', async () => {
    const sandbox = openTemporary({frameAncestors: ['http://localhost:3000']})
    const {status, html, text, headers} = await open(sandbox)
    expect([status, headers.get('set-cookie')]).toEqual([200, null])
    expect(text).toContain('2026-11-15 12:00:00')
    expect(html).toMatch(/id="queue"[^]*(verification|settle)/)
    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/,
    )
    expect(html).not.toMatch(/<script(?! src=)|style="|onclick/)
    expect(html).not.toContain(sandbox.apiKey)
    expect(sandbox.requests.last(10)).toEqual([])
    for (const accept of ['application/json', '*/*'])
      expect((await open(sandbox, '/', {headers: {accept}})).status).toBe(401)
  })

  it('offer to freeze a clock that runs, and to run a frozen one', async () => {
    const sandbox = openTemporary()
    const list = async () =>
      [...(await open(sandbox)).html.matchAll(/name="do" value="(freeze|run)"/g)].map(([, name]) => name)
    sandbox.clock.run()
    expect(await list()).toEqual(['freeze'])
    sandbox.clock.freeze()
    expect(await list()).toEqual(['run'])
  })

  it('stay in a folder of their own, which no cookie of another sandbox opens', async () => {
    const served = await serveTemporary()
    const accept = 'text/html'
    const {url, cookie} = await enterPage(served.consoleUrl)
    const folder = new URL(url).pathname
    const get = (at: string, headers: Record<string, string>, from = served) => sendRequest(from, 'GET', at, {headers})
    // Every link and form of every page stays in the folder of the console, to which the cookie is sent.
    for (const at of [folder, `${folder}console/clock`]) {
      const page = await get(at, {accept, cookie})
      expect(page.status).toBe(200)
      const links = [...page.text.matchAll(/ (?:href|action)="([^"#]+)"/g)].map(
        ([, link = '']) => new URL(link, served.url + at),
      )
      const own = links.filter(({origin, pathname}) => origin === served.url && !/^\/(assets|forms)\//.test(pathname))
      expect(own.length).toBeGreaterThan(5)
      expect(own.filter(({pathname}) => !pathname.startsWith(folder))).toEqual([])
    }
    // Inside, it is a page for any client, also where there is none.
    const missing = await get(`${folder}nosuch`, {accept: '*/*', cookie})
    expect([missing.status, missing.text]).toEqual([404, expect.stringContaining('The console has no such page.')])
    expect((await get('/nosuch', {accept, cookie})).text).not.toContain('The console')
    const other = await serveTemporary()
    const foreign = new URL((await enterPage(other.consoleUrl)).url).pathname
    expect((await get(foreign, {accept, cookie}, other)).status).toBe(403)
    // An action without the cookie or of another origin is refused before its body is read, the rest of which never comes.
    for (const [at, headers] of [
      ['/console/clock', {}],
      [`${folder}console/clock`, {}],
      [`${folder}console/clock`, {cookie, origin: 'http://127.0.0.1:1'}],
    ] as const) {
      const status = await new Promise((resolve, reject) => {
        const more = {...headers, 'content-length': '1000000'}
        const request = http.request(served.url + at, {method: 'POST', agent: false, headers: more})
        request.on('error', reject)
        request.on('response', ({statusCode}) => {
          resolve(statusCode)
          request.destroy()
        })
        request.write('csrf=')
      })
      expect(status).toBe(403)
    }
  })

  it('escape everything that customers and callers entered', async () => {
    const sandbox = openTemporary()
    const attack = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`
    const {customerId} = await createCustomer(sandbox, {kycData: {legalFirstName: attack}})
    sandbox.money.addAccount({customerId: zoe, type: 'SVC_CRYPTO_WALLET', nickname: attack})
    await sandbox.fetch(new Request(`${address}/${encodeURIComponent(attack)}?q=${attack}`))
    const customer = await open(sandbox, `/console/customer?id=${customerId}`)
    const refused = await act(sandbox, `/console/account?id=${encodeURIComponent(attack)}`, 'fund', {amount: attack})
    for (const {html} of [customer, refused]) expect(html).not.toMatch(/<script>alert|<img/)
    expect(customer.html).toContain('&lt;script&gt;alert(1)')
  })

  it('are lists with search and pages, of the truth while the sandbox lets its lists lag', async () => {
    const sandbox = openTemporary()
    sandbox.faults.setBehaviours({listLagSeconds: 1_000_000})
    for (const [at, rows] of [
      ['customers?q=zo%C3%AB', 1],
      ['customers?status=NEEDS_ADDITIONAL_INFORMATION', 5],
      ['customers?q=AML_MATCH', 1],
      ['customers?q=nobody', 0],
      [`transactions?q=${seeded.awaiting}`, 1],
      [`accounts?customer=${seeded.customer}`, 9],
      ['transactions', 50],
      // An address that somebody mistyped leads to the first page.
      ['transactions?page=nonsense', 50],
    ] as const)
      expect([at, (await open(sandbox, `/console/${at}`)).rows]).toEqual([at, rows])
    const [, next = ''] = /rel="next" href="([^"]+)"/.exec((await open(sandbox, '/console/transactions')).html) ?? []
    expect((await open(sandbox, next.replaceAll('&amp;', '&'))).rows).toBe(15)
    for (const path of ['customer', 'account', 'transaction', 'rule', 'event', 'journal'])
      expect([path, (await open(sandbox, `/console/${path}?id=..%2F%3Cb%3E`)).status]).toEqual([path, 404])
  })
})

describe('an action of the console', () => {
  it('does nothing without the CSRF token of the page, or on another page', async () => {
    const sandbox = openTemporary()
    const advance = {do: 'advance', duration: '1h'}
    for (const csrf of ['', 'x', (await open(openTemporary())).csrf])
      expect((await post(sandbox, '/console/clock', {...advance, csrf})).status).toBe(403)
    expect((await open(sandbox, '/console/clock?do=advance&duration=1h')).status).toBe(200)
    for (const [at, status] of [
      ['/console/customers', 405],
      [`/console/customer?id=${zoe}`, 404],
      ['/console/nothing', 404],
    ] as const)
      expect((await act(sandbox, at, 'advance', {duration: '1h'})).status).toBe(status)
    expect(sandbox.clock.status().now).toBe(noon.toISOString())
  })

  it('moves the clock, deposits money and settles a transaction, and redirects to its page', async () => {
    const sandbox = openTemporary()
    const page = await act(sandbox, '/console/clock', 'advance', {duration: '90m'})
    expect([page.status, page.headers.get('location')]).toEqual([303, '/console/clock?done=advance'])
    expect(sandbox.clock.status().now).toBe('2026-11-15T13:30:00.000Z')
    expect((await open(sandbox, '/console/clock?done=advance')).notice).toBe('The clock was advanced.')
    await act(sandbox, '/console/clock', 'run')
    expect(sandbox.clock.status().frozen).toBe(false)
    await act(sandbox, '/console/clock', 'freeze')
    expect(sandbox.clock.status().frozen).toBe(true)
    const {paymentAccountId} = sandbox.money.addAccount({customerId: zoe, type: 'SVC_CRYPTO_WALLET'})
    await act(sandbox, `/console/account?id=${paymentAccountId}`, 'fund', {amount: '2.5', currency: 'USDC'})
    expect(sandbox.money.balance(paymentAccountId, 'USDC')).toBe('2.50')
    const at = `/console/transaction?id=${seeded.awaiting}`
    expect((await act(sandbox, at, 'settle', {outcome: 'expired'})).status).toBe(303)
    expect((await open(sandbox, at)).text).toContain('Expired')
  })
})

describe('the journal', () => {
  const payment = {
    key: 'rent-<b>11</b>',
    state: 'UNKNOWN',
    customerId: seeded.customer,
    transactionId: seeded.processing,
    source: {sourcePaymentAccountId: seeded.wallet, sourceAmount: '12.50', sourceCurrency: 'USDC'},
    createdAt: '2026-11-15T11:00:00.000Z',
    history: [{at: '2026-11-15T11:00:02.000Z', what: 'ARMED', detail: {attempt: 1}}],
  }
  const journal: JournalSource = {
    listPayments: async () => [payment],
    listOpenPayments: async () => [payment],
    listDealtWith: async () => new Set(),
    findPayment: async (key) => (key === payment.key ? payment : undefined),
    findPaymentOf: async (id) => (id === seeded.processing ? payment : undefined),
  }

  it('is that of this sandbox, and has a list, a page with its history, and links from its transaction', async () => {
    const asked: unknown[] = []
    const openJournal = (serviceIds: readonly string[]) => {
      asked.push(serviceIds)
      return journal
    }
    const sandbox = openTemporary({openJournal, url: 'http://127.0.0.1:4010'})
    const list = await open(sandbox, '/console/journal?state=UNKNOWN&q=rent')
    expect((await open(sandbox, '/console/journal?q=wage')).rows).toBe(0)
    expect(list.text).toMatch(/rent-&lt;b&gt;11&lt;\/b&gt; Unknown 12\.50 USDC Zoë Ångström/)
    expect(asked[0]).toEqual([expect.stringMatching(/^sandbox:.*sandbox\.db#/), 'http://127.0.0.1:4010'])
    const {text} = await open(sandbox, `/console/payment?key=${encodeURIComponent(payment.key)}`)
    expect(text).toMatch(/svc journal settle.*2026-11-15 11:00:02/)
    const transaction = await open(sandbox, `/console/transaction?id=${seeded.processing}`)
    expect(transaction.html).toContain('/console/payment?key=rent')
  })

  it('that cannot be read is one sentence on the page', async () => {
    const fail = async () => Promise.reject(badSettings('The journal cannot be read', 'Move it away'))
    const broken = Object.fromEntries(Object.keys(journal).map((name) => [name, fail])) as unknown as JournalSource
    const sandbox = openTemporary({openJournal: () => broken})
    for (const at of ['/console/journal', '/console/payment?key=x', '/', `/console/transaction?id=${seeded.awaiting}`])
      expect([at, (await open(sandbox, at)).text]).toEqual([at, expect.stringContaining('The journal cannot be read.')])
  })

  it('may take its time: the page shows one state of the sandbox, whatever changes meanwhile', async () => {
    const file = temporaryFile()
    let isSlow = false
    const findPaymentOf = async () => {
      if (isSlow) querySql(file, "update customers set name = 'Changed' returning seq")
      return undefined
    }
    const sandbox = openTemporary({file, openJournal: () => ({...journal, findPaymentOf})})
    const at = `/console/transaction?id=${seeded.awaiting}`
    const {html} = await open(sandbox, at)
    isSlow = true
    expect((await open(sandbox, at)).html).toBe(html)
    expect((await open(sandbox, at)).html).toContain('Changed')
  })
})
