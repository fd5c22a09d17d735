// Accounts, transactions and rules named by the beginning of an id, by what they are about, or not at all; customers have their own test.
import {describe, expect, it} from 'vitest'
import {answered, serveRules} from '../rules/rule-service.ts'
import {customer, customerId, reply, serve} from '../support/service.ts'
import {freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {seeded, transaction} from '../support/transactions.ts'

const account = (id: string, nickname: string, more: object = {}) => ({
  paymentAccountId: id,
  customerId: customerId(1),
  paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  paymentAccountStatus: 'ACTIVE',
  nickname,
  externalBankAccount: {bankName: `Bank of ${nickname}`, bankAccountMask: '****2223'},
  ...more,
})

const rent = account('64fbd491-4b09-49d5-b40c-8b27facb31a9', 'Rent')
const salary = account('64fbd491-ffff-49d5-b40c-8b27facb31a9', 'Salary')
const opaque = account('acct_9f8e7d6c5b4a', 'Savings')
const pending = account('', 'Pending', {paymentAccountStatus: 'PENDING'})
const paid = transaction(1, 'COMPLETED', {
  transactionId: '9884bda0-8957-4b2f-b39e-a74ed6a4dc7b',
  correlationId: 'rent-2026-11',
})
const paidToo = transaction(2, 'COMPLETED', {transactionId: '9884bda0-0000-4b2f-b39e-a74ed6a4dc7b'})
const failed = transaction(3, 'FAILED', {
  transactionId: '08453f1a-c9c6-45d0-9ab5-159985b690a4',
  customerId: customerId(2),
})
const rules = [answered('rule_5f2c0e9d71a84b36', {name: 'Rent'}), answered('rule_5f2caaaa71a84b36', {name: 'Payroll'})]

const serveAll = (accounts: object[] = [rent, salary, opaque, pending]) =>
  serve(({path, query}, response) => {
    if (path === '/payment-accounts') return reply(response, 200, {paymentAccounts: accounts})
    if (path === '/customers') return reply(response, 200, {customers: [customer(1), customer(2)]})
    if (path === '/automation-rules') return reply(response, 200, {automationRules: rules})
    const owner = query.get('customerId')
    const transactions = [paid, paidToo, failed].filter((each) => owner === null || each.customerId === owner)
    const rule = rules.find(({id}) => path.endsWith(String(id)))
    if (path === '/transactions') return reply(response, 200, {transactions})
    return reply(response, rule ? 200 : 404, rule ?? {error: 'NOT_FOUND', message: 'None.'})
  })

const ofCustomer = '--customer customer1@example.com'

describe('a script', () => {
  it.each([
    [`accounts get 64fbd491-4 ${ofCustomer}`, '.paymentAccountId', rent.paymentAccountId],
    [`accounts get acct_9f8e ${ofCustomer}`, '.paymentAccountId', opaque.paymentAccountId],
    [`accounts get acct_9f8e7d6c5b4a ${ofCustomer}`, '.paymentAccountId', opaque.paymentAccountId],
    ['transactions get 9884bda0-8', '.transactionId', paid.transactionId],
    ['transactions watch 9884bda0-8', '.transactionId', paid.transactionId],
    ['transactions get 08453f1a --customer customer2@example.com', '.transactionId', failed.transactionId],
    ['rules get rule_5f2c0', '.id', 'rule_5f2c0e9d71a84b36'],
  ])('finds by the beginning of an id: svc %s', async (args, path, id) => {
    const {env} = await serveAll()
    expect(await run(freshHome(), [...args.split(' '), '--jq', path, '--quiet'], {env})).toMatchObject({
      code: 0,
      out: `${id}\n`,
    })
  })

  it.each([
    [`accounts get 64fbd491 ${ofCustomer}`, 2, 'matches 2 payment accounts'],
    ['transactions get 9884bda0', 2, 'matches 2 transactions'],
    ['rules delete rule_5f2c --yes', 2, 'matches 2 automation rules'],
    [`accounts get Salary ${ofCustomer}`, 5, 'NOT_FOUND'],
    ['transactions get 08453f1a --customer customer1@example.com', 5, 'NOT_FOUND'],
    ['rules get Rent', 5, 'NOT_FOUND'],
    ['rules get rule_5f', 5, 'NOT_FOUND'],
    ['transactions get rent-2026-11', 2, 'BAD_USAGE'],
    ['transactions get 9884bda', 2, 'BAD_USAGE'],
    ['transactions list --account 64fbd491', 2, 'Give --customer as well'],
  ])('is refused what several begin with, a name and less than eight characters: svc %s', async (args, code, words) => {
    const service = await serveAll()
    const ended = await run(freshHome(), [...args.split(' '), '--json'], {env: service.env})
    expect(ended).toMatchObject({code, out: ''})
    expect(ended.err).toContain(words)
    // An error may end in a log.
    expect(ended.err).not.toMatch(/Bank of|Payroll/)
    expect(service.requests.every(({method}) => method === 'GET')).toBe(true)
    if (words === 'BAD_USAGE' || words.startsWith('Give')) expect(service.requests).toEqual([])
  })

  it('is refused the beginning of an id if an account that is not pending has no readable id', async () => {
    const {env} = await serveAll([rent, {...salary, paymentAccountId: undefined}])
    const {code, err} = await run(freshHome(), `accounts get 64fbd491 ${ofCustomer} --json`.split(' '), {env})
    expect(code).toBe(6)
    expect(err).toContain('LIST_UNREADABLE')
  })

  it.each([
    ['64fbd491-f', salary.paymentAccountId],
    ['acct_9f8e', 'acct_9f8e'],
  ])('filters by the account %s as by %s', async (text, id) => {
    const service = await serveAll()
    const list = ['transactions', 'list', '--account', text, '--customer', customerId(1), '--json']
    expect((await run(freshHome(), list, {env: service.env})).code).toBe(0)
    expect(service.requests.at(-1)?.query.get('paymentAccountId')).toBe(id)
  })

  it('reads a rule with one request if its whole id is given, and deletes it under that id', async () => {
    const service = await serveRules({rules})
    await run(freshHome(), ['rules', 'get', 'rule_5f2c0e9d71a84b36', '--json'], {env: service.env})
    expect(service.requests.map(({path}) => path)).toEqual(['/automation-rules/rule_5f2c0e9d71a84b36'])
    await run(freshHome(), ['rules', 'delete', 'rule_5f2c0', '--yes', '--json'], {env: service.env})
    expect(service.writes.map(({path}) => path)).toEqual(['/automation-rules/rule_5f2c0e9d71a84b36'])
  })
})

describe('a person in a terminal', () => {
  it.each([
    [['accounts', 'get', 'bank of sal', '--customer', 'customer 1'], salary.paymentAccountId],
    [['transactions', 'get', 'rent-2026'], paid.transactionId],
    [['rules', 'get', 'payr'], 'rule_5f2caaaa71a84b36'],
  ])('finds by a name, and is told what it is: svc %j', async (args, id) => {
    const screen = onTerminal(freshHome(), args, {env: (await serveAll()).env, cols: 200})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(new RegExp(`"${args[2]}" is .*, ${id}\\.`))
    expect(screen.text()).toMatch(new RegExp(`^ID +${id}`, 'm'))
  })

  it('chooses from a list if no id is written', async () => {
    const screen = onTerminal(freshHome(), ['transactions', 'get'], {env: (await serveAll()).env})
    await screen.waitFor('COMPLETED')
    screen.type('failed')
    await screen.waitFor(/[❯>] .*FAILED/)
    screen.type('\r')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(new RegExp(`^ID +${failed.transactionId}`, 'm'))
  })

  it('chooses a payment from the journal, whose ids were short from the wallet to the transaction', async () => {
    const home = freshHome()
    const svc = async (...args: string[]) => json((await run(home, [...args, '--json'])).out)
    const email = 'zoe.angstrom@example.org'
    const short = [seeded.wallet, seeded.externalWallet].map((id) => id.slice(0, 8))
    expect(await svc('sandbox', 'fund', short[0] ?? '', '--amount', '50')).toMatchObject({
      paymentAccountId: seeded.wallet,
    })
    const route = `--from ${short[0]} --to ${short[1]} --from-currency USDC --to-currency USDC`.split(' ')
    const pay = ['pay', '--customer', email, ...route, '--amount', '5', '--key', 'rent', '-p', 'sandbox']
    const {transactionId} = await svc(...pay)
    const settle = ['sandbox', 'settle', String(transactionId).slice(0, 13), '--outcome', 'completed']
    expect(await svc(...settle)).toMatchObject({transactionId})
    const screen = onTerminal(home, ['journal', 'show', '-p', 'sandbox'])
    await screen.waitFor(/[❯>] rent, 5 USDC, CREATED/)
    screen.type('\r')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/^KEY +rent$/m)
  })
})
