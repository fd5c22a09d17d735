// Names of customers in the tables of transactions, rules and accounts.
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {transaction} from '../support/transactions.ts'

const ofCustomers = (...numbers: number[]) =>
  numbers.map((number, index) => transaction(index + 1, 'COMPLETED', {customerId: customerId(number)}))

interface Script {
  transactions: object[]
  customers?: object[]
  status?: number
}

const serveNames = ({transactions, customers = [customer(1), customer(2)], status = 200}: Script) =>
  serve(({path, query}, response) => {
    if (path === '/transactions') return reply(response, 200, {transactions})
    if (status !== 200) return reply(response, status, {error: 'ERROR', message: 'no', statusCode: status})
    if (path === '/payment-accounts') return reply(response, 200, {paymentAccounts: []})
    if (path !== '/customers') {
      const asked = customers.find((each) => Object.values(each).some((value) => path.endsWith(String(value))))
      return reply(response, 200, asked)
    }
    const start = Number(query.get('pageToken') ?? 0)
    const end = start + Number(query.get('pageSize'))
    const next = end < customers.length ? {nextPageToken: String(end)} : {}
    return reply(response, 200, {customers: customers.slice(start, end), ...next})
  })

const list = ['transactions', 'list']
const toPaths = ({requests}: {requests: Array<{path: string}>}) => requests.map(({path}) => path)

describe('the names of customers in a table', () => {
  it('are shown instead of the ids, after one more read', async () => {
    const service = await serveNames({transactions: ofCustomers(1, 2, 1)})
    const {code, out, err} = await run(freshHome(), list, {env: service.env})
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toMatch(/ CUSTOMER\n.* Customer 1\n.* Customer 2\n.* Customer 1\n$/)
    expect(toPaths(service)).toEqual(['/transactions', '/customers'])
  })

  it('give way to the id with --columns customerId, and are not read then', async () => {
    const service = await serveNames({transactions: ofCustomers(1, 2)})
    const {out} = await run(freshHome(), [...list, '--columns', 'customerId'], {env: service.env})
    expect(out).toBe(`CUSTOMER ID\n${customerId(1)}\n${customerId(2)}\n`)
    expect(toPaths(service)).toEqual(['/transactions'])
  })

  it('are read for no other format, and no JSON changes', async () => {
    const service = await serveNames({transactions: ofCustomers(1, 2)})
    const {out} = await run(freshHome(), [...list, '--json'], {env: service.env})
    expect(json(out)).toEqual({transactions: ofCustomers(1, 2)})
    const csv = await run(freshHome(), [...list, '-o', 'csv'], {env: service.env})
    expect(csv.out).toMatch(/^(?!.*\bcustomer,).*\bcustomerId\b/)
    const short = await run(freshHome(), [...list, '-o', 'csv', '--columns', 'customer'], {env: service.env})
    expect(short.out).toBe(`customerId\n${customerId(1)}\n${customerId(2)}\n`)
    expect(toPaths(service)).toEqual(['/transactions', '/transactions', '/transactions'])
  })

  it.each([403, 500])('leave the ids if the service answers %i, at once and without a word', async (status) => {
    const service = await serveNames({transactions: ofCustomers(1, 2), status})
    const {code, out, err} = await run(freshHome(), list, {env: service.env})
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toContain(customerId(2))
    expect(toPaths(service)).toEqual(['/transactions', '/customers'])
  })
})

describe('other tables', () => {
  it('show names of rules’ customers, and of accounts’ on request', async () => {
    const service = await serve(({path}, response) => {
      const rule = (number: number) => ({id: `rule_${number}`, name: 'Rent', customerId: customerId(number)})
      if (path === '/automation-rules') return reply(response, 200, {automationRules: [rule(1), rule(2)]})
      if (path === '/customers') return reply(response, 200, {customers: [customer(1), customer(2)]})
      if (path.startsWith('/customers/')) return reply(response, 200, customer(1))
      return reply(response, 200, {paymentAccounts: [{paymentAccountId: 'acc_1', customerId: customerId(1)}]})
    })
    expect((await run(freshHome(), ['rules', 'list'], {env: service.env})).out).toContain('Customer 2')
    const accounts = ['accounts', 'list', '--customer', customerId(1), '--columns']
    const named = await run(freshHome(), [...accounts, 'id,customer'], {env: service.env})
    expect(named.out).toBe('ID     CUSTOMER\nacc_1  Customer 1\n')
    const plain = await run(freshHome(), [...accounts, 'id,customerId'], {env: service.env})
    expect(plain.out).toContain(customerId(1))
  })
})
