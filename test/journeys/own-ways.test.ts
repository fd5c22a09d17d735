// Services that follow the interface in their own way: svc does the right thing with each, or refuses truthfully.
import {describe, expect, it} from 'vitest'
import {countStates, createHost, createRows, pay, runPayouts} from '../attack/attack.ts'
import {configuration} from '../rules/rule-service.ts'
import {type OwnWaysService, type Ways, serveOwnWays} from '../support/own-ways-service.ts'
import {reply, serve} from '../support/service.ts'
import {type RunResult, freshHome, json, run} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

const svc = (service: OwnWaysService, ...args: string[]) => run(freshHome(), args, {env: service.env})

const listAll = (service: OwnWaysService, ...flags: string[]) => svc(service, 'customers', 'list', '--all', ...flags)

const countItems = ({out}: RunResult, key = 'customers') => (json(out)[key] as unknown[]).length

const create = (service: OwnWaysService, ...flags: string[]) =>
  svc(service, 'customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com', ...flags)

// Transactions of the customer that another program makes.
async function addTransactions(service: OwnWaysService, count: number): Promise<void> {
  const [sentQuote] = service.requestsTo('POST /quotes')
  const headers = {authorization: 'Bearer test-key'}
  for (let index = 0; index < count; index++) {
    const quoted = await fetch(`${service.url}/quotes`, {method: 'POST', headers, body: sentQuote?.body ?? ''})
    const {quoteId} = (await quoted.json()) as {quoteId: string}
    const made = {...headers, 'x-idempotency-key': `other-${index}`}
    await fetch(`${service.url}/transactions`, {method: 'POST', headers: made, body: JSON.stringify({quoteId})})
  }
}

describe('a page token under another name', () => {
  it.each(['bookmark', 'pagination'] as const)('in %s is a warning, and 12 with --all', async (token) => {
    const service = await serveOwnWays({token}, {many: 276})
    const all = await listAll(service, '--json')
    expect([all.code, countItems(all)]).toEqual([12, 100])
    expect(json(all.err)).toMatchObject({error: 'LIST_MAY_BE_CUT', exitCode: 12})
    expect(json(all.err)['message']).toContain(`with 100 customers: the service sent no nextPageToken, but ${token}`)
    const page = await svc(service, 'customers', 'list', '--json')
    expect([page.code, countItems(page)]).toEqual([0, 20])
    expect(page.err).toContain(`Warning: the service sent no nextPageToken, but ${token}`)
    const lines = await listAll(service, '-o', 'jsonl')
    expect([lines.code, lines.out.trimEnd().split('\n').length]).toEqual([12, 100])
  })
})

describe('a transaction', () => {
  it.each([{codes: 'lower'}, {amounts: 'number'}] as const)(
    'is watched to its end at a service with %o',
    async (ways) => {
      const service = await serveOwnWays(ways, {status: 'COMPLETED'})
      await pay(createHost(service), 'rent', '10.10')
      const id = String(service.transactions[0]?.['transactionId'])
      const {code, out} = await svc(service, 'transactions', 'watch', id, '--timeout', '2s')
      expect(code).toBe(0)
      expect(out).toMatch(/^STATUS +completed$/im)
      expect(out).toMatch(/^FROM +10\.10 USDC$/m)
    },
  )
})

describe('a payment', () => {
  // A payment that ten later ones have pushed off the first page.
  async function payLongAgo(ways: Partial<Ways>): Promise<OwnWaysService> {
    const service = await serveOwnWays(ways, {keys: 'ignored', quotes: 'many', pageItemsMax: 10})
    expect((await pay(createHost(service), 'rent', '10')).code).toBe(0)
    await addTransactions(service, 10)
    return service
  }

  it('is not made while the list may be cut', async () => {
    const service = await payLongAgo({token: 'bookmark'})
    const again = await pay(createHost(service), 'rent', '10')
    expect(again.code).toBe(6)
    expect(again.err).toContain('The list may be incomplete')
    expect(service.transactions).toHaveLength(11)
  })

  it('of a payout file is not made while the list may be cut', async () => {
    const service = await payLongAgo({token: 'bookmark'})
    const rows = createRows(1, {key: 'rent', amount: '10'})
    const result = await runPayouts(createHost(service), rows, '--json', '--timeout', '3s')
    expect([result.code, service.transactions.length]).toEqual([6, 11])
    service.ways.token = 'nextPageToken'
    const found = await runPayouts(createHost(service), rows, '--json')
    expect([found.code, countStates(found), service.transactions.length]).toEqual([0, {CREATED: 1}, 11])
  })

  it('stays unknown while the list may be cut', async () => {
    const service = await payLongAgo({})
    // The first page does not show what is made now, since this list begins with the oldest.
    service.behaviour.listOrder = 'oldest'
    service.script({reply: 'reset'})
    service.alter = (transaction) => {
      service.ways.token = 'bookmark'
      return transaction
    }
    const {code, err} = await pay(createHost(service), 'gas', '7', '--timeout', '900ms')
    expect(code).toBe(7)
    expect(err).toContain('The list may be incomplete')
    expect(service.transactions).toHaveLength(12)
  })

  it.each([{codes: 'lower'}, {amounts: 'number'}] as const)('is made once at a service with %o', async (ways) => {
    const service = await serveOwnWays(ways)
    const first = await pay(createHost(service), 'rent', '10.10', '--json')
    expect([first.code, json(first.out)['quoteId']]).toEqual([0, service.transactions[0]?.['quoteId']])
    const again = await pay(createHost(service), 'rent', '10.10', '--json')
    expect([again.code, service.transactions.length]).toEqual([0, 1])
  })

  it.each([
    [
      {expiresAt: 'null'},
      'The service sent a quote without its id or the time at which it expires, so nothing was paid.',
    ],
    [{objects: 'without id'}, 'The service gave no quote: the service answered 200 with an object without quoteId.'],
  ] as const)('is not made from a quote that cannot be used, and says why: %o', async (ways, words) => {
    const service = await serveOwnWays(ways)
    const {code, err} = await pay(createHost(service), 'rent', '10')
    expect([code, service.transactions.length]).toEqual([6, 0])
    expect(err).toContain(words)
    expect(service.requestsTo('POST /quotes')).toHaveLength(1)
  })
})

describe('a customer', () => {
  it('that is created without an id is found in the list', async () => {
    const service = await serveOwnWays({objects: 'without id'})
    const {code, err} = await create(service)
    expect([code, service.customers.length]).toEqual([0, 4])
    expect(err).toContain('The service gave no clear answer, but it made the customer: it is in its list.')
  })

  it('that is created with an id svc cannot use ends with 7 too', async () => {
    const service = await serveOwnWays({})
    service.present = (answer) => ({...answer, body: {...(answer.body as object), customerId: 'cus_1'}})
    const {code, err} = await create(service, '--wait')
    expect(code).toBe(7)
    expect(err).toContain('The service accepted POST /customers, but svc cannot continue: customerId must be a UUID')
    expect(err).not.toMatch(/nothing was sent/i)
  })
})

describe('a rule', () => {
  const {name, customerId, transactionTemplate: template, trigger} = configuration()
  const args = [
    ['rules', 'create', '--name', name, '--customer', customerId, '--cron', trigger.cronSchedule],
    ['--from', template.source.sourcePaymentAccountId, '--from-currency', 'USDC', '--from-method', 'BASE'],
    ['--to', template.destination.destinationPaymentAccountId, '--to-currency', 'USD', '--to-method', 'ACH'],
    ['--amount', '100', '--yes', '--json'],
  ].flat()
  const createRule = (service: OwnWaysService) => svc(service, ...args)
  const others = Array.from({length: 12}, (_, index) => ({...configuration({name: `Rule ${index}`}), id: `r${index}`}))

  it.each([{codes: 'lower'}, {amounts: 'number'}] as const)('is not armed twice at a service with %o', async (ways) => {
    const service = await serveOwnWays(ways)
    expect((await createRule(service)).code).toBe(0)
    const again = await createRule(service)
    expect([again.code, service.rules.length]).toEqual([0, 1])
    expect(again.err).toContain('An equal rule already exists')
  })

  it('is not created while the list of rules may be cut', async () => {
    // The interface does not page rules. This service does.
    const service = await serveOwnWays({})
    service.rules = [...others]
    const {code, err} = await createRule(service)
    expect([code, service.rules.length]).toEqual([6, 12])
    expect(json(err.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({error: 'LIST_MAY_BE_CUT'})
    expect((await svc(service, 'rules', 'list', '--json')).code).toBe(12)
  })

  it('that a PUT did not change is noticed', async () => {
    const service = await serveOwnWays({puts: 'ignored'})
    service.rules = [{...configuration(), id: 'r1'}]
    const {code, err} = await svc(service, 'rules', 'update', 'r1', '--amount', '250', '--yes', '--json')
    expect(code).toBe(7)
    expect(json(err.trimEnd().split('\n').at(-1) ?? '')['message']).toBe(
      'The service answered that it updated the rule r1, without the new values; the rule has not changed so far.',
    )
  })
})

describe('a refusal', () => {
  const refusals: Array<[unknown, string]> = [
    [{error: 'TAKEN', message: 'The email is taken.'}, '(400 TAKEN): The email is taken'],
    [{error: {code: 'TAKEN', message: 'The email is taken'}}, '(400)'],
    [['taken'], '(400)'],
    ['upstream   is\nnot there', '(400): upstream is not there'],
    ['<!doctype html><html><head><title>\n 403 Forbidden\n</title></head></html>', '(400): 403 Forbidden'],
    [{}, '(400)'],
  ]

  it.each(refusals)('says its code and message, or the words of a page: %j', async (body, words) => {
    const service = await serve((_, response) => reply(response, 400, body))
    const {code, err} = await run(freshHome(), ['customers', 'list'], {env: service.env})
    expect({code, err}).toEqual({code: 3, err: `svc: The service refused the request ${words}.\n`})
  })

  it('is shown whole by svc api and with --verbose, without the credential', async () => {
    const body = {error: 'TEAPOT', message: 'no', hints: ['for test-key only']}
    const service = await serve((_, response) => reply(response, 400, body))
    const shown = {...body, hints: ['for [credential] only']}
    const text = await run(freshHome(), ['api', 'GET', '/x'], {env: service.env})
    expect([text.code, text.out, json(text.err.slice(text.err.indexOf('{')))]).toEqual([3, '', shown])
    const line = await run(freshHome(), ['api', 'GET', '/x', '--json'], {env: service.env})
    expect([line.out, json(line.err)]).toEqual(['', expect.objectContaining({error: 'TEAPOT', body: shown})])
    const verbose = await run(freshHome(), ['customers', 'list', '--verbose'], {env: service.env})
    expect(verbose.err.split('\n')).toContain(JSON.stringify(shown))
    const unread = await serve((_, response) => reply(response, 200, {things: 1}))
    expect((await run(freshHome(), ['customers', 'list', '--verbose'], {env: unread.env})).err).toContain(
      '{"things":1}',
    )
    const page = await serve((_, response) => reply(response, 200, '<h1>Hello</h1>'))
    expect((await run(freshHome(), ['api', 'GET', '/x'], {env: page.env})).err).toContain('<h1>Hello</h1>')
  })
})
