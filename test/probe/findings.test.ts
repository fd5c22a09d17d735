// What a probe finds out about services that differ where the interface is silent, and how many transactions it makes.
import {describe, expect, it} from 'vitest'
import {refusal} from '../support/scripted-service.ts'
import {createStage} from './stage.ts'

const minuteMs = 60_000

type Changes = Parameters<typeof createStage>[0]
type Knowledge = Awaited<ReturnType<Awaited<ReturnType<typeof createStage>>['run']>>['knowledge']

describe('a probe of a service that honours keys', () => {
  it('knows it for the same and for another request, and makes four transactions', async () => {
    const {service, run} = await createStage()
    const {knowledge, reasons} = await run()
    expect(reasons).toEqual({})
    expect(knowledge).toMatchObject({
      serviceId: 'https://api.example.com',
      sameRequest: 'replayed',
      otherRequest: 'replayed',
      keyAfterRejection: 'usable',
      usedQuote: 'rejected',
      expiredQuote: 'rejected',
      listOrder: 'newest-first',
      dateAheadMs: 0,
      errorShape: 'documented',
    })
    expect(knowledge.listLagMs).toBeLessThan(1_000)
    expect(knowledge.keyHeldMs).toBeGreaterThan(4 * minuteMs)
    expect(knowledge.keyForgottenAfterMs).toBeUndefined()
    expect(knowledge.pageTokenLifeMs).toBeGreaterThan(4 * minuteMs)
    expect(service.transactions).toHaveLength(4)
  })

  it('sends every transaction with a correlationId that is recognized as one of a probe', async () => {
    const {service, run} = await createStage()
    await run()
    for (const {correlationId} of service.transactions) expect(correlationId).toMatch(/^svc_probe_[0-9a-f]{12}_\d+$/)
  })
})

// How a service treats a reused key, and what a probe must conclude. The number is that of the transactions made.
const services: Array<[name: string, changes: Changes, found: Partial<Knowledge>, made: number]> = [
  ['refuses a reused key', {keys: 'refused'}, {sameRequest: 'rejected', otherRequest: 'rejected'}, 4],
  [
    'refuses another body under a key',
    {keys: 'other-body-refused'},
    {sameRequest: 'replayed', otherRequest: 'rejected'},
    4,
  ],
  ['has keys per body', {keys: 'per-body'}, {sameRequest: 'replayed', otherRequest: 'created'}, 5],
  [
    'ignores keys, with quotes for one transaction',
    {keys: 'ignored'},
    {sameRequest: 'rejected', otherRequest: 'created', usedQuote: 'rejected'},
    5,
  ],
  [
    'ignores keys, with quotes for many transactions',
    {keys: 'ignored', quotes: 'many'},
    {sameRequest: 'created', otherRequest: 'created', usedQuote: 'created'},
    7,
  ],
  [
    'forgets keys after a minute, with quotes for one transaction',
    {keysForgottenAfterMs: minuteMs},
    {sameRequest: 'rejected', otherRequest: 'created', keyForgottenAfterMs: expect.closeTo(65_000, -3) as number},
    5,
  ],
  [
    'forgets keys after a minute, with quotes for many transactions',
    {keysForgottenAfterMs: minuteMs, quotes: 'many'},
    {
      sameRequest: 'created',
      otherRequest: 'created',
      usedQuote: 'created',
      keyForgottenAfterMs: expect.closeTo(65_000, -3) as number,
    },
    7,
  ],
  [
    'forgets keys after two minutes, with quotes for many transactions',
    {keysForgottenAfterMs: 2 * minuteMs, quotes: 'many'},
    {sameRequest: 'created', otherRequest: 'created', keyHeldMs: expect.closeTo(65_000, -3) as number},
    7,
  ],
  [
    'honours keys, with quotes for many transactions',
    {quotes: 'many'},
    {sameRequest: 'replayed', otherRequest: 'replayed', usedQuote: 'created'},
    5,
  ],
  ['replays a rejection', {areRefusalsReplayed: true}, {sameRequest: 'replayed', keyAfterRejection: 'rejected'}, 3],
  ['accepts expired quotes', {expiredQuotes: 'accepted'}, {expiredQuote: 'created', sameRequest: 'replayed'}, 5],
  ['lists the oldest first', {listOrder: 'oldest'}, {listOrder: 'oldest-first', sameRequest: 'replayed'}, 4],
  ['lists in no order', {listOrder: 'mixed', quotes: 'many'}, {listOrder: 'other', sameRequest: 'replayed'}, 5],
  ['has no Date', {hasDate: false}, {isDateAbsent: true, sameRequest: 'replayed', expiredQuote: 'rejected'}, 4],
  ['has a Date ahead', {dateSkewMs: 3 * minuteMs}, {dateAheadMs: 3 * minuteMs, expiredQuote: 'rejected'}, 4],
  ['has a Date behind', {dateSkewMs: -3 * minuteMs}, {dateAheadMs: -3 * minuteMs, sameRequest: 'replayed'}, 4],
  [
    'rejects a page token after a while',
    {deadPageTokens: {refusal: refusal(400, 'BAD_REQUEST', 'pageToken: expired'), times: 1}},
    {sameRequest: 'replayed'},
    4,
  ],
  [
    'forgets keys after a minute, and keeps rejections under them',
    {keysForgottenAfterMs: minuteMs, areRefusalsReplayed: true},
    {sameRequest: 'rejected', otherRequest: 'created', keyAfterRejection: 'rejected'},
    4,
  ],
]

describe.each(services)('a probe of a service that %s', (_name, changes, found, made) => {
  it(`finds it out with ${made} transactions`, async () => {
    const {service, run} = await createStage(changes)
    const {knowledge} = await run()
    expect(knowledge).toMatchObject(found)
    expect(service.transactions).toHaveLength(made)
  })
})

describe('the lag of the list', () => {
  it.each([30_000, 2 * minuteMs, 5 * minuteMs])(
    'of %i ms is measured, and verified before anything is said',
    async (listLagMs) => {
      const {service, run} = await createStage({listLagMs})
      const {knowledge} = await run()
      expect(knowledge.listLagMs).toBeGreaterThanOrEqual(listLagMs)
      expect(knowledge.listLagMs).toBeLessThan(listLagMs + minuteMs)
      expect(knowledge).toMatchObject({sameRequest: 'replayed', otherRequest: 'replayed', usedQuote: 'rejected'})
      expect(service.transactions).toHaveLength(4)
    },
  )

  it('that is longer than a probe looks leaves open what a reply alone cannot show', async () => {
    const {run} = await createStage({listLagMs: 24 * 60 * minuteMs})
    const {knowledge, reasons} = await run()
    expect(knowledge.listLagOverMs).toBeGreaterThanOrEqual(10 * minuteMs)
    expect(knowledge.sameRequest).toBeUndefined()
    expect(knowledge.usedQuote).toBeUndefined()
    expect(reasons.sameRequest).toMatch(/list/)
  })

  it('hides no second transaction that was made under a reply of the first', async () => {
    // Answers with the first transaction, and makes a second one all the same.
    const {service, run} = await createStage({keys: 'ignored', quotes: 'many', listLagMs: 30_000})
    service.script({
      skip: 1,
      times: 1,
      reply: {status: 200, body: {transactionId: '00000000-0000-4000-9000-000000000001'}},
    })
    const {knowledge} = await run()
    expect(knowledge.sameRequest).toBe('created')
  })
})

describe('a list without correlationIds', () => {
  const drop =
    (...names: string[]) =>
    (transaction: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(transaction).filter(([name]) => !names.includes(name)))

  it.each<[Changes, Partial<Knowledge>]>([
    [{}, {sameRequest: 'replayed', otherRequest: 'replayed', usedQuote: 'rejected', keyAfterRejection: 'usable'}],
    [{keys: 'per-body'}, {sameRequest: 'replayed', otherRequest: 'created', usedQuote: 'rejected'}],
    [
      {keys: 'ignored', quotes: 'many'},
      {sameRequest: 'created', otherRequest: 'created', usedQuote: 'created'},
    ],
  ])('is read by its quotes: %j', async (changes, found) => {
    const {service, run} = await createStage(changes)
    service.alter = drop('correlationId')
    expect((await run()).knowledge).toMatchObject(found)
  })

  it('nor quotes shows nothing, so nothing is concluded from it', async () => {
    const {service, run} = await createStage()
    service.alter = drop('correlationId', 'quoteId')
    const {knowledge, reasons} = await run()
    expect(knowledge.sameRequest).toBeUndefined()
    expect(knowledge.otherRequest).toBeUndefined()
    expect(reasons.sameRequest).toMatch(/list/)
  })
})

describe('a request that is carried out late', () => {
  it('is found, although its reply said that nothing was made', async () => {
    const {service, run} = await createStage()
    // The second of the two requests that are sent at the same moment, the last ones of a probe.
    service.script({skip: 13, times: 1, acts: {afterMs: 20_000}, reply: refusal(409, 'CONFLICT', 'used before')})
    const forgetKeys = () => {
      if (service.requestsTo('POST /transactions').length === 14) {
        Object.assign(service.behaviour, {keys: 'ignored', quotes: 'many'})
      }
    }
    const {knowledge} = await run({checkpoint: forgetKeys})
    expect(service.transactions).toHaveLength(5)
    expect(knowledge.sameRequest).toBe('created')
  })
})

describe('a rejection', () => {
  it('proves nothing about keys if ordinary transactions are rejected too', async () => {
    // There is money for two transactions.
    const {service, run} = await createStage({keys: 'ignored'})
    const noMoney = refusal(422, 'INSUFFICIENT_FUNDS', 'not enough')
    service.script({skip: 3, times: 100, acts: 'never', reply: noMoney})
    const {knowledge, reasons} = await run()
    expect(service.transactions).toHaveLength(2)
    expect(knowledge.otherRequest).toBeUndefined()
    expect(knowledge.sameRequest).toBeUndefined()
    expect(knowledge.usedQuote).toBeUndefined()
    expect(knowledge.expiredQuote).toBeUndefined()
    expect(reasons.otherRequest).toMatch(/ordinary transaction/)
  })

  it('of the first transaction ends the probe', async () => {
    const {service, run} = await createStage()
    service.script({times: 100, acts: 'never', reply: refusal(422, 'INSUFFICIENT_FUNDS', 'not enough')})
    await expect(run()).rejects.toMatchObject({kind: 'refused', message: expect.stringContaining('INSUFFICIENT_FUNDS')})
    expect(service.requestsTo('POST /transactions')).toHaveLength(1)
  })

  it('in a form of its own is reported', async () => {
    const {service, run} = await createStage()
    service.script({at: 'POST /quotes', skip: 0, times: 1, reply: {status: 400, body: '<html>no</html>'}})
    const {knowledge} = await run()
    expect(knowledge.errorShape).toBe('other')
  })
})

describe('page tokens', () => {
  it('that are rejected after a while are found', async () => {
    const {service, run} = await createStage()
    const tokens = new Map<string, number>()
    service.intercept = ({query}, response) => {
      const token = query.get('pageToken')
      if (token === null) return false
      const firstAt = tokens.get(token) ?? service.clock.now()
      tokens.set(token, firstAt)
      if (service.clock.now() - firstAt < 2 * minuteMs) return false
      response.writeHead(400, {'content-type': 'application/json'})
      response.end(JSON.stringify({error: 'BAD_REQUEST', message: 'pageToken', statusCode: 400}))
      return true
    }
    const {knowledge} = await run()
    expect(knowledge.pageTokenLifeMs).toBeLessThan(2 * minuteMs)
    expect(knowledge.pageTokenDiedAfterMs).toBeGreaterThan(2 * minuteMs)
  })
})

describe('a quick probe', () => {
  it('finds a service that ignores keys, and says nothing of keys that may be forgotten later', async () => {
    const honoured = await createStage()
    const {knowledge} = await honoured.run({isQuick: true})
    expect(knowledge).toMatchObject({usedQuote: 'rejected', keyAfterRejection: 'usable'})
    expect([knowledge.sameRequest, knowledge.otherRequest, knowledge.expiredQuote]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    const ignored = await createStage({keys: 'ignored', quotes: 'many'})
    expect((await ignored.run({isQuick: true})).knowledge).toMatchObject({
      sameRequest: 'created',
      otherRequest: 'created',
    })
  })

  it('takes less than half a minute, and is completed by a full one that repeats only the first transactions', async () => {
    const {service, run} = await createStage()
    const startedAt = service.clock.now()
    await run({isQuick: true})
    expect(service.clock.now() - startedAt).toBeLessThan(30_000)
    expect(service.transactions).toHaveLength(4)
    service.clock.advance(60 * minuteMs)
    expect((await run()).knowledge).toMatchObject({
      sameRequest: 'replayed',
      otherRequest: 'replayed',
      expiredQuote: 'rejected',
    })
    // Two first transactions whose quotes are valid, and an ordinary one after the rejection of the expired quote.
    expect(service.transactions).toHaveLength(7)
  })
})
