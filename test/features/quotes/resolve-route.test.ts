// --customer, --from and --to of what moves money: what a script may write in place of whole ids, and what a person may.
import {describe, expect, it} from 'vitest'
import {servePayments} from '../../support/scripted-service.ts'
import {customer} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {seeded} from '../../support/transactions.ts'

async function servePeople() {
  const service = await servePayments()
  service.customers = [
    customer(1, {customerId: seeded.customer, name: 'Zoë Ångström', email: 'zoe@example.com'}),
    customer(2, {name: 'Ada Byron'}),
  ]
  return service
}

const details = ['--from-currency', 'USDC', '--from-method', 'SOLANA', '--to-currency', 'USDC', '--to-method', 'SOLANA']
const short = ['--from', seeded.wallet.slice(0, 8), '--to', seeded.externalWallet.slice(0, 9)]
const pay = (who: string, ...more: string[]) => [
  'pay',
  '--customer',
  who,
  ...short,
  ...details,
  '--amount',
  '10',
  '--key',
  'rent',
  ...more,
]

const toContent = (body: string) => {
  const {customerId: id, source, destination} = JSON.parse(body) as Record<string, Record<string, string>>
  return [id, source?.['sourcePaymentAccountId'], destination?.['destinationPaymentAccountId']]
}
const whole = [seeded.customer, seeded.wallet, seeded.externalWallet]

describe('a payment whose ids are shortened by a script', () => {
  it.each(['zoe@example.com', seeded.customer.slice(0, 8)])('pays with the whole ids for %s', async (who) => {
    const service = await servePeople()
    const home = freshHome()
    const {code, out} = await run(home, pay(who, '--yes', '--json'), {env: service.env})
    expect({code, customer: json(out)['customerId']}).toEqual({code: 0, customer: seeded.customer})
    expect(service.requestsTo('POST /quotes').map(({body}) => toContent(body))).toEqual([whole])
    const journal = json((await run(home, ['journal', 'show', 'rent', '--json'], {env: service.env})).out)
    expect(toContent(JSON.stringify(journal))).toEqual(whole)
  })
})

describe('other commands with a route', () => {
  it('send whole ids too, and print them in a dry run', async () => {
    const service = await servePeople()
    const route = ['--customer', 'zoe@example.com', ...short, ...details, '--json']
    const quote = await run(freshHome(), ['quotes', 'create', ...route, '--amount', '10', '--dry-run'], {
      env: service.env,
    })
    expect(toContent(JSON.stringify(json(quote.out)['body']))).toEqual(whole)
    const rule = ['rules', 'create', '--name', 'Rent', ...route, '--amount', '10', '--cron', '0 9 * * *', '--dry-run']
    const {transactionTemplate} = json((await run(freshHome(), rule, {env: service.env})).out)['body'] as {
      transactionTemplate: object
    }
    expect(toContent(JSON.stringify({customerId: seeded.customer, ...transactionTemplate}))).toEqual(whole)
    expect(service.requests.every(({method}) => method === 'GET')).toBe(true)
  })
})

describe('a payment by a person in a terminal', () => {
  it('goes to a customer known by name only after the person has chosen', async () => {
    const service = await servePeople()
    const screen = onTerminal(freshHome(), pay('zoe', '--yes'), {env: service.env, cols: 120})
    await screen.waitFor('Pay from this customer?')
    await screen.waitFor(/[❯>] Zoë Ångström/)
    expect(service.requestsTo('POST /quotes')).toEqual([])
    screen.type('\r')
    expect(await screen.ended).toBe(0)
    expect(service.transactions).toHaveLength(1)
    expect(service.transactions[0]).toMatchObject({customerId: seeded.customer})
  })

  it('needs no list of one to be confirmed if the person is asked about the price', async () => {
    const service = await servePeople()
    const screen = onTerminal(freshHome(), pay('zoe'), {env: service.env, cols: 120})
    await screen.waitFor('as rent?')
    expect(screen.words()).toContain(`"zoe" is Zoë Ångström, zoe@example.com, ACTIVE, ${seeded.customer}.`)
    expect(screen.text()).not.toContain('Pay from this customer?')
    screen.type('n\r')
    expect(await screen.ended).toBe(130)
    expect(service.transactions).toEqual([])
  })

  it('says that an account is looked for among those of the customer who pays', async () => {
    const service = await servePeople()
    const args = pay(seeded.customer, '--yes').map((word) =>
      word === seeded.externalWallet.slice(0, 9) ? 'ada' : word,
    )
    const screen = onTerminal(freshHome(), args, {env: service.env, cols: 120})
    expect(await screen.ended).toBe(5)
    expect(screen.words()).toContain(
      `--to "ada" matches no payment account of the customer who pays, ${seeded.customer}; it matches the name of another customer, ${customer(2).customerId}. Both accounts of a payment belong to one customer`,
    )
  })
})
