// svc api: any request, with the credential, checks and exit codes of every other command.
import {describe, expect, it} from 'vitest'
import {type ReceivedRequest, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'

const echo = () =>
  serve(({method, path: at, query, headers, body}: ReceivedRequest, response) =>
    reply(response, 200, {
      transactionId: 't1',
      method,
      path: at,
      query: [...query],
      key: headers['x-idempotency-key'],
      body: body && JSON.parse(body),
    }),
  )

describe('svc api', () => {
  it.each([302, 408, 409, 425, 429, 499, 500])(
    'says that a transaction may have been made after %i',
    async (status) => {
      const service = await serve((_, response) => reply(response, status, {error: 'NOT_NOW', message: 'Later'}))
      const post = ['api', 'POST', '/transactions', '--set', 'quoteId=q1', '-H', 'x-idempotency-key: k1', '--yes']
      const {code, err} = await run(freshHome(), post, {env: service.env})
      expect(code).toBe(7)
      expect(err).toContain('may or may not have happened')
      expect(service.requests).toHaveLength(1)
    },
  )

  it('says so after a reply without an id', async () => {
    const service = await serve((_, response) => reply(response, 200, {}))
    const {code, err} = await run(freshHome(), ['api', 'POST', '/transactions', '--set', 'quoteId=q1', '--yes'], {
      env: service.env,
    })
    expect([code, err]).toEqual([7, expect.stringContaining('without transactionId')])
  })

  it('accepts a query in the path and in flags', async () => {
    const service = await echo()
    const {code, out} = await run(freshHome(), ['api', 'get', '/customers?pageSize=5', '--query', 'pageToken=a&b'], {
      env: service.env,
    })
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({
      method: 'GET',
      path: '/customers',
      query: [
        ['pageSize', '5'],
        ['pageToken', 'a&b'],
      ],
    })
    expect(service.requests[0]?.headers.authorization).toBe('Bearer test-key')
  })

  it('sends a transaction on a live profile only with --yes, and with the given header', async () => {
    const service = await echo()
    const post = ['api', 'POST', '/transactions', '--set', 'quoteId=q1', '-H', 'x-idempotency-key: k1']
    const without = await run(freshHome(), post, {env: service.env})
    expect(without.code).toBe(2)
    expect(without.err).toContain('--yes')
    expect(service.requests).toEqual([])
    const {code, out} = await run(freshHome(), [...post, '--yes'], {env: service.env})
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({key: 'k1', body: {quoteId: 'q1'}})
  })
})
