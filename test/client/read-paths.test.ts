// The interface does not fix the path of one customer: both forms are tried, and the one that works is remembered.
import {describe, expect, it} from 'vitest'
import {type Service, customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {createTestClient, expectFailure, captureError} from './raw-service.ts'

const get = ['customers', 'get', customerId(1), '--json']

// Answers at one form of the path, and with the status `otherwise` at the other.
const serveOnly = (form: 'customer' | 'customers', otherwise = 404) =>
  serve(({path}, response) => {
    if (path === '/customers') reply(response, 200, {customers: []})
    else if (path === `/${form}/${customerId(1)}`) reply(response, 200, customer(1))
    else reply(response, otherwise, {error: 'ELSEWHERE', message: 'No such route', statusCode: otherwise})
  })

const listPaths = ({requests}: Service) => requests.map(({path}) => path)

describe('the read of one customer', () => {
  it('needs one request if the service has only /customers/{id}', async () => {
    const service = await serveOnly('customers')
    const {code, out} = await run(freshHome(), get, {env: service.env})
    expect({code, out: json(out)}).toEqual({code: 0, out: customer(1)})
    expect(listPaths(service)).toEqual([`/customers/${customerId(1)}`])
  })

  it.each([404, 405])('works if the service has only /customer/{id} and answers %i elsewhere', async (status) => {
    const service = await serveOnly('customer', status)
    const {code, out, err} = await run(freshHome(), get, {env: service.env})
    expect({code, err, out: json(out)}).toEqual({code: 0, err: '', out: customer(1)})
    expect(listPaths(service)).toEqual([`/customers/${customerId(1)}`, `/customer/${customerId(1)}`])
  })

  it('uses the form that worked before, and finds the other one if it no longer works', async () => {
    let form = 'customer'
    const service = await serve(({path}, response) =>
      path.startsWith(`/${form}/`) ? reply(response, 200, customer(1)) : reply(response, 404, {error: 'ELSEWHERE'}),
    )
    const client = createTestClient(service.url)
    for (const right of ['customer', 'customer', 'customers', 'customers']) {
      form = right
      expect(await client.customers.get({customerId: customerId(1)})).toEqual(customer(1))
    }
    const tried = ['customers', 'customer', 'customer', 'customer', 'customers', 'customers']
    expect(listPaths(service)).toEqual(tried.map((each) => `/${each}/${customerId(1)}`))
  })

  it.each([404, 405])('ends with 5 if the customer is at neither path, and one route answers %i', async (status) => {
    const service = await serve(({path}, response) =>
      reply(response, path.startsWith('/customer/') ? status : 404, {error: 'NOT_FOUND', message: 'Nobody'}),
    )
    const ended = await run(freshHome(), get, {env: service.env})
    expectFailure(ended, 5)
    expect(json(ended.err)).toMatchObject({error: 'NOT_FOUND', statusCode: 404})
    expect(service.requests).toHaveLength(2)
  })

  const noCustomer = {error: 'CUSTOMER_NOT_FOUND', message: 'No such customer', statusCode: 404}
  it.each([
    ['no body that is JSON', '<h1>Not found</h1>'],
    ['no route', {error: 'NOT_FOUND', message: 'No route', statusCode: 404}],
    ['the words of a framework', {error: 'Not Found', message: 'Cannot GET', statusCode: 404}],
  ])('shows the error about the customer if the other route answers with %s', async (_, noRoute) => {
    for (const right of ['/customer/', '/customers/']) {
      const service = await serve(({path}, response) =>
        reply(response, 404, path.startsWith(right) ? noCustomer : noRoute),
      )
      const failure = await captureError(createTestClient(service.url).customers.get({customerId: customerId(1)}))
      expect(failure).toMatchObject({error: 'CUSTOMER_NOT_FOUND', exitCode: 5})
      expect(service.requests).toHaveLength(2)
    }
  })

  it('does not try the other path if the service refuses or fails', async () => {
    for (const [status, exitCode] of [
      [400, 3],
      [401, 4],
      [403, 4],
    ] as const) {
      const service = await serve((_, response) => reply(response, status, {}))
      expect(
        await captureError(createTestClient(service.url).customers.get({customerId: customerId(1)})),
      ).toMatchObject({
        exitCode,
      })
      expect(service.requests).toHaveLength(1)
    }
  })

  it('sends its query to both forms', async () => {
    const service = await serveOnly('customer')
    await run(freshHome(), [...get, '--payment-methods'], {env: service.env})
    expect(service.requests.map(({query}) => query.toString())).toEqual([
      'includePaymentMethods=true',
      'includePaymentMethods=true',
    ])
  })
})
