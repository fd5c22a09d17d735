// The hint of an error: the base URL if that is wrong, commands with quoted ids, and where a list continues.
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

const nothingThere = () =>
  serve((_, response) => reply(response, 404, {error: 'NOT_FOUND', message: 'no route', statusCode: 404}))

describe('A 404', () => {
  it('for a list names the base URL, also at login', async () => {
    const service = await nothingThere()
    const listed = await run(freshHome(), ['customers', 'list', '--json'], {env: service.env})
    expect(listed.code).toBe(5)
    expect(json(listed.err)['hint']).toBe(`Check the base URL: nothing of the service is at ${service.url}/customers.`)
    const args = ['login', '--base-url', `${service.url}/v9`, '--live', '--store', 'file']
    const {code, err} = await run(freshHome(), args, {input: 'test-key'})
    expect(code).toBe(5)
    expect(err).toContain(`nothing of the service is at ${service.url}/v9/customers.`)
  })

  it('for a new customer, whose data names no id, names the base URL', async () => {
    const {env, url} = await nothingThere()
    const args = ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com', '--json']
    const {code, err} = await run(freshHome(), args, {env})
    expect(code).toBe(5)
    expect(json(err)['hint']).toBe(`Check the base URL: nothing of the service is at ${url}/customers.`)
  })

  it('for one item, or for the list of one customer, names the id', async () => {
    const {env} = await nothingThere()
    for (const args of [
      ['customers', 'get', customerId(1)],
      ['accounts', 'list', '--customer', customerId(1)],
    ]) {
      expect((await run(freshHome(), args, {env})).err).toContain('Check the id, and that it belongs to this profile.')
    }
  })
})

describe('A write with an unknown outcome', () => {
  const quote = [
    ['quotes', 'create', '--customer', customerId(1), '--amount', '10'],
    ['--from', 'w1', '--from-currency', 'USDC', '--from-method', 'BASE'],
    ['--to', 'b1', '--to-currency', 'USD', '--to-method', 'ACH'],
  ].flat()

  it('can be sent again if it is a quote', async () => {
    const {env} = await serve((_, response) => reply(response, 500, {error: 'X', message: 'boom', statusCode: 500}))
    const {code, err} = await run(freshHome(), [...quote, '--json'], {env})
    expect(code).toBe(7)
    expect(json(err)['hint']).toMatch(/^Request it again: a quote moves no money/)
  })

  it('names the id in the hint, also if the reply is empty', async () => {
    const {env} = await serve(({method}, response) => {
      if (method === 'GET') return reply(response, 200, customer(1, {customerStatus: 'CREATED'}))
      return response.writeHead(204).end()
    })
    const args = [
      'customers',
      'update',
      customerId(1),
      '--set',
      'kycData.legalFirstName=Ada',
      '--accept-warnings',
      '--quiet',
      '--json',
    ]
    const {code, err} = await run(freshHome(), args, {env})
    expect(code).toBe(7)
    expect(json(err)['message']).toContain(`PATCH /customers/${customerId(1)} may or may not`)
    expect(json(err)['hint']).toContain(`svc customers get ${customerId(1)}`)
  })
})

describe('A list that fails in the middle', () => {
  const cutAfter = (pages: number, end: number) =>
    serve(({query}, response) => {
      const page = Number(query.get('pageToken')?.slice(1) ?? 1)
      if (page <= pages)
        return reply(response, 200, {customers: [customer(page), customer(100)], nextPageToken: `p${page + 1}`})
      return end === 0
        ? response.destroy()
        : reply(response, end, {error: 'UNAUTHORIZED', message: 'x', statusCode: end})
    })

  it.each(['jsonl', 'csv'])('as %s says how much was printed, and from where to continue', async (format) => {
    const {env} = await cutAfter(2, 0)
    const {code, out, err} = await run(freshHome(), ['customers', 'list', '--all', '-o', format], {env})
    expect(code).toBe(6)
    expect(out.trimEnd().split('\n')).toHaveLength(format === 'csv' ? 5 : 4)
    expect(err).toContain('the output is partial, with 4 customers')
    expect(err).toContain('ontinue with `--page-token p3`')
  })

  it('because the credential expired says both what to do and from where to continue', async () => {
    const {env} = await cutAfter(1, 401)
    const {code, err} = await run(freshHome(), ['customers', 'list', '--all', '-o', 'csv'], {env})
    expect(code).toBe(4)
    expect(err).toMatch(/Log in again .*, then continue with `--page-token p2`\./)
  })
})
