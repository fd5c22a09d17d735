// A transaction named by the beginning of its id, by what it is about, or not at all.
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {transaction} from '../support/transactions.ts'

const rent = transaction(1, 'COMPLETED', {
  transactionId: '9884bda0-8957-4b2f-b39e-a74ed6a4dc7b',
  correlationId: 'rent-2026-11',
})
const salary = transaction(2, 'COMPLETED', {transactionId: '9884bda0-0000-4b2f-b39e-a74ed6a4dc7b'})
const other = transaction(3, 'FAILED', {
  transactionId: '08453f1a-c9c6-45d0-9ab5-159985b690a4',
  customerId: customerId(2),
})

const serveTransactions = (transactions: object[] = [rent, salary, other]) =>
  serve(({path, query}, response) => {
    if (path === '/customers') return reply(response, 200, {customers: [customer(1), customer(2)]})
    const owner = query.get('customerId')
    const owned = transactions.filter((each) => owner === null || Reflect.get(each, 'customerId') === owner)
    return reply(response, 200, {transactions: owned})
  })

describe('a transaction named by a script', () => {
  it('is found by the beginning of its id, with one read of the list', async () => {
    const service = await serveTransactions()
    const {code, out} = await run(freshHome(), ['transactions', 'get', '9884bda0-8', '--json'], {env: service.env})
    expect({code, id: json(out)['transactionId']}).toEqual({code: 0, id: rent.transactionId})
    expect(service.requests).toHaveLength(1)
  })

  it('is watched by the beginning of its id', async () => {
    const service = await serveTransactions()
    const watch = ['transactions', 'watch', '9884bda0-8', '--json']
    expect(await run(freshHome(), watch, {env: service.env})).toMatchObject({code: 0})
    expect(service.requests.at(-1)?.query.get('customerId')).toBe(customerId(1))
  })

  it('is searched among those of its customer, who is named by an email', async () => {
    const service = await serveTransactions()
    const find = (email: string) =>
      run(freshHome(), ['transactions', 'get', '08453f1a', '--customer', email, '--json'], {env: service.env})
    expect(await find('customer2@example.com')).toMatchObject({code: 0})
    expect(await find('customer1@example.com')).toMatchObject({code: 5, out: ''})
  })

  it('is refused if several begin like it', async () => {
    const service = await serveTransactions()
    const {code, err} = await run(freshHome(), ['transactions', 'get', '9884bda0', '--json'], {env: service.env})
    expect(code).toBe(2)
    expect(json(err)).toMatchObject({error: 'AMBIGUOUS_ID', problems: [expect.any(String), expect.any(String)]})
  })

  it.each([
    [['transactions', 'get', 'rent-2026-11']],
    [['transactions', 'get', '9884bda']],
    [['transactions', 'watch']],
    [['transactions', 'list', '--customer', 'Customer 1']],
  ])('is rejected as %j before anything is sent', async (args) => {
    const service = await serveTransactions()
    expect(await run(freshHome(), args, {env: service.env})).toMatchObject({code: 2, out: ''})
    expect(service.requests).toEqual([])
  })
})

describe('a transaction named by a person in a terminal', () => {
  it('is found by its correlation id', async () => {
    const service = await serveTransactions()
    const screen = onTerminal(freshHome(), ['transactions', 'get', 'rent-2026'], {env: service.env, cols: 200})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain(
      `"rent-2026" is 2026-11-01 12:00, 120.50 USD → 119.50 USDC, COMPLETED, ${rent.transactionId}.`,
    )
  })

  it('is chosen from a list if no id is written', async () => {
    const service = await serveTransactions()
    const screen = onTerminal(freshHome(), ['transactions', 'get'], {env: service.env})
    await screen.waitFor('COMPLETED')
    screen.type('failed')
    await screen.waitFor(/[❯>] .*FAILED/)
    screen.type('\r')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(new RegExp(`^ID +${other.transactionId}`, 'm'))
  })
})
