// What every endpoint of the sandbox has in common: credentials, paths, methods, bodies and the shape of errors.
import {describe, expect, it} from 'vitest'
import {errorBody} from '../../../src/contract/openapi.ts'
import {limits} from '../../../src/contract/vocabulary.ts'
import {call, listAllCustomers, openTemporary, callExpectingError, requestTo, temporaryFile} from '../open.ts'

const unauthorized = {error: 'UNAUTHORIZED', statusCode: 401}

describe('the credential', () => {
  it.each([
    ['none', undefined],
    ['another key', 'Bearer svc_sandbox_000000000000000000000000'],
    ['another scheme', 'Basic c3ZjOnN2Yw=='],
    ['an empty one', 'Bearer '],
  ])('is rejected if it is %s, before anything else is checked', async (_, authorization) => {
    const sandbox = openTemporary()
    for (const path of ['/customers?pageSize=abc', '/nowhere', '/quotes']) {
      const headers: Record<string, string> = authorization === undefined ? {} : {authorization}
      const response = await sandbox.fetch(
        new Request(`http://sandbox.invalid${path}`, {method: 'POST', headers, body: '{'}),
      )
      expect(response.status).toBe(401)
      expect(errorBody.parse(await response.json())).toMatchObject(unauthorized)
    }
  })

  it('can be a JWT that the sandbox issued, until it expires on the virtual clock', async () => {
    const sandbox = openTemporary({seed: 'jwt'})
    const {token, expiresAt} = sandbox.issueToken(15 * 60 * 1_000)
    expect(expiresAt).toBe('2026-11-15T12:15:00.000Z')
    const [header = '', claims = '', signature = ''] = token.split('.')
    const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
    expect([decode(header), decode(claims)]).toMatchObject([{alg: 'HS256'}, {exp: Date.parse(expiresAt) / 1_000}])
    const get = async (presented: string) => {
      const headers = {authorization: `Bearer ${presented}`}
      const response = await sandbox.fetch(new Request('http://sandbox.invalid/customers?pageSize=1', {headers}))
      return [response.status, ((await response.json()) as {message?: string}).message]
    }
    expect(await get(token)).toEqual([200, undefined])
    const later = Buffer.from(JSON.stringify({...decode(claims), exp: 9_999_999_999})).toString('base64url')
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
    for (const forged of [
      `${header}.${later}.${signature}`,
      `${unsigned}.${claims}.x`,
      `${header}.${claims}.${'A'.repeat(43)}`,
    ]) {
      expect(await get(forged)).toEqual([401, 'The credential is not valid'])
    }
    expect(await get(openTemporary({seed: 'other'}).issueToken(60_000).token)).toEqual([
      401,
      'The credential is not valid',
    ])
    sandbox.clock.advance(15 * 60 * 1_000 - 1)
    expect(await get(token)).toEqual([200, undefined])
    sandbox.clock.advance(1)
    expect(await get(token)).toEqual([401, 'The credential has expired'])
  })
})

describe('paths and methods', () => {
  it('answers an unknown path with NOT_FOUND', async () => {
    expect(await callExpectingError(openTemporary(), 'GET', '/nowhere')).toMatchObject({
      error: 'NOT_FOUND',
      statusCode: 404,
    })
  })

  it('answers a known path with another method with METHOD_NOT_ALLOWED, and names the allowed ones', async () => {
    const {status, headers, body} = await call(openTemporary(), 'DELETE', '/customers')
    expect({status, body}).toMatchObject({status: 405, body: {error: 'METHOD_NOT_ALLOWED'}})
    expect(headers.get('allow')).toBe('POST, GET')
  })

  it('has no endpoint that the interface does not show: accounts are not created, and rates not read, over the API', async () => {
    const sandbox = openTemporary()
    expect(await callExpectingError(sandbox, 'POST', '/payment-accounts', {})).toMatchObject({statusCode: 405})
    for (const path of ['/exchange-rates', '/exchange-rate', '/organizations', '/transactions/some-id']) {
      expect(await callExpectingError(sandbox, 'GET', path)).toMatchObject({statusCode: 404})
    }
  })

  it('ignores a version that a client asks for', async () => {
    const sandbox = openTemporary()
    const request = requestTo(sandbox, 'GET', '/customers?pageSize=1')
    for (const name of ['x-api-version', 'svc-version', 'accept-version']) request.headers.set(name, '2024-01-01')
    expect((await sandbox.fetch(request)).status).toBe(200)
  })

  it('decodes paths, and rejects those that cannot be decoded', async () => {
    const sandbox = openTemporary()
    const [first] = await listAllCustomers(sandbox)
    const id = first?.customerId ?? ''
    expect((await call(sandbox, 'GET', `/customers/${id.replace('-', '%2D')}`)).body).toMatchObject({customerId: id})
    for (const path of ['/customers/%FF', '/customers/%']) {
      expect(await callExpectingError(sandbox, 'GET', path)).toMatchObject({error: 'BAD_REQUEST', statusCode: 400})
    }
  })
})

describe('a body', () => {
  const badRequest = {error: 'BAD_REQUEST', statusCode: 400}

  it.each(['{', '', 'nonsense', '\ufffe'])('that is not JSON is rejected: %j', async (text) => {
    expect(await callExpectingError(openTemporary(), 'POST', '/customers', text)).toMatchObject(badRequest)
  })

  it('that is not UTF-8 is rejected', async () => {
    const sandbox = openTemporary()
    const request = requestTo(sandbox, 'POST', '/customers')
    const response = await sandbox.fetch(new Request(request, {method: 'POST', body: Buffer.from([0x22, 0xff, 0x22])}))
    expect(await response.json()).toMatchObject(badRequest)
  })

  it('that declares to be too large is rejected unread', async () => {
    const sandbox = openTemporary()
    const request = requestTo(sandbox, 'POST', '/customers', '{}')
    request.headers.set('content-length', String(limits.requestBytesMax + 1))
    expect((await sandbox.fetch(request)).status).toBe(413)
    expect(request.bodyUsed).toBe(false)
  })

  it('that turns out to be too large is rejected while it is read', async () => {
    const sandbox = openTemporary()
    const chunk = new Uint8Array(limits.requestBytesMax / 10)
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent++
        controller.enqueue(chunk)
      },
    })
    const request = new Request(requestTo(sandbox, 'POST', '/customers'), {method: 'POST', body, duplex: 'half'})
    const response = await sandbox.fetch(request)
    expect(errorBody.parse(await response.json())).toMatchObject({error: 'PAYLOAD_TOO_LARGE', statusCode: 413})
    expect(sent).toBeLessThan(20)
  })
})

describe('an error of the sandbox itself', () => {
  it('is reported to its operator, and to the client without details', async () => {
    const faults: unknown[] = []
    const sandbox = openTemporary({file: temporaryFile(), onFault: (error) => faults.push(error)})
    const request = requestTo(sandbox, 'POST', '/customers')
    Object.defineProperty(request, 'body', {
      get: () => {
        throw new TypeError('the secret inside')
      },
    })
    const response = await sandbox.fetch(request)
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(JSON.parse(text)).toMatchObject({error: 'INTERNAL_ERROR', statusCode: 500})
    expect(text).not.toMatch(/secret|TypeError|\.ts/)
    expect(faults).toHaveLength(1)
  })
})
