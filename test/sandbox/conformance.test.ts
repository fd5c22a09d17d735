// Calls every endpoint with valid and invalid inputs: every reply follows the contract, and none is a 500.
import * as fc from 'fast-check'
import {expect, it} from 'vitest'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {errorBody} from '../../src/contract/openapi.ts'
import {serviceErrors} from '../../src/contract/service-errors.ts'
import type {Sandbox} from '../../src/sandbox/sandbox.ts'
import {call, dumpTables, noon, openTemporary, temporaryFile} from './open.ts'
import {type ExistingIds, type Parts, createInputs} from './arbitrary.ts'
import {seed} from '../support/seed.ts'

const runsPerEndpoint = 150

const declared = new Set(serviceErrors.map(({statusCode, error}) => `${statusCode} ${error}`))

// Existing ids, so that enough inputs pass validation.
async function collectIds(sandbox: Sandbox): Promise<ExistingIds> {
  const {customers} = (await call(sandbox, 'GET', '/customers?pageSize=100')).body as {
    customers: Array<{customerId: string; customerStatus: string}>
  }
  const active = customers.filter(({customerStatus}) => customerStatus === 'ACTIVE').slice(0, 1)
  const customerId = active[0]?.customerId ?? ''
  const {paymentAccounts} = (await call(sandbox, 'GET', `/payment-accounts?customerId=${customerId}&pageSize=100`))
    .body as {
    paymentAccounts: Array<{paymentAccountId: string}>
  }
  const accounts = paymentAccounts.map(({paymentAccountId}) => paymentAccountId).filter((id) => id !== '')
  return {
    customerId: [customerId, customerId, ...customers.map((customer) => customer.customerId)],
    sourcePaymentAccountId: accounts,
    destinationPaymentAccountId: accounts,
    paymentAccountId: accounts,
    sourceCurrency: ['USDC', 'USD'],
    destinationCurrency: ['USD', 'USDC', 'EUR'],
  }
}

function buildPath(template: string, {params, query}: Parts): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(toText(toFields(params)[name])),
  )
  const search = new URLSearchParams(
    Object.entries(toFields(query)).map(([name, value]): [string, string] => [name, toText(value)]),
  )
  return `${path}?${search.toString()}`
}

// A whole part of a request may be junk as well.
const toFields = (part: unknown) => Object(part ?? {}) as Record<string, unknown>

const toText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()

function buildRequest(
  sandbox: Sandbox,
  method: string,
  path: string,
  {headers, body}: Parts,
  hasBody: boolean,
): Request {
  const given = Object.entries(toFields(headers))
    .filter(([name]) => /^[\w-]+$/.test(name))
    .map(([name, value]) => [name, toText(value).replace(/[^\x21-\x7e]/g, '_')])
  const text = JSON.stringify(body)
  return new Request(`http://localhost${path}`, {
    method,
    headers: [['authorization', `Bearer ${sandbox.apiKey}`], ...given] as Array<[string, string]>,
    ...(hasBody && text !== undefined && {body: text}),
  })
}

it.each(endpointEntries.map(({name, endpoint}) => [name, endpoint] as const))(
  'the sandbox, with any input replies to %s according to the contract, whatever is sent',
  async (_, endpoint) => {
    const faults: unknown[] = []
    const file = temporaryFile()
    const sandbox = openTemporary({file, frozenAt: noon, seed: 'conformance', onFault: (error) => faults.push(error)})
    const known = await collectIds(sandbox)
    const before = dumpTables(file, ['requests'])
    await fc.assert(
      fc.asyncProperty(createInputs(endpoint, known), async (parts) => {
        for (const template of [endpoint.path, endpoint.pathAlso].filter((path) => path !== undefined)) {
          const request = buildRequest(
            sandbox,
            endpoint.method,
            buildPath(template, parts),
            parts,
            endpoint.body !== undefined,
          )
          const response = await sandbox.fetch(request)
          const body: unknown = await response.json()
          expect(faults).toEqual([])
          if (response.status === 200) {
            expect(endpoint.reply.safeParse(body)).toMatchObject({success: true})
          } else {
            const {error, statusCode} = errorBody.parse(body)
            expect(statusCode).toBe(response.status)
            expect(response.status).toBeLessThan(500)
            expect(declared).toContain(`${statusCode} ${error}`)
          }
        }
      }),
      {seed, numRuns: runsPerEndpoint},
    )
    // A read runs without the lock of a writer.
    if (endpoint.method === 'GET') expect(dumpTables(file, ['requests'])).toBe(before)
  },
)
