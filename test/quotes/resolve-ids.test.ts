// Ids that a file shortens: the beginnings of ids and the emails of customers, which mean the same as the whole ids, and names, which
// a file may not have.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {servePayments} from '../support/scripted-service.ts'
import {customer} from '../support/service.ts'
import {type Home, freshHome, json, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {seeded} from '../support/transactions.ts'

async function servePeople() {
  const service = await servePayments()
  service.customers = [
    customer(1, {customerId: seeded.customer, name: 'Zoë Ångström', email: 'zoe@example.com'}),
    customer(2, {name: 'Ada Byron'}),
  ]
  return service
}

const shortIds = {customer: 'zoe@example.com', from: seeded.wallet.slice(0, 8), to: seeded.externalWallet.slice(0, 9)}
const wholeIds = {customer: seeded.customer, from: seeded.wallet, to: seeded.externalWallet}

const toPlan = ({customer: customerId, from, to}: typeof shortIds, more: object = {}) => ({
  customerId,
  source: {
    sourcePaymentAccountId: from,
    sourceCurrency: 'USDC',
    sourcePaymentMethod: 'SOLANA',
    sourceAmount: '10',
  },
  destination: {
    destinationPaymentAccountId: to,
    destinationCurrency: 'USDC',
    destinationPaymentMethod: 'SOLANA',
  },
  ...more,
})

const toRule = (ids: typeof shortIds, name = 'Rent') => {
  const {customerId, source, destination} = toPlan(ids)
  const {sourceAmount: _, ...from} = source
  return {
    name,
    customerId,
    transactionTemplate: {source: from, destination, amount: {type: 'FLAT', value: '10'}},
    trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * *'},
  }
}

function write(home: Home, name: string, content: object): string {
  fs.writeFileSync(path.join(home.folder, name), JSON.stringify(content))
  return name
}

const listIds = ({customerId, source, destination}: Record<string, unknown>) => [
  customerId,
  (source as Record<string, string>)['sourcePaymentAccountId'],
  (destination as Record<string, string>)['destinationPaymentAccountId'],
]
const whole = Object.values(wholeIds)

describe('a plan whose ids are shortened', () => {
  it.each(['zoe@example.com', 'ZOE@example.com', seeded.customer.slice(0, 12)])(
    'pays with whole ids for %s',
    async (who) => {
      const service = await servePeople()
      const home = freshHome()
      const plan = write(home, 'plan.json', toPlan({...shortIds, customer: who}, {key: 'rent'}))
      const {code, out} = await run(home, ['pay', '-f', plan, '--yes', '--json'], {env: service.env})
      expect({code, customer: json(out)['customerId']}).toEqual({code: 0, customer: seeded.customer})
      expect(service.requestsTo('POST /quotes').map(({body}) => listIds(json(body)))).toEqual([whole])
      const recorded = await run(home, ['journal', 'show', 'rent', '--json'], {env: service.env})
      expect(listIds(json(recorded.out))).toEqual(whole)
    },
  )

  it('is the same payment as with the whole ids', async () => {
    const service = await servePeople()
    const home = freshHome()
    for (const ids of [shortIds, wholeIds, shortIds]) {
      const plan = write(home, 'plan.json', toPlan(ids, {key: 'rent'}))
      expect(await run(home, ['pay', '-f', plan, '--yes', '--json'], {env: service.env})).toMatchObject({code: 0})
    }
    expect(service.transactions).toHaveLength(1)
  })

  it('is refused for a name, also in a terminal, with nothing sent', async () => {
    const service = await servePeople()
    const home = freshHome()
    const plan = write(home, 'plan.json', toPlan({...shortIds, customer: 'Zoë Ångström'}, {key: 'rent'}))
    const {code, err} = await run(home, ['pay', '-f', plan, '--yes'], {env: service.env})
    expect(code).toBe(2)
    expect(err).toContain('customerId must be a UUID, its first 8 or more characters, or an email')
    const screen = onTerminal(home, ['pay', '-f', plan], {env: service.env, cols: 120})
    expect(await screen.ended).toBe(2)
    expect(service.requests).toEqual([])
  })

  it('is refused with all matches if there are several, also in a terminal, and nothing is quoted', async () => {
    const service = await servePeople()
    const other = `${seeded.customer.slice(0, 8)}-0000-4000-8000-000000000000`
    service.customers.push(customer(3, {customerId: other}))
    const home = freshHome()
    const plan = write(home, 'plan.json', toPlan({...shortIds, customer: seeded.customer.slice(0, 8)}, {key: 'rent'}))
    const {code, err} = await run(home, ['pay', '-f', plan, '--yes'], {env: service.env})
    expect(code).toBe(2)
    expect(err).toContain(`customerId "${seeded.customer.slice(0, 8)}" matches 2 customers`)
    expect(err).toContain(other)
    const screen = onTerminal(home, ['pay', '-f', plan], {env: service.env, cols: 120})
    expect(await screen.ended).toBe(2)
    expect(service.requests.every(({method}) => method === 'GET')).toBe(true)
  })
})

describe('other files with a route', () => {
  it('are quoted, and printed in a dry run, with whole ids', async () => {
    const service = await servePeople()
    const home = freshHome()
    const file = write(home, 'quote.json', toPlan(shortIds))
    const dry = await run(home, ['quotes', 'create', '-f', file, '--dry-run', '--json'], {env: service.env})
    expect(listIds(json(dry.out)['body'] as Record<string, unknown>)).toEqual(whole)
    expect(await run(home, ['quotes', 'create', '-f', file, '--json'], {env: service.env})).toMatchObject({code: 0})
    expect(service.requestsTo('POST /quotes').map(({body}) => listIds(json(body)))).toEqual([whole])
  })

  it('make rules with whole ids, whether created or applied', async () => {
    const home = freshHome()
    const inSandbox = ['-p', 'sandbox', '--json']
    const ids = {...shortIds, customer: seeded.customer.slice(0, 8)}
    const one = write(home, 'rule.json', toRule(ids))
    const {out} = await run(home, ['rules', 'create', '-f', one, ...inSandbox])
    const {transactionTemplate, ...rule} = json(out) as {transactionTemplate: object}
    expect(listIds({...rule, ...transactionTemplate})).toEqual(whole)
    const two = write(home, 'rules.json', {rules: [toRule(ids), toRule(ids, 'Other')]})
    const applied = await run(home, ['rules', 'apply', '-f', two, '--yes', ...inSandbox])
    expect((json(applied.out)['applied'] as Array<{action: string}>).map(({action}) => action)).toEqual([
      'unchanged',
      'create',
    ])
  })

  it('are refused if two rules that look different are the same', async () => {
    const home = freshHome()
    const rules = [toRule(wholeIds), toRule({...shortIds, customer: seeded.customer.slice(0, 8)})]
    const file = write(home, 'rules.json', {rules})
    const {code, err} = await run(home, ['rules', 'apply', '-f', file, '--yes', '-p', 'sandbox'])
    expect(code).toBe(2)
    expect(err).toContain('rules[1].name is also the name of rules[0], for the same customer')
  })

  it('name a rule by the beginning of its id', async () => {
    const home = freshHome()
    const inSandbox = ['-p', 'sandbox', '--json']
    const created = json(
      (await run(home, ['rules', 'create', '-f', write(home, 'rule.json', toRule(wholeIds)), ...inSandbox])).out,
    )
    const id = String(created['id'])
    const changed = toRule(wholeIds)
    changed.transactionTemplate.amount.value = '11'
    const file = write(home, 'rules.json', {rules: [{...changed, id: id.slice(0, 12)}]})
    const {out} = await run(home, ['rules', 'apply', '-f', file, '--yes', ...inSandbox])
    expect(json(out)['applied']).toMatchObject([{action: 'update', id}])
    const update = write(home, 'update.json', {
      ...toRule(shortIds),
      customerId: seeded.customer.slice(0, 8),
      id: id.slice(0, 12),
    })
    const updated = await run(home, ['rules', 'update', id, '-f', update, ...inSandbox])
    expect(updated).toMatchObject({code: 0})
    expect(json(updated.out)).toMatchObject({id, transactionTemplate: {amount: {value: '10'}}})
  })
})
