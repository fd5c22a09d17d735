// What becomes of a row after one try: it has ended, or it comes back later.
import {describe, expect, it} from 'vitest'
import {type ErrorKind, SvcError} from '../../src/errors.ts'
import type {BatchRow} from '../../src/fleet/batches.ts'
import {type RowOutcome, decideRow, triesMax} from '../../src/fleet/pay-job.ts'
import {type RowJob, getBatchQueue, getSettleQueue} from '../../src/fleet/queue.ts'
import {JournalUnusable} from '../../src/payments/journal/journal.ts'
import type {PayoutResult} from '../../src/payouts/run/result.ts'
import type {RowState} from '../../src/payouts/run/row-states.ts'

const row = {batchId: 'b1', batchState: 'ACTIVE', line: 2, key: 'k'} as BatchRow
const [batchQueue, settleQueue] = [getBatchQueue('b1'), getSettleQueue('s')]

const createResult = (state: RowState, more: Partial<PayoutResult> = {}): PayoutResult => ({
  line: 2,
  key: 'k',
  customer: 'c',
  destination: 'd',
  state,
  amount: '1',
  currency: 'USDC',
  receivedCurrency: 'USD',
  ...more,
})

const fail = (kind: ErrorKind, error = 'E') => new SvcError({error, kind, message: 'Jane Doe is not known'})

const decide = (outcome: RowOutcome, {tries = 0, queue = batchQueue} = {}, own: Partial<BatchRow> = {}) =>
  decideRow({...row, ...own}, {batchId: 'b1', line: 2, key: 'k', queue, tries} as RowJob, outcome, 's')

describe('a row', () => {
  it.each(['CREATED', 'ENDED_BADLY', 'STOPPED', 'REJECTED', 'FAILED'] as const)('has ended when it is %s', (state) => {
    const result = createResult(state)
    const heard = state === 'CREATED' || state === 'ENDED_BADLY' ? null : result
    expect(decide({result})).toEqual({state, result, heard})
  })

  it('comes back when it is UNKNOWN, later with every try, and is never given up', () => {
    const delays = [0, 1, 2, 20, 500].map((tries) => {
      const {state, again} = decide({result: createResult('UNKNOWN'), failure: fail('unknownOutcome')}, {tries})
      expect([state, again?.queue]).toEqual(['UNKNOWN', settleQueue])
      return again?.delayMs
    })
    expect(delays).toEqual([30_000, 60_000, 120_000, 120_000, 120_000])
    const unreachable = {result: createResult('FAILED'), failure: fail('unreachable')}
    const again = {queue: settleQueue, delayMs: 120_000, tries: 501}
    expect(decide(unreachable, {queue: settleQueue, tries: 500})).toMatchObject({state: 'UNKNOWN', again})
  })

  it('comes back when the service failed before it was sent, and fails after the last try', () => {
    const outcome = {result: createResult('FAILED'), failure: fail('unreachable')}
    expect(decide(outcome)).toMatchObject({state: 'WAITING', again: {queue: batchQueue, delayMs: 5_000, tries: 1}})
    const last = decide(outcome, {tries: triesMax - 1})
    expect([last.state, last.again]).toEqual(['FAILED', undefined])
  })

  it('was not tried if another process has it, the journal is away, or the worker stops', () => {
    const busy = new JournalUnusable('The journal is busy', 'Wait', undefined, {problem: 'busy'})
    for (const outcome of [
      {result: createResult('IN_PROGRESS'), failure: fail('pending')},
      {result: createResult('NOT_TRIED'), failure: busy},
      {result: createResult('FAILED'), failure: fail('unreachable', 'NOT_TRIED')},
    ]) {
      const {again, ...decision} = decide(outcome, {tries: 99})
      expect(again).toEqual({queue: batchQueue, delayMs: 5_000, tries: 99})
      expect(decision).not.toHaveProperty('heard')
    }
  })

  it('of which nothing may have been paid waits again, unless its batch was cancelled or it had failed', () => {
    const untouched: RowOutcome = {result: createResult('NOT_TRIED'), isUntouched: true}
    const settling = {queue: settleQueue}
    expect(decide(untouched, settling, {batchState: 'PAUSED'}).again).toMatchObject({queue: batchQueue, delayMs: 0})
    expect(decide(untouched, settling, {batchState: 'CANCELLED'})).not.toHaveProperty('again')
    expect(decide(untouched, settling, {heard: createResult('FAILED')})).not.toHaveProperty('again')
  })

  it('is stored without the words of the service, which may name a person', () => {
    const error = {error: 'BAD_REQUEST', message: 'Jane Doe is not known', statusCode: 400}
    for (const kind of ['refused', 'notFound'] as const) {
      const failure = new SvcError({...error, kind})
      const {heard} = decide({result: createResult('REJECTED', {error}), failure})
      expect(heard?.error).toEqual({...error, message: 'The service rejected it (BAD_REQUEST, status 400)'})
    }
    const failing = new SvcError({...error, kind: 'unreachable', statusCode: 503})
    const {heard} = decide({result: createResult('FAILED', {error}), failure: failing})
    expect(heard?.error?.message).toBe('The service failed (BAD_REQUEST, status 503)')
  })
})
