// The operations of control: each works with its inputs and has the result of its schema, as a command and over HTTP, for whoever has
// the token and for nobody else.
import fs from 'node:fs'
import {describe, expect, it} from 'vitest'
import manifest from '../../../oclif.manifest.json' with {type: 'json'}
import {controlPrefix} from '../../../src/sandbox/operations/constants.ts'
import {getMethod} from '../../../src/sandbox/operations/define.ts'
import {buildControlDocument} from '../../../src/sandbox/operations/openapi.ts'
import {createCall, getOperation, operationNames} from '../../../src/sandbox/operations/operations.ts'
import {createInputSchema, createOutputSchema} from '../../../src/sandbox/operations/schema-kit.ts'
import {type Served, sendRequest, serveTemporary} from '../http/serving.ts'
import {call as callService, createCustomer, dumpTables, openTemporary, temporaryFile, zoe} from '../open.ts'
import {listInputs} from './inputs.ts'

async function control(server: Served, line: string, body?: unknown, headers: Record<string, string> = {}) {
  const [method = '', path = ''] = line.split(' ')
  const asControl = {...server, apiKey: server.control.controlToken}
  const reply = await sendRequest(asControl, method, controlPrefix + path, {body, headers})
  return {...reply, body: JSON.parse(reply.text) as Record<string, unknown>}
}

// What {name} in an example stands for: the last field of that name in a result.
function createMemory() {
  const texts = new Map<string, string>()
  const add = (value: unknown): void => {
    for (const [name, inner] of Object.entries(Object(value) as object)) {
      if (typeof inner === 'string') texts.set(name, inner)
      else add(inner)
    }
  }
  const fillIn = (example: object): unknown =>
    JSON.parse(JSON.stringify(example), (_, value: unknown) => {
      const [, name] = /^\{(\w+)\}$/.exec(typeof value === 'string' ? value : '') ?? []
      return name === undefined ? value : texts.get(name)
    })
  return {add, fillIn}
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0

describe('the operations of control', () => {
  it('are the commands of the sandbox, except those that only make sense on this machine, and are documented', () => {
    const commands = Object.keys(manifest.commands)
      .filter((id) => id.startsWith('sandbox:'))
      .map((id) => id.replace('sandbox:', '').replaceAll(':', '.'))
    // `svc events list` shows the events.
    const expected = [...operationNames.filter((name) => name !== 'webhooks.events'), 'start', 'document']
    expect(commands.toSorted()).toEqual(expected.toSorted())
    const {paths} = buildControlDocument('https://sandbox.service.invalid')
    const documented = Object.entries(paths).flatMap(([at, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${at}`),
    )
    expect(documented).toEqual(
      operationNames.map((name) => `${getMethod(getOperation(name))} /${name.replaceAll('.', '/')}`),
    )
  })

  it('have results of the shape of the OpenAPI document, and change nothing if they are reads', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const call = createCall(sandbox)
    const memory = createMemory()
    // What a list has no item of says nothing about the schema of its items.
    const withoutItems: string[] = []
    for (const name of operationNames) {
      const {input: fields, output, isRead} = getOperation(name)
      // Nothing falls due between two looks.
      await call('clock.freeze', {})
      // Again for each, since an earlier one may have removed everything: a request, an endpoint, and an event for it.
      await callService(sandbox, 'GET', '/customers')
      sandbox.webhooks.add({url: 'http://localhost:9/hook'})
      sandbox.verification.force((await createCustomer(sandbox)).customerId, {outcome: 'rejected'})
      for (const example of listInputs(name)) {
        const {data: input, error} = createInputSchema(fields).safeParse(memory.fillIn(example))
        expect(error, `${name}: its first example, or its line in inputs.ts, has what it requires`).toBeUndefined()
        const before = dumpTables(file)
        const result: unknown = JSON.parse(JSON.stringify(await call(name, input as never)))
        memory.add(result)
        if (isRead) expect({name, tables: dumpTables(file)}).toEqual({name, tables: before})
        expect({name, result: createOutputSchema(output).parse(result)}).toEqual({name, result})
        if (Object.values(result as object).some(isEmptyList)) withoutItems.push(name)
      }
      // What waits for money expires when the clock moves.
      if (name.startsWith('clock.')) sandbox.reset()
    }
    expect(withoutItems).toEqual([])
  })
})

describe('control over HTTP', () => {
  it('reads with GET and changes with POST, and both see one sandbox', async () => {
    const server = await serveTemporary()
    const frozen = await control(server, 'POST /clock/freeze')
    expect(frozen).toMatchObject({status: 200, body: {frozen: true}})
    const later = Date.parse(String(frozen.body['now'])) + 90_000
    const now = new Date(later).toISOString()
    expect(await control(server, 'POST /clock/advance', {duration: '90s'})).toMatchObject({body: {now}})
    expect(await control(server, 'GET /clock')).toMatchObject({status: 200, body: {now}})
    const {headers} = await sendRequest(server, 'GET', '/customers?pageSize=1')
    expect(Date.parse(String(headers['date']))).toBe(Math.floor(later / 1000) * 1000)
    // At once, although the server logs in batches.
    const {body} = await control(server, 'GET /requests?limit=1&path=/customers')
    expect(body).toMatchObject({requests: [{method: 'GET', path: '/customers?pageSize=…', status: 200}]})
    await sendRequest(server, 'GET', '/customers?pageToken=2')
    const since = await control(server, `GET /requests?after=${String(body['newest'])}`)
    expect(since.body).toMatchObject({requests: [{path: '/customers?pageToken=…'}]})
  })

  it('says the API key that a reset with a seed has changed', async () => {
    const server = await serveTemporary()
    const {body} = await control(server, 'POST /reset', {seed: 'docs'})
    expect(body['apiKey']).not.toBe(server.apiKey)
    const later = {...server, apiKey: String(body['apiKey'])}
    expect((await sendRequest(later, 'GET', '/customers')).status).toBe(200)
    expect((await control(server, 'POST /reset')).body).not.toHaveProperty('apiKey')
  })

  const unauthorized = '401 UNAUTHORIZED'
  const bad = '400 BAD_REQUEST'
  const tooLong = ['99999999999d', '367d', '9'.repeat(400)]
  const wallet = {customerId: zoe, type: 'SVC_CRYPTO_WALLET'}

  it.each([
    ['no token', 'GET /status', undefined, unauthorized, 'No control token', {authorization: ''}],
    ['no token at any path', 'GET /nowhere', undefined, unauthorized, 'No control token', {authorization: ''}],
    ['another token', 'GET /status', undefined, unauthorized, 'is not valid', {authorization: 'Bearer xxxxxxxx'}],
    ['another site', 'POST /reset', {}, '403 FORBIDDEN', '', {origin: 'https://shop.example'}],
    ['another port of this machine', 'POST /reset', {}, '403 FORBIDDEN', '', {origin: 'http://localhost:3000'}],
    ['a page with a hidden origin', 'POST /reset', {}, '403 FORBIDDEN', '', {origin: 'null'}],
    ['another host name', 'POST /reset', {}, '403 FORBIDDEN', '', {host: 'sandbox.example'}],
    ['an unknown path', 'GET /nowhere', undefined, '404 NOT_FOUND', 'There is no endpoint at', {}],
    ['another method', 'GET /clock/advance', undefined, '405 METHOD_NOT_ALLOWED', 'use POST', {}],
    ['a missing field', 'POST /clock/advance', {}, bad, 'duration is required', {}],
    ['a misspelt field', 'POST /clock/freeze', {att: 'x'}, bad, 'att is not a field', {}],
    ['a wrong type', 'POST /seed', {customers: '5'}, bad, 'customers must be', {}],
    ['a delay that no timer waits', 'POST /faults/add', {kind: 'delay', delayMs: 3e9}, bad, 'delayMs', {}],
    ['a list as a body', 'POST /seed', [5], bad, 'the body must be an object', {}],
    ['an unknown query field', 'GET /requests?limits=3', undefined, bad, 'limits is not a field', {}],
    ['a repeated query field', 'GET /requests?limit=3&limit=4', undefined, bad, 'more than once', {}],
    ...tooLong.map((expiresIn) => ['a long life', 'POST /token', {expiresIn}, bad, 'is too long', {}] as const),
    ['a duration of any length', 'POST /clock/advance', {duration: '9'.repeat(400)}, bad, 'duration', {}],
    ['an unknown id', 'POST /settle', {transactionId: 'x', outcome: 'failed'}, '404 NOT_FOUND', 'no transaction x', {}],
    ['no amount', 'POST /accounts/add', {...wallet, balance: '1,5'}, '422 NOT_POSSIBLE', 'is not an amount', {}],
  ] as const)('answers %s with its own error', async (_, line, body, expected, message, headers) => {
    const reply = await control(await serveTemporary(), line, body, headers)
    const {error, statusCode} = reply.body
    expect([`${reply.status} ${String(error)}`, statusCode]).toEqual([expected, reply.status])
    expect(reply.body['message']).toContain(message)
    expect(Object.keys(reply.body)).toEqual(['error', 'message', 'statusCode'])
  })

  it('keeps the token in a file of the owner alone while the server runs, and in no other place', async () => {
    const server = await serveTemporary()
    const {controlToken, controlUrl, controlOpenapiUrl} = server.control
    await control(server, 'POST /clock/freeze')
    await control(server, 'GET /requests', undefined, {authorization: 'Bearer wrong'})
    const noJson = await fetch(`${controlUrl}/seed`, {
      method: 'POST',
      body: '{',
      headers: {authorization: `Bearer ${controlToken}`},
    })
    expect([noJson.status, await noJson.json()]).toEqual([
      400,
      {error: 'BAD_REQUEST', message: 'the body is not valid JSON', statusCode: 400},
    ])
    // The document is for tools, which have no token.
    const document = await (await fetch(controlOpenapiUrl)).text()
    expect(JSON.parse(document)).toMatchObject({openapi: '3.1.0', servers: [{url: `${server.url}/_sandbox/v1`}]})
    const addressFile = `${server.file}.server`
    expect((fs.statSync(addressFile).mode & 0o777).toString(8)).toBe('600')
    expect(fs.readFileSync(addressFile, 'utf8')).toBe(`${server.url}\n${controlToken}\n${addressFile}\n`)
    expect((await control(server, 'GET /requests')).body['requests']).toEqual([])
    const sandbox = openTemporary({file: server.file, frozenAt: undefined})
    const address = {url: server.url, controlToken, formsUrl: `${server.url}/forms`}
    expect(await sandbox.findServer()).toEqual(address)
    sandbox.reset()
    expect(await sandbox.findServer()).toEqual(address)
    await server.stop()
    expect([await sandbox.findServer(), fs.existsSync(addressFile)]).toEqual([undefined, false])
    for (const text of [fs.readFileSync(server.file, 'latin1'), server.notices.join('\n'), document])
      expect(text).not.toContain(controlToken)
  })
})
