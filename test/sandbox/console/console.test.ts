// The console in process: what it shows, that everything is escaped, who may press its buttons, and what they do.
import type {Command} from '@oclif/core'
import {describe, expect, it} from 'vitest'
import {commandFiles} from '../../../scripts/surface.ts'
import {globalFlags} from '../../../src/cli/flags/shared.ts'
import {actions, toActionId, viewSections} from '../../../src/sandbox/console/actions.ts'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {createCustomer, noon, openTemporary, readCustomer} from '../open.ts'
import {sendRequest, serveTemporary} from '../server/serving.ts'

interface Page {
  status: number
  headers: Headers
  text: string
}

const address = 'http://localhost'

async function visit(sandbox: Sandbox, at = '/', init: RequestInit = {}): Promise<Page> {
  const headers = {accept: 'text/html,application/xhtml+xml,*/*;q=0.8'}
  const response = await sandbox.fetch(new Request(address + at, {headers, ...init}))
  return {status: response.status, headers: response.headers, text: await response.text()}
}

const csrfIn = ({text}: Page) => /name="csrf" value="([^"]*)"/.exec(text)?.[1] ?? ''

const send = (sandbox: Sandbox, at: string, given: Record<string, string>) =>
  visit(sandbox, at, {method: 'POST', body: new URLSearchParams(given)})

// As a browser without scripts does it: opens the page, and sends one of its forms.
const press = async (sandbox: Sandbox, at: string, given: Record<string, string> = {}) =>
  send(sandbox, at, {csrf: csrfIn(await visit(sandbox)), ...given})

const saidIn = ({text}: Page) =>
  /id="said"[^>]*>([^]*?)<\/div>/
    .exec(text)?.[1]
    ?.replaceAll(/(?:<[^>]+>|\s)+/g, ' ')
    .trim()

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

describe('the console and svc sandbox', () => {
  it('can do the same things, with the same fields', async () => {
    const files = Object.entries(commandFiles()).filter(([id]) => id.startsWith('sandbox:') && id !== 'sandbox:start')
    const nameOf = (id: string) => id.replace('sandbox:', '').replaceAll(':', ' ')
    const known = [...actions.map(({command}) => command), ...Object.keys(viewSections)]
    expect(known.toSorted()).toEqual(files.map(([id]) => nameOf(id)).toSorted())
    for (const [id, file] of files) {
      const action = actions.find(({command}) => command === nameOf(id))
      if (!action) continue
      const {default: command} = (await import(file)) as {default: Command.Class}
      const flags = Object.keys(command.flags ?? {}).filter((name) => !(name in globalFlags))
      const wanted = [...Object.keys(command.args ?? {}), ...flags].toSorted()
      expect([id, action.fields.map(({name}) => name).toSorted()]).toEqual([id, wanted])
    }
  })
})

describe('the page at the root', () => {
  it('shows every section, and leaves the API to whoever asks for JSON', async () => {
    const sandbox = openTemporary()
    const page = await visit(sandbox)
    expect(page.status).toBe(200)
    for (const id of ['clock', 'queue', 'customers-table', 'accounts-table', 'transactions-table', 'rules-table'])
      expect(page.text).toContain(`id="${id}"`)
    for (const id of ['endpoints', 'deliveries', 'requests-table', 'faults-table', 'copies-table', 'magic-table'])
      expect(page.text).toContain(`id="${id}"`)
    expect(page.text).toContain('2026-11-15 12:00:00')
    for (const action of actions) expect(page.text).toContain(`id="${toActionId(action)}"`)
    for (const accept of ['application/json', '*/*']) {
      expect((await visit(sandbox, '/', {headers: {accept}})).status).toBe(401)
    }
    const authorization = `Bearer ${sandbox.apiKey}`
    expect((await visit(sandbox, '/', {headers: {accept: 'application/json', authorization}})).status).toBe(404)
  })

  it('keeps the API key to itself, sets no cookie, and stays out of frames and of the log', async () => {
    const sandbox = openTemporary({frameAncestors: ['http://localhost:3000']})
    const {text, headers} = await visit(sandbox)
    expect(text).not.toContain(sandbox.apiKey)
    expect(headers.get('set-cookie')).toBeNull()
    expect(headers.get('content-security-policy')).toMatch(
      /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/,
    )
    expect(text).not.toMatch(/<script(?! src=)|style="|onclick/)
    expect(sandbox.requests.last(10)).toEqual([])
  })

  it('is for this machine: a name or a page of another site gets nothing', async () => {
    const served = await serveTemporary()
    const accept = 'text/html'
    expect((await sendRequest(served, 'GET', '/', {headers: {accept}})).status).toBe(200)
    expect((await sendRequest(served, 'GET', '/', {headers: {accept, host: 'evil.example'}})).status).toBe(403)
    expect(
      (await sendRequest(served, 'POST', '/console/clock-run', {headers: {origin: 'https://evil.example'}})).status,
    ).toBe(403)
  })

  it('escapes whatever customers and callers wrote', async () => {
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
      await visit(sandbox, `/?customer=${customerId}`),
      await visit(sandbox, `/?customer=${encodeURIComponent(attack)}&since=${encodeURIComponent(attack)}&done=x`),
      await press(sandbox, '/console/fund', {account: attack, amount: attack}),
    ]
    for (const {text} of pages) {
      expect(text).not.toContain('<script>alert')
      expect(text).not.toContain('<img')
    }
    expect(pages[0]?.text).toContain('&lt;script&gt;alert(1)')
  })

  it('shows of a chosen customer its own accounts only, and puts it into the forms', async () => {
    const {text} = await visit(openTemporary(), `/?customer=${zoe}`)
    expect(text).toContain('Only of <strong>Zoë Ångström</strong>')
    expect(text).toMatch(new RegExp(`id="verify-customer"\\s+name="customer"\\s+value="${zoe}"`))
  })

  it('shows when rules fire next', async () => {
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
    expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)])
    const {text} = await visit(sandbox)
    expect(text).toMatch(/Every morning[^]*2026-11-16 09:00:00<\/time> \(in 21 h\)/)
  })
})

describe('a button of the console', () => {
  it('does nothing without the token of the page, and nothing when its address is loaded', async () => {
    const sandbox = openTemporary()
    for (const csrf of ['', 'x', csrfIn(await visit(openTemporary()))]) {
      expect((await send(sandbox, '/console/clock-advance', {csrf, duration: '1h'})).status).toBe(403)
    }
    expect((await visit(sandbox, '/console/clock-advance?duration=1h')).status).toBe(303)
    expect((await visit(sandbox, '/console/nothing', {method: 'POST', body: ''})).status).toBe(404)
    expect(sandbox.clock.status().now).toBe(noon.toISOString())
  })

  it('does what the command does, and sends the browser back to the page', async () => {
    const sandbox = openTemporary()
    const page = await press(sandbox, `/console/clock-advance?customer=${zoe}`, {duration: '90m'})
    expect([page.status, page.headers.get('location')]).toEqual([303, `/?customer=${zoe}&done=clock-advance#time`])
    expect(sandbox.clock.status().now).toBe('2026-11-15T13:30:00.000Z')
    expect(saidIn(await visit(sandbox, '/?done=clock-advance'))).toBe('Time has passed.')
  })

  it('says why something cannot be, and keeps what was typed', async () => {
    const sandbox = openTemporary()
    const page = await press(sandbox, '/console/fund', {account: 'pa_none', amount: '12.50'})
    expect([page.status, saidIn(page)]).toEqual([400, 'Not done: There is no payment account pa_none.'])
    expect(page.text).toMatch(/name="amount"\s+value="12.50"/)
    expect(saidIn(await press(sandbox, '/console/clock-advance', {duration: 'soon'}))).toMatch(/^Not done: By how long/)
    expect(saidIn(await press(sandbox, '/console/settle', {outcome: 'lost'}))).toBe(
      'Not done: Transaction is missing. Outcome is none of completed, failed, cancelled, expired.',
    )
  })

  it('decides a verification with codes', async () => {
    const sandbox = openTemporary()
    const {customerId} = await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'a@example.com'})
    const given = {customer: customerId, outcome: 'rejected', code: 'fraud_warning, DOCUMENT_EXPIRED', message: 'No'}
    expect((await press(sandbox, '/console/verify', given)).status).toBe(303)
    expect(await readCustomer(sandbox, customerId)).toMatchObject({
      customerStatus: 'REJECTED',
      verificationIssues: [
        {code: 'FRAUD_WARNING', message: 'No'},
        {code: 'DOCUMENT_EXPIRED', message: 'No'},
      ],
    })
  })

  it('adds accounts and money', async () => {
    const sandbox = openTemporary()
    const order = {customer: zoe, type: 'SVC_CRYPTO_WALLET', chain: 'POLYGON', balance: '5', nickname: 'Jar'}
    expect((await press(sandbox, '/console/accounts-add', order)).status).toBe(303)
    const jar = sandbox.money.accounts(zoe).find(({nickname}) => nickname === 'Jar')
    await press(sandbox, '/console/fund', {account: jar?.paymentAccountId ?? '', amount: '2.5', currency: 'USDT'})
    expect(sandbox.money.accounts(zoe).find(({nickname}) => nickname === 'Jar')?.balances).toEqual({
      USDC: expect.stringMatching(/^5(\.0+)?$/) as string,
      USDT: expect.stringMatching(/^2\.50*$/) as string,
    })
  })

  it('adds and clears faults, and sets how the service behaves', async () => {
    const sandbox = openTemporary()
    const fault = {kind: 'status', method: 'GET', path: '/customers', times: '2', status: '429', 'retry-after': '3'}
    await press(sandbox, '/console/faults-add', {...fault, delay: '2s', probability: '0.5'})
    expect(sandbox.faults.list()).toMatchObject([
      {kind: 'status', method: 'GET', times: 2, status: 429, retryAfterSeconds: 3, delayMs: 2000, probability: 0.5},
    ])
    await press(sandbox, '/console/faults-set', {idempotency: 'forget-after-30m', 'list-lag': '2m', tier: 'builder'})
    expect(sandbox.faults.behaviours()).toMatchObject({
      idempotency: 'forget-after-30m',
      listLagSeconds: 120,
      tier: 'builder',
    })
    await press(sandbox, '/console/faults-set', {reset: 'yes'})
    expect(sandbox.faults.behaviours()).toMatchObject({idempotency: 'replay', tier: 'standard'})
    await press(sandbox, '/console/faults-clear', {id: sandbox.faults.list()[0]?.faultId ?? ''})
    expect(sandbox.faults.list()).toEqual([])
  })

  it('adds and removes webhook endpoints, on this machine unless told otherwise', async () => {
    const sandbox = openTemporary()
    const url = 'http://localhost:3000/hooks'
    await press(sandbox, '/console/webhooks-add', {url, duplicate: '2', reorder: 'yes'})
    expect(sandbox.webhooks.list()).toMatchObject([{url, copies: 2, reorder: true}])
    expect((await press(sandbox, '/console/webhooks-add', {url: 'https://example.com/'})).status).toBe(400)
    const {text} = await visit(sandbox)
    for (const {secret} of sandbox.webhooks.list({showSecrets: true})) expect(text).not.toContain(secret)
    await press(sandbox, '/console/webhooks-remove', {id: sandbox.webhooks.list()[0]?.endpointId ?? ''})
    expect(sandbox.webhooks.list()).toEqual([])
  })

  it('saves a copy, shows what has changed since, and goes back', async () => {
    const sandbox = openTemporary()
    await press(sandbox, '/console/snapshot-save', {name: 'before'})
    await press(sandbox, '/console/seed', {customers: '3'})
    expect((await visit(sandbox, '/?since=before')).text).toMatch(/id="difference"[^]*customers<\/th>\s*<td>3<\/td>/)
    await press(sandbox, '/console/snapshot-restore', {name: 'before'})
    expect((await visit(sandbox, '/?since=before')).text).toContain('Nothing has changed since before.')
  })

  it('resets only where that is confirmed', async () => {
    const sandbox = openTemporary()
    await press(sandbox, '/console/seed', {customers: '1'})
    const total = () => Object.values(sandbox.status().customers).reduce((sum, count) => sum + count, 0)
    expect((await press(sandbox, '/console/reset')).status).toBe(400)
    expect(total()).toBe(25)
    expect((await press(sandbox, '/console/reset', {sure: 'yes', seed: 'again'})).status).toBe(303)
    expect([total(), sandbox.status().seedGiven]).toEqual([24, true])
  })
})
