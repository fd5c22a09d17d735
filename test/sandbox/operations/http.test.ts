// The endpoints of control over HTTP: the token, the inputs, the errors, and who may call them.
import fs from 'node:fs'
import {describe, expect, it} from 'vitest'
import {openSandbox} from '../../../src/sandbox/sandbox.ts'
import {sendRequest, serveTemporary} from '../http/serving.ts'
import {control} from './calling.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'

describe('control over HTTP', () => {
  it('reads with GET and changes with POST, and both see one sandbox', async () => {
    const server = await serveTemporary()
    const frozen = await control(server, 'POST', '/clock/freeze')
    expect(frozen).toMatchObject({status: 200, body: {frozen: true}})
    const before = Date.parse(String(frozen.body['now']))
    const advanced = await control(server, 'POST', '/clock/advance', {duration: '90s'})
    expect(Date.parse(String(advanced.body['now']))).toBe(before + 90_000)
    expect(await control(server, 'GET', '/clock')).toMatchObject({status: 200, body: {now: advanced.body['now']}})
    const reply = await sendRequest(server, 'GET', '/customers')
    expect(Date.parse(String(reply.headers['date']))).toBe(Math.floor((before + 90_000) / 1000) * 1000)
  })

  it('shows a request at once, although the server logs in batches', async () => {
    const server = await serveTemporary()
    await sendRequest(server, 'GET', '/customers?pageSize=1')
    const {body} = await control(server, 'GET', '/requests?limit=1&path=/customers')
    expect(body).toMatchObject({requests: [{method: 'GET', path: '/customers?pageSize=…', status: 200}]})
    await sendRequest(server, 'GET', '/customers?pageToken=2')
    const later = await control(server, 'GET', `/requests?after=${String(body['newest'])}`)
    expect(later.body).toMatchObject({requests: [{path: '/customers?pageToken=…'}]})
  })

  it.each([
    ['no token', {authorization: ''}, 'No control token'],
    ['another token', {authorization: `Bearer ${'x'.repeat(32)}`}, 'The control token is not valid'],
  ])('rejects %s, whatever the path', async (_, headers, message) => {
    const server = await serveTemporary()
    for (const path of ['/status', '/nowhere']) {
      const reply = await control(server, 'GET', path, undefined, headers)
      expect(reply.status).toBe(401)
      expect(Object.keys(reply.body)).toEqual(['error', 'message', 'statusCode'])
      expect(reply.body).toMatchObject({error: 'UNAUTHORIZED', message: expect.stringContaining(message) as string})
    }
  })

  it('rejects a token that would live longer than a year, and durations of any length', async () => {
    const server = await serveTemporary()
    for (const expiresIn of ['99999999999d', '367d', '9'.repeat(400)]) {
      const reply = await control(server, 'POST', '/token', {expiresIn})
      expect(reply).toMatchObject({status: 400, body: {message: expect.stringContaining('is too long') as string}})
    }
    expect((await control(server, 'POST', '/clock/advance', {duration: '9'.repeat(400)})).status).toBe(400)
  })

  it('says the API key that a reset with a seed has changed', async () => {
    const server = await serveTemporary()
    const {body} = await control(server, 'POST', '/reset', {seed: 'docs'})
    expect(body['apiKey']).not.toBe(server.apiKey)
    const later = {...server, apiKey: String(body['apiKey'])}
    expect((await sendRequest(later, 'GET', '/customers')).status).toBe(200)
    expect((await control(server, 'POST', '/reset')).body).not.toHaveProperty('apiKey')
  })

  it.each([
    ['another site', {origin: 'https://shop.example'}],
    ['another port of this machine', {origin: 'http://localhost:3000'}],
    ['a page with a hidden origin', {origin: 'null'}],
    ['another host name', {host: 'sandbox.example'}],
  ])('rejects a request of %s, although it has the token', async (_, headers) => {
    const server = await serveTemporary()
    const reply = await control(server, 'POST', '/reset', {}, headers)
    expect(reply.status).toBe(403)
    expect(Object.keys(reply.body)).toEqual(['error', 'message', 'statusCode'])
    expect(reply.body['error']).toBe('FORBIDDEN')
  })

  it.each([
    ['an unknown path', 'GET', '/nowhere', undefined, 404, 'NOT_FOUND', 'There is no endpoint at'],
    ['another method', 'GET', '/clock/advance', undefined, 405, 'METHOD_NOT_ALLOWED', 'use POST'],
    ['a missing field', 'POST', '/clock/advance', {}, 400, 'BAD_REQUEST', 'duration is required'],
    ['a misspelt field', 'POST', '/clock/freeze', {att: 'x'}, 400, 'BAD_REQUEST', 'att is not a field'],
    ['a wrong type', 'POST', '/seed', {customers: '5'}, 400, 'BAD_REQUEST', 'customers must be'],
    [
      'a delay that no timer waits',
      'POST',
      '/faults/add',
      {kind: 'delay', delayMs: 3e9},
      400,
      'BAD_REQUEST',
      'delayMs',
    ],
    ['a list as a body', 'POST', '/seed', [5], 400, 'BAD_REQUEST', 'the body must be an object'],
    ['an unknown query field', 'GET', '/requests?limits=3', undefined, 400, 'BAD_REQUEST', 'limits is not a field'],
    ['a repeated query field', 'GET', '/requests?limit=3&limit=4', undefined, 400, 'BAD_REQUEST', 'more than once'],
    ['an unknown id', 'POST', '/settle', {transactionId: 'x', outcome: 'failed'}, 404, 'NOT_FOUND', 'no transaction x'],
    [
      'an amount that is none',
      'POST',
      '/accounts/add',
      {customerId: zoe, type: 'SVC_CRYPTO_WALLET', balance: '1,5'},
      422,
      'NOT_POSSIBLE',
      '"1,5" is not an amount',
    ],
  ])('answers %s with its own error', async (_, method, path, body, status, error, message) => {
    const server = await serveTemporary()
    const reply = await control(server, method, path, body)
    expect(reply).toMatchObject({status, body: {error}})
    expect(reply.body['message']).toContain(message)
    expect(Object.keys(reply.body)).toEqual(['error', 'message', 'statusCode'])
  })

  it('rejects a body that is no JSON', async () => {
    const {
      control: {controlUrl, controlToken},
    } = await serveTemporary()
    const headers = {authorization: `Bearer ${controlToken}`}
    const reply = await fetch(`${controlUrl}/seed`, {method: 'POST', body: '{', headers})
    expect(reply.status).toBe(400)
    expect(await reply.json()).toEqual({error: 'BAD_REQUEST', message: 'the body is not valid JSON', statusCode: 400})
  })

  it('keeps the token in a file of the owner alone while the server runs, and in no other place', async () => {
    const server = await serveTemporary()
    const {controlToken} = server.control
    await control(server, 'POST', '/clock/freeze')
    await control(server, 'GET', '/requests', undefined, {authorization: 'Bearer wrong'})
    const addressFile = `${server.file}.server`
    expect((fs.statSync(addressFile).mode & 0o777).toString(8)).toBe('600')
    expect(fs.readFileSync(addressFile, 'utf8')).toBe(`${server.url}\n${controlToken}\n${addressFile}\n`)
    expect((await control(server, 'GET', '/requests')).body['requests']).toEqual([])
    const sandbox = openSandbox({file: server.file})
    expect(await sandbox.findServer()).toEqual({url: server.url, controlToken, formsUrl: `${server.url}/forms`})
    sandbox.close()
    await server.stop()
    expect(fs.existsSync(addressFile)).toBe(false)
    expect(fs.readFileSync(server.file).includes(controlToken)).toBe(false)
    expect(server.notices.join('\n')).not.toContain(controlToken)
  })
})
