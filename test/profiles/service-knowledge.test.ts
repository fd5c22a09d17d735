// What payments do with knowledge about a service: whether they trust its keys, and how long they wait for its list.
import {describe, expect, it} from 'vitest'
import type {Caller} from '../../src/profiles/caller.ts'
import {describeKnowledge, summarizeKnowledge} from '../../src/profiles/describe-knowledge.ts'
import {
  type ResendPolicy,
  type ServiceKnowledge,
  chooseKnowledge,
  isKnowledgeComplete,
} from '../../src/profiles/service-knowledge.ts'
import {readServiceTraits} from '../../src/transport.ts'

const serviceId = 'https://api.example.com'
const probedAt = '2026-11-14T10:00:00.000Z'
const minuteMs = 60_000

const createCaller = (knowledge: Partial<ServiceKnowledge> | undefined, resend: ResendPolicy = 'auto'): Caller => ({
  label: 'profile "acme"',
  profileName: 'acme',
  baseUrl: 'https://api.example.com',
  serviceIdentity: {id: serviceId, formerIds: ['https://old.example.com']},
  environment: 'live',
  readOnly: false,
  resend,
  duplicateWindowMs: 0,
  credential: async () => 'secret',
  renewable: false,
  ...(knowledge && {knowledge: {probedAt, serviceId, ...knowledge}}),
})

const readKeys = async (knowledge: Partial<ServiceKnowledge> | undefined, resend?: ResendPolicy) =>
  (await readServiceTraits(createCaller(knowledge, resend))).keys

const nothing = {sameRequest: false, otherRequest: false}

describe('the trust in keys', () => {
  it.each<[Partial<ServiceKnowledge> | undefined, object]>([
    [undefined, nothing],
    [{}, nothing],
    [{sameRequest: 'replayed'}, {sameRequest: true, otherRequest: false}],
    [{sameRequest: 'rejected'}, {sameRequest: true, otherRequest: false}],
    [
      {sameRequest: 'created', otherRequest: 'rejected'},
      {sameRequest: false, otherRequest: true},
    ],
    [
      {sameRequest: 'replayed', otherRequest: 'replayed'},
      {sameRequest: true, otherRequest: true},
    ],
    [
      {sameRequest: 'replayed', otherRequest: 'created'},
      {sameRequest: true, otherRequest: false},
    ],
    // Forgotten before the quote expired: a second transaction was made, whatever the first tries showed.
    [{sameRequest: 'created', otherRequest: 'created', keyHeldMs: 1_000, keyForgottenAfterMs: 65_000}, nothing],
  ])('with %j is %j', async (knowledge, keys) => {
    expect(await readKeys(knowledge)).toEqual(keys)
  })

  it('follows from what was found out about this service, under its present or a former id, not another one', async () => {
    const honoured = {sameRequest: 'replayed', otherRequest: 'replayed'} as const
    const all = {sameRequest: true, otherRequest: true}
    expect(await readKeys({...honoured, serviceId: 'https://old.example.com'})).toEqual(all)
    expect(await readKeys({...honoured, serviceId: 'https://other.example.com'})).toEqual(nothing)
  })

  it('is overridden by the policy of the profile for the same request', async () => {
    const honoured = {sameRequest: 'replayed', otherRequest: 'replayed'} as const
    expect(await readKeys(honoured, 'never')).toEqual({sameRequest: false, otherRequest: true})
    expect(await readKeys({}, 'always')).toEqual({sameRequest: true, otherRequest: true})
    expect(await readKeys({otherRequest: 'created'}, 'always')).toEqual({sameRequest: true, otherRequest: false})
  })
})

describe('the lag of the list that payments wait for', () => {
  it.each([
    [undefined, 6 * minuteMs],
    [{}, 6 * minuteMs],
    [{listLagMs: 100}, 6 * minuteMs],
    [{listLagMs: 3 * minuteMs}, 6 * minuteMs],
    [{listLagMs: 5 * minuteMs}, 10 * minuteMs],
    [{listLagMs: 1_000, listLagOverMs: 10 * minuteMs}, 20 * minuteMs],
  ])('with %j is %i ms, and never less than six minutes', async (knowledge, expectedMs) => {
    expect((await readServiceTraits(createCaller(knowledge))).listLagMaxMs).toBe(expectedMs)
  })

  it('that was measured at another service does not count', async () => {
    const caller = createCaller({listLagMs: 30 * minuteMs, serviceId: 'https://other.example.com'})
    expect((await readServiceTraits(caller)).listLagMaxMs).toBe(6 * minuteMs)
  })
})

describe('the words for it', () => {
  it('have a row for every question, known or not', () => {
    const rows = describeKnowledge({probedAt}, {sameRequest: 'a reply was lost'})
    expect(rows.map(({subject}) => subject)).toEqual([
      'sameRequest',
      'otherRequest',
      'keyAfterRejection',
      'usedQuote',
      'expiredQuote',
      'listLag',
      'listOrder',
      'date',
      'pageToken',
      'errors',
    ])
    expect(rows.some(({isKnown}) => isKnown)).toBe(false)
    expect(rows[0]).toMatchObject({found: 'Not known: a reply was lost'})
  })

  it('say what follows for payments', () => {
    const knowledge: ServiceKnowledge = {
      probedAt,
      sameRequest: 'replayed',
      otherRequest: 'created',
      keyForgottenAfterMs: 65_000,
      keyAfterRejection: 'rejected',
      usedQuote: 'created',
      expiredQuote: 'created',
      listLagMs: 5 * minuteMs,
      listOrder: 'oldest-first',
      dateAheadMs: -3 * minuteMs,
      pageTokenLifeMs: 60_000,
      pageTokenDiedAfterMs: 280_000,
      errorShape: 'other',
      errorBytesMax: 1200,
    }
    expect(describeKnowledge(knowledge).map(({found, means}) => `${found} | ${means}`)).toEqual([
      'The first reply comes again; no second transaction | svc may send an unanswered payment again',
      'A second transaction is made (the key is forgotten after at most 65 s) | Two hosts can pay twice while the list lags; svc looks again just before it pays',
      'It stays rejected | A rejected payment needs a new key',
      'A second transaction is made | Only the key protects an unanswered payment',
      'A transaction is made | A process that sleeps before it sends may still pay when it wakes up',
      'At most 5 min | svc waits 10 min before it says that nothing was made',
      'Oldest first | svc reads lists to their end',
      '3 min behind this machine | It is the clock for quotes',
      'Rejected after 5 min | A list that is read slowly starts again once',
      'Not all as documented, 1200 bytes at most | Some errors show only their status',
    ])
    expect(summarizeKnowledge({probedAt, sameRequest: 'created'})).toMatch(
      /^Probed 2026-11-14\. An unanswered payment is never sent again; the list settles it\. .*Not known: the same key with another request, /,
    )
  })
})

describe('complete knowledge', () => {
  it('has an answer to every question that needs transactions', () => {
    const all: ServiceKnowledge = {
      probedAt,
      sameRequest: 'replayed',
      otherRequest: 'replayed',
      keyAfterRejection: 'usable',
      usedQuote: 'rejected',
      expiredQuote: 'rejected',
      listLagMs: 10,
    }
    expect(isKnowledgeComplete(all)).toBe(true)
    for (const field of Object.keys(all).slice(1)) {
      expect([field, isKnowledgeComplete({...all, [field]: undefined})]).toEqual([field, false])
    }
  })

  it('of a profile without a service id, as one may write it by hand, belongs to its service', () => {
    expect(chooseKnowledge({probedAt}, [serviceId])).toEqual({probedAt})
  })
})
