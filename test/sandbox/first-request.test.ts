// Every page, endpoint and operation as the very first request of a fresh process of the built program: nothing may depend on what
// an earlier request has loaded.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import {createInterface} from 'node:readline'
import {describe, expect, it} from 'vitest'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {getMethod} from '../../src/sandbox/operations/define.ts'
import {getOperation, operationNames} from '../../src/sandbox/operations/operations.ts'
import type {Sandbox} from '../../src/sandbox/sandbox.ts'
import {paths} from '../../src/web/console/context.ts'
import {bin, freshHome} from '../support/svc.ts'
import {createQuoteBody, seeded} from '../support/transactions.ts'
import {call, completeKyc, createCustomer, listAllCustomers, openTemporary, temporaryFile} from './open.ts'
import {listInputs} from './operations/inputs.ts'

interface FirstRequest {
  name: string
  // Of the service, of control, of the console or of a form, whose folder the server knows.
  of: 'service' | 'control' | 'console' | 'forms'
  method?: string
  path: string
  body?: unknown
}

interface Ready {
  url: string
  apiKey: string
  consoleUrl: string
  controlUrl: string
  controlToken: string
}

const processesMax = 4
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
  await sandbox
    .fetch(
      new Request('http://localhost/customers', {
        method: 'POST',
        headers: {authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json'},
        body: JSON.stringify({...customerBody, email: 'late@example.com'}),
      }),
    )
    .catch(() => undefined)
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

const toFormPath = (link: string | undefined) => new URL(String(link)).pathname

function listForms({customers, account}: Prepared): FirstRequest[] {
  const byKind = new Map(customers.map((customer) => [`${customer.customerType} ${customer.customerStatus}`, customer]))
  const forms = [...byKind].map(([kind, {verificationLink}]) => ({
    name: `the form of ${kind}`,
    path: toFormPath(verificationLink),
  }))
  const all = [...forms, {name: 'the form of a bank account', path: toFormPath(account.bankAccountFormLink)}]
  return all.flatMap(({name, path: at}): FirstRequest[] => [
    {name, of: 'forms', path: at},
    {name: `${name}, sent`, of: 'forms', method: 'POST', path: at},
  ])
}

function listPages({customerId, eventId, ruleId}: Prepared): FirstRequest[] {
  const ids: Readonly<Record<string, string>> = {
    [paths.customer]: `?id=${customerId}`,
    [paths.account]: `?id=${seeded.wallet}&customer=${seeded.customer}`,
    [paths.transaction]: `?id=${seeded.processing}`,
    [paths.rule]: `?id=${ruleId}`,
    [paths.event]: `?id=${eventId}`,
  }
  const assets = ['page.css', 'console.css', 'console.js'].map((asset) => `/assets/${asset}`)
  return [
    ...[...Object.values(paths), '/console/clock'].map((at): FirstRequest => ({
      name: `the page ${at}`,
      of: 'console',
      path: at + (ids[at] ?? ''),
    })),
    ...assets.map((at): FirstRequest => ({name: at, of: 'service', path: at})),
    {name: 'the OpenAPI document', of: 'service', path: '/openapi.json'},
    {name: 'the OpenAPI document of control', of: 'control', path: '/openapi.json'},
  ]
}

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
      const body = bodies[name]
      return [{name: `${endpoint.method} ${at}`, of: 'service', method: endpoint.method, path: filled + search, body}]
    }),
  )
}

const listOperations = (prepared: Prepared): FirstRequest[] =>
  operationNames.map((name) => {
    const operation = getOperation(name)
    const method = getMethod(operation)
    const [example = {}] = listInputs(name)
    const text = JSON.stringify(example).replaceAll(/\{(endpointId|eventId)\}/g, (_, id: 'endpointId') => prepared[id])
    const input = JSON.parse(text) as Record<string, string>
    const search = method === 'GET' ? `?${new URLSearchParams(input).toString()}` : ''
    // The clock passes the late creation of a customer.
    const body = name === 'snapshot.save' ? {name: 'after'} : name === 'clock.advance' ? {duration: '2m'} : input
    return {
      name: `the operation ${name}`,
      of: 'control',
      method,
      path: `/${name.replaceAll('.', '/')}${search}`,
      ...(method === 'POST' && {body}),
    }
  })

async function start(file: string): Promise<{ready: Ready; errors: () => string; stop(): Promise<void>}> {
  const home = freshHome()
  const args = [bin, 'sandbox', 'start', '--port', '0', '--data', file, '--json']
  const child = spawn(process.execPath, args, {cwd: home.folder, env: home.env})
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const stop = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {ready: JSON.parse(line) as Ready, errors: () => errors, stop}
}

// Who opens the console is let in by a link first, which loads nothing of it.
async function enterConsole({consoleUrl}: Ready) {
  const {headers} = await fetch(consoleUrl)
  const cookie = headers.getSetCookie()[0] ?? ''
  return {cookie: cookie.split(';', 1)[0] ?? '', folder: /Path=([^;]+)/.exec(cookie)?.[1] ?? ''}
}

async function toAddress(ready: Ready, {of, path: at}: FirstRequest): Promise<[string, Record<string, string>]> {
  if (of === 'forms') return [`${ready.url}/forms${at}`, {}]
  if (of === 'control') return [ready.controlUrl + at, {authorization: `Bearer ${ready.controlToken}`}]
  if (of === 'service') return [ready.url + at, {authorization: `Bearer ${ready.apiKey}`}]
  const {cookie, folder} = await enterConsole(ready)
  return [ready.url + folder + at, {cookie, accept: 'text/html'}]
}

async function send(ready: Ready, request: FirstRequest) {
  const [url, headers] = await toAddress(ready, request)
  const {method = 'GET', of, body} = request
  const sent = of === 'forms' && method === 'POST' ? new FormData() : body === undefined ? null : JSON.stringify(body)
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...headers,
      ...(body !== undefined && {'content-type': 'application/json', 'x-idempotency-key': idempotencyKey}),
    },
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

// A form that is sent empty is refused, and there is no payment in the journal of a new home.
function isExpected({of, method, path}: FirstRequest, status: number): boolean {
  if (of === 'forms' && method === 'POST') return status === 400 || status === 403
  return status === (path.startsWith(paths.payment) ? 404 : 200)
}

describe('the first request of a process', () => {
  it('works for every page, endpoint and operation', async () => {
    const sandbox = openTemporary()
    const prepared = await prepare(sandbox)
    const image = sandbox.snapshots.read()
    const requests: readonly FirstRequest[] = [
      ...listForms(prepared),
      ...listPages(prepared),
      ...listEndpoints(prepared),
      ...listOperations(prepared),
    ]
    const failures: unknown[] = []
    const waiting = requests.values()
    const sendNext = async () => {
      for (const request of waiting) {
        const server = await start(writeSandbox(image))
        const {status, text} = await send(server.ready, request)
        const isFaulty = server.errors().includes('A fault in the sandbox')
        if (isFaulty || !isExpected(request, status)) failures.push([request.name, status, text.slice(0, 300)])
        await server.stop()
      }
    }
    await Promise.all(Array.from({length: processesMax}, sendNext))
    expect(failures).toEqual([])
    expect(requests.length).toBeGreaterThan(85)
  }, 120_000)
})
