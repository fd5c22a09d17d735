// Links to the hosted forms and what guards them: expiry, seals, tokens against forgery, headers, and a silent log.
import {Script} from 'node:vm'
import {describe, expect, it} from 'vitest'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'
import {create, dump, openTemporary, read, temporaryFile} from '../open.ts'
import {ask, serveTemporary} from '../server/serving.ts'
import {
  business,
  completeKycForm,
  readControls,
  readCsrf,
  toFormData,
  getPage,
  imageFile,
  individual,
  getLink,
  postForm,
  sendForm,
  readSummary,
  readTitle,
} from './fill-form.ts'

const dayMs = 86_400_000

describe('a link', () => {
  it('works for thirty days of the virtual clock, then says that it has expired, and takes nothing more', async () => {
    const sandbox = openTemporary()
    const customer = await create(sandbox, individual)
    const link = getLink(customer)
    const csrf = readCsrf(await getPage(sandbox, link))
    sandbox.clock.advance(30 * dayMs)
    expect((await getPage(sandbox, link)).status).toBe(200)
    sandbox.clock.advance(dayMs)
    const page = await getPage(sandbox, link)
    expect(page.status).toBe(410)
    expect(readTitle(page)).toBe('This link has expired · Sandbox')
    expect((await postForm(sandbox, link, {...completeKycForm, csrf})).status).toBe(410)
    const now = await read(sandbox, customer.customerId)
    expect(now.customerStatus).toBe('CREATED')
    expect((await getPage(sandbox, getLink(now))).status).toBe(200)
  })

  it('is the same all day, and a new one the next day', async () => {
    const sandbox = openTemporary()
    const customer = await create(sandbox, individual)
    sandbox.clock.advance(dayMs / 3)
    expect(getLink(await read(sandbox, customer.customerId))).toBe(getLink(customer))
    sandbox.clock.advance(dayMs)
    expect(getLink(await read(sandbox, customer.customerId))).not.toBe(getLink(customer))
  })

  it('cannot be guessed, prolonged, or used for a form of another kind', async () => {
    const sandbox = openTemporary()
    const link = getLink(await create(sandbox, individual))
    const [token = '', day = '', seal = ''] = link.split('/').at(-1)?.split('.') ?? []
    const other = (piece: string, kind = 'verify') => `https://forms.sandbox.invalid/${kind}/${piece}`
    const later = (Number.parseInt(day, 36) + 1).toString(36)
    for (const wrong of [
      other(token),
      other(`${token}.${later}.${seal}`),
      other(`${token}.${day}.${'0'.repeat(16)}`),
      other(`${token}.${day}.${seal}.x`),
      other(`${token}.${day}`),
      other(`form_000000000000000000000000.${day}.${seal}`),
      other(`${token}.${day}.${seal}`, 'bank-account'),
      `${link}/nothing`,
      `${link}/file`,
    ]) {
      const page = await getPage(sandbox, wrong)
      expect([wrong, page.status, readTitle(page)]).toEqual([wrong, 404, 'This link is not known · Sandbox'])
    }
  })
})

describe('a form that is sent', () => {
  it('must carry the token of the page that belongs to its link', async () => {
    const sandbox = openTemporary()
    const [mine, yours] = [await create(sandbox, individual), await create(sandbox, individual)]
    const csrf = readCsrf(await getPage(sandbox, getLink(yours)))
    for (const forged of [{}, {csrf: ''}, {csrf}, {csrf: 'x'.repeat(64)}]) {
      const page = await postForm(sandbox, getLink(mine), {...completeKycForm, ...forged})
      expect([page.status, readTitle(page)]).toEqual([403, 'This form cannot be taken · Sandbox'])
    }
    expect(await read(sandbox, mine.customerId)).toMatchObject({customerStatus: 'CREATED'})
  })

  it('must be a form, and any other method is told what there is', async () => {
    const sandbox = openTemporary()
    const link = getLink(await create(sandbox, individual))
    const asJson = new Request(link, {method: 'POST', body: '{}', headers: {'content-type': 'application/json'}})
    expect((await sandbox.fetch(asJson)).status).toBe(400)
    const put = await sandbox.fetch(new Request(link, {method: 'PUT', body: ''}))
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    const head = await sandbox.fetch(new Request(link, {method: 'HEAD'}))
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('is answered by a page when it is larger than the interface allows', async () => {
    const served = await serveTemporary()
    const {customers} = JSON.parse((await ask(served, 'GET', '/customers')).text) as {
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
  it('comes with headers that keep it to itself, and is written nowhere', async () => {
    const sandbox = openTemporary()
    const link = getLink(await create(sandbox, individual))
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

  it('may be framed by those whom the sandbox was told to allow, and by nobody else', async () => {
    const sandbox = openTemporary({frameAncestors: ['http://localhost:3000', 'https://shop.example']})
    const page = await getPage(sandbox, getLink(await create(sandbox, individual)))
    expect(page.headers.get('content-security-policy')).toContain(
      'frame-ancestors http://localhost:3000 https://shop.example;',
    )
  })

  it('refers to a stylesheet and a script that are there for everybody', async () => {
    const sandbox = openTemporary()
    const css = await getPage(sandbox, 'http://sandbox.invalid/assets/page.css')
    expect([css.status, css.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    const js = await getPage(sandbox, 'http://sandbox.invalid/assets/form.js')
    expect([js.status, js.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(() => new Script(js.text)).not.toThrow()
    expect((await getPage(sandbox, 'http://sandbox.invalid/assets/other.js')).status).toBe(401)
  })

  it('shows what was typed as text, whatever it says', async () => {
    const sandbox = openTemporary()
    const evil = `"><script>alert('x')</script>&lt;<img src=x onerror=alert(1)>`
    for (const customer of [individual, business]) {
      const link = getLink(await create(sandbox, {...customer, firstName: evil, businessName: evil}))
      const fields = readControls(await getPage(sandbox, link))
      const texts = Object.fromEntries(
        Object.keys(fields).map((name) => [name, name === 'csrf' ? (fields['csrf'] ?? '') : evil]),
      )
      const root = customer === individual ? 'kycData' : 'kybData'
      const page = await postForm(sandbox, link, {...texts, [`${root}.<script>`]: evil, [`${root}.nothing`]: evil})
      expect(page.status).toBe(400)
      expect(page.text).not.toMatch(/<script>|<img src=x/)
      expect(page.text.match(/<script/g)).toHaveLength(1)
      const typed = readControls(page)
      for (const [name, value] of Object.entries(texts)) {
        // A choice between yes and no has no place for anything else.
        if (name in typed && !name.startsWith('kept:')) expect([name, typed[name]]).toEqual([name, value])
      }
      expect(readSummary(page).length).toBeGreaterThan(0)
    }
  })
})

describe('a file of a form that could not be taken', () => {
  const partly = {'kycData.phoneNumber': '1', 'kycData.documents[0].frontIdImage': imageFile('<b>front</b>.png')}

  async function kept(sandbox: Sandbox) {
    const customer = await create(sandbox, individual)
    const page = await sendForm(sandbox, getLink(customer), partly)
    const reference = readControls(page)['kept:kycData.documents[0].frontIdImage'] ?? ''
    return {customer, link: getLink(customer), page, reference, address: `${getLink(customer)}/file?of=${reference}`}
  }

  it('is shown by its reference, to whoever has the link and to nobody else', async () => {
    const sandbox = openTemporary()
    const {page, address, reference} = await kept(sandbox)
    expect(page.text).toContain('&lt;b&gt;front&lt;/b&gt;.png')
    expect(page.text).toContain(`/file?of=${reference}`)
    const response = await sandbox.fetch(new Request(address))
    expect(response.headers.get('content-type')).toBe('image/png')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
    expect(Buffer.from(await response.arrayBuffer())).toEqual(
      Buffer.from(await partly['kycData.documents[0].frontIdImage'].arrayBuffer()),
    )
    const other = getLink(await create(sandbox, individual))
    expect((await getPage(sandbox, `${other}/file?of=${reference}`)).status).toBe(404)
    const stolen = await sendForm(sandbox, other, {...partly, 'kept:kycData.documents[0].backIdImage': reference})
    expect(stolen.text).not.toContain('kept:kycData.documents[0].backIdImage')
  })

  it('can be left out, and is gone a day later and when the form was taken', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const {link, page, address} = await kept(sandbox)
    const dropped = await postForm(sandbox, link, {
      ...readControls(page),
      'drop:kycData.documents[0].frontIdImage': 'yes',
    })
    expect(dropped.text).not.toContain('kept:')
    sandbox.clock.advance(dayMs)
    expect((await getPage(sandbox, address)).status).toBe(404)
    const again = await sendForm(sandbox, link, {...completeKycForm, 'kycData.phoneNumber': '1'})
    expect(dump(file)).toContain('"reference"')
    expect(
      (await postForm(sandbox, link, {...readControls(again), 'kycData.phoneNumber': '+447700900123'})).status,
    ).toBe(303)
    expect(dump(file)).not.toContain('"reference"')
  })
})

describe('the log of requests', () => {
  it('tells of forms without the token that opens them, and without anything that was typed', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const link = getLink(await create(sandbox, individual))
    await sendForm(sandbox, link, {...completeKycForm, 'kycData.phoneNumber': 'nine-nine'})
    await getPage(sandbox, `${link}/file?of=earlier:kycData.documents[0].frontIdImage`)
    const log = sandbox.requests.last(10)
    expect(log.map(({method, path, status}) => [method, path, status])).toEqual([
      ['POST', '/customers', 200],
      ['GET', '/verify/…', 200],
      ['POST', '/verify/…', 400],
      ['GET', '/verify/…/file?…=…', 404],
    ])
    expect(JSON.stringify(log)).not.toMatch(/Vard|nine-nine|Naust|form_/)
  })
})

describe('the forms on a port', () => {
  it('need no API key, and answer neither foreign hosts nor foreign pages', async () => {
    const served = await serveTemporary()
    const {customers} = JSON.parse((await ask(served, 'GET', '/customers')).text) as {
      customers: {verificationLink: string}[]
    }
    const link = customers[0]?.verificationLink ?? ''
    const path = link.slice(served.url.length)
    expect(path).toMatch(/^\/forms\/verify\//)
    expect((await fetch(link)).status).toBe(200)
    const status = async (headers: Record<string, string>) => (await ask(served, 'GET', path, {headers})).status
    expect(await status({authorization: '', host: 'evil.example'})).toBe(403)
    expect(await status({authorization: '', origin: 'https://evil.example'})).toBe(403)
    expect(await status({authorization: '', origin: 'null'})).toBe(403)
  })
})
