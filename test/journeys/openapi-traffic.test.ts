// A validator between svc and a running sandbox compares all traffic with /openapi.json.
import {type ChildProcess, spawn} from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import path from 'node:path'
import {text} from 'node:stream/consumers'
import type {ValidateFunction} from 'ajv'
import {Ajv2020} from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import {describe, expect, it, onTestFinished} from 'vitest'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {findProblems} from '../../src/contract/problems.ts'
import {type Home, bin, freshHome, json, run} from '../support/svc.ts'
import {writePerson} from '../support/person.ts'

interface Started {
  url: string
  apiKey: string
}

function startSandbox(home: Home): Promise<Started> {
  const args = ['sandbox', 'start', '--port', '0', '--data', path.join(home.folder, 'sandbox.sqlite'), '--json']
  const child: ChildProcess = spawn(process.execPath, [bin, ...args], {
    env: home.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (line: Buffer) => resolve(JSON.parse(line.toString()) as Started))
    child.once('exit', (code) => reject(new Error(`svc sandbox start ended with ${code}`)))
  })
}

interface Seen {
  what: string
  violations: unknown[]
  body?: unknown
}

interface Operation {
  operationId: string
  parameters?: Array<{name: string; in: string; required: boolean; schema: object}>
  requestBody?: object
}

type Document = Record<string, unknown> & {paths: Record<string, Record<string, Operation>>}

const pointer = (...keys: string[]) =>
  keys.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')

// The package is CommonJS, so its default export is nested for an ES module.
const addFormats = ajvFormats.default

// Uses the document alone: ajv compiles the schemas from their places in it.
function createTrafficValidator(document: Document) {
  const ajv = addFormats(new Ajv2020({strict: false, allErrors: true}))
  ajv.addSchema(document, 'document')
  const findErrors = (value: unknown, ...keys: string[]) => {
    const matches = ajv.getSchema(`document#${pointer(...keys)}`) as ValidateFunction
    return matches(value) ? [] : (matches.errors ?? [])
  }
  return (method: string, url: URL, body: unknown, status: number, reply: unknown): Seen => {
    const template = Object.keys(document.paths).find((each) =>
      new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(url.pathname),
    )
    const operation = template && document.paths[template]?.[method.toLowerCase()]
    if (!template || !operation) return {what: `${method} ${url.pathname} ${status}`, violations: ['no such operation']}
    const at = ['paths', template, method.toLowerCase()]
    const jsonSchema = ['content', 'application/json', 'schema']
    const known = new Set(operation.parameters?.map(({name}) => name))
    const inRequest =
      status === 200
        ? [
            ...(operation.requestBody ? findErrors(body, ...at, 'requestBody', ...jsonSchema) : []),
            ...[...url.searchParams.keys()]
              .filter((name) => !known.has(name))
              .map((name) => `unknown parameter ${name}`),
          ]
        : []
    const inReply =
      status === 200
        ? findErrors(reply, ...at, 'responses', '200', ...jsonSchema)
        : findErrors(reply, 'components', 'responses', status < 500 ? 'Rejected' : 'Failed', ...jsonSchema)
    return {what: `${method} ${operation.operationId} ${status}`, violations: [...inRequest, ...inReply], body}
  }
}

// Forwards every request and reply, after comparing both with the document.
async function startValidator({url, apiKey}: Started): Promise<{url: string; seen: Seen[]}> {
  const validate = createTrafficValidator((await (await fetch(`${url}/openapi.json`)).json()) as Document)
  const seen: Seen[] = []
  const forward = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const body = await text(request)
    const method = request.method ?? 'GET'
    const key = request.headers['x-idempotency-key']
    const upstream = await fetch(`${url}${request.url}`, {
      method,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${apiKey}`,
        ...(typeof key === 'string' && {'x-idempotency-key': key}),
      },
      ...(body && {body}),
    })
    const reply = await upstream.text()
    seen.push(
      validate(method, new URL(request.url ?? '/', url), body && JSON.parse(body), upstream.status, JSON.parse(reply)),
    )
    response.writeHead(upstream.status, {'content-type': 'application/json'}).end(reply)
  }
  const server = http.createServer((request, response) => {
    forward(request, response).catch((error: unknown) => {
      seen.push({what: 'the validator itself', violations: [String(error)]})
      response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return {url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen}
}

describe('the OpenAPI document', () => {
  it('matches all traffic while a customer is verified, a payment is made and a rule is created', async () => {
    const home = freshHome()
    const started = await startSandbox(home)
    const validator = await startValidator(started)
    const env = {SVC_BASE_URL: validator.url, SVC_API_KEY: started.apiKey}
    const svc = async (args: string[], input?: unknown) => {
      const ended = await run(home, [...args, '--json'], {
        env,
        ...(input !== undefined && {input: JSON.stringify(input)}),
      })
      return {...ended, body: ended.code === 0 && ended.out ? json(ended.out) : {}}
    }
    const send = (method: string, to: string, body: unknown, ...more: string[]) =>
      svc(['api', method, to, '-f', '-', '--yes', ...more], body)

    const created = await send('POST', '/customers', {
      customerType: 'BUSINESS',
      email: 'firm@example.com',
      businessName: 'Firm',
    })
    const businessId = String(created.body['customerId'])
    await send('PATCH', `/customers/${businessId}`, {kybData: {accountPurposeOther: 'MAGIC_DOC_QUALITY_POOR'}})
    expect((await send('PATCH', `/customers/${businessId}`, {kybData: {accountPurpose: 'OTHER'}})).code).toBe(3)
    await svc(['customers', 'get', businessId, '--payment-methods'])
    const {customers} = (await svc(['customers', 'list', '--all'])).body as {customers: Array<Record<string, string>>}
    const customerId = customers.find(({customerStatus}) => customerStatus === 'ACTIVE')?.['customerId'] ?? ''
    const {paymentAccounts} = (await svc(['api', 'GET', `/payment-accounts?customerId=${customerId}&pageSize=100`]))
      .body as {
      paymentAccounts: Array<{
        paymentAccountId: string
        svcCryptoWallet?: {address: {chain: string}}
        externalBankAccount?: {bankAccountPaymentMethod: string}
      }>
    }
    const wallet = paymentAccounts.find(({svcCryptoWallet}) => svcCryptoWallet)
    const bank = paymentAccounts.find(
      ({externalBankAccount, paymentAccountId}) =>
        paymentAccountId && externalBankAccount?.bankAccountPaymentMethod === 'ACH',
    )
    const source = {
      sourcePaymentAccountId: wallet?.paymentAccountId,
      sourceCurrency: 'USDC',
      sourcePaymentMethod: wallet?.svcCryptoWallet?.address.chain,
    }
    const destination = {
      destinationPaymentAccountId: bank?.paymentAccountId,
      destinationPaymentMethod: 'ACH',
      destinationCurrency: 'USD',
    }
    for (const body of [
      {customerId, source: {...source, sourceAmount: '25.00'}, destination, guaranteeQuote: true},
      {
        customerId,
        source: {
          sourcePaymentAccountId: bank?.paymentAccountId,
          sourceCurrency: 'USD',
          sourcePaymentMethod: 'ACH',
          sourceAmount: '50.00',
        },
        destination: {
          destinationPaymentAccountId: wallet?.paymentAccountId,
          destinationPaymentMethod: wallet?.svcCryptoWallet?.address.chain,
          destinationCurrency: 'USDC',
        },
      },
    ]) {
      const quote = await send('POST', '/quotes', body)
      expect(quote).toMatchObject({code: 0, err: ''})
      const made = await send(
        'POST',
        '/transactions',
        {quoteId: quote.body['quoteId']},
        '-H',
        `x-idempotency-key: ${quote.body['quoteId'] as string}`,
      )
      expect(made).toMatchObject({code: 0, err: ''})
    }
    await svc(['api', 'GET', '/transactions?pageSize=100'])
    const rule = {
      name: 'Sweep',
      customerId,
      transactionTemplate: {source, destination, amount: {type: 'PCT', value: '5'}},
      trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * 1-5'},
    }
    const {body: armed} = await send('POST', '/automation-rules', rule)
    const id = String(armed['id'])
    await svc(['api', 'GET', '/automation-rules'])
    await send('PUT', `/automation-rules/${id}`, {id, ...rule})
    expect((await svc(['api', 'DELETE', `/automation-rules/${id}`, '--yes'])).code).toBe(0)

    expect(validator.seen.filter(({violations}) => violations.length > 0)).toEqual([])
    expect(new Set(validator.seen.map(({what}) => what.split(' ')[1])).size).toBeGreaterThanOrEqual(12)
  })

  it('and the strict contract match every body that the commands send', async () => {
    const home = freshHome()
    const started = await startSandbox(home)
    const validator = await startValidator(started)
    const env = {SVC_BASE_URL: validator.url, SVC_API_KEY: started.apiKey}
    const svc = async (...args: string[]) => {
      const ended = await run(home, [...args, '--json'], {env})
      expect({args, code: ended.code, err: ended.code === 0 ? '' : ended.err}).toEqual({args, code: 0, err: ''})
      return json(ended.out)
    }
    const {file} = writePerson(path.join(home.folder, 'person'))
    const created = await svc('customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com')
    await svc('customers', 'update', String(created['customerId']), '-f', file)

    const {customers} = (await svc('customers', 'list', '--status', 'ACTIVE', '--all')) as {
      customers: Array<{customerId: string}>
    }
    const customer = customers[0]?.customerId ?? ''
    const accounts = async (type: string) =>
      ((await svc('accounts', 'list', '--customer', customer, '--type', type, '--status', 'ACTIVE', '--all'))[
        'paymentAccounts'
      ] ?? []) as Array<Record<string, never>>
    const [wallet] = await accounts('SVC_CRYPTO_WALLET')
    const [bank] = await accounts('EXTERNAL_BANK_ACCOUNT')
    const {bankAccountPaymentMethod: rail, bankAccountCurrency: currency} = (bank?.['externalBankAccount'] ?? {}) as {
      bankAccountPaymentMethod: string
      bankAccountCurrency: {label: string}
    }
    const {address} = (wallet?.['svcCryptoWallet'] ?? {}) as {address: {chain: string}}
    const route = Object.entries({
      customer,
      from: String(wallet?.['paymentAccountId']),
      'from-currency': 'USDC',
      'from-method': address.chain,
      to: String(bank?.['paymentAccountId']),
      'to-currency': currency.label,
      'to-method': rail,
    }).flatMap(([flag, value]) => [`--${flag}`, value])
    const quote = await svc('quotes', 'create', ...route, '--amount', '25.00', '--guarantee', '--developer-fee', '0.50')
    await svc('transactions', 'create', '--quote', String(quote['quoteId']), '--yes')
    const rule = await svc(
      'rules',
      'create',
      ...route,
      '--name',
      'Sweep',
      '--percent',
      '5',
      '--threshold',
      '100',
      '--yes',
    )
    await svc('rules', 'update', String(rule['id']), '--amount', '1.5', '--developer-fee', '0.1', '--yes')
    const exported = path.join(home.folder, 'rules.json')
    fs.writeFileSync(
      exported,
      JSON.stringify(await svc('rules', 'list', '--customer', customer)).replace('"1.5"', '"2"'),
    )
    await svc('rules', 'apply', '-f', exported, '--yes')
    await svc('rules', 'delete', String(rule['id']), '--yes')

    const strict = new Map(endpointEntries.map(({name, endpoint}) => [name.replace('.', '_'), endpoint.body]))
    const written = validator.seen.filter(({body}) => body !== undefined && body !== '')
    const checked = written.map(({what, body}) => {
      const schema = strict.get(what.split(' ')[1] ?? '')
      return {what, problems: schema ? findProblems(schema, body) : ['this operation has no body']}
    })
    expect(checked.filter(({problems}) => problems.length > 0)).toEqual([])
    expect(validator.seen.filter(({violations}) => violations.length > 0)).toEqual([])
    expect(new Set(checked.map(({what}) => what))).toEqual(
      new Set([
        'POST customers_create 200',
        'PATCH customers_update 200',
        'POST quotes_create 200',
        'POST transactions_create 200',
        'POST rules_create 200',
        'PUT rules_update 200',
      ]),
    )
  })
})
