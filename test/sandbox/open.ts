// Opens sandboxes in temporary folders for the tests, and calls them as a client does.
import fs from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {expect, onTestFinished} from 'vitest'
import type {Customer} from '../../src/contract/customers.ts'
import {endpoints} from '../../src/contract/endpoints.ts'
import {errorBody} from '../../src/contract/openapi.ts'
import {openSandbox, type Sandbox, type SandboxOptions} from '../../src/sandbox/sandbox.ts'
import {inMemory} from '../../src/storage/sqlite.ts'
import {copySeededSandbox} from '../support/seeded-sandbox.ts'
import {documentImage} from '../values/images.ts'

export const noon = new Date('2026-11-15T12:00:00Z')

export function temporaryFolder(): string {
  const folder = fs.mkdtempSync(join(tmpdir(), 'svc-sandbox-'))
  onTestFinished(() => fs.rmSync(folder, {recursive: true, force: true}))
  return folder
}

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

export function requestTo(sandbox: Sandbox, method: string, path: string, body?: unknown): Request {
  return new Request(`http://sandbox.invalid${path}`, {
    method,
    headers: {authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json'},
    ...(body !== undefined && {body: typeof body === 'string' ? body : JSON.stringify(body)}),
  })
}

export async function call(sandbox: Sandbox, method: string, path: string, body?: unknown) {
  const response = await sandbox.fetch(requestTo(sandbox, method, path, body))
  expect(response.headers.get('content-type')).toBe('application/json')
  return {status: response.status, headers: response.headers, body: await response.json()}
}

// A reply that equals its parsed value follows the contract and has no other fields.
export async function callForCustomer(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
): Promise<Customer> {
  const reply = await call(sandbox, method, path, body)
  expect(reply).toMatchObject({status: 200})
  const customer = endpoints.customers.get.reply.parse(reply.body)
  expect(customer).toEqual(reply.body)
  return customer
}

export const createCustomer = (sandbox: Sandbox, body: object) => callForCustomer(sandbox, 'POST', '/customers', body)
export const readCustomer = (sandbox: Sandbox, id: string) => callForCustomer(sandbox, 'GET', `/customers/${id}`)
export const patchCustomer = (sandbox: Sandbox, id: string, body: object) =>
  callForCustomer(sandbox, 'PATCH', `/customers/${id}`, body)

export async function listPage(sandbox: Sandbox, query: Record<string, string | number>) {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const {status, body} = await call(sandbox, 'GET', `/customers?${search.toString()}`)
  expect({status, body}).toMatchObject({status: 200})
  const parsed = endpoints.customers.list.reply.parse(body)
  expect(parsed).toEqual(body)
  return parsed
}

// Lists all customers, page by page.
export async function listAllCustomers(
  sandbox: Sandbox,
  query: Record<string, string | number> = {},
): Promise<Customer[]> {
  const customers: Customer[] = []
  let token: string | null | undefined
  do {
    const next = await listPage(sandbox, {...query, ...(token && {pageToken: token})})
    customers.push(...next.customers)
    token = next.nextPageToken
  } while (token)
  return customers
}

export async function callExpectingError(sandbox: Sandbox, method: string, path: string, body?: unknown) {
  const reply = await call(sandbox, method, path, body)
  const errorReply = errorBody.strict().parse(reply.body)
  expect(errorReply.statusCode).toBe(reply.status)
  return errorReply
}

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

// Every row of every table, as text.
export function dumpTables(file: string): string {
  const database = new DatabaseSync(file, {readOnly: true})
  const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all()
  const rows = tables.map(({name}) => [name, database.prepare(`select * from ${String(name)} order by 1`).all()])
  database.close()
  return JSON.stringify(rows, null, 1)
}
