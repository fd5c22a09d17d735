// The console in process: what it shows, escaping, protection of its actions, and what they do.
import http from 'node:http'
import {describe, expect, it} from 'vitest'
import {loadSurface} from '../../../scripts/surface.ts'
import {controlFlags, globalFlags} from '../../../src/cli/flags/shared.ts'
import {actions, toActionId, viewSections} from '../../../src/sandbox/console/actions.ts'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {createCustomer, noon, openTemporary, readCustomer} from '../open.ts'
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

// The page of the controls, unless another is named.
async function openPage(sandbox: Sandbox, at = '/console/sandbox', init: RequestInit = {}): Promise<Page> {
  const headers = {accept: 'text/html,application/xhtml+xml,*/*;q=0.8'}
  const response = await sandbox.fetch(new Request(address + at, {headers, ...init}))
  return {status: response.status, headers: response.headers, text: await response.text()}
}

const readCsrf = ({text}: Page) => /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''

const postAction = (sandbox: Sandbox, at: string, input: Record<string, string>) =>
  openPage(sandbox, at, {method: 'POST', body: new URLSearchParams(input)})

// Opens the page and posts one of its forms, as a browser without JavaScript does.
const submitAction = async (sandbox: Sandbox, at: string, input: Record<string, string> = {}) =>
  postAction(sandbox, at, {csrf: readCsrf(await openPage(sandbox)), ...input})

const readNotice = ({text}: Page) =>
  /id="notice"[^>]*>([^]*?)<\/div>/
    .exec(text)?.[1]
    ?.replaceAll(/(?:<[^>]+>|\s)+/g, ' ')
    .trim()

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

describe('the console and svc sandbox', () => {
  it('offer the same actions with the same fields', async () => {
    // The console shows no credential, takes and writes no files, such as a logo, and does not read the journal.
    const branding = ['clear', 'set', 'show'].map((verb) => `sandbox:branding:${verb}`)
    const ofCommandsOnly = new Set(['sandbox:start', 'sandbox:token', 'sandbox:document', ...branding])
    const {load} = await loadSurface()
    const commands = Object.entries(load).filter(([id]) => id.startsWith('sandbox:') && !ofCommandsOnly.has(id))
    const toCommand = (id: string) => id.replace('sandbox:', '').replaceAll(':', ' ')
    const known = [...actions.map(({command}) => command), ...Object.keys(viewSections)]
    expect(known.toSorted()).toEqual(commands.map(([id]) => toCommand(id)).toSorted())
    for (const [id, read] of commands) {
      const action = actions.find(({command}) => command === toCommand(id))
      if (!action) continue
      const {default: command} = await read()
      // The console knows no profiles.
      const ofCommandOnly = id === 'sandbox:faults:set' ? ['like'] : []
      const flags = Object.keys(command.flags ?? {}).filter(
        (name) => !(name in globalFlags) && !(name in controlFlags) && !ofCommandOnly.includes(name),
      )
      const expected = [...Object.keys(command.args ?? {}), ...flags].toSorted()
      expect([id, action.fields.map(({name}) => name).toSorted()]).toEqual([id, expected])
    }
  })
})

describe('the pages', () => {
  it('show every section of the controls, and answer JSON clients as the API does', async () => {
    const sandbox = openTemporary()
    const page = await openPage(sandbox)
    expect(page.status).toBe(200)
    for (const id of ['clock', 'queue', 'endpoints', 'deliveries', 'faults-table', 'snapshots-table', 'magic-table'])
      expect(page.text).toContain(`id="${id}"`)
    // What has a page of its own is not repeated.
    expect(page.text).not.toContain('Zoë')
    expect(page.text).toContain('2026-11-15 12:00:00')
    for (const action of actions) expect(page.text).toContain(`id="${toActionId(action)}"`)
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

  it('rejects other host names and other origins', async () => {
    const served = await serveTemporary()
    const {folder, cookie} = await enterConsole(served)
    const headers = {accept: 'text/html', cookie}
    expect((await sendRequest(served, 'GET', folder, {headers})).status).toBe(200)
    expect((await sendRequest(served, 'GET', folder, {headers: {...headers, host: 'evil.example'}})).status).toBe(403)
    for (const origin of ['https://evil.example', 'http://127.0.0.1:1', 'null']) {
      const reply = await sendRequest(served, 'POST', `${folder}console/clock-run`, {headers: {...headers, origin}})
      expect(reply.status).toBe(403)
    }
  })

  it('is shown, and does anything, only with the cookie that a link becomes, once', async () => {
    const served = await serveTemporary()
    const accept = 'text/html'
    const {folder, cookie} = await enterConsole(served)
    const {status, text} = await sendRequest(served, 'GET', folder, {headers: {accept, cookie}})
    expect(status).toBe(200)
    // Every link and form of every page stays in the folder of the console, to which the cookie is sent.
    const controlsUrl = new URL(`${folder}console/sandbox`, served.url)
    const controls = await sendRequest(served, 'GET', controlsUrl.pathname, {headers: {accept, cookie}})
    expect(controls.text).toContain('action="reset"')
    for (const [page, base] of [
      [text, new URL(folder, served.url)],
      [controls.text, controlsUrl],
    ] as const) {
      const links = [...page.matchAll(/ (?:href|action)="([^"#]+)"/g)].map(([, link = '']) => new URL(link, base))
      const own = links.filter(({origin, pathname}) => origin === served.url && !/^\/(assets|forms)\//.test(pathname))
      expect(own.length).toBeGreaterThan(10)
      expect(own.filter(({pathname}) => !pathname.startsWith(folder))).toEqual([])
    }
    const link = new URL(served.consoleUrl).pathname
    for (const [path, headers] of [
      ['/', {}],
      ['/', {cookie}],
      ['/console/customers', {cookie}],
      [folder, {}],
      [folder, {cookie: `${cookie}x`}],
      [folder, {cookie: 'svc-page='}],
      [`${folder}console/sandbox`, {}],
      [link, {}],
      [link, {cookie}],
    ] as const) {
      const refused = await sendRequest(served, 'GET', path, {headers: {accept, ...headers}})
      expect([path, refused.status, refused.headers['set-cookie']]).toEqual([path, 403, undefined])
      expect(refused.text).not.toMatch(/csrf|Zoë|@example/)
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
    for (const list of ['transactions', 'customers']) {
      const path = `${folder}console/${list}?page=-1`
      const first = await sendRequest(served, 'GET', path, {headers: {accept, cookie}})
      expect([list, first.status, first.text.includes('<th scope="row"')]).toEqual([list, 200, true])
    }
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
      ['/console/reset', {}],
      [`${folder}console/reset`, {}],
      [`${folder}console/reset`, {cookie, origin: 'http://127.0.0.1:1'}],
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
      await openPage(sandbox, `/console/sandbox?customer=${encodeURIComponent(attack)}&done=x`),
      await submitAction(sandbox, '/console/fund', {account: attack, amount: attack}),
    ]
    for (const {text} of pages) {
      expect(text).not.toContain('<script>alert')
      expect(text).not.toContain('<img')
    }
    expect(pages[0]?.text).toContain('&lt;script&gt;alert(1)')
  })

  it('fills a selected customer into the forms', async () => {
    const {text} = await openPage(openTemporary(), `/console/sandbox?customer=${zoe}`)
    expect(text).toMatch(new RegExp(`id="verify-customer"\\s+name="customer"\\s+value="${zoe}"`))
  })

  it('shows when a rule fires next', async () => {
    const sandbox = openTemporary()
    const accounts = sandbox.money.accounts(zoe)
    const wallet = accounts.find((a) => a.paymentAccountType === 'SVC_CRYPTO_WALLET')
    const bank = accounts.find((a) => a.externalBankAccount?.bankAccountPaymentMethod === 'ACH')
    const reply = await sandbox.fetch(
      new Request(`${address}/automation-rules`, {
        method: 'POST',
        headers: {authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json'},
        body: JSON.stringify({
          name: 'Every morning',
          customerId: zoe,
          transactionTemplate: {
            source: {
              sourcePaymentAccountId: wallet?.paymentAccountId,
              sourceCurrency: 'USDC',
              sourcePaymentMethod: wallet?.svcCryptoWallet?.address?.chain,
            },
            destination: {
              destinationPaymentAccountId: bank?.paymentAccountId,
              destinationCurrency: 'USD',
              destinationPaymentMethod: 'ACH',
            },
            amount: {type: 'FLAT', value: '10'},
          },
          trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * *'},
        }),
      }),
    )
    expect(reply.status).toBe(200)
    const {id} = (await reply.json()) as {id: string}
    const {text} = await openPage(sandbox, `/console/rule?id=${id}`)
    expect(text).toMatch(/Every morning[^]*Next: [^<]*2026-11-16[ T]09:00/)
  })
})

describe('an action of the console', () => {
  it('does nothing without the CSRF token of the page, or when its address is opened', async () => {
    const sandbox = openTemporary()
    for (const csrf of ['', 'x', readCsrf(await openPage(openTemporary()))]) {
      expect((await postAction(sandbox, '/console/clock-advance', {csrf, duration: '1h'})).status).toBe(403)
    }
    expect((await openPage(sandbox, '/console/clock-advance?duration=1h')).status).toBe(303)
    expect((await openPage(sandbox, '/console/nothing', {method: 'POST', body: ''})).status).toBe(404)
    expect(sandbox.clock.status().now).toBe(noon.toISOString())
  })

  it('does what the command does, and redirects to the page', async () => {
    const sandbox = openTemporary()
    const page = await submitAction(sandbox, `/console/clock-advance?customer=${zoe}`, {duration: '90m'})
    const location = new URL(page.headers.get('location') ?? '', `${address}/console/clock-advance`)
    expect([page.status, location.href]).toEqual([
      303,
      `${address}/console/sandbox?customer=${zoe}&done=clock-advance#time`,
    ])
    expect(sandbox.clock.status().now).toBe('2026-11-15T13:30:00.000Z')
    expect(readNotice(await openPage(sandbox, '/console/sandbox?done=clock-advance'))).toBe('The clock was advanced.')
  })

  it('says why it was not done, and keeps the input', async () => {
    const sandbox = openTemporary()
    const page = await submitAction(sandbox, '/console/fund', {account: 'pa_none', amount: '12.50'})
    expect([page.status, readNotice(page)]).toEqual([400, 'Not done: There is no payment account pa_none.'])
    expect(page.text).toMatch(/name="amount"\s+value="12.50"/)
    expect(readNotice(await submitAction(sandbox, '/console/clock-advance', {duration: 'soon'}))).toMatch(
      /^Not done: Duration is not valid/,
    )
    expect(readNotice(await submitAction(sandbox, '/console/settle', {outcome: 'lost'}))).toBe(
      'Not done: Transaction is missing. Outcome must be one of completed, failed, cancelled, expired.',
    )
  })

  it('forces the outcome of a verification with issue codes', async () => {
    const sandbox = openTemporary()
    const {customerId} = await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'a@example.com'})
    const input = {customer: customerId, outcome: 'rejected', code: 'fraud_warning, DOCUMENT_EXPIRED', message: 'No'}
    expect((await submitAction(sandbox, '/console/verify', input)).status).toBe(303)
    expect(await readCustomer(sandbox, customerId)).toMatchObject({
      customerStatus: 'REJECTED',
      verificationIssues: [
        {code: 'FRAUD_WARNING', message: 'No'},
        {code: 'DOCUMENT_EXPIRED', message: 'No'},
      ],
    })
  })

  it('adds accounts and deposits money', async () => {
    const sandbox = openTemporary()
    const order = {customer: zoe, type: 'SVC_CRYPTO_WALLET', chain: 'POLYGON', balance: '5', nickname: 'Jar'}
    expect((await submitAction(sandbox, '/console/accounts-add', order)).status).toBe(303)
    const jar = sandbox.money.accounts(zoe).find(({nickname}) => nickname === 'Jar')
    await submitAction(sandbox, '/console/fund', {
      account: jar?.paymentAccountId ?? '',
      amount: '2.5',
      currency: 'USDT',
    })
    expect(sandbox.money.accounts(zoe).find(({nickname}) => nickname === 'Jar')?.balances).toEqual({
      USDC: expect.stringMatching(/^5(\.0+)?$/) as string,
      USDT: expect.stringMatching(/^2\.50*$/) as string,
    })
  })

  it('adds and removes faults, and sets behaviours', async () => {
    const sandbox = openTemporary()
    const fault = {
      kind: 'status',
      method: 'GET',
      path: '/customers',
      times: '2',
      status: '429',
      'retry-after': '3',
      'commit-after': '90s',
    }
    await submitAction(sandbox, '/console/faults-add', {...fault, delay: '2s', probability: '0.5'})
    expect(sandbox.faults.list()).toMatchObject([
      {
        kind: 'status',
        method: 'GET',
        times: 2,
        status: 429,
        retryAfterSeconds: 3,
        delayMs: 2000,
        probability: 0.5,
        commitAfterMs: 90_000,
      },
    ])
    await submitAction(sandbox, '/console/faults-set', {
      idempotency: 'forget-after-30m',
      'list-lag': '2m',
      'list-order': 'oldest-first',
      'date-skew': '-5m',
      'transaction-outcome': 'failed',
      tier: 'builder',
    })
    expect(sandbox.faults.behaviours()).toMatchObject({
      idempotency: 'forget-after-30m',
      listLagSeconds: 120,
      listOrder: 'oldest-first',
      dateSkewSeconds: -300,
      transactionOutcome: 'failed',
      tier: 'builder',
    })
    await submitAction(sandbox, '/console/faults-set', {reset: 'yes'})
    expect(sandbox.faults.behaviours()).toMatchObject({idempotency: 'replay', tier: 'standard'})
    await submitAction(sandbox, '/console/faults-clear', {id: sandbox.faults.list()[0]?.faultId ?? ''})
    expect(sandbox.faults.list()).toEqual([])
  })

  it('adds and removes webhook endpoints, on this machine only by default', async () => {
    const sandbox = openTemporary()
    const url = 'http://localhost:3000/hooks'
    await submitAction(sandbox, '/console/webhooks-add', {url, duplicate: '2', reorder: 'yes'})
    expect(sandbox.webhooks.list()).toMatchObject([{url, copies: 2, reorder: true}])
    expect((await submitAction(sandbox, '/console/webhooks-add', {url: 'https://example.com/'})).status).toBe(400)
    const {text} = await openPage(sandbox)
    for (const {secret} of sandbox.webhooks.list({showSecrets: true})) expect(text).not.toContain(secret)
    await submitAction(sandbox, '/console/webhooks-remove', {id: sandbox.webhooks.list()[0]?.endpointId ?? ''})
    expect(sandbox.webhooks.list()).toEqual([])
  })

  it('saves a snapshot, and restores it', async () => {
    const sandbox = openTemporary()
    await submitAction(sandbox, '/console/snapshot-save', {name: 'before'})
    await submitAction(sandbox, '/console/seed', {customers: '3'})
    await submitAction(sandbox, '/console/snapshot-restore', {name: 'before'})
    expect(Object.values(sandbox.status().customers).reduce((sum, count) => sum + count, 0)).toBe(24)
  })

  it('resets only if that is confirmed', async () => {
    const sandbox = openTemporary()
    await submitAction(sandbox, '/console/seed', {customers: '1'})
    const total = () => Object.values(sandbox.status().customers).reduce((sum, count) => sum + count, 0)
    expect((await submitAction(sandbox, '/console/reset')).status).toBe(400)
    expect(total()).toBe(25)
    expect((await submitAction(sandbox, '/console/reset', {confirm: 'yes', seed: 'again'})).status).toBe(303)
    expect([total(), sandbox.status().seedGiven]).toEqual([24, true])
  })
})
