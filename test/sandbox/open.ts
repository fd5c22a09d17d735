// Opens sandboxes in temporary folders for the tests, and calls them as a client does.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {promisify} from 'node:util'
import {afterAll, expect, onTestFinished} from 'vitest'
import type {z} from 'zod'
import type {Customer} from '../../src/contract/customers.ts'
import {endpoints} from '../../src/contract/endpoints.ts'
import {errorBody} from '../../src/contract/openapi.ts'
import type {AccountWithBalances} from '../../src/sandbox/service/money/controls.ts'
import type {Transaction} from '../../src/sandbox/service/money/transitions.ts'
import {openSandbox, type Sandbox, type SandboxOptions} from '../../src/sandbox/sandbox.ts'
import {inMemory} from '../../src/storage/sqlite.ts'
import {bundleProgram} from '../support/bundled-program.ts'
import {copySeededSandbox} from '../support/seeded-sandbox.ts'
import {temporaryFolder} from '../support/svc.ts'
import {documentImage} from '../features/values/images.ts'

export const noon = new Date('2026-11-15T12:00:00Z')
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

export const temporaryFile = () => join(temporaryFolder(), 'sandbox.db')

// The clock is frozen at noon, so that nothing happens between two lines of a test.
export function openTemporary(options: Partial<SandboxOptions> = {}): Sandbox {
  const faults: unknown[] = []
  const {file, frozenAt, ...rest} = {file: temporaryFile(), frozenAt: noon, ...options}
  if (file !== inMemory && options.seed === undefined && !fs.existsSync(file)) copySeededSandbox(file, frozenAt)
  const sandbox = openSandbox({file, frozenAt, onFault: (error) => faults.push(error), ...rest})
  onTestFinished(() => {
    sandbox.close()
    expect(faults).toEqual([])
  })
  return sandbox
}

// For all tests of a file, which change nothing in it or only what is their own.
export function openShared(): {sandbox: Sandbox; file: string} {
  const file = join(fs.mkdtempSync(join(tmpdir(), 'svc-sandbox-')), 'sandbox.db')
  copySeededSandbox(file, noon)
  const sandbox = openSandbox({file})
  afterAll(() => {
    sandbox.close()
    fs.rmSync(dirname(file), {recursive: true})
  })
  return {sandbox, file}
}

// The requests in a process of its own, which opens the sandbox by itself.
export async function callFromProcess(
  file: string,
  requests: readonly {method: string; path: string; body?: object; headers?: Record<string, string>}[],
): Promise<{status: number; text: string}[]> {
  const program = await bundleProgram(new URL('program.ts', import.meta.url))
  const {stdout} = await promisify(execFile)(process.execPath, [program, file, JSON.stringify(requests)])
  return JSON.parse(stdout) as {status: number; text: string}[]
}

export function requestTo(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Request {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array
  return new Request(`http://sandbox.invalid${path}`, {
    method,
    headers: {authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json', ...headers},
    ...(body !== undefined && {body: isRaw ? (body as string) : JSON.stringify(body)}),
  })
}

export async function call(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
  more?: Record<string, string>,
) {
  const response = await sandbox.fetch(requestTo(sandbox, method, path, body, more))
  expect(response.headers.get('content-type')).toBe('application/json')
  const text = await response.text()
  return {status: response.status, headers: response.headers, text, body: JSON.parse(text) as unknown}
}

// A reply that equals its parsed value follows the contract and has no other fields.
function parseReply<T extends z.ZodType>(schema: T, reply: {status: number; text: string}): z.output<T> {
  expect(reply).toMatchObject({status: 200})
  const value = schema.parse(JSON.parse(reply.text))
  expect(value).toEqual(JSON.parse(reply.text))
  return value
}

const callForCustomer = async (sandbox: Sandbox, method: string, path: string, body?: object): Promise<Customer> =>
  parseReply(endpoints.customers.get.reply, await call(sandbox, method, path, body))

export const createCustomer = (sandbox: Sandbox, body: object = {}) =>
  callForCustomer(sandbox, 'POST', '/customers', {customerType: 'INDIVIDUAL', email: 'ines@example.com', ...body})
export const readCustomer = (sandbox: Sandbox, id: string) => callForCustomer(sandbox, 'GET', `/customers/${id}`)
export const patchCustomer = (sandbox: Sandbox, id: string, body: object) =>
  callForCustomer(sandbox, 'PATCH', `/customers/${id}`, body)

type Query = Record<string, string | number>

const lists = {
  '/customers': endpoints.customers.list.reply,
  '/transactions': endpoints.transactions.list.reply,
  '/payment-accounts': endpoints.accounts.list.reply,
} as const

export async function listPage<P extends keyof typeof lists>(
  sandbox: Sandbox,
  path: P,
  query: Query = {},
): Promise<z.output<(typeof lists)[P]>> {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const reply = await call(sandbox, 'GET', `${path}?${search.toString()}`)
  return parseReply<z.ZodType>(lists[path], reply) as z.output<(typeof lists)[P]>
}

// Reads a list page by page.
async function listAll<T>(
  sandbox: Sandbox,
  path: keyof typeof lists,
  query: Query,
  getItems: (page: never) => T[],
): Promise<T[]> {
  const items: T[] = []
  let token: string | null | undefined
  do {
    const page = await listPage(sandbox, path, {...query, ...(token && {pageToken: token})})
    items.push(...getItems(page as never))
    token = page.nextPageToken
  } while (token)
  return items
}

export const listAllCustomers = (sandbox: Sandbox, query: Query = {}) =>
  listAll(sandbox, '/customers', query, ({customers}: {customers: Customer[]}) => customers)
export const listAllTransactions = (sandbox: Sandbox, query: Query = {}) =>
  listAll(sandbox, '/transactions', query, ({transactions}: {transactions: Transaction[]}) => transactions)

export async function callExpectingError(sandbox: Sandbox, method: string, path: string, body?: unknown) {
  const reply = await call(sandbox, method, path, body)
  const errorReply = errorBody.strict().parse(reply.body)
  expect(errorReply.statusCode).toBe(reply.status)
  return errorReply
}

// An ACTIVE demo customer, one that is CREATED, and an id that does not exist.
export const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
export const grace = 'f80a5001-be2d-4368-9726-a4523bfb5e71'
export const nobody = '00000000-0000-4000-8000-000000000000'

export interface AccountEnd {
  id: string
  method: string
  currency: string
}

export const endNames = [
  'wallet',
  'ownWallet',
  'deposits',
  'ACH',
  'WIRE',
  'SEPA',
  'CA_INTERAC',
  'IN_NEFT_RTGS_IMPS',
] as const
export type AccountEndName = (typeof endNames)[number]
export type AccountEnds = Record<AccountEndName, AccountEnd>

function toAccountEnd(account: AccountWithBalances): [string, AccountEnd] {
  const {paymentAccountId: id, externalBankAccount: bank, externalCryptoWallet: own, svcCryptoWallet} = account
  if (bank) {
    const method = bank.bankAccountPaymentMethod ?? ''
    return [method, {id, method, currency: bank.bankAccountCurrency?.label ?? ''}]
  }
  if (own) return ['ownWallet', {id, method: own.address?.chain ?? '', currency: own.currency?.label ?? ''}]
  if (svcCryptoWallet) return ['wallet', {id, method: svcCryptoWallet.address?.chain ?? '', currency: 'USDC'}]
  return ['deposits', {id, method: 'ACH', currency: account.svcAutoFiatAccount?.currency?.label ?? ''}]
}

// The accounts of a demo customer, by type or rail.
export const findAccountEnds = (sandbox: Sandbox, customerId = zoe) =>
  Object.fromEntries(
    sandbox.money
      .accounts(customerId)
      .filter(({paymentAccountStatus}) => paymentAccountStatus === 'ACTIVE')
      .map(toAccountEnd),
  ) as AccountEnds

export const toRoute = (from: AccountEnd, to: AccountEnd) => ({
  source: {sourcePaymentAccountId: from.id, sourceCurrency: from.currency, sourcePaymentMethod: from.method},
  destination: {
    destinationPaymentAccountId: to.id,
    destinationPaymentMethod: to.method,
    destinationCurrency: to.currency,
  },
})

export function quoteBody(from: AccountEnd, to: AccountEnd, sourceAmount: string, more: object = {}) {
  const {source, destination} = toRoute(from, to)
  return {customerId: zoe, source: {...source, sourceAmount}, destination, ...more}
}

export const requestQuote = async (sandbox: Sandbox, body: object) =>
  parseReply(endpoints.quotes.create.reply, await call(sandbox, 'POST', '/quotes', body))

let keys = 0

export async function sendTransaction(sandbox: Sandbox, body: object, key = `key ${++keys}`) {
  const {status, text} = await call(sandbox, 'POST', '/transactions', body, {'x-idempotency-key': key})
  return {status, text}
}

export const createTransaction = async (sandbox: Sandbox, body: object, key?: string): Promise<Transaction> =>
  parseReply(endpoints.transactions.create.reply, await sendTransaction(sandbox, body, key))

export async function refuseTransaction(sandbox: Sandbox, body: object, key?: string) {
  const {status, text} = await sendTransaction(sandbox, body, key)
  const refusal = errorBody.strict().parse(JSON.parse(text))
  expect(refusal.statusCode).toBe(status)
  return refusal
}

// Requests a quote and creates its transaction.
export async function pay(sandbox: Sandbox, from: AccountEnd, to: AccountEnd, amount: string, more: object = {}) {
  const {quoteId} = await requestQuote(sandbox, quoteBody(from, to, amount, more))
  return createTransaction(sandbox, {quoteId})
}

export async function readTransaction(sandbox: Sandbox, {transactionId}: Transaction): Promise<Transaction> {
  const all = await listAllTransactions(sandbox, {pageSize: 100})
  return all.find((each) => each.transactionId === transactionId) ?? expect.fail(`no transaction ${transactionId}`)
}

export const readBalance = (sandbox: Sandbox, {id}: AccountEnd) => sandbox.money.balance(id, 'USDC') ?? ''

// A government ID that passes a review.
export const passport = {
  type: 'GOVERNMENT_ID',
  subtype: 'PASSPORT',
  countryCode: 'NO',
  documentIdNumber: 'X123',
  issuanceDate: '2022-06-01',
  expirationDate: '2032-06-01',
  frontIdImage: documentImage(),
}

export const completeKyc = {
  legalFirstName: 'Ines',
  legalLastName: 'Vardø',
  phoneNumber: '+447700900123',
  dateOfBirth: '1990-04-23',
  address: {countryCode: 'NO', streetLine1: 'Naustveien 3', city: 'Ålesund', postalCode: '6002'},
  nationality: 'NO',
  documents: [passport],
}

export const completeKyb = {
  businessInfo: {legalBusinessName: 'Driftwood Books Ltd'},
  businessRegisteredAddress: {countryCode: 'GB', streetLine1: '5 Millrace Lane', city: 'York', postalCode: 'YO1 7HH'},
  associatedPersons: [{...completeKyc, legalFirstName: 'Robin', legalLastName: 'Merriweath'}],
  businessDocuments: [{type: 'ARTICLES_OF_INCORPORATION', documentImage: documentImage('pdf')}],
}

export function querySql(file: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file, {timeout: 60_000})
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

// Every row of every table but those that are left out, as text.
export function dumpTables(file: string, without: readonly string[] = []): string {
  const tables = querySql(file, "select name from sqlite_schema where type = 'table' order by name")
  const names = tables.map(({name}) => String(name)).filter((name) => !without.includes(name))
  return JSON.stringify(
    names.map((name) => [name, querySql(file, `select * from ${name} order by 1`)]),
    null,
    1,
  )
}
