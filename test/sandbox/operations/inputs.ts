// Inputs with which operations work in a new sandbox, if not that of their first example. {endpointId} is that of an earlier result.
import {Parser} from '@oclif/core'
import {createArguments, createFlags, listFlagFields} from '../../../src/sandbox-commands/flags.ts'
import type {OperationInput, OperationName} from '../../../src/sandbox/operations/operations.ts'
import {getOperation, operationNames} from '../../../src/sandbox/operations/operations.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
const deposits = 'e6a40001-01ec-40ff-9fe2-092716aa0519'

const inputs: {[N in OperationName]?: ReadonlyArray<OperationInput<N>>} = {
  seed: [{customers: 2}],
  reset: [{seed: 'docs', now: '2026-11-15T12:00:00Z'}],
  'clock.freeze': [{at: '2030-01-01T00:00:00Z'}],
  'faults.add': [
    {kind: 'status', method: 'GET', path: '/customers', times: 1, status: 429, retryAfterSeconds: 2},
    {kind: 'reset', method: 'DELETE', commitAfterMs: 90_000, delayMs: 5, probability: 0.5, after: 1},
  ],
  'faults.set': [{reset: true, idempotency: 'forget-after-30m', listLagSeconds: 30, dateSkewSeconds: -60}],
  'accounts.add': [
    {customerId: zoe, type: 'SVC_CRYPTO_WALLET', chain: 'POLYGON', balance: '5'},
    {customerId: zoe, type: 'EXTERNAL_BANK_ACCOUNT', method: 'SEPA', pending: true},
  ],
  fund: [
    {paymentAccountId: wallet, amount: '100.50'},
    {paymentAccountId: deposits, amount: '120'},
  ],
  requests: [{limit: 5, method: 'GET'}],
  token: [{expiresIn: '1m'}],
  'webhooks.add': [{url: 'http://localhost:9/hook', copies: 2}],
  'webhooks.list': [{showSecrets: true}],
  'webhooks.remove': [{endpointId: '{endpointId}'}],
  'webhooks.deliveries': [{status: 'PENDING'}],
  'webhooks.events': [{limit: 5}],
  'webhooks.resend': [{id: '{eventId}'}],
}

async function readExample(name: OperationName): Promise<object> {
  const {input = {}, examples = {}} = getOperation(name)
  const fields = listFlagFields({input})
  const [example = ''] = Object.values(examples)
  const words = example.split(' ').slice(name.split('.').length + 2)
  const {args, flags} = await Parser.parse(words, {args: createArguments(fields), flags: createFlags(fields)})
  const given: Readonly<Record<string, unknown>> = {...args, ...flags}
  return Object.fromEntries(fields.map(({field, name: word}) => [field, given[word]]))
}

const read = async (name: OperationName) => [name, inputs[name] ?? [await readExample(name)]] as const
const all = new Map<OperationName, readonly object[]>(await Promise.all(operationNames.map(read)))

export const listInputs = (name: OperationName): readonly object[] => all.get(name) ?? []
