// svc customers update: in a terminal, in a pipe, as JSON, and rejected by svc and by the service.
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {login, secret} from '../../profiles/logins.ts'
import {personalData, writePerson} from '../../support/person.ts'

const phone = ['--set', 'kycData.phoneNumber=+15551234567']

async function findCustomer(home: Home, status: string, type = 'INDIVIDUAL'): Promise<string> {
  const {out} = await run(home, ['customers', 'list', '-p', 'sandbox', '--all', '-o', 'jsonl'])
  const customers = out.trim().split('\n').map(json)
  const found = customers.find((each) => each['customerStatus'] === status && each['customerType'] === type)
  return String(found?.['customerId'])
}

// A service with one customer that accepts any data.
const serveCustomer = (more: Record<string, unknown>) =>
  serve(({method}, response) =>
    reply(response, 200, customer(1, method === 'GET' ? more : {...more, customerStatus: 'UNDER_REVIEW'})),
  )

const updateCommand = (...flags: string[]) => ['customers', 'update', customerId(1), ...flags]

describe('svc customers update', () => {
  it('prints the service’s own object as JSON', async () => {
    const service = await serveCustomer({customerStatus: 'NEEDS_ADDITIONAL_INFORMATION', riskTier: 'gold'})
    const {code, out} = await run(freshHome(), updateCommand(...phone, '--json'), {env: service.env})
    expect(code).toBe(0)
    expect(json(out)).toEqual(customer(1, {customerStatus: 'UNDER_REVIEW', riskTier: 'gold'}))
    expect(service.requests.map(({method, path: target, body}) => ({method, target, body}))).toEqual([
      {method: 'GET', target: `/customers/${customerId(1)}`, body: ''},
      {method: 'PATCH', target: `/customers/${customerId(1)}`, body: '{"kycData":{"phoneNumber":"+15551234567"}}'},
    ])
  })

  it('only reads in a dry run, and masks personal data', async () => {
    const home = freshHome()
    writePerson(path.join(home.folder, 'papers'))
    const service = await serveCustomer({customerStatus: 'CREATED'})
    const {code, out, err} = await run(home, updateCommand('-f', 'papers/kyc.yaml', '--dry-run'), {
      env: service.env,
    })
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(personalData.filter((word) => out.includes(word))).toEqual([])
    expect(json(out)).toMatchObject({method: 'PATCH', path: `/customers/${customerId(1)}`})
    expect(service.requests.map(({method}) => method)).toEqual(['GET'])
  })

  it.each([
    ['UNDER_REVIEW', `svc customers watch ${customerId(1)}`],
    ['ACTIVE', 'nothing to correct'],
    ['REJECTED', 'support'],
    ['DEACTIVATED', 'support'],
  ])('rejects a customer that is %s as the service would, and says what to do instead', async (status, hint) => {
    const service = await serveCustomer({customerStatus: status})
    const {code, out, err} = await run(freshHome(), updateCommand(...phone, '--json'), {env: service.env})
    expect({code, out}).toEqual({code: 3, out: ''})
    expect(json(err)).toMatchObject({
      error: 'PATCH_NOT_ALLOWED',
      statusCode: 400,
      exitCode: 3,
      message: `The customer is ${status}, and data is accepted only while it is CREATED or NEEDS_ADDITIONAL_INFORMATION.`,
    })
    expect(json(err)['hint']).toContain(hint)
    expect(service.requests.map(({method}) => method)).toEqual(['GET'])
  })

  it.each([
    ['BUSINESS', phone, 'kycData is for individuals: a business submits kybData'],
    [
      'INDIVIDUAL',
      ['--set', 'kybData.conductsMoneyServices=true'],
      'kybData is for businesses: an individual submits kycData',
    ],
  ])('rejects data that is not for %s', async (customerType, flags, message) => {
    const service = await serveCustomer({customerStatus: 'NEEDS_ADDITIONAL_INFORMATION', customerType})
    const {code, out, err} = await run(freshHome(), updateCommand(...flags), {env: service.env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain(message)
    expect(service.requests.map(({method}) => method)).toEqual(['GET'])
  })

  it('exits with 7 when the reply is lost, and names the command that shows whether the data arrived', async () => {
    const home = freshHome()
    const id = await findCustomer(home, 'NEEDS_ADDITIONAL_INFORMATION')
    const faults = ['sandbox', 'faults', 'add', '--method', 'PATCH', '--path', '/customers/{customerId}']
    await run(home, [...faults, '--kind', 'truncate', '--times', '1'])
    const {code, out, err} = await run(home, ['customers', 'update', id, '-p', 'sandbox', ...phone])
    expect({code, out}).toEqual({code: 7, out: ''})
    expect(err).toContain(`See \`svc customers get ${id} -p sandbox\`: the customer is UNDER_REVIEW if it arrived.`)
    const {out: now} = await run(home, ['customers', 'get', id, '-p', 'sandbox', '--json'])
    expect(json(now)).toMatchObject({customerStatus: 'UNDER_REVIEW'})
  })

  it('does not write with a read-only profile, but shows what it would write', async () => {
    const service = await serveCustomer({customerStatus: 'NEEDS_ADDITIONAL_INFORMATION', customers: []})
    const home = freshHome()
    await login(home, 'acme', service.url, secret, '--read-only')
    const asked = service.requests.length
    const rejected = await run(home, updateCommand(...phone))
    expect(rejected).toMatchObject({code: 2, out: ''})
    expect(rejected.err).toContain('read-only')
    expect(service.requests).toHaveLength(asked)
    expect(await run(home, updateCommand(...phone, '--dry-run'))).toMatchObject({code: 0})
  })
})
