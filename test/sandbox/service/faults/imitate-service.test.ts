// The sandbox as a twin of a probed service: which behaviours follow from what a probe found, and what is said beside them.
import {describe, expect, it} from 'vitest'
import type {ServiceKnowledge} from '../../../../src/profiles/service-knowledge.ts'
import type {Behaviours} from '../../../../src/sandbox/service/faults/behaviour-table.ts'
import {imitateService} from '../../../../src/sandbox/service/faults/imitate-service.ts'

type Found = Omit<ServiceKnowledge, 'probedAt'>
const minuteMs = 60_000

describe('the twin of a service', () => {
  it.each<[Found, Partial<Behaviours>]>([
    [{sameRequest: 'replayed', otherRequest: 'rejected', keyAfterRejection: 'usable'}, {idempotency: 'replay'}],
    [
      {sameRequest: 'replayed', otherRequest: 'rejected', keyAfterRejection: 'rejected'},
      {idempotency: 'refuse-other-body'},
    ],
    [{sameRequest: 'replayed', otherRequest: 'replayed'}, {idempotency: 'replay-any-body'}],
    [{sameRequest: 'replayed', otherRequest: 'created'}, {idempotency: 'per-body'}],
    [{sameRequest: 'rejected', otherRequest: 'rejected'}, {idempotency: 'refuse'}],
    [{sameRequest: 'created', otherRequest: 'created'}, {idempotency: 'ignore'}],
    [
      {sameRequest: 'rejected', otherRequest: 'created', usedQuote: 'rejected'},
      {idempotency: 'ignore', quoteUse: 'single'},
    ],
    [{sameRequest: 'created', keyHeldMs: 150_000, keyForgottenAfterMs: 200_000}, {idempotency: 'forget-after-2m'}],
    [{sameRequest: 'created', keyHeldMs: 5_000, keyForgottenAfterMs: 90_000}, {idempotency: 'forget-after-1m'}],
    [{sameRequest: 'created', keyHeldMs: 5_000, keyForgottenAfterMs: 30_000}, {idempotency: 'ignore'}],
    [{otherRequest: 'rejected'}, {}],
    [
      {usedQuote: 'created', expiredQuote: 'rejected'},
      {quoteUse: 'many', expiredQuotes: 'refused'},
    ],
    [
      {usedQuote: 'rejected', expiredQuote: 'created'},
      {quoteUse: 'single', expiredQuotes: 'accepted'},
    ],
    [{listLagMs: 1_200}, {listLagSeconds: 2}],
    [{listLagMs: 0}, {listLagSeconds: 0}],
    [{listLagOverMs: 5 * minuteMs}, {listLagSeconds: 300}],
    [{listOrder: 'oldest-first'}, {listOrder: 'oldest-first'}],
    [{isDateAbsent: true}, {dateHeader: 'left-out'}],
    [{dateAheadMs: 90_000}, {dateHeader: 'sent'}],
    [{pageTokenLifeMs: minuteMs}, {pageTokenSeconds: 0}],
    [{pageTokenLifeMs: minuteMs, pageTokenDiedAfterMs: 5 * minuteMs}, {pageTokenSeconds: 60}],
    [{pageTokenDiedAfterMs: 2_000}, {pageTokenSeconds: 2}],
  ])('that was found to be %o behaves as %o', (found, behaviours) => {
    expect(imitateService(found).behaviours).toEqual(behaviours)
  })

  it('names everything that is not known', () => {
    expect(imitateService({}).notKnown).toEqual([
      'the same key with the same body',
      'the same key with another body',
      'a key whose first request was rejected',
      'a used quote',
      'an expired quote',
      'how long new transactions are missing from lists',
      'the order of lists',
      'the life of page tokens',
      'the Date of replies',
    ])
    const everything: Found = {
      sameRequest: 'replayed',
      otherRequest: 'rejected',
      keyAfterRejection: 'usable',
      usedQuote: 'rejected',
      expiredQuote: 'rejected',
      listLagMs: 0,
      listOrder: 'newest-first',
      pageTokenLifeMs: minuteMs,
      isDateAbsent: false,
    }
    expect(imitateService(everything)).toMatchObject({notKnown: [], differs: []})
  })

  it.each<[Found, RegExp]>([
    [{sameRequest: 'rejected', otherRequest: 'created', usedQuote: 'created'}, /^the same request again is replayed/],
    [{sameRequest: 'rejected', otherRequest: 'replayed'}, /^another body under the same key is rejected/],
    [{sameRequest: 'created', otherRequest: 'rejected'}, /^another body under the same key creates/],
    [{listOrder: 'other'}, /an order of its own$/],
    [{listLagOverMs: 300_000}, /^new transactions are listed after 300 s/],
    [{dateAheadMs: 90_400}, /is 90 s ahead$/],
    [{dateAheadMs: -90_400}, /is 90 s behind$/],
  ])('that was found to be %o says how it differs', (found, difference) => {
    expect(imitateService(found).differs).toEqual([expect.stringMatching(difference)])
  })
})
