// The console of a profile: who may open it, what it asks the service for, and what it shows when the service fails.
import http from 'node:http'
import {describe, expect, it, onTestFinished} from 'vitest'
import {
  createJournalSource,
  createProfileSource,
  createRecentReads,
  findEventSource,
} from '../../../src/console/sources.ts'
import {startConsoleServer} from '../../../src/console/server.ts'
import type {JournalSource} from '../../../src/web/console/source.ts'
import {recordEvent} from '../../../src/events/record.ts'
import {openEventStore} from '../../../src/events/store.ts'
import {createPayment} from '../../features/books/build-books.ts'
import {createTestClient, closedAddress} from '../../client/raw-service.ts'
import {openSqliteJournal} from '../../../src/payments/journal/open-journal.ts'
import {enterPage, noJournal} from '../../support/entrance.ts'
import {lease} from '../../support/lease.ts'
import {enterState} from '../../support/recorded.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {hasFinalStatus, readBadEnding} from '../../../src/contract/loose.ts'
import {transactionStatuses} from '../../../src/contract/transactions.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {transaction} from '../../support/transactions.ts'

interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  html: string
  text: string
}

async function openConsole(
  url: string,
  more: {requestTimeoutMs?: number; eventsFile?: string; organization?: string; journal?: JournalSource} = {},
) {
  const {eventsFile, organization, requestTimeoutMs, journal = noJournal} = more
  const source = createProfileSource({
    client: createTestClient(url, {retriesReads: false, ...(requestTimeoutMs && {requestTimeoutMs})}),
    organization,
    title: 'Profile acme',
    note: url,
    journal,
    events: eventsFile === undefined ? undefined : findEventSource(eventsFile),
  })
  const faults: unknown[] = []
  const server = await startConsoleServer({source, port: 0, onFault: (error) => faults.push(error)})
  onTestFinished(async () => {
    await server.stop()
    expect(faults).toEqual([])
  })
  const link = server.createLink()
  const address = new URL(link)
  const send = (path: string, {method = 'GET', headers = {}}: http.RequestOptions = {}): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const request = http.request(address.origin + path, {method, headers, agent: false})
      request.on('error', reject)
      request.on('response', (response) => {
        let html = ''
        response.setEncoding('utf8').on('data', (chunk: string) => (html += chunk))
        const toText = () => html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
        response.on('end', () =>
          resolve({status: response.statusCode ?? 0, headers: response.headers, html, text: toText()}),
        )
      })
      request.end()
    })
  const {url: first, cookie} = await enterPage(link)
  const folder = new URL(first).pathname.slice(0, -1)
  const open = (path: string, {headers, method}: {method?: string; headers?: Record<string, string>} = {}) =>
    send(folder + path, {...(method && {method}), headers: {cookie, ...headers}})
  return {open, send}
}

const bankAccount = {
  paymentAccountId: 'account_1',
  paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  paymentAccountStatus: 'ACTIVE',
  customerId: customerId(7),
  bankAccountFormLink: 'https://forms.example/bank',
  externalBankAccount: {
    bankAccountOwnerName: 'Zephyrine Quill',
    bankAccountOwnerEmail: 'zephyrine@example.com',
    bankName: 'Harbour Bank',
    bankAccountMask: '****6789',
    bankAccountCurrency: {label: 'USD'},
    bankAccountPaymentMethod: 'ACH',
  },
}

const pages = ['/', '/console/customers', '/console/transactions', '/console/rules']

describe('the console of a profile', () => {
  it('is for reading only, and needs no script', async () => {
    const service = await servePayments()
    const {send, open} = await openConsole(service.url)
    expect((await open('/')).html).not.toMatch(/<script|style="| on\w+=|method="post"/)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      expect([method, (await open('/', {method})).status]).toEqual([method, 405])
    }
    expect((await open('/console/fund')).status).toBe(404)
    expect((await send('/page.css')).headers['content-type']).toMatch(/^text\/css/)
    expect((await open('/', {method: 'HEAD'})).html).toBe('')
    expect([...new Set(service.requests.map(({method}) => method))]).toEqual(['GET'])
  })

  it('shows lists and details, reads a bounded number of items, and the same ones once', async () => {
    const service = await serve(({path, query}, response) => {
      const start = Number(query.get('pageToken') ?? '0')
      const size = Number(query.get('pageSize'))
      const numbers = Array.from({length: size}, (_, index) => start + index + 1)
      const nextPageToken = String(start + size)
      if (path === '/customers')
        return reply(response, 200, {customers: numbers.map((n) => customer(n)), nextPageToken})
      if (path === '/transactions') {
        const transactions = numbers.map((n) => transaction(n, 'COMPLETED', {updatedAt: '2026-11-01T12:30:00Z'}))
        return reply(response, 200, {transactions, nextPageToken})
      }
      if (path === '/payment-accounts') return reply(response, 200, {paymentAccounts: [bankAccount]})
      if (path === '/automation-rules') return reply(response, 200, {automationRules: []})
      if (path === `/customers/${customerId(7)}`)
        return reply(response, 200, customer(7, {verificationLink: 'https://forms.example/secret'}))
      return reply(response, 404, {error: 'NOT_FOUND', message: 'There is nothing here'})
    })
    const {open} = await openConsole(service.url)
    const overview = await open('/')
    expect(overview.text).toMatch(/Profile acme.*Customers Among the newest 300\./)
    expect(overview.text).toContain('No money is under way among the newest 300.')
    expect(service.requests.length).toBe(6)
    const search = await open('/console/customers?q=Customer+299')
    expect(search.text).toMatch(
      /1 customer of the newest 300 that were searched\. Older ones were not searched: svc customers list --all/,
    )
    expect(service.requests.length).toBe(6)
    const detail = await open(`/console/customer?id=${customerId(7)}`)
    expect(detail.text).toMatch(/Customer 7 Active.*The service tells the last change only/)
    // A form that a customer fills in is not offered here.
    expect(detail.text).toContain('Harbour Bank ****6789 Active Bank account USD by ACH')
    const account = await open(`/console/account?id=account_1&customer=${customerId(7)}`)
    expect(account.text).toMatch(/Harbour Bank \*\*\*\*6789 Active.*120\.50 USD/)
    for (const {html} of [detail, account]) expect(html).not.toMatch(/forms\.example|[Zz]ephyrine/)
    expect((await open(`/console/customer?id=${customerId(8)}`)).status).toBe(404)
    const beyond = await open(`/console/customers?q=${customerId(777)}`)
    expect(beyond.html).toContain(`/console/customer?id=${customerId(777)}`)
    // The interface has no list of all accounts.
    expect((await open('/console/accounts')).status).toBe(404)
    const found = await open('/console/transaction?id=00000000-0000-4000-9000-000000000005')
    expect(found.text).toMatch(
      /120\.50 USD → 119\.50 USDC Completed The money arrived\. .*The service made it 2026-11-01 12:00:00 Completed 2026-11-01 12:30:00/,
    )
    expect(found.text).toContain('Fees in it 0.75 USD of the service, 0.25 USD of your own')
    expect(found.text).toContain('The journal of this machine has no payment of it.')
    // Who was paid is a name, a bank and last digits, and no more than that.
    expect(found.text).toMatch(/From Zephyrine Quill, Harbour Bank \*\*\*\*6789 (?!account_1)/)
    expect(found.html).not.toMatch(/zephyrine@|forms\.example/)
  })

  it.each(transactionStatuses)(
    'says of a transaction that is %s what was sent and received of it, and what was not',
    async (status) => {
      const service = await serve(({path}, response) =>
        reply(response, 200, path === '/transactions' ? {transactions: [transaction(1, status)]} : {customers: []}),
      )
      const {open} = await openConsole(service.url)
      const {text} = await open('/console/transactions')
      expect(text.includes('none of 119.50 USDC')).toBe(readBadEnding({transactionStatus: status}) !== undefined)
      expect(text.includes('none of 120.50 USD')).toBe(status === 'EXPIRED')
      expect(text.includes('120.50 USD to send')).toBe(['AWAITING_TRANSFER', 'CREATED'].includes(status))
      expect(text.includes('119.50 USDC to arrive')).toBe(!hasFinalStatus({transactionStatus: status}))
    },
  )

  it('asks only for what belongs to the organization of the profile', async () => {
    const asked: (string | null)[] = []
    const service = await serve(({query}, response) => {
      asked.push(query.get('organizationId'))
      reply(response, 200, {customers: [], transactions: []})
    })
    const organization = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
    const {open} = await openConsole(service.url, {organization})
    for (const list of ['customers', 'transactions']) await open(`/console/${list}`)
    expect([...new Set(asked)]).toEqual([organization])
  })

  it('says in one sentence that the service fails, is slow or talks nonsense', async () => {
    const failing = await serve((_, response) =>
      reply(response, 500, {error: 'INTERNAL_ERROR', message: 'Out of order'}),
    )
    const slow = await serve(() => {})
    const nonsense = await serve((_, response) => reply(response, 200, '<html>hello</html>'))
    const odd = await serve(({path}, response) => {
      const item = {customerStatus: {}, name: ['x'], transactionStatus: 7, source: 'none', destination: null, fees: []}
      const list = [item, {verificationIssues: [null, 5], createdAt: 'yesterday', trigger: 3, transactionTemplate: ''}]
      const key = {'/customers': 'customers', '/transactions': 'transactions', '/automation-rules': 'automationRules'}[
        path
      ]
      return key ? reply(response, 200, {[key]: list}) : reply(response, 200, {paymentAccounts: list})
    })
    const down = closedAddress
    for (const [url, settings] of [
      [failing.url],
      [slow.url, {requestTimeoutMs: 50}],
      [nonsense.url],
      [down],
    ] as const) {
      const {open} = await openConsole(url, settings)
      for (const page of ['/', `/console/customer?id=${customerId(1)}`]) {
        const {status, html, text} = await open(page)
        expect([url, page, status]).toEqual([url, page, 502])
        expect([...html.matchAll(/class="failure" role="alert">[^<]{20,}\.\s*</g)].length).toBeGreaterThan(0)
        expect(text).not.toMatch(/undefined|\[object|at \w+ \(/)
      }
    }
    // What both lists fail with is said once, with what to do about it.
    const unreachable = await (await openConsole(down)).open('/')
    expect([...unreachable.html.matchAll(/class="failure"/g)]).toHaveLength(1)
    expect(unreachable.text).toContain('refused the connection. Check the base URL, and that the service is running.')

    const strange = await serve(({path}, response) =>
      reply(
        response,
        200,
        path === '/customers' ? {customers: [{...customer(1), customerStatus: 'NEW'}]} : {transactions: []},
      ),
    )
    const one = await (await openConsole(strange.url)).open('/')
    expect(one.text).toMatch(/1 customer in all\. NEW 1/)

    const {open} = await openConsole(odd.url)
    for (const page of pages) {
      const {status, text} = await open(page)
      expect([page, status]).toEqual([page, 200])
      expect(text).not.toMatch(/undefined|\[object|NaN/)
    }
  })

  it('shows stored events and uses them for the timeline of a customer, and takes none that was made up for a change', async () => {
    const eventsFile = `${temporaryFolder()}/events.sqlite`
    const store = openEventStore(eventsFile)
    const madeUp = `evt_${'0'.repeat(24)}_made_up`
    for (const [status, time, id] of [
      ['UNDER_REVIEW', '10:00:00', 'evt_1'],
      ['ACTIVE', '11:30:00', 'evt_2'],
      ['REJECTED', '12:00:00', madeUp],
    ] as const) {
      const data = customer(1, {customerStatus: status})
      const body = Buffer.from(JSON.stringify({type: 'customer.updated', data}))
      const receivedAt = Date.parse(`2026-11-01T${time}Z`)
      recordEvent(store, {rawHeaders: ['webhook-id', id], body, receivedAt, verified: true}, [])
    }
    store.close()
    const service = await servePayments()
    const {open} = await openConsole(service.url, {eventsFile})
    const read = async (page: string) => (await open(page)).text
    expect(await read('/console/events')).toMatch(
      /customer\.updated \(made up\).*customer\.updated.*Active Verified.*Under review Verified/,
    )
    expect(await read('/console/event?id=evt_2')).toMatch(/customer\.updated Verified/)
    expect(await read(`/console/event?id=${madeUp}`)).toContain('It was made up with svc events trigger')
    const timeline = await read(`/console/customer?id=${customerId(1)}`)
    expect(timeline).toMatch(
      /Data sent Under review 2026-11-01 10:00:00 Reported by customer\.updated Accepted Active 2026-11-01 11:30:00/,
    )
    expect(timeline).toMatch(/Made up: Rejected.*The customer did not change\./)
  })

  it('says why a customer cannot be paid with a command, never with the link to its form', async () => {
    const issue = {code: 'DOCUMENT_EXPIRED', message: 'The passport has expired.', timestamp: '2026-11-01T12:00:00Z'}
    const states: Record<string, [object, RegExp]> = {
      [customerId(7)]: [{customerStatus: 'CREATED'}, /nobody has sent the data.* Next: .* svc customers update /],
      [customerId(8)]: [
        {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION', verificationIssues: [issue, null]},
        /the service refused some of the data\. .*The passport has expired\. DOCUMENT_EXPIRED/,
      ],
      [customerId(9)]: [
        {customerStatus: 'ACTIVE'},
        /the form of the account has not been filled in\. Next: .* svc open .* --bank-account/,
      ],
      [customerId(10)]: [{customerStatus: 'FROZEN'}, /Frozen svc does not know this status\. Next: Ask the service/],
    }
    const service = await serve(({path}, response) => {
      const [more] = states[path.split('/').at(-1) ?? ''] ?? []
      const pending = {...bankAccount, paymentAccountId: '', paymentAccountStatus: 'PENDING'}
      if (more) return reply(response, 200, customer(7, {verificationLink: 'https://forms.example/secret', ...more}))
      const lists = {paymentAccounts: [pending], transactions: [], automationRules: [], customers: []}
      return reply(response, 200, lists)
    })
    const {open} = await openConsole(service.url)
    for (const [id, [, sentence]] of Object.entries(states)) {
      const {html, text} = await open(`/console/customer?id=${id}`)
      expect(text).toMatch(sentence)
      expect(html).not.toContain('forms.example')
    }
  })
})

it('recent reads are shared for a while, and forgotten when they fail', async () => {
  let count = 0
  const reads = createRecentReads(50)
  const read = () => reads.share(['a', {b: 1}], async () => ++count)
  expect([await read(), await read()]).toEqual([1, 1])
  await expect.poll(read).toBe(2)
  await expect(reads.share(['fails'], async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await reads.share(['fails'], async () => 'again')).toBe('again')
})

it('the journal of a console puts an unknown payment on the overview, however many are newer', async () => {
  const file = `${temporaryFolder()}/journal.sqlite`
  const serviceId = 'https://api.example.com'
  const journal = openSqliteJournal(file)
  const {content} = createPayment(1)
  for (let number = 0; number <= 500; number++) {
    const {lease: held, payment} = await lease(journal, {serviceId, key: `pay-${number}`, content})
    const state = number === 0 ? 'UNKNOWN' : 'CREATED'
    // A minute ago, so that it is not taken for one that is just being paid.
    const earlier = {...payment, updatedAt: payment.updatedAt - 60_000}
    await journal.commit(held, enterState(earlier, state), {what: state})
    await journal.releaseLease(held)
  }
  await journal.close()
  const service = await servePayments()
  const source = createJournalSource([serviceId], {text: file})
  const {open} = await openConsole(service.url, {journal: source})
  expect((await source.listPayments(300)).map(({key}) => key)).not.toContain('pay-0')
  const {text} = await open('/')
  expect(text).toMatch(/Needs you.* pay-0 , 100 USDC: It was sent, and the answer was lost: it may have been paid\./)
  expect(text).toContain('svc journal settle pay-0')
})
