// Customers, accounts, transactions and rules named by the beginning of an id, by what they are about, or not at all.
import {describe, expect, it} from 'vitest'
import {answered, serveRules} from '../features/rules/rule-service.ts'
import {servePayments} from '../support/scripted-service.ts'
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

const zoe = customer(3, {
  customerId: '4738020a-a06d-4ef3-bc07-b5cacbf3446c',
  name: 'Zoë Ångström',
  email: 'office@example.com',
})
const zoeToo = customer(4, {
  customerId: '4738020a-ffff-4ef3-bc07-b5cacbf3446c',
  name: 'Zoë Business',
  email: 'OFFICE@example.com',
})
const ada = customer(5, {
  customerId: '0ada0000-a06d-4ef3-bc07-b5cacbf3446c',
  name: 'Ada Byron',
  email: 'Ada@Example.com',
})
const customers = [customer(1), customer(2), zoe, zoeToo, ada]

const serveAll = (accounts: object[] = [rent, salary, opaque, pending]) =>
  serve(({path, query}, response) => {
    if (path === '/payment-accounts') return reply(response, 200, {paymentAccounts: accounts})
    if (path === '/customers') return reply(response, 200, {customers})
    const owned = customers.find((each) => path === `/customers/${each.customerId}`)
    if (owned) return reply(response, 200, owned)
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
    ['customers get 0ada0000', '.customerId', ada.customerId],
    ['customers get 4738020A-FFFF-4', '.customerId', zoeToo.customerId],
    ['customers get ada@example.COM', '.customerId', ada.customerId],
  ])('finds by the beginning of an id: svc %s', async (args, path, id) => {
    const {env} = await serveAll()
    expect(await run(freshHome(), [...args.split(' '), '--jq', path, '--quiet'], {env})).toMatchObject({
      code: 0,
      out: `${id}\n`,
    })
  })

  it.each<[args: string, code: number, words: string]>([
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
    ['customers get 4738020a', 2, 'matches 2 customers'],
    ['customers get office@example.com', 2, 'matches 2 customers'],
    ['customers get deadbeef', 5, 'NOT_FOUND'],
    ['customers get nobody@example.com', 5, 'NOT_FOUND'],
    ...['zoe', '4738020', '4738020z', 'cus_12345678', '4738020a-x', ''].map((text): [string, number, string] => [
      `customers get ${text}`,
      2,
      'BAD_USAGE',
    ]),
  ])('is refused what several begin with, a name and less than eight characters: svc %s', async (args, code, words) => {
    const service = await serveAll()
    const ended = await run(freshHome(), [...args.split(' '), '--json'], {env: service.env})
    expect(ended).toMatchObject({code, out: ''})
    expect(ended.err).toContain(words)
    // An error may end in a log.
    expect(ended.err).not.toMatch(/Bank of|Payroll|Ångström/)
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

  it('is refused the beginning of an id in a list of more than ten thousand', async () => {
    const many = Array.from({length: 10_001}, (_, index) => customer(index + 10))
    const service = await servePayments()
    service.customers = [ada, ...many]
    const {code, err} = await run(freshHome(), ['customers', 'get', '0ada0000', '--json'], {env: service.env})
    expect([code, json(err)['error']]).toEqual([2, 'LIST_TOO_LONG'])
  })

  it('reads a customer and a rule with one request if its whole id is given, and deletes it under that id', async () => {
    const all = await serveAll()
    await run(freshHome(), ['customers', 'get', ada.customerId], {env: all.env})
    expect(all.requests.map(({path}) => path)).toEqual([`/customers/${ada.customerId}`])
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
    [['customers', 'get', 'byr'], ada.customerId],
  ])('finds by a name, and is told what it is: svc %j', async (args, id) => {
    const screen = onTerminal(freshHome(), args, {env: (await serveAll()).env, cols: 200})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(new RegExp(`"${args[2]}" is .*, ${id}\\.`))
    expect(screen.text()).toMatch(new RegExp(`^ID +${id}`, 'm'))
  })

  it.each(['zoë', '4738020a'])('chooses if several match %s', async (text) => {
    const screen = onTerminal(freshHome(), ['customers', 'get', text], {env: (await serveAll()).env})
    await screen.waitFor(`Which customer? (2 match "${text}")`)
    await screen.waitFor('❯')
    screen.type('\u001b[B\r')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(new RegExp(`^ID +${zoeToo.customerId}`, 'm'))
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
