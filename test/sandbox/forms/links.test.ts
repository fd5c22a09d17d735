// Links to the hosted forms and how they are protected: expiry, seals, CSRF tokens, headers, and the request log.
import {describe, expect, it} from 'vitest'
import {createCustomer, openTemporary, readCustomer, temporaryFile} from '../open.ts'
import {sendRequest, serveTemporary} from '../http/serving.ts'
import {
  completeKycForm,
  readCsrf,
  toFormData,
  getPage,
  individual,
  getLink,
  postForm,
  sendForm,
  readTitle,
} from './fill-form.ts'

const dayMs = 86_400_000

describe('a link', () => {
  it('works for thirty days of the virtual clock; then it says that it has expired and accepts nothing', async () => {
    const sandbox = openTemporary()
    const customer = await createCustomer(sandbox, individual)
    const link = getLink(customer)
    const csrf = readCsrf(await getPage(sandbox, link))
    sandbox.clock.advance(30 * dayMs)
    expect((await getPage(sandbox, link)).status).toBe(200)
    sandbox.clock.advance(dayMs)
    const page = await getPage(sandbox, link)
    expect(page.status).toBe(410)
    expect(readTitle(page)).toBe('This link has expired · Sandbox')
    expect((await postForm(sandbox, link, {...completeKycForm, csrf})).status).toBe(410)
    const now = await readCustomer(sandbox, customer.customerId)
    expect(now.customerStatus).toBe('CREATED')
    expect((await getPage(sandbox, getLink(now))).status).toBe(200)
  })

  it('stays the same for a day and changes the next day', async () => {
    const sandbox = openTemporary()
    const customer = await createCustomer(sandbox, individual)
    sandbox.clock.advance(dayMs / 3)
    expect(getLink(await readCustomer(sandbox, customer.customerId))).toBe(getLink(customer))
    sandbox.clock.advance(dayMs)
    expect(getLink(await readCustomer(sandbox, customer.customerId))).not.toBe(getLink(customer))
  })

  it('cannot be guessed, extended, or used for another kind of form', async () => {
    const sandbox = openTemporary()
    const link = getLink(await createCustomer(sandbox, individual))
    const [token = '', day = '', seal = ''] = link.split('/').at(-1)?.split('.') ?? []
    const createLink = (segment: string, kind = 'verify') => `https://forms.sandbox.invalid/${kind}/${segment}`
    const later = (Number.parseInt(day, 36) + 1).toString(36)
    for (const wrong of [
      createLink(token),
      createLink(`${token}.${later}.${seal}`),
      createLink(`${token}.${day}.${'0'.repeat(16)}`),
      createLink(`${token}.${day}.${seal}.x`),
      createLink(`${token}.${day}`),
      createLink(`form_000000000000000000000000.${day}.${seal}`),
      createLink(`${token}.${day}.${seal}`, 'bank-account'),
      `${link}/nothing`,
    ]) {
      const page = await getPage(sandbox, wrong)
      expect([wrong, page.status, readTitle(page)]).toEqual([wrong, 404, 'This link does not work · Sandbox'])
    }
  })
})

describe('a posted form', () => {
  it('must carry the CSRF token of the page of its link', async () => {
    const sandbox = openTemporary()
    const [mine, yours] = [await createCustomer(sandbox, individual), await createCustomer(sandbox, individual)]
    const csrf = readCsrf(await getPage(sandbox, getLink(yours)))
    for (const forged of [{}, {csrf: ''}, {csrf}, {csrf: 'x'.repeat(64)}]) {
      const page = await postForm(sandbox, getLink(mine), {...completeKycForm, ...forged})
      expect([page.status, readTitle(page)]).toEqual([403, 'This form cannot be accepted · Sandbox'])
    }
    expect(await readCustomer(sandbox, mine.customerId)).toMatchObject({customerStatus: 'CREATED'})
  })

  it('must be a form; other methods are rejected with those that are allowed', async () => {
    const sandbox = openTemporary()
    const link = getLink(await createCustomer(sandbox, individual))
    const asJson = new Request(link, {method: 'POST', body: '{}', headers: {'content-type': 'application/json'}})
    expect((await sandbox.fetch(asJson)).status).toBe(400)
    const put = await sandbox.fetch(new Request(link, {method: 'PUT', body: ''}))
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    const head = await sandbox.fetch(new Request(link, {method: 'HEAD'}))
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('gets an error page if it is larger than the interface allows', async () => {
    const served = await serveTemporary()
    const {customers} = JSON.parse((await sendRequest(served, 'GET', '/customers')).text) as {
      customers: {verificationLink: string; customerStatus: string}[]
    }
    const link = customers.find(({customerStatus}) => customerStatus === 'CREATED')?.verificationLink ?? ''
    const huge = new Blob(Array.from({length: 101}, () => Buffer.alloc(1024 * 1024)))
    const response = await fetch(link, {
      method: 'POST',
      body: toFormData({'kycData.documents[0].frontIdImage': new File([huge], 'x')}),
    })
    expect(response.status).toBe(413)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain('larger than 104857600 bytes')
  })
})

describe('every page', () => {
  it('has headers that isolate it, and is not stored by browsers or caches', async () => {
    const sandbox = openTemporary()
    const link = getLink(await createCustomer(sandbox, individual))
    for (const page of [
      await getPage(sandbox, link),
      await getPage(sandbox, `${link}0`),
      await postForm(sandbox, link, {}),
    ]) {
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; " +
          "form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
      })
      expect(page.headers.get('set-cookie')).toBeNull()
      expect(page.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('can be framed by the allowed origins only', async () => {
    const sandbox = openTemporary({frameAncestors: ['http://localhost:3000', 'https://shop.example']})
    const page = await getPage(sandbox, getLink(await createCustomer(sandbox, individual)))
    expect(page.headers.get('content-security-policy')).toContain(
      'frame-ancestors http://localhost:3000 https://shop.example;',
    )
  })
})

describe('the log of requests', () => {
  it('records form requests without their tokens and without what was entered', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const link = getLink(await createCustomer(sandbox, individual))
    await sendForm(sandbox, link, {...completeKycForm, 'kycData.phoneNumber': 'nine-nine'})
    const log = sandbox.requests.last(10)
    expect(log.map(({method, path, status}) => [method, path, status])).toEqual([
      ['POST', '/customers', 200],
      ['GET', '/verify/…', 200],
      ['POST', '/verify/…', 400],
    ])
    expect(JSON.stringify(log)).not.toMatch(/Vard|nine-nine|Naust|form_/)
  })
})

describe('the forms on a port', () => {
  it('need no API key, and reject other hosts and other origins', async () => {
    const served = await serveTemporary()
    const {customers} = JSON.parse((await sendRequest(served, 'GET', '/customers')).text) as {
      customers: {verificationLink: string}[]
    }
    const link = customers[0]?.verificationLink ?? ''
    const path = link.slice(served.url.length)
    expect(path).toMatch(/^\/forms\/verify\//)
    expect((await fetch(link)).status).toBe(200)
    const status = async (headers: Record<string, string>) => (await sendRequest(served, 'GET', path, {headers})).status
    expect(await status({authorization: '', host: 'evil.example'})).toBe(403)
    expect(await status({authorization: '', origin: 'https://evil.example'})).toBe(403)
    expect(await status({authorization: '', origin: 'null'})).toBe(403)
  })
})
