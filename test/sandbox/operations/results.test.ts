// Runs every operation of control, and holds its result against the schema of the OpenAPI document.
import {describe, expect, it} from 'vitest'
import {type OperationName, operations} from '../../../src/sandbox/operations/operations.ts'
import {createCall} from '../../../src/sandbox/operations/call.ts'
import {createInputSchema, schemaKit} from '../../../src/sandbox/operations/schema-kit.ts'
import {documentImage} from '../../values/images.ts'
import {openTemporary} from '../open.ts'
import type {Sandbox} from '../../../src/sandbox/sandbox.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
const deposits = 'e6a40001-01ec-40ff-9fe2-092716aa0519'
const processing = '08453f1a-c9c6-45d0-9ab5-159985b690a4'
const url = 'http://localhost:9/hook'

type Step = readonly [OperationName, object | ((sandbox: Sandbox) => object)]

// What the operation before it gave.
let exported = ''

// In this order, on one sandbox.
const steps: readonly Step[] = [
  ['status', {}],
  ['seed', {customers: 2}],
  ['webhooks.add', {url, copies: 2, reorder: false}],
  ['snapshot.save', {name: 'before'}],
  ['verify', {customerId: zoe, outcome: 'deactivated'}],
  ['snapshot.diff', {name: 'before'}],
  ['webhooks.events', {limit: 5}],
  ['webhooks.deliveries', {status: 'PENDING'}],
  ['webhooks.resend', ({webhooks}) => ({id: webhooks.events().events[0]?.eventId})],
  ['webhooks.list', {showSecrets: true}],
  ['webhooks.remove', ({webhooks}) => ({endpointId: webhooks.list()[0]?.endpointId})],
  ['snapshot.list', {}],
  ['snapshot.restore', {name: 'before'}],
  ['snapshot.export', {name: 'before'}],
  ['snapshot.import', () => ({content: exported, name: 'imported', replace: true})],
  ['clock', {}],
  ['clock.advance', {duration: '90s'}],
  ['clock.to-next', {}],
  ['fund', {paymentAccountId: wallet, amount: '100.50'}],
  ['fund', {paymentAccountId: deposits, amount: '120'}],
  ['settle', {transactionId: processing, outcome: 'failed'}],
  ['accounts.add', {customerId: zoe, type: 'SVC_CRYPTO_WALLET', chain: 'POLYGON', balance: '5'}],
  ['accounts.add', {customerId: zoe, type: 'EXTERNAL_BANK_ACCOUNT', method: 'SEPA', pending: true}],
  ['accounts.list', {customerId: zoe}],
  ['clock.until-idle', {}],
  ['clock.freeze', {at: '2030-01-01T00:00:00Z'}],
  ['clock.run', {}],
  ['faults.add', {kind: 'status', method: 'GET', path: '/customers', times: 1, status: 429, retryAfterSeconds: 2}],
  ['faults.add', {kind: 'reset', commitAfterMs: 90_000, delayMs: 5, probability: 0.5, after: 1}],
  ['faults.set', {reset: true, idempotency: 'forget-after-30m', listLagSeconds: 30, dateSkewSeconds: -60}],
  ['faults.list', {}],
  ['faults.clear', {}],
  ['magic', {}],
  ['branding.set', {name: 'Acme', logo: documentImage().replace(/^.*base64,/, '')}],
  ['branding.show', {}],
  ['branding.clear', {}],
  ['token', {expiresIn: '1m'}],
  ['requests', {limit: 5, method: 'GET'}],
  ['reset', {seed: 'docs', now: '2026-11-15T12:00:00Z'}],
  [
    'play',
    {
      scenario:
        'name: One\nsteps:\n  - customer: ada\n    data: complete\n  - expect: {customer: $ada, status: ACTIVE}',
      fresh: true,
    },
  ],
  ['spaces.list', {}],
  ['spaces.remove', {name: 'one'}],
]

const record = {
  name: 'one',
  apiKey: 'key@one',
  formsUrl: 'http://one.localhost:4010/forms',
  consoleUrl: 'http://one.localhost:4010/?token=t',
  createdAt: '2026-11-15T12:00:00.000Z',
}

describe('the results of control', () => {
  it('have the shape of the OpenAPI document, for every operation', async () => {
    const sandbox = openTemporary()
    await sandbox.fetch(
      new Request('http://localhost/customers', {headers: {authorization: `Bearer ${sandbox.apiKey}`}}),
    )
    const call = createCall(sandbox, {spaces: {list: () => [record], remove: async () => record}})
    for (const [name, given] of steps) {
      const {input: fields, output} = operations[name]
      const input = createInputSchema(fields).parse(typeof given === 'function' ? given(sandbox) : given)
      const result: unknown = JSON.parse(JSON.stringify(await call(name, input as never)))
      if (name === 'snapshot.export') exported = (result as {content: string}).content
      const schema = output(schemaKit)
      expect({name, result: schema.parse(result)}).toEqual({name, result})
    }
    expect(Object.keys(operations).filter((name) => !steps.some(([step]) => step === name))).toEqual([])
  })
})
