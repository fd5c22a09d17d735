// Names, banks and last digits of those who are paid, in the tables and records that people read.
import type http from 'node:http'
import {describe, expect, it} from 'vitest'
import {type ReceivedRequest, customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {transaction} from '../../support/transactions.ts'

const bankAccount = (number: number, owner: string) => ({
  paymentAccountId: `account_${number}`,
  paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  paymentAccountStatus: 'ACTIVE',
  externalBankAccount: {
    bankName: 'Nordhafen Bank AG',
    bankAccountMask: `****000${number}`,
    bankAccountOwnerName: owner,
  },
})

type Answer = (asked: ReceivedRequest, response: http.ServerResponse) => void

// Ids that differ in their first characters, as real ones do, so that a table can shorten them.
const transactionId = (number: number) => `${String(number).padStart(8, '0')}-0000-4000-9000-000000000000`

const toNumber = (id: string | null | undefined) => Number(id?.slice(-12))

const answerNames: Answer = ({path, query}, response) => {
  if (path === '/customers') return reply(response, 200, {customers: [customer(1), customer(2)]})
  if (path !== '/payment-accounts') return reply(response, 200, customer(toNumber(path)))
  const number = toNumber(query.get('customerId'))
  return reply(response, 200, {paymentAccounts: [bankAccount(2, number === 1 ? 'Zoë Ångström' : '')]})
}

const serveTransactions = (customers: readonly number[], answer: Answer = answerNames) => {
  const transactions = customers.map((number, index) =>
    transaction(index + 1, 'COMPLETED', {transactionId: transactionId(index + 1), customerId: customerId(number)}),
  )
  return serve((asked, response) =>
    asked.path === '/transactions' ? reply(response, 200, {transactions}) : answer(asked, response),
  )
}

const list = ['transactions', 'list']
const toNamePaths = ({requests}: {requests: ReceivedRequest[]}) =>
  requests.flatMap(({path, query}) =>
    path === '/transactions' ? [] : [`${path.split('/')[1]} ${toNumber(query.get('customerId') ?? path)}`],
  )

async function showList(customers: readonly number[], answer?: Answer, args: readonly string[] = [], cols = 160) {
  const service = await serveTransactions(customers, answer)
  const screen = onTerminal(freshHome(), [...list, ...args], {env: service.env, cols})
  expect(await screen.ended).toBe(0)
  return {text: screen.text(), words: screen.words(), names: toNamePaths(service)}
}

describe('payees in a list on a terminal', () => {
  it('are a name, a bank and last digits: the owner that the account names, or else the customer', async () => {
    const {text} = await showList([1, 2])
    expect(text).toMatch(/PAYEE/)
    expect(text).toContain('Zoë Ångström, Nordhafen Bank AG ****0002')
    expect(text).toContain('Customer 2, Nordhafen Bank AG ****0002')
    expect(text).not.toContain('account_2')
  })

  it('stand beside the status, the amount and the day at 80 columns, where the fees have no room', async () => {
    const {text, words} = await showList([1, 2], undefined, [], 80)
    expect(text).toMatch(/^ID +STATUS +FROM +PAYEE +UPDATED \(UTC\)/)
    expect(words).toContain('No room for TO, FEES, CUSTOMER: widen the terminal')
  })

  it('take one read of each customer and of its accounts, however often it occurs', async () => {
    const {names} = await showList([1, 2, 1, 2, 1])
    expect(names.toSorted()).toEqual(['customers 1', 'customers 2', 'payment-accounts 1', 'payment-accounts 2'])
  })

  it('are left out with --no-names, as are those of customers, and nothing is read for them', async () => {
    const {text, names} = await showList([1, 2], undefined, ['--no-names'])
    expect(text).not.toMatch(/PAYEE|Zoë|Customer 1/)
    expect(text).toContain(customerId(2).slice(0, 8))
    expect(names).toEqual([])
  })

  it('are said to be missing, once, if the service does not answer; everything else is shown', async () => {
    const twenty = Array.from({length: 20}, (_, index) => index + 1)
    const {text, words, names} = await showList(twenty, (_, response) =>
      reply(response, 503, {error: 'ERROR', message: 'no', statusCode: 503}),
    )
    expect(words.match(/Names of 20 customers could not be read from the service/g)).toHaveLength(1)
    expect(text.match(/COMPLETED/g)).toHaveLength(20)
    // It stops asking a service that does not answer.
    expect(names.length).toBeLessThan(20)
  })
})

describe('names elsewhere', () => {
  const svc = async (env: Record<string, string>, ...args: string[]) => (await run(freshHome(), args, {env})).out

  it('are those of customers alone in a pipe, after one read, and of payees only if the column is asked for', async () => {
    const service = await serveTransactions([1, 2, 1])
    const out = await svc(service.env, ...list)
    expect(out).not.toContain('PAYEE')
    expect(out).toMatch(/ CUSTOMER\n.* Customer 1\n.* Customer 2\n.* Customer 1\n$/)
    expect(toNamePaths(service)).toEqual(['customers NaN'])
    const payees = await svc(service.env, ...list, '--columns', 'payee')
    expect(payees).toContain('Zoë Ångström, Nordhafen Bank AG ****0002')
  })

  it('are read for no JSON, no CSV and no column of ids', async () => {
    const service = await serveTransactions([1, 2])
    expect(json(await svc(service.env, ...list, '--json'))).toMatchObject({transactions: [{}, {}]})
    expect(await svc(service.env, ...list, '-o', 'csv')).toMatch(/^(?!.*\b(customer|payee),).*\bcustomerId\b/)
    expect(await svc(service.env, ...list, '-o', 'csv', '--columns', 'customer,payee')).toBe(
      `customerId,destinationPaymentAccountId\n${customerId(1)},account_2\n${customerId(2)},account_2\n`,
    )
    expect(await svc(service.env, ...list, '--columns', 'customerId')).toContain(customerId(2))
    expect(toNamePaths(service)).toEqual([])
  })

  it.each([403, 500])('leave the ids if the service answers %i, at once and without a word', async (status) => {
    const service = await serveTransactions([1, 2], (_, response) => reply(response, status, {}))
    const {code, out, err} = await run(freshHome(), list, {env: service.env})
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toContain(customerId(2))
    expect(toNamePaths(service)).toHaveLength(1)
  })

  it('stand in a record on a terminal, with the ids behind them', async () => {
    const service = await serveTransactions([1])
    const get = ['transactions', 'get', transactionId(1)]
    const screen = onTerminal(freshHome(), get, {env: service.env})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/PAYEE +Zoë Ångström, Nordhafen Bank AG \*{4}0002\r?\n/)
    expect(screen.text()).toMatch(/CUSTOMER +Customer 1\r?\n/)
    expect(screen.text()).toMatch(/TO ACCOUNT +account_2\r?\n/)
    expect(await svc(service.env, ...get)).not.toContain('Zoë')
  })
})
