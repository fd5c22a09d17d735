// Services that follow the interface in their own way: svc does the right thing with each, or refuses truthfully.
import {describe, expect, it} from 'vitest'
import {countStates, createHost, createRows, pay, runPayouts} from '../attack/attack.ts'
import {configuration} from '../rules/rule-service.ts'
import {type OwnWaysService, type Ways, firstCustomer, serveOwnWays} from '../support/own-ways-service.ts'
import {payment} from '../support/payments.ts'
import {reply, serve} from '../support/service.ts'
import {type RunResult, freshHome, json, run} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

useVirtualTime()

const svc = (service: OwnWaysService, ...args: string[]) => run(freshHome(), args, {env: service.env})

const listAll = (service: OwnWaysService, ...flags: string[]) => svc(service, 'customers', 'list', '--all', ...flags)

const countItems = ({out}: RunResult, key = 'customers') => (json(out)[key] as unknown[]).length

const create = (service: OwnWaysService, ...flags: string[]) =>
  svc(service, 'customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com', ...flags)

const quote = (service: OwnWaysService, ...flags: string[]) =>
  svc(service, 'quotes', 'create', ...payment('', '100').slice(1, -2), ...flags)

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
  const ways: Array<[Ways['token'], Ways['takes'], string]> = [
    ['next_page_token', 'pageToken', 'next_page_token'],
    ['next_page_token', 'page_token', 'next_page_token'],
    ['pagination.nextPageToken', 'pageToken', 'pagination.nextPageToken'],
    ['cursor', 'pageToken', 'cursor'],
    ['cursor', 'cursor', 'cursor'],
    ['links.next', 'cursor', 'links.next'],
    ['Link', 'pageToken', 'a Link header'],
    ['Link', 'cursor', 'a Link header'],
  ]

  it.each(ways)('in %s, taken as %s, is followed to the end of the list, and said once', async (token, takes, name) => {
    const service = await serveOwnWays({token, takes}, {many: 276})
    const result = await listAll(service, '--json')
    expect({code: result.code, count: countItems(result)}).toEqual({code: 0, count: 276})
    expect(result.err).toBe(
      `Warning: the service sends the token of the next page in ${name} instead of nextPageToken; svc follows it.\n`,
    )
  })

  it.each(ways)('in %s, taken as %s, continues a list that stopped early', async (token, takes) => {
    const service = await serveOwnWays({token, takes}, {many: 7})
    const first = json((await svc(service, 'customers', 'list', '--limit', '3', '--json')).out)
    const rest = await listAll(service, '--json', '--page-token', String(first['nextPageToken']))
    expect({code: rest.code, count: countItems(rest)}).toEqual({code: 0, count: 4})
  })

  it('that svc does not know is a warning after a full page, and 12 with --all', async () => {
    const service = await serveOwnWays({token: 'bookmark'}, {many: 276})
    const all = await listAll(service, '--json')
    expect([all.code, countItems(all)]).toEqual([12, 100])
    expect(json(all.err)).toMatchObject({error: 'LIST_MAY_BE_CUT', exitCode: 12})
    expect(json(all.err)['message']).toContain('with 100 customers: the service sent no nextPageToken, but bookmark')
    const page = await svc(service, 'customers', 'list', '--json')
    expect([page.code, countItems(page)]).toEqual([0, 20])
    expect(page.err).toContain('Warning: the service sent no nextPageToken, but bookmark')
    const lines = await listAll(service, '-o', 'jsonl')
    expect([lines.code, lines.out.trimEnd().split('\n').length]).toEqual([12, 100])
  })

  it('is not looked for in a page that is not full, nor where there is nothing else', async () => {
    const short = await listAll(await serveOwnWays({token: 'bookmark'}, {many: 40}), '--json')
    expect([short.code, short.err, countItems(short)]).toEqual([0, '', 40])
    const full = await listAll(await serveOwnWays({token: 'none'}, {many: 276}), '--json')
    expect([full.code, full.err, countItems(full)]).toEqual([0, '', 100])
  })

  it.each(['none', 'bookmark'] as const)('(%s) that is missing from small pages is found by doctor', async (token) => {
    const {code, out} = await svc(await serveOwnWays({token}, {many: 5}), 'doctor', '--json')
    const checks = json(out)['checks'] as Array<Record<string, unknown>>
    expect(code).toBe(12)
    expect(checks.find(({check}) => check === 'paging')).toMatchObject({
      outcome: 'failed',
      found: expect.stringMatching(
        /^The list of customers ends after a page of 2, .*, but a larger page has 5$/,
      ) as string,
    })
  })

  it('is a finding of doctor, which reads the list all the same', async () => {
    const {code, out} = await svc(await serveOwnWays({token: 'cursor', takes: 'cursor'}, {many: 5}), 'doctor', '--json')
    const checks = json(out)['checks'] as Array<Record<string, unknown>>
    expect(code).toBe(12)
    expect(checks.find(({check}) => check === 'paging')).toMatchObject({outcome: 'ok'})
    expect(checks.find(({check}) => check === 'shapes')).toMatchObject({
      outcome: 'warning',
      found: 'The service sends the token of the next page in cursor instead of nextPageToken; svc follows it',
    })
  })

  it('does not hide a transaction from watch, and a list that may be cut is no proof that there is none', async () => {
    const made = {status: 'COMPLETED', many: 1, pageItemsMax: 10}
    for (const [token, code] of [
      ['cursor', 0],
      ['bookmark', 6],
    ] as const) {
      const service = await serveOwnWays({token}, made)
      expect((await pay(createHost(service), 'rent', '10')).code).toBe(0)
      await addTransactions(service, 11)
      const id = String(service.transactions[0]?.['transactionId'])
      const watched = await svc(service, 'transactions', 'watch', id, '--json', '--timeout', '2s')
      expect([token, watched.code]).toEqual([token, code])
    }
  })
})

describe('a transaction', () => {
  it.each([{lists: 'items'}, {lists: 'bare'}, {lists: 'data'}, {codes: 'lower'}, {amounts: 'number'}] as const)(
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

  it('without a status is watched in whole sentences', async () => {
    const service = await serveOwnWays({})
    service.alter = ({transactionStatus: _status, ...transaction}) => transaction
    await pay(createHost(service), 'rent', '10')
    const id = String(service.transactions[0]?.['transactionId'])
    const {code, err} = await svc(service, 'transactions', 'watch', id, '--timeout', '100ms')
    expect(code).toBe(8)
    expect(err).toContain(`UTC  ${id} has no status\n`)
    expect(err).toContain(`svc: Transaction ${id} still has no status after less than 1 s. Continue with`)
  })

  it('has the colour of its status whatever the case', async () => {
    const service = await serveOwnWays({codes: 'lower'}, {status: 'COMPLETED'})
    const env = {...service.env, FORCE_COLOR: '1'}
    await pay(createHost(service), 'rent', '10')
    const {out} = await run(freshHome(), ['transactions', 'list', '--columns', 'status'], {env})
    expect(out).toContain('\u001B[32mcompleted')
  })
})

describe('a payment', () => {
  // A payment that ten later ones have pushed off the first page.
  async function payLongAgo(ways: Partial<Ways>): Promise<OwnWaysService> {
    const service = await serveOwnWays(ways, {keys: 'ignored', quotes: 'many', pageItemsMax: 10})
    expect((await pay(createHost(service), 'rent', '10')).code).toBe(0)
    await addTransactions(service, 10)
    return service
  }

  it.each(['next_page_token', 'cursor', 'Link'] as const)(
    'of another host is found behind a token in %s, so one key is paid once',
    async (token) => {
      const service = await payLongAgo({token})
      const again = await pay(createHost(service), 'rent', '10')
      expect(again.code).toBe(0)
      expect(again.err).toContain('was found in the service')
      expect(service.transactions).toHaveLength(11)
    },
  )

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
    service.ways.token = 'cursor'
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

  it.each([
    {objects: 'data'},
    {objects: 'data.entity'},
    {lists: 'bare'},
    {lists: 'items'},
    {codes: 'lower'},
    {amounts: 'number'},
  ] as const)('is made once at a service with %o', async (ways) => {
    const service = await serveOwnWays(ways)
    const first = await pay(createHost(service), 'rent', '10.10', '--json')
    expect([first.code, json(first.out)['quoteId']]).toEqual([0, service.transactions[0]?.['quoteId']])
    const again = await pay(createHost(service), 'rent', '10.10', '--json')
    expect([again.code, service.transactions.length]).toEqual([0, 1])
  })

  it('ends its wait in a status of any case', async () => {
    const service = await serveOwnWays({codes: 'lower'}, {laterStatus: {status: 'FAILED', afterReads: 1}})
    const {code, err} = await pay(createHost(service), 'rent', '10', '--json', '--wait', '--timeout', '20s')
    expect([code, json(err.trimEnd().split('\n').at(-1) ?? '')['error']]).toEqual([11, 'TRANSACTION_FAILED'])
  })

  it.each([
    [{expiresAt: 'null'}, 'The service sent a quote without the time at which it expires, so nothing was paid.'],
    [{objects: 'without id'}, 'The service gave no quote: the service answered 200 with an object without quoteId.'],
  ] as const)('is not made from a quote that cannot be used, and says why: %o', async (ways, words) => {
    const service = await serveOwnWays(ways)
    const {code, err} = await pay(createHost(service), 'rent', '10')
    expect([code, service.transactions.length]).toEqual([6, 0])
    expect(err).toContain(words)
    expect(service.requestsTo('POST /quotes')).toHaveLength(1)
  })

  it('whose reply has no id is settled from the list', async () => {
    const service = await serveOwnWays({})
    service.present = (answer, {method, path}) =>
      method === 'POST' && path === '/transactions' ? {...answer, body: {status: 'accepted'}} : answer
    const result = await pay(createHost(service), 'rent', '10')
    expect([result.code, service.transactions.length]).toEqual([0, 1])
  })
})

describe('a customer that is wrapped, or in a list of another form', () => {
  it.each(['data', 'data.entity'] as const)('in %s is read, shown by itself, with a warning', async (objects) => {
    const {code, out, err} = await svc(await serveOwnWays({objects}), 'customers', 'get', firstCustomer, '--json')
    expect([code, json(out)['customerId']]).toEqual([0, firstCustomer])
    expect(err).toBe(`Warning: the reply to customers.get is wrapped in ${objects}; svc reads what is inside.\n`)
  })

  it.each([
    ['items', 'a list in items'],
    ['bare', 'a bare list'],
    ['data', 'a list in data.customers'],
  ] as const)('%s is read, and printed in the form of the interface', async (lists, words) => {
    const result = await listAll(await serveOwnWays({lists}), '--json')
    expect(Object.keys(json(result.out))).toEqual(['customers'])
    expect([result.code, countItems(result)]).toEqual([0, 3])
    expect(result.err).toBe(
      `Warning: the reply to customers.list is ${words} instead of the interface’s envelope; svc reads it.\n`,
    )
  })

  it.each(['items', 'data'] as const)('%s has further pages', async (lists) => {
    const result = await listAll(await serveOwnWays({lists, token: 'cursor'}, {many: 276}), '--json')
    expect([result.code, countItems(result)]).toEqual([0, 276])
  })

  it.each([{objects: 'data'}, {codes: 'lower'}] as const)(
    'is created and waited for at a service with %o',
    async (ways) => {
      const service = await serveOwnWays(ways)
      const {code, out} = await create(service, '--wait', '--timeout', '20s', '--json')
      expect([code, String(json(out)['customerStatus']).toUpperCase()]).toEqual([0, 'ACTIVE'])
      expect(service.customers).toHaveLength(4)
    },
  )

  it('that is created without an id is found in the list', async () => {
    const service = await serveOwnWays({objects: 'without id'})
    const {code, err} = await create(service)
    expect([code, service.customers.length]).toEqual([0, 4])
    expect(err).toContain('The service gave no clear answer, but it made the customer: it is in its list.')
  })

  it('that is created without an id ends with 7 and what to check if nobody looks', async () => {
    const service = await serveOwnWays({objects: 'without id'})
    const {code, err} = await create(service, '--wait', '--allow-duplicates')
    expect([code, service.customers.length]).toEqual([7, 4])
    expect(err).toContain('answered 200 with an object without customerId')
    expect(err).toContain('Look for the email in `svc customers list --all`')
    expect(err).not.toMatch(/nothing was sent/i)
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

describe('a quote', () => {
  it.each([{objects: 'data'}, {amounts: 'number'}, {expiresAt: 'null'}, {codes: 'lower'}] as const)(
    'is shown in whole sentences at a service with %o',
    async (ways) => {
      const {code, out} = await quote(await serveOwnWays(ways, {rate: '1.10', svcFee: '0.50'}))
      expect(code).toBe(0)
      expect(out).toMatch(/^RATE +1 USDC = 1\.10 USDC$/m)
      expect(out).toMatch(/^SERVICE FEE +0\.50 USDC \(0\.50 USD\)$/m)
      expect(out).toMatch(/^ARRIVES +about 109\.45 USDC \(not guaranteed\)$/m)
      expect(out).toMatch(/^VALID UNTIL +\S.*, for \d:\d\d$/m)
      expect(out).not.toMatch(/null|undefined|= $|^VALID UNTIL +,/m)
    },
  )

  it('that lacks everything but its id says so', async () => {
    const service = await serveOwnWays({})
    service.present = (answer) => ({...answer, body: {quoteId: (answer.body as {quoteId: string}).quoteId}})
    const {code, out} = await quote(service, '--guarantee')
    expect(code).toBe(0)
    expect(out).toMatch(/^ARRIVES +an amount that the service does not say, guaranteed$/m)
    expect(out).toMatch(/^VALID UNTIL +a time that the service does not say, for \d:\d\d$/m)
    expect(out).not.toMatch(/^RATE/m)
  })

  it('without an id ends with 7 and what to do', async () => {
    const {code, err} = await quote(await serveOwnWays({objects: 'without id'}))
    expect(code).toBe(7)
    expect(err).toContain('Request it again: a quote moves no money')
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

  it.each([{codes: 'lower'}, {objects: 'data'}, {lists: 'items'}, {lists: 'bare'}, {amounts: 'number'}] as const)(
    'is not armed twice at a service with %o',
    async (ways) => {
      const service = await serveOwnWays(ways)
      expect((await createRule(service)).code).toBe(0)
      const again = await createRule(service)
      expect([again.code, service.rules.length]).toEqual([0, 1])
      expect(again.err).toContain('An equal rule already exists')
    },
  )

  it('is found behind the first page of rules', async () => {
    const service = await serveOwnWays({token: 'next_page_token'})
    service.rules = [...others, {...configuration(), id: 'r12'}]
    expect((await createRule(service)).err).toContain('An equal rule already exists')
    expect(service.rules).toHaveLength(13)
    expect(countItems(await svc(service, 'rules', 'list', '--json'), 'automationRules')).toBe(13)
  })

  it('is not created while the list of rules may be cut', async () => {
    const service = await serveOwnWays({token: 'bookmark'})
    service.rules = [...others]
    const {code, err} = await createRule(service)
    expect([code, service.rules.length]).toEqual([6, 12])
    expect(json(err.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({error: 'LIST_MAY_BE_CUT'})
    expect((await svc(service, 'rules', 'list', '--json')).code).toBe(12)
  })

  it.each([{codes: 'lower'}, {objects: 'data'}, {amounts: 'number'}] as const)(
    'is updated at a service with %o, in the spelling of the interface',
    async (ways) => {
      const service = await serveOwnWays(ways)
      service.rules = [{...configuration(), id: 'r1'}]
      const {code} = await svc(service, 'rules', 'update', 'r1', '--amount', '250', '--yes')
      expect(code).toBe(0)
      expect(json(service.requests.find(({method}) => method === 'PUT')?.body ?? '')).toMatchObject({
        transactionTemplate: {amount: {type: 'FLAT', value: '250'}},
        trigger: {type: 'TIME_BASED', cronSchedule: trigger.cronSchedule},
      })
    },
  )

  it('that a PUT did not change is noticed', async () => {
    const service = await serveOwnWays({puts: 'ignored'})
    service.rules = [{...configuration(), id: 'r1'}]
    const {code, err} = await svc(service, 'rules', 'update', 'r1', '--amount', '250', '--yes', '--json')
    expect(code).toBe(7)
    expect(json(err.trimEnd().split('\n').at(-1) ?? '')['message']).toBe(
      'The service answered that it updated the rule r1, but the rule does not have the new values.',
    )
  })
})

describe('a refusal', () => {
  const shapes: Array<[string, (reason: string) => unknown]> = [
    ['error.message', (reason) => ({error: {code: 'TAKEN', message: reason}})],
    ['errors[].message', (reason) => ({errors: [{message: reason, field: 'email'}]})],
    ['errors[] of texts', (reason) => ({errors: [reason]})],
    ['errors by field', (reason) => ({errors: {email: [reason]}})],
    ['detail', (reason) => ({detail: reason})],
    ['detail[].msg', (reason) => ({detail: [{loc: ['body', 'email'], msg: reason}]})],
    ['title', (reason) => ({title: reason})],
    ['problem+json', (reason) => ({type: 'https://example.com/taken', title: 'Conflict', status: 400, detail: reason})],
    ['a list of messages', (reason) => ({statusCode: 400, error: 'Bad Request', message: [reason]})],
    ['a text', (reason) => reason],
  ]

  it.each(shapes)('says its reason in %s', async (_, refusals) => {
    const service = await serveOwnWays({refusals})
    const args = ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'taken@example.com']
    const {code, err} = await svc(service, ...args)
    expect(code).toBe(3)
    expect(err).toContain('email is taken by another customer')
    expect(err.trimEnd().split('\n')).toHaveLength(1)
  })

  it('that is no JSON says its text, or the title of its page', async () => {
    const texts = {
      'upstream   is\nnot there': 'upstream is not there',
      '<!doctype html><html><head><title>\n 403 Forbidden\n</title></head><body>x</body></html>': '403 Forbidden',
    }
    for (const [body, words] of Object.entries(texts)) {
      const service = await serve((_, response) => reply(response, 400, body, {'content-type': 'text/html'}))
      const {code, err} = await run(freshHome(), ['customers', 'list'], {env: service.env})
      expect(code).toBe(3)
      expect(err).toBe(`svc: The service refused the request (400): ${words}.\n`)
    }
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
