// A payment account named by the beginning of its id, by its bank or nickname, or not at all.
import {describe, expect, it} from 'vitest'
import {type ReceivedRequest, customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'

const account = (id: string, nickname: string, more: object = {}) => ({
  paymentAccountId: id,
  customerId: customerId(1),
  paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  paymentAccountStatus: 'ACTIVE',
  nickname,
  isThirdParty: false,
  createdAt: '2026-11-01T12:00:00Z',
  externalBankAccount: {
    bankName: `Bank of ${nickname}`,
    bankAccountMask: '****2223',
    bankAccountPaymentMethod: 'ACH',
    bankAccountCurrency: {label: 'USD'},
  },
  ...more,
})

const rent = account('64fbd491-4b09-49d5-b40c-8b27facb31a9', 'Rent')
const salary = account('64fbd491-ffff-49d5-b40c-8b27facb31a9', 'Salary')
const opaque = account('acct_9f8e7d6c5b4a', 'Savings')
const pending = account('', 'Pending', {paymentAccountStatus: 'PENDING'})

const serveAccounts = (accounts: object[] = [rent, salary, opaque, pending]) =>
  serve(({path}: ReceivedRequest, response) => {
    if (path === '/payment-accounts') return reply(response, 200, {paymentAccounts: accounts})
    if (path === '/customers') return reply(response, 200, {customers: [customer(1)]})
    return reply(response, 200, {transactions: []})
  })

const get = (text: string) => ['accounts', 'get', text, '--customer', 'customer1@example.com', '--json', '--quiet']

describe('an account named by a script', () => {
  it.each([
    ['the beginning of its id', '64fbd491-4', rent],
    ['the beginning of an id of another format', 'acct_9f8e', opaque],
    ['its whole id of another format', 'acct_9f8e7d6c5b4a', opaque],
  ])('is found by %s', async (_, text, found) => {
    const {code, out} = await run(freshHome(), get(text), {env: (await serveAccounts()).env})
    expect({code, id: json(out)['paymentAccountId']}).toEqual({code: 0, id: found.paymentAccountId})
  })

  it('is refused if several begin like it, and never found by its nickname', async () => {
    const service = await serveAccounts()
    const {code, err} = await run(freshHome(), get('64fbd491'), {env: service.env})
    expect(code).toBe(2)
    expect(err).toContain('matches 2 payment accounts')
    expect(err).not.toContain('Salary')
    expect(await run(freshHome(), get('Salary'), {env: service.env})).toMatchObject({code: 5, out: ''})
  })

  it('is refused if an account that is not pending has no readable id', async () => {
    const service = await serveAccounts([rent, {...salary, paymentAccountId: undefined}])
    const {code, err} = await run(freshHome(), get('64fbd491'), {env: service.env})
    expect(code).toBe(6)
    expect(err).toContain('LIST_UNREADABLE')
  })

  it('filters a list by its whole id, and needs its customer for the beginning of one', async () => {
    const service = await serveAccounts()
    const list = ['transactions', 'list', '--json', '--account']
    const alone = await run(freshHome(), [...list, '64fbd491'], {env: service.env})
    expect(alone).toMatchObject({code: 2, out: ''})
    expect(alone.err).toContain('Give --customer as well')
    expect(service.requests).toEqual([])
    const found = await run(freshHome(), [...list, '64fbd491-f', '--customer', customerId(1)], {env: service.env})
    expect(found.code).toBe(0)
    expect(service.requests.at(-1)?.query.get('paymentAccountId')).toBe(salary.paymentAccountId)
    await run(freshHome(), [...list, 'acct_9f8e', '--customer', customerId(1)], {env: service.env})
    expect(service.requests.at(-1)?.query.get('paymentAccountId')).toBe('acct_9f8e')
    expect(service.requests).toHaveLength(3)
  })
})

describe('an account named by a person in a terminal', () => {
  it('is found by its bank, and its customer by a name', async () => {
    const service = await serveAccounts()
    const args = ['accounts', 'get', 'bank of sal', '--customer', 'customer 1']
    const screen = onTerminal(freshHome(), args, {env: service.env, cols: 200})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(
      new RegExp(`"bank of sal" is .*Bank of Salary \\*\\*\\*\\*2223.*${salary.paymentAccountId}`),
    )
  })
})
