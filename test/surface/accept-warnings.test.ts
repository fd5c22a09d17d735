// What svc checks beyond the interface is a warning that can be overridden, and unknown fields can be sent.
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'
import {seeded} from '../support/transactions.ts'

const serveCustomer = () =>
  serve((_, response) => reply(response, 200, customer(1, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'})))

const update = (...sets: string[]) => ['customers', 'update', customerId(1), ...sets.flatMap((set) => ['--set', set])]

describe('a warning', () => {
  it('stops a script, and --accept-warnings sends it', async () => {
    const args = update('kycData.phoneNumber=+15005550006999')
    const message = 'kycData.phoneNumber is not a phone number that exists'
    const service = await serveCustomer()
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
  --to ${seeded.sepaAccount} --to-currency EUR --to-method SEPA --amount 5`.split(/\s+/)

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
    for (const command of [
      ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'a@example.com'],
      ['quotes', 'create', '--customer', seeded.customer, ...route],
      ['rules', 'create', '--name', 'Sweep', '--customer', seeded.customer, ...route, '--cron', '0 9 * * *'],
    ]) {
      const {code, err} = await run(home, [...command, ...more])
      expect([command[0], code]).toEqual([command[0], 3])
      expect(err).toContain('color is not a field of the interface')
    }
  })
})
