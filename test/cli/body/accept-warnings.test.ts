// What svc checks beyond the interface is a warning that can be overridden, and unknown fields can be sent.
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'
import {seeded} from '../../support/transactions.ts'

const serveCustomer = () =>
  serve((request, response) => {
    const isList = request.method === 'GET' && request.path.startsWith('/automation-rules')
    reply(response, 200, isList ? {automationRules: []} : customer(1, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'}))
  })

const update = (...sets: string[]) => ['customers', 'update', customerId(1), ...sets.flatMap((set) => ['--set', set])]

const address = ['kycData.address.streetLine1=Rruga B 14', 'kycData.address.city=Prishtina']
const kosovo = update('kycData.address.countryCode=XK', 'kycData.address.postalCode=10000', ...address)

const warned: Array<[what: string, args: string[], message: string]> = [
  [
    'a phone number that does not exist',
    update('kycData.phoneNumber=+15005550006999'),
    'kycData.phoneNumber is not a phone number that exists',
  ],
  ['XK', kosovo, 'kycData.address.countryCode is a code that ISO 3166-1 leaves to its users'],
]

describe('a warning', () => {
  it.each(warned)('stops a script for %s, and --accept-warnings sends it', async (_, args, message) => {
    const service = await serve((_request, response) =>
      reply(response, 200, customer(1, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION', customerType: 'INDIVIDUAL'})),
    )
    const stopped = await run(freshHome(), args, {env: service.env})
    expect(stopped).toMatchObject({code: 2, out: ''})
    expect(stopped.err).toContain(message)
    expect(stopped.err).toContain('Nothing was sent; if it is right, send it with --accept-warnings.')
    // The customer is read, because what is missing depends on it.
    expect(service.requests.map(({method}) => method)).toEqual(['GET'])
    const sent = await run(freshHome(), [...args, '--accept-warnings'], {env: service.env})
    expect(sent.code).toBe(0)
    expect(sent.err).toContain(`Warning: ${message}`)
    expect(service.requests.map(({method}) => method)).toEqual(['GET', 'GET', 'PATCH'])
  })

  it('does not hide what is wrong by the interface, which nothing overrides', async () => {
    const service = await serveCustomer()
    const args = [...update('kycData.address.countryCode=UK', 'kycData.dateOfBirth=2999-01-01'), '--accept-warnings']
    const {code, err} = await run(freshHome(), args, {env: service.env})
    expect(code).toBe(2)
    expect(err).toContain('There are 4 problems')
    expect(service.requests).toEqual([])
  })
})

const route = `--from ${seeded.wallet} --from-currency USDC --from-method SOLANA
  --to ${seeded.sepaAccount} --to-currency EUR --to-method SEPA`.split(/\s+/)

const createRule = ['-p', 'sandbox', 'rules', 'create', '--name', 'Sweep', '--customer', seeded.customer, ...route]

const ruleBody = {
  name: 'Payroll',
  customerId: customerId(1),
  transactionTemplate: {
    source: {sourcePaymentAccountId: 'w1', sourcePaymentMethod: 'BASE', sourceCurrency: {label: 'USDC', chain: 'BASE'}},
    destination: {
      destinationPaymentAccountId: 'b1',
      destinationPaymentMethod: 'ACH',
      destinationCurrency: {label: 'USD'},
    },
    amount: {type: 'FLAT', value: '5'},
  },
  trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * *'},
}

describe('--allow-unknown-fields', () => {
  it('sends fields of a body that the interface does not have', async () => {
    const service = await serveCustomer()
    const args = update('kycData.favouriteColour=red', 'kycData.legalFirstName=Ada', 'newField.inner:=[1]')
    const stopped = await run(freshHome(), args, {env: service.env})
    expect(stopped.code).toBe(2)
    expect(stopped.err).toContain('kycData.favouriteColour is not a field of the interface')
    expect(service.requests).toEqual([])
    const sent = await run(freshHome(), [...args, '--allow-unknown-fields'], {env: service.env})
    expect(sent).toMatchObject({code: 0})
    expect(JSON.parse(service.requests.at(-1)?.body ?? '')).toEqual({
      kycData: {favouriteColour: 'red', legalFirstName: 'Ada'},
      newField: {inner: [1]},
    })
  })

  it('sends them in a new customer, a quote and a rule; the sandbox rejects them', async () => {
    const home = freshHome()
    const more = ['--set', 'color=red', '--allow-unknown-fields', '-p', 'sandbox']
    const quote = ['quotes', 'create', '--customer', seeded.customer, ...route, '--amount', '5']
    for (const command of [
      ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'a@example.com'],
      quote,
      [...createRule.slice(2), '--amount', '5', '--cron', '0 9 * * *'],
    ]) {
      const {code, err} = await run(home, [...command, ...more])
      expect([command[0], code]).toEqual([command[0], 3])
      expect(err).toContain('color is not a field of the interface')
    }
  })

  it('sends them in a change of a rule', async () => {
    const rule = {id: 'r1', ...ruleBody, createdAt: '2026-11-01T12:00:00Z'}
    const service = await serve((_, response) => reply(response, 200, rule))
    const change = ['--set', 'color=red', '--set', 'transactionTemplate.destination.memo=June', '--amount', '7']
    const args = ['rules', 'update', 'r1', ...change, '--yes']
    const stopped = await run(freshHome(), args, {env: service.env})
    expect(stopped).toMatchObject({code: 2, out: ''})
    expect(service.requests.map(({method}) => method)).toEqual(['GET'])
    await run(freshHome(), [...args, '--allow-unknown-fields'], {env: service.env})
    const sent = service.requests.find(({method}) => method === 'PUT')?.body ?? ''
    expect(JSON.parse(sent)).toMatchObject({
      color: 'red',
      trigger: ruleBody.trigger,
      transactionTemplate: {destination: {memo: 'June'}, amount: {type: 'FLAT', value: '7'}},
    })
  })
})
