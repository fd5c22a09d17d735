// How the outcome of POST /transactions is classified, from what the client knows: the status of the reply, and whether bytes left.
import {describe, expect, it} from 'vitest'
import {type Effect, type ErrorKind, SvcError} from '../../../src/errors.ts'
import {classifyFailure, classifyReply} from '../../../src/payments/protocol/reply.ts'

const fail = (effect: Effect, statusCode?: number, kind: ErrorKind = 'refused') =>
  new SvcError({error: 'SOME_CODE', kind, effect, message: 'Something failed', statusCode})

const effects: readonly Effect[] = ['none', 'possible', 'done']

describe('a failed send', () => {
  it.each<[effect: Effect, outcome: string]>([
    ['none', 'unsent'],
    ['possible', 'unknown'],
    ['done', 'unknown'],
  ])('without a reply and with the effect %s is %s', (effect, outcome) => {
    expect(classifyFailure(fail(effect)).kind).toBe(outcome)
  })

  it.each<[status: number, outcome: string]>([
    [200, 'unknown'],
    [204, 'unknown'],
    [302, 'unknown'],
    [303, 'unknown'],
    [307, 'unknown'],
    [400, 'rejected'],
    [401, 'rejected'],
    [403, 'rejected'],
    [404, 'rejected'],
    [408, 'unknown'],
    [409, 'unknown'],
    [410, 'rejected'],
    [422, 'rejected'],
    [425, 'unknown'],
    [429, 'unknown'],
    [499, 'unknown'],
    [500, 'unknown'],
    [502, 'unknown'],
    [503, 'unknown'],
  ])('with the status %i is %s, whatever effect the error names', (status, outcome) => {
    expect(effects.map((effect) => classifyFailure(fail(effect, status)).kind)).toEqual([outcome, outcome, outcome])
  })

  it('does not depend on the kind of the error', () => {
    const kinds: readonly ErrorKind[] = ['usage', 'refused', 'unauthenticated', 'unreachable', 'unknownOutcome', 'bug']
    for (const kind of kinds) {
      expect(classifyFailure(fail('none', undefined, kind)).kind).toBe('unsent')
      expect(classifyFailure(fail('possible', undefined, kind)).kind).toBe('unknown')
      expect(classifyFailure(fail('none', 400, kind)).kind).toBe('rejected')
    }
  })

  it('is unknown if svc itself failed', () => {
    expect(classifyFailure(new TypeError('x is not a function'))).toEqual({
      kind: 'unknown',
      reason: 'svc itself failed while sending (TypeError: x is not a function)',
    })
  })

  it('keeps the status and the code of the service, but not its message', () => {
    expect(classifyFailure(fail('possible', 503))).toEqual({
      kind: 'unknown',
      reason: 'The service answered 503 SOME_CODE',
      statusCode: 503,
    })
    const sentence = new SvcError({error: 'Ada is unknown', kind: 'refused', message: 'Ada', statusCode: 409})
    expect(classifyFailure(sentence)).toMatchObject({reason: 'The service answered 409'})
    const own = new SvcError({error: 'OUTCOME_UNKNOWN', kind: 'unknownOutcome', message: 'no answer', statusCode: 500})
    expect(classifyFailure(own)).toMatchObject({reason: 'The service answered 500'})
  })
})

describe('a reply to a send', () => {
  const ids = {quoteIds: ['q1', 'q2'], correlationIds: ['svc_c']}

  it.each<[body: unknown, outcome: string]>([
    [{transactionId: 't', quoteId: 'q2'}, 'created'],
    [{transactionId: 't', correlationId: 'svc_c'}, 'created'],
    [{transactionId: 't', quoteId: 'q3', correlationId: 'svc_other'}, 'unknown'],
    [{transactionId: 't'}, 'unknown'],
    [{transactionId: '', quoteId: 'q1'}, 'unknown'],
    [{transactionId: 7, quoteId: 'q1'}, 'unknown'],
    [{quoteId: 'q1'}, 'unknown'],
    [[{transactionId: 't', quoteId: 'q1'}], 'unknown'],
    ['created', 'unknown'],
    [null, 'unknown'],
    [undefined, 'unknown'],
  ])('%j is %s', (body, outcome) => {
    expect(classifyReply(body, ids).kind).toBe(outcome)
  })
})
