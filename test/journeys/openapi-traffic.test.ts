// A validator between svc and a running sandbox compares all traffic with /openapi.json.
import fs from 'node:fs'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import path from 'node:path'
import {text} from 'node:stream/consumers'
import type {ValidateFunction} from 'ajv'
import {Ajv2020} from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import {expect, it, onTestFinished} from 'vitest'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {findProblems} from '../../src/contract/problems.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {startSvc} from '../support/running.ts'
import {writePerson} from '../support/person.ts'
import {seeded} from '../support/transactions.ts'

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
async function startValidator(url: string, apiKey: string): Promise<{url: string; seen: Seen[]}> {
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

it('the OpenAPI document and the strict contract match all that the commands send and are answered', async () => {
  const home = freshHome()
  const data = path.join(home.folder, 'sandbox.sqlite')
  const server = startSvc(home, ['sandbox', 'start', '--port', '0', '--data', data, '--json'])
  const {url = '', apiKey = ''} = await server.readReady()
  const validator = await startValidator(url, apiKey)
  const env = {SVC_BASE_URL: validator.url, SVC_API_KEY: apiKey}
  const svc = async (...args: string[]) => {
    const ended = await run(home, [...args, '--json'], {env})
    expect({args, code: ended.code, err: ended.code === 0 ? '' : ended.err}).toEqual({args, code: 0, err: ''})
    return json(ended.out)
  }
  const {file} = writePerson(path.join(home.folder, 'person'))
  const {customerId} = await svc('customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com')
  await svc('customers', 'update', String(customerId), '-f', file)
  await svc('customers', 'get', String(customerId), '--payment-methods')
  // A correction that is refused is answered in the declared shape too.
  const again = ['customers', 'update', String(customerId), '-f', file, '--json']
  expect((await run(home, again, {env})).code).toBe(3)

  await svc('accounts', 'list', '--customer', seeded.customer, '--all')
  const route = `--customer ${seeded.customer} --from ${seeded.wallet} --from-currency USDC --from-method SOLANA
    --to ${seeded.sepaAccount} --to-currency EUR --to-method SEPA`.split(/\s+/)
  const quote = await svc('quotes', 'create', ...route, '--amount', '25.00', '--guarantee', '--developer-fee', '0.50')
  await svc('transactions', 'create', '--quote', String(quote['quoteId']), '--yes')
  await svc('transactions', 'list', '--all')
  const trigger = ['--name', 'Sweep', '--percent', '5', '--threshold', '100', '--yes']
  const rule = String((await svc('rules', 'create', ...route, ...trigger))['id'])
  await svc('rules', 'update', rule, '--amount', '1.5', '--developer-fee', '0.1', '--yes')
  const exported = path.join(home.folder, 'rules.json')
  const rules = JSON.stringify(await svc('rules', 'list', '--customer', seeded.customer))
  fs.writeFileSync(exported, rules.replace('"1.5"', '"2"'))
  await svc('rules', 'apply', '-f', exported, '--yes')
  await svc('rules', 'delete', rule, '--yes')

  const strict = new Map(endpointEntries.map(({name, endpoint}) => [name.replace('.', '_'), endpoint.body]))
  const bodies = validator.seen.filter(({body}) => body !== undefined && body !== '')
  const wrong = bodies.filter(({what, body}) => {
    const schema = strict.get(what.split(' ')[1] ?? '')
    return !schema || findProblems(schema, body).length > 0
  })
  expect(wrong).toEqual([])
  expect(validator.seen.filter(({violations}) => violations.length > 0)).toEqual([])
  expect(new Set(validator.seen.map(({what}) => what.split(' ')[1]))).toEqual(new Set(strict.keys()))
})
