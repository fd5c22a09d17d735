// The pages of the console over a sandbox: lists with search and paging, and details with timelines.
import {describe, expect, it} from 'vitest'
import type {JournalSource} from '../../../src/web/console/source.ts'
import {badSettings} from '../../../src/errors.ts'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {createQuoteBody, seeded} from '../../support/transactions.ts'
import {call, createCustomer, openTemporary, temporaryFile} from '../open.ts'
import {executeSql} from '../service/webhooks/receiver.ts'

interface Page {
  status: number
  html: string
  // The visible text, without tags.
  text: string
}

async function open(sandbox: Sandbox, at: string, init: RequestInit = {}): Promise<Page & {location: string | null}> {
  const response = await sandbox.fetch(new Request(`http://localhost${at}`, {headers: {accept: 'text/html'}, ...init}))
  const html = await response.text()
  const text = html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
  return {status: response.status, html, text, location: response.headers.get('location')}
}

const countRows = ({html}: Page) => [...html.matchAll(/<th scope="row"/g)].length

async function createTransaction(sandbox: Sandbox): Promise<string> {
  const {body: quote} = (await call(sandbox, 'POST', '/quotes', createQuoteBody('25', 'wallet', 'sepaAccount'))) as {
    body: {quoteId: string}
  }
  const response = await sandbox.fetch(
    new Request('http://localhost/transactions', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sandbox.apiKey}`,
        'x-idempotency-key': 'one',
        'content-type': 'application/json',
      },
      body: JSON.stringify({quoteId: quote.quoteId}),
    }),
  )
  return ((await response.json()) as {transactionId: string}).transactionId
}

describe('a list', () => {
  it('is searched by several words and by status, and says what was searched', async () => {
    const sandbox = openTemporary()
    const found = await open(sandbox, '/console/customers?q=zo%C3%AB')
    expect([countRows(found), found.text.includes('Zoë Ångström')]).toEqual([1, true])
    expect(found.text).toContain('1 customer of the 24 that were searched.')
    expect(countRows(await open(sandbox, '/console/customers?status=NEEDS_ADDITIONAL_INFORMATION'))).toBe(5)
    expect(countRows(await open(sandbox, '/console/customers?q=AML_MATCH'))).toBe(1)
    expect((await open(sandbox, '/console/customers?q=nobody')).text).toContain('No customer matches.')
    expect(countRows(await open(sandbox, `/console/transactions?q=${seeded.awaiting}`))).toBe(1)
    expect(countRows(await open(sandbox, '/console/accounts?q=prairie'))).toBeGreaterThan(3)
    expect(countRows(await open(sandbox, `/console/accounts?customer=${seeded.customer}`))).toBe(9)
  })

  it('is read page by page', async () => {
    const sandbox = openTemporary()
    const first = await open(sandbox, '/console/transactions')
    expect([countRows(first), first.text.includes('50 transactions, newest first.')]).toEqual([50, true])
    const [, next = ''] = /rel="next" href="([^"]+)"/.exec(first.html) ?? []
    const second = await open(sandbox, next.replaceAll('&amp;', '&'))
    expect(countRows(second)).toBe(15)
    expect(second.html).toContain('>Newest</a>')
    const wrong = await open(sandbox, '/console/transactions?page=nonsense')
    // An address that somebody mistyped leads to the first page.
    expect([wrong.status, countRows(wrong), wrong.html.includes('>Newest</a>')]).toEqual([200, 50, true])
    expect(countRows(await open(sandbox, '/console/accounts?page=50'))).toBeGreaterThan(10)
  })

  it('shows the truth while the sandbox lets its lists lag', async () => {
    const sandbox = openTemporary()
    sandbox.faults.setBehaviours({listLagSeconds: 1_000_000})
    expect(countRows(await open(sandbox, '/console/transactions'))).toBe(50)
  })
})

describe('the page of an item', () => {
  it('shows the statuses of a transaction, and links to its customer and accounts', async () => {
    const sandbox = openTemporary()
    const id = await createTransaction(sandbox)
    sandbox.clock.advance(3_600_000)
    const {text, html} = await open(sandbox, `/console/transaction?id=${id}`)
    expect(text).toMatch(
      /The service made it: Created 2026-11-15 12:00:00 Processing 2026-11-15 12:00:0\d Completed 2026-11-15 12:10:0\d 22\.71 EUR by SEPA arrived\./,
    )
    expect(text).toContain('The money arrived.')
    expect(text).toMatch(/Fees in it 0\.\d+ USDC of the service/)
    expect(text).toContain('Rate 1 USDC = 0.919524 EUR')
    expect(html).toContain(`/console/customer?id=${seeded.customer}`)
    expect(html).toContain(`/console/account?id=${seeded.wallet}&amp;customer=${seeded.customer}`)
    expect(text).toMatch(/From Zoë Ångström, \S+… ?\S+ SOLANA/)
    expect(text).not.toContain(seeded.wallet)
    const account = await open(sandbox, `/console/account?id=${seeded.wallet}&customer=${seeded.customer}`)
    expect(account.html).toContain(`/console/transaction?id=${id}`)
    expect(account.text).toMatch(/Balance [\d,.]+ USDC/)
  })

  it('says what to send and where, while a transaction waits for money, and not afterwards', async () => {
    const sandbox = openTemporary()
    const waiting = await open(sandbox, `/console/transaction?id=${seeded.awaiting}`)
    expect(waiting.text).toMatch(/It waits for money from outside\. Next: Send the money as the instructions say\./)
    expect(waiting.text).toMatch(/What to do now Send 120\.00 USD by ACH until .* Account number \d+ .*Arrival 119/)
    sandbox.money.settle(seeded.awaiting, 'expired')
    const expired = await open(sandbox, `/console/transaction?id=${seeded.awaiting}`)
    expect(expired.text).toMatch(/It expired, since the money did not come in time/)
    expect(expired.text).not.toMatch(/What to do now|Account number|Arrival/)
  })

  it('does not exist for an unknown id, and is a GET only', async () => {
    const sandbox = openTemporary()
    for (const path of ['customer', 'account', 'transaction', 'rule', 'event'])
      expect([path, (await open(sandbox, `/console/${path}?id=..%2F%3Cb%3E`)).status]).toEqual([path, 404])
    expect((await open(sandbox, '/console/customers', {method: 'POST', body: ''})).status).toBe(405)
    // Without a journal there is no page for it.
    expect((await open(sandbox, '/console/journal')).status).toBe(404)
  })

  it('shows an event, and how its deliveries stand', async () => {
    const sandbox = openTemporary()
    sandbox.webhooks.add({url: 'http://localhost:3000/hook'})
    const {customerId} = await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'secret@example.com'})
    sandbox.verification.force(customerId, {outcome: 'approved'})
    const events = await open(sandbox, '/console/events')
    const [, event = ''] = /href="(\/console\/event\?id=[^"]+)"/.exec(events.html) ?? []
    expect((await open(sandbox, event)).text).toMatch(
      /customer\.updated Pending Somebody made the customer change with a control of the sandbox\./,
    )
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
    history: [
      {at: '2026-11-15T11:00:00.000Z', what: 'INTENDED'},
      {at: '2026-11-15T11:00:02.000Z', what: 'ARMED', detail: {attempt: 1}},
    ],
  }
  const asked: unknown[] = []
  const journal: JournalSource = {
    listPayments: async () => [payment],
    listOpenPayments: async () => [payment],
    listDealtWith: async () => new Set(),
    findPayment: async (key) => (key === payment.key ? payment : undefined),
    findPaymentOf: async (id) => (id === seeded.processing ? payment : undefined),
  }

  it('has a list, a page with its history, and links from its transaction', async () => {
    const openJournal = (serviceIds: readonly string[]) => {
      asked.push(serviceIds)
      return journal
    }
    const sandbox = openTemporary({openJournal, url: 'http://127.0.0.1:4010'})
    const list = await open(sandbox, '/console/journal?state=UNKNOWN')
    expect(list.text).toMatch(/rent-&lt;b&gt;11&lt;\/b&gt; Unknown 12\.50 USDC Zoë Ångström/)
    expect(asked[0]).toEqual([expect.stringMatching(/^sandbox:.*sandbox\.db#/), 'http://127.0.0.1:4010'])
    const at = `/console/payment?key=${encodeURIComponent(payment.key)}`
    const {text} = await open(sandbox, at)
    expect(text).toMatch(
      /Planned and written down, .* 2026-11-15 11:00:00 Written down as about to be sent 2026-11-15 11:00:02/,
    )
    expect(text).toContain('svc journal settle')
    expect((await open(sandbox, `/console/transaction?id=${seeded.processing}`)).html).toContain(
      '/console/payment?key=rent',
    )
  })

  it('that cannot be read is one sentence on the page', async () => {
    const fail = async () => Promise.reject(badSettings('The journal cannot be read', 'Move it away'))
    const broken = {
      listPayments: fail,
      listOpenPayments: fail,
      listDealtWith: fail,
      findPayment: fail,
      findPaymentOf: fail,
    }
    const sandbox = openTemporary({openJournal: () => broken})
    for (const at of [
      '/console/journal',
      '/console/payment?key=x',
      '/',
      `/console/transaction?id=${seeded.awaiting}`,
    ]) {
      expect([at, (await open(sandbox, at)).text]).toEqual([at, expect.stringContaining('The journal cannot be read.')])
    }
  })

  it('may take its time: the page shows one state of the sandbox, whatever changes meanwhile', async () => {
    const file = temporaryFile()
    let isSlow = false
    const findPaymentOf = async () => {
      if (isSlow) executeSql(file, "update customers set name = 'Changed'; update accounts set nickname = 'Changed'")
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
