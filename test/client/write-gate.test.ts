// Commands that forget to authorize a write: the gate where requests leave the client rejects it, and nothing is sent.
import * as Flags from '@oclif/core/flags'
import type {Config} from '@oclif/core'
import {beforeEach, describe, expect, test, vi} from 'vitest'
import {SvcCommand} from '../../src/cli/command.ts'
import type {Client} from '../../src/client/client.ts'
import {storeLogin} from '../../src/profiles/login.ts'
import {type Environment, updateProfile} from '../../src/profiles/profiles.ts'
import {type Service, customer, customerId, reply, serve} from '../support/service.ts'
import {temporaryFolder} from '../support/svc.ts'

type Send = (client: Client) => Promise<unknown>

const createCustomer: Send = (client) =>
  client.customers.create({body: {customerType: 'INDIVIDUAL', email: 'ada@example.com'}})

const createTransaction: Send = (client) =>
  client.transactions.create({'x-idempotency-key': 'key_1', body: {quoteId: 'quote_1'}})

const createRule: Send = (client) =>
  client.rules.create({
    body: {
      name: 'Sweep',
      customerId: customerId(1),
      transactionTemplate: {
        source: {sourcePaymentAccountId: 'acc_1', sourceCurrency: 'USDC', sourcePaymentMethod: 'BASE'},
        destination: {
          destinationPaymentAccountId: 'acc_2',
          destinationCurrency: 'USD',
          destinationPaymentMethod: 'ACH',
        },
        amount: {type: 'FLAT', value: '100'},
      },
      trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * 1'},
    },
  })

const config = {version: 'test', bin: 'svc', runHook: async () => ({})} as unknown as Config

// A command that sends a write that nothing has authorized.
async function runForgetful(send: Send, args: readonly string[] = []): Promise<unknown> {
  class Forgetful extends SvcCommand {
    static override flags = {'dry-run': Flags.boolean()}

    async run() {
      await this.parse(Forgetful)
      await send(await this.client())
      return undefined
    }
  }
  return new Forgetful(['--no-input', '--quiet', ...args], config)['_run']()
}

// The same write from a command that authorizes it.
async function runCareful(send: Send, write: {method: string; path: string; checksLimits?: boolean}) {
  class Careful extends SvcCommand {
    async run() {
      await this.parse(Careful)
      const caller = await this.writer()
      await this.write(caller, write, {yes: true}, async () => send(await this.client(caller)))
      return undefined
    }
  }
  return new Careful(['--no-input', '--quiet'], config)['_run']()
}

let service: Service

async function logIn(environment: Environment, readOnly = false): Promise<void> {
  await storeLogin({
    name: 'acme',
    baseUrl: service.url,
    environment,
    secret: 'sk_test_0123456789',
    store: 'file',
    readOnly,
  })
}

beforeEach(async () => {
  vi.stubEnv('SVC_CONFIG_DIR', temporaryFolder())
  for (const name of ['SVC_API_KEY', 'SVC_ACCESS_TOKEN', 'SVC_BASE_URL', 'SVC_PROFILE', 'SVC_DRY_RUN'])
    vi.stubEnv(name, undefined)
  service = await serve((_, response) =>
    reply(response, 200, customer(1, {transactionId: 'transaction_1', id: 'rule_1'})),
  )
  return () => vi.unstubAllEnvs()
})

const customers = {send: createCustomer, write: {method: 'POST', path: '/customers'}}
const transactions = {send: createTransaction, write: {method: 'POST', path: '/transactions'}}
const rules = {send: createRule, write: {method: 'POST', path: '/automation-rules'}}
const writes = [customers, transactions, rules]
const spending = [transactions, rules]

const usage = {kind: 'usage', exitCode: 2, effect: 'none'}
const limit = {kind: 'limit', exitCode: 10, effect: 'none', error: 'LIMIT_REACHED'}
const limitTo = (limits: object) => async () => void updateProfile('acme', () => ({limits}))

describe('A forgetful command', () => {
  test.each([
    ['with a read-only profile', writes, () => logIn('sandbox', true), [], usage, 'profile "acme" is read-only'],
    ['with a profile that limits destinations', spending, limitTo({destinations: ['acc_2']}), [], limit, ''],
    ['with a profile that has caps', spending, limitTo({paymentMax: {USDC: '1000'}}), [], limit, ''],
    [
      'while SVC_DRY_RUN is set',
      writes,
      async () => void vi.stubEnv('SVC_DRY_RUN', '1'),
      [],
      usage,
      'SVC_DRY_RUN is set',
    ],
    ['with its own --dry-run', writes, async () => {}, ['--dry-run'], usage, '--dry-run'],
    [
      'on live, where nobody confirmed it',
      spending,
      () => logIn('live'),
      [],
      usage,
      '(profile "acme", live) needs a yes',
    ],
    [
      'that no rule forbids',
      [customers],
      () => {},
      [],
      {},
      'POST /customers was not sent: its command did not authorize',
    ],
    ['that no rule forbids, on live', [customers], () => logIn('live'), [], {}, 'its command did not authorize it'],
  ])('cannot send a write %s', async (_, sent, prepare, args, expected, says) => {
    await logIn('sandbox')
    await prepare()
    for (const {send} of sent) {
      const message = expect.stringContaining(says) as string
      await expect(runForgetful(send, args)).rejects.toMatchObject({...expected, message})
      expect(service.requests).toEqual([])
    }
  })

  test('can read', async () => {
    await logIn('live', true)
    await runForgetful((client) => client.raw({method: 'GET', path: '/customers'}))
    expect(service.requests.map(({method}) => method)).toEqual(['GET'])
  })
})

describe('A command that authorizes its write', () => {
  test.each(writes)('sends it on live', async ({send, write}) => {
    await logIn('live')
    await runCareful(send, write)
    expect(service.requests.map(({method, path}) => ({method, path}))).toEqual([write])
  })

  test('sends what it checked against the limits of the profile, and nothing else', async () => {
    await logIn('live')
    await updateProfile('acme', () => ({limits: {paymentMax: {USDC: '1000'}}}))
    const write = {method: 'POST', path: '/transactions'}
    await expect(runCareful(createTransaction, write)).rejects.toMatchObject({exitCode: 10})
    expect(service.requests).toEqual([])
    await runCareful(createTransaction, {...write, checksLimits: true})
    expect(service.requests).toHaveLength(1)
    const other = runCareful(createRule, {...write, checksLimits: true})
    await expect(other).rejects.toMatchObject({exitCode: 10})
    expect(service.requests).toHaveLength(1)
  })

  test('is rejected by a read-only profile all the same', async () => {
    await logIn('sandbox', true)
    const sending = runCareful(createCustomer, {method: 'POST', path: '/customers'})
    await expect(sending).rejects.toMatchObject({exitCode: 2})
    expect(service.requests).toEqual([])
  })
})
