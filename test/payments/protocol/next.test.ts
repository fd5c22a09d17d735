// The rules of paying once, over every state of a payment and everything that a run can have seen.
import {describe, expect, it} from 'vitest'
import {SvcError} from '../../../src/errors.ts'
import {type Action, type Seen, next, startSeen} from '../../../src/payments/protocol/next.ts'
import {
  type Attempt,
  type Payment,
  type PaymentState,
  paymentStates,
  unknownContent,
} from '../../../src/payments/protocol/payment.ts'
import type {Reply} from '../../../src/payments/protocol/reply.ts'

const now = {earliest: 1_000_000_000, latest: 1_000_001_000, wall: 1_000_000_500, ticks: 50_000, remainingMs: 60_000}
const minuteMs = 60_000
const listLagMaxMs = 6 * minuteMs
const failure = new SvcError({error: 'UNREACHABLE', kind: 'unreachable', message: 'not now'})

const searches: Array<Seen['search']> = [
  undefined,
  ...[[], [{transactionId: 'a'}], [{transactionId: 'a'}, {transactionId: 'b'}]].flatMap((matches) =>
    [0, 2_000, 2_001, 20 * minuteMs].map((ageMs) => ({
      matches,
      startedMs: now.earliest - ageMs,
      startedLocallyMs: now.wall - ageMs,
      seenUntilTicks: now.ticks - ageMs,
    })),
  ),
  {matches: [], startedMs: 0, startedLocallyMs: 0, seenUntilTicks: 0, failure},
]

const attempts: Attempt[] = [4, -1, -30].flatMap((lifeMinutes) =>
  [1, 2].flatMap((sends) =>
    [false, true].map((isRejectionUnconfirmed) => ({
      quoteId: 'q',
      quoteExpiresAt: now.latest + lifeMinutes * minuteMs,
      price: {rate: '1', received: '1', svcFee: '0', developerFee: '0', feeCurrency: 'USD'},
      serverAheadMs: 0,
      sends,
      armedLocallyAt: now.wall + (lifeMinutes - 5) * minuteMs,
      isRejectionUnconfirmed,
      ...(lifeMinutes === -30 && {clearSince: now.latest - 20 * minuteMs, clearLocallySince: now.wall - 20 * minuteMs}),
    })),
  ),
)

interface Case {
  payment: Payment
  seen: Seen
  areKeysHonoured: boolean
  action: Action
}

const booleans = [false, true]

function* listCases(): Generator<Case> {
  for (const state of paymentStates)
    for (const attempt of attempts)
      for (const search of searches)
        for (const isArmed of booleans)
          for (const mayPay of booleans)
            for (const areKeysHonoured of booleans)
              for (const quotes of [0, 1, 3])
                for (const looks of [0, 5]) {
                  const payment: Payment = {
                    serviceId: 's',
                    key: 'k',
                    content: unknownContent,
                    state,
                    attempts: [attempt],
                    createdAt: 0,
                    updatedAt: 0,
                  }
                  const start = {mayPay, hasOtherContent: false, quotesMax: 3, isQuoteGiven: false}
                  const seen: Seen = {...startSeen(start), search, isArmed, quotes, looks}
                  const known = {areKeysHonoured, mayResend: areKeysHonoured, listLagMaxMs}
                  yield {payment, seen, areKeysHonoured, action: next(payment, seen, now, known)}
                }
}

const cases = [...listCases()]
const taken = (kind: Action['do']) => cases.filter(({action}) => action.do === kind)

describe(`the rules of paying once, in ${cases.length} situations`, () => {
  it('sends what is armed, and nothing else', () => {
    expect(taken('send').every(({seen}) => seen.isArmed)).toBe(true)
    expect(cases.every(({seen, action}) => !seen.isArmed || action.do === 'send')).toBe(true)
  })

  it('arms a quote of this run, after a search of at most two seconds where keys may be ignored', () => {
    const first = taken('arm').filter(({action}) => 'again' in action && !action.again)
    expect(first.length).toBeGreaterThan(0)
    for (const {payment, seen, areKeysHonoured} of first) {
      expect([payment.state, seen.quotes > 0, seen.search?.matches]).toEqual(['QUOTED', true, []])
      const age = now.ticks - (seen.search?.seenUntilTicks ?? 0)
      expect(areKeysHonoured || age <= 2_000).toBe(true)
    }
  })

  it('gives up a list that it has looked at five times in vain', () => {
    const slow = cases.filter(({action}) => action.do === 'end' && action.why === 'listTooSlow')
    expect(slow.length).toBeGreaterThan(0)
    expect(slow.every(({seen, areKeysHonoured}) => seen.looks === 5 && !areKeysHonoured)).toBe(true)
  })

  it('requests no quote while a transaction may exist, nor without having looked', () => {
    for (const {payment, seen} of taken('quote')) {
      expect(['INTENDED', 'QUOTED', 'STOPPED', 'REJECTED', 'ABANDONED']).toContain(payment.state)
      expect(seen.search?.matches).toEqual([])
    }
  })

  it('sends again where keys are honoured, while the quote lives', () => {
    const again = taken('arm').filter(({action}) => 'again' in action && action.again)
    expect(again.length).toBeGreaterThan(0)
    for (const {payment, areKeysHonoured} of again) {
      expect([payment.state, areKeysHonoured]).toEqual(['UNKNOWN', true])
      expect(payment.attempts[0]?.quoteExpiresAt).toBeGreaterThan(now.latest)
    }
  })

  it('believes that nothing was made after a refusal of the only send, or two lists long after the quote', () => {
    const recorded = cases.flatMap(({payment, seen, action}) =>
      action.do === 'record' && ['REJECTED', 'ABANDONED'].includes(action.state) ? [{payment, seen, action}] : [],
    )
    expect(new Set(recorded.map(({action}) => action.state))).toEqual(new Set(['REJECTED', 'ABANDONED']))
    for (const {payment, seen, action} of recorded) {
      const [attempt] = payment.attempts
      expect([payment.state, seen.search?.matches, seen.search?.failure]).toEqual(['UNKNOWN', [], undefined])
      if (action.state === 'REJECTED') expect([attempt?.isRejectionUnconfirmed, attempt?.sends]).toEqual([true, 1])
      else expect((seen.search?.startedMs ?? 0) - (attempt?.clearSince ?? Infinity)).toBeGreaterThan(listLagMaxMs)
    }
  })

  it('ends as made where the journal has the transaction, and stops at several', () => {
    const ends = cases.flatMap(({payment, action}) => (action.do === 'end' ? [[action.why, payment.state]] : []))
    expect(ends.every(([why, state]) => (why === 'made') === (state === 'CREATED'))).toBe(true)
    expect(taken('create').every(({seen}) => seen.search?.matches.length === 1)).toBe(true)
  })

  it('takes nothing for final that it hears of another send of the same bytes, unless it is the transaction', () => {
    const [first] = cases
    if (!first) throw new Error('there are no situations')
    const known = {areKeysHonoured: true, mayResend: true, listLagMaxMs}
    const hear = (state: PaymentState, reply: Reply) =>
      next({...first.payment, state}, {...first.seen, isArmed: false, reply}, now, known)
    const refused: Reply = {kind: 'rejected', reason: 'no', error: failure, refusal: {error: 'E', statusCode: 400}}
    for (const reply of [refused, {kind: 'unsent', reason: 'no'}, {kind: 'unknown', reason: 'no'}] as const) {
      expect(hear('UNKNOWN', reply)).toMatchObject({do: 'record', state: 'UNKNOWN', attempt: {reason: 'no'}})
      expect(hear('UNKNOWN', reply)).not.toHaveProperty('attempt.isRejectionUnconfirmed')
    }
    // Of the first send, they say more.
    expect(hear('ARMED', refused)).toMatchObject({state: 'UNKNOWN', attempt: {isRejectionUnconfirmed: true}})
    expect(hear('ARMED', {kind: 'unsent', reason: 'no'})).toMatchObject({state: 'ABANDONED', attempt: {sends: 0}})
    expect(hear('UNKNOWN', {kind: 'created', transaction: {transactionId: 'a'}})).toMatchObject({do: 'create'})
  })
})
