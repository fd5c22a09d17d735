// Every page, form, endpoint and operation as the very first request of a fresh process of the built program: nothing may depend on
// what an earlier request has loaded. What an endpoint takes and answers is what the OpenAPI document says.
import fs from 'node:fs'
import type {ValidateFunction} from 'ajv'
import {Ajv2020} from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import {expect, it} from 'vitest'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {buildOpenApiDocument} from '../../src/contract/openapi.ts'
import {getMethod} from '../../src/sandbox/operations/define.ts'
import {getOperation, operationNames} from '../../src/sandbox/operations/operations.ts'
import type {Sandbox} from '../../src/sandbox/sandbox.ts'
import {paths} from '../../src/web/console/context.ts'
import {startSvc} from '../support/running.ts'
import {freshHome} from '../support/svc.ts'
import {createQuoteBody, seeded} from '../support/transactions.ts'
import {completeForms, getPage, readControls, readCsrf, toFormData} from './forms/fill-form.ts'
import {call, completeKyc, createCustomer, listAllCustomers, openTemporary, requestTo, temporaryFile} from './open.ts'
import {listInputs} from './operations/inputs.ts'

interface FirstRequest {
  name: string
  // Of the service, of control, of the console or of a form, whose folder the server knows.
  of: 'service' | 'control' | 'console' | 'forms'
  method?: string
  path: string
  body?: unknown
  // How it is answered, if not with 200.
  status?: number
  // Where the OpenAPI document has it.
  operation?: readonly string[]
}

interface Ready {
  url: string
  apiKey: string
  consoleUrl: string
  controlUrl: string
  controlToken: string
}

const processesMax = 3
const idempotencyKey = 'first'

const ruleBody = {
  name: 'Sweep',
  customerId: seeded.customer,
  transactionTemplate: {
    source: {sourcePaymentAccountId: seeded.wallet, sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA'},
    destination: {
      destinationPaymentAccountId: seeded.sepaAccount,
      destinationCurrency: 'EUR',
      destinationPaymentMethod: 'SEPA',
    },
    amount: {type: 'FLAT', value: '5'},
  },
  trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * *'},
}

const customerBody = {customerType: 'INDIVIDUAL', email: 'first@example.com', kycData: completeKyc}

// A sandbox in which everything that can be asked for exists, and a customer is created a minute after the first request.
async function prepare(sandbox: Sandbox) {
  const {endpointId} = sandbox.webhooks.add({url: 'http://127.0.0.1:9/'})
  const {customerId} = await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'new@example.com'})
  sandbox.verification.force(customerId, {outcome: 'needs-information', codes: ['DOC_QUALITY_POOR']})
  const [event] = sandbox.webhooks.events().events
  const rule = (await call(sandbox, 'POST', '/automation-rules', ruleBody)).body as {id: string}
  const quote = (await call(sandbox, 'POST', '/quotes', createQuoteBody('25', 'wallet', 'sepaAccount'))).body as {
    quoteId: string
  }
  const account = sandbox.money.addAccount({
    customerId: seeded.customer,
    type: 'EXTERNAL_BANK_ACCOUNT',
    method: 'SEPA',
    pending: true,
  })
  sandbox.faults.add({method: 'POST', path: '/customers', kind: 'reset', commitAfterMs: 60_000, times: 1})
  const late = requestTo(sandbox, 'POST', '/customers', {...customerBody, email: 'late@example.com'})
  await sandbox.fetch(late).catch(() => undefined)
  sandbox.faults.clear()
  const customers = await listAllCustomers(sandbox)
  return {
    customerId,
    endpointId,
    eventId: event?.eventId ?? '',
    ruleId: rule.id,
    quoteId: quote.quoteId,
    account,
    customers,
  }
}

type Prepared = Awaited<ReturnType<typeof prepare>>

// A form is sent filled in, with what its page carries, and with nothing. A page without a form
// takes nothing.
async function listForms(sandbox: Sandbox, {customers, account}: Prepared): Promise<FirstRequest[]> {
  const byKind = new Map(customers.map((customer) => [`${customer.customerType} ${customer.customerStatus}`, customer]))
  const forms = [...byKind].map(([name, {customerType, verificationLink}]) => ({
    name,
    input: completeForms[customerType],
    link: String(verificationLink),
  }))
  const all = [...forms, {name: 'a bank account', input: completeForms.SEPA, link: String(account.bankAccountFormLink)}]
  const listed = all.map(async ({name, input, link}): Promise<FirstRequest[]> => {
    const page = await getPage(sandbox, link)
    const csrf = readCsrf(page)
    const form = {of: 'forms', path: new URL(link).pathname} as const
    const posted = {...form, method: 'POST'}
    const isOpen = csrf !== ''
    return [
      {...form, name: `the form of ${name}`},
      {...posted, name: `the form of ${name}, sent without its page`, body: toFormData({}), status: 403},
      ...(isOpen
        ? [
            {...posted, name: `the form of ${name}, sent empty`, body: toFormData({csrf}), status: 400},
            {
              ...posted,
              name: `the form of ${name}, sent`,
              body: toFormData({...readControls(page), ...input}),
              status: 303,
            },
          ]
        : []),
    ]
  })
  return (await Promise.all(listed)).flat()
}

function listPages({customerId, eventId, ruleId}: Prepared): FirstRequest[] {
  const ids: Readonly<Record<string, string>> = {
    [paths.customer]: `?id=${customerId}`,
    [paths.account]: `?id=${seeded.wallet}&customer=${seeded.customer}`,
    [paths.transaction]: `?id=${seeded.processing}`,
    [paths.rule]: `?id=${ruleId}`,
    [paths.event]: `?id=${eventId}`,
  }
  return [...Object.values(paths), '/console/clock'].map((at) => ({
    name: `the page ${at}`,
    of: 'console',
    path: at + (ids[at] ?? ''),
  }))
}

const files: readonly FirstRequest[] = [
  ...['page.css', 'console.css', 'console.js'].map((name) => ({name, of: 'service' as const, path: `/assets/${name}`})),
  {name: 'the OpenAPI document', of: 'service', path: '/openapi.json'},
  {name: 'the OpenAPI document of control', of: 'control', path: '/openapi.json'},
]

function listEndpoints({customerId, ruleId, quoteId}: Prepared): FirstRequest[] {
  const bodies: Readonly<Record<string, unknown>> = {
    'customers.create': customerBody,
    'customers.update': {kycData: completeKyc},
    'quotes.create': createQuoteBody('25', 'wallet', 'sepaAccount'),
    'transactions.create': {quoteId},
    'rules.create': ruleBody,
    'rules.update': {...ruleBody, id: ruleId},
  }
  return endpointEntries.flatMap(({name, endpoint}) =>
    [endpoint.path, endpoint.pathAlso].flatMap((at): FirstRequest[] => {
      if (at === undefined) return []
      const filled = at.replace('{customerId}', customerId).replace('{ruleId}', ruleId)
      const search = name === 'accounts.list' ? `?customerId=${seeded.customer}` : ''
      const {method} = endpoint
      const operation = ['paths', at, method.toLowerCase()]
      return [{name: `${method} ${at}`, of: 'service', method, path: filled + search, body: bodies[name], operation}]
    }),
  )
}

// Its example is there already.
const ownInputs: Readonly<Record<string, object>> = {'snapshot.save': {name: 'after'}}

const listOperations = (prepared: Prepared): FirstRequest[] =>
  operationNames.map((name): FirstRequest => {
    const method = getMethod(getOperation(name))
    const [example = {}] = listInputs(name)
    const text = JSON.stringify(example).replaceAll(/\{(endpointId|eventId)\}/g, (_, id: 'endpointId') => prepared[id])
    const input = {...(JSON.parse(text) as Record<string, string>), ...ownInputs[name]}
    const search = method === 'GET' ? `?${new URLSearchParams(input).toString()}` : ''
    const path = `/${name.replaceAll('.', '/')}${search}`
    const body = method === 'POST' ? input : undefined
    return {name: `the operation ${name}`, of: 'control', method, path, body}
  })

async function start(file: string) {
  const server = startSvc(freshHome(), ['sandbox', 'start', '--port', '0', '--data', file, '--json'])
  await server.waitFor('controlOpenapiUrl')
  return {server, ready: JSON.parse(server.outText()) as Ready}
}

// Who opens the console is let in by a link first, which loads nothing of it.
async function enterConsole({url, consoleUrl}: Ready): Promise<Address> {
  const {headers} = await fetch(consoleUrl)
  const cookie = headers.getSetCookie()[0] ?? ''
  const folder = /Path=([^;]+)/.exec(cookie)?.[1] ?? ''
  return {base: url + folder, headers: {cookie: cookie.split(';', 1)[0] ?? '', accept: 'text/html'}}
}

interface Address {
  base: string
  headers: Record<string, string>
}

const addresses: Record<FirstRequest['of'], (ready: Ready) => Address | Promise<Address>> = {
  forms: ({url}) => ({base: `${url}/forms`, headers: {}}),
  control: ({controlUrl, controlToken}) => ({base: controlUrl, headers: {authorization: `Bearer ${controlToken}`}}),
  service: ({url, apiKey}) => ({base: url, headers: {authorization: `Bearer ${apiKey}`}}),
  console: enterConsole,
}

async function send({base, headers}: Address, {method = 'GET', path, body}: FirstRequest) {
  const sent = body instanceof FormData ? body : body === undefined ? null : JSON.stringify(body)
  const json = {'content-type': 'application/json', 'x-idempotency-key': idempotencyKey}
  const response = await fetch(base + path, {
    method,
    redirect: 'manual',
    headers: {...headers, ...(typeof sent === 'string' && json)},
    body: sent,
  })
  return {status: response.status, text: await response.text()}
}

function writeSandbox(image: Uint8Array): string {
  const file = temporaryFile()
  fs.mkdirSync(`${file}.snapshots`)
  for (const each of [file, `${file}.snapshots/before.sqlite`]) fs.writeFileSync(each, image)
  return file
}

// There is no payment in the journal of a new home.
const isExpected = (
  {path, status: expected = path.startsWith(paths.payment) ? 404 : 200}: FirstRequest,
  status: number,
) => status === expected

// The document alone: ajv compiles the schemas from their places in it.
const ajv = ajvFormats.default(new Ajv2020({strict: false}))
ajv.addSchema(buildOpenApiDocument('https://sandbox.service.invalid'), 'document')

function matchesDocument(value: unknown, ...place: string[]): boolean {
  const keys = [...place, 'content', 'application/json', 'schema']
  const at = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
  return (ajv.getSchema(`document#/${at}`) as ValidateFunction)(value)
}

const isDocumented = ({operation, body}: FirstRequest, text: string): boolean =>
  operation === undefined ||
  (matchesDocument(JSON.parse(text), ...operation, 'responses', '200') &&
    (body === undefined || matchesDocument(body, ...operation, 'requestBody')))

it('the first request of a process works for every page, endpoint and operation', async () => {
  const sandbox = openTemporary()
  const prepared = await prepare(sandbox)
  const image = sandbox.snapshots.read()
  const lists = [listPages, listEndpoints, listOperations]
  const forms = await listForms(sandbox, prepared)
  const requests = [...forms, ...lists.flatMap((list) => list(prepared)), ...files]
  const failures: unknown[] = []
  const waiting = requests.values()
  const sendNext = async () => {
    for (const request of waiting) {
      const {server, ready} = await start(writeSandbox(image))
      const {status, text} = await send(await addresses[request.of](ready), request)
      const isFaulty = server.errText().includes('A fault in the sandbox')
      if (isFaulty || !isExpected(request, status) || !isDocumented(request, text))
        failures.push([request.name, status, text.slice(0, 300)])
      server.stop('SIGTERM')
      await server.ended
    }
  }
  await Promise.all(Array.from({length: processesMax}, sendNext))
  expect(failures, 'bodies of endpoints are in this file, inputs of operations in operations/inputs.ts').toEqual([])
  expect(requests.length).toBeGreaterThan(85)
})
