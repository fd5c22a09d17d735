// What becomes of a row after one try: it has ended, or it comes back later.
import {describe, expect, it} from 'vitest'
import {type ErrorKind, SvcError} from '../../../src/errors.ts'
import type {BatchRow} from '../../../src/fleet/batches/batch.ts'
import {decideRow, retryDelays} from '../../../src/fleet/work/fleet-payer.ts'
import {JournalUnusable} from '../../../src/payments/journal/journal.ts'
import type {PayoutResult} from '../../../src/payouts/run/result.ts'
import type {RowState} from '../../../src/payouts/run/row-states.ts'

const row = {batchId: 'b1', line: 2, key: 'k', state: 'WAITING', tries: 0, wasMadeBefore: false} as BatchRow

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

describe('a row', () => {
  it.each(['CREATED', 'ENDED_BADLY', 'STOPPED', 'REJECTED'] as const)('has ended when it is %s', (state) => {
    expect(decideRow(row, {result: createResult(state)})).toEqual({state, result: createResult(state)})
  })

  it('comes back when it is UNKNOWN, later with every try, and is never given up', () => {
    const decide = (tries: number) =>
      decideRow({...row, tries}, {result: createResult('UNKNOWN'), failure: fail('unknownOutcome')})
    expect([0, 1, 2, 20, 500].map((tries) => decide(tries).delayMs)).toEqual([
      30_000, 60_000, 120_000, 120_000, 120_000,
    ])
    expect(decide(500).state).toBe('UNKNOWN')
    const unreachable = {result: createResult('FAILED'), failure: fail('unreachable')}
    expect(decideRow({...row, state: 'UNKNOWN', tries: 500}, unreachable)).toMatchObject({
      state: 'UNKNOWN',
      delayMs: 120_000,
    })
  })

  it('comes back when the service failed before it was sent, and fails after the last try', () => {
    const outcome = {result: createResult('FAILED'), failure: fail('unreachable')}
    expect(decideRow(row, outcome)).toMatchObject({state: 'WAITING', delayMs: 5_000})
    expect(decideRow({...row, tries: retryDelays.triesMax - 1}, outcome)).toMatchObject({state: 'FAILED'})
    expect(decideRow({...row, tries: retryDelays.triesMax - 1}, outcome)).not.toHaveProperty('delayMs')
  })

  it('was not tried if another process has it, the journal is away, or the worker stops', () => {
    const busy = new JournalUnusable('The journal is busy', 'Wait', undefined, {problem: 'busy'})
    for (const outcome of [
      {result: createResult('IN_PROGRESS'), failure: fail('pending')},
      {result: createResult('NOT_TRIED'), failure: busy},
      {result: createResult('FAILED'), failure: fail('unreachable', 'NOT_TRIED')},
    ]) {
      const decision = decideRow({...row, tries: 99}, outcome)
      expect(decision).toMatchObject({delayMs: 5_000})
      expect(decision).not.toHaveProperty('state')
    }
  })

  it('is stored without the words of the service, which may name a person', () => {
    const error = {error: 'BAD_REQUEST', message: 'Jane Doe is not known', statusCode: 400}
    for (const kind of ['refused', 'notFound'] as const) {
      const failure = new SvcError({...error, kind})
      const {result} = decideRow(row, {result: createResult('REJECTED', {error}), failure})
      expect(result.error).toEqual({...error, message: 'The service rejected it (BAD_REQUEST, status 400)'})
    }
    const failing = new SvcError({...error, kind: 'unreachable', statusCode: 503})
    const {result} = decideRow(row, {result: createResult('FAILED', {error}), failure: failing})
    expect(result.error?.message).toBe('The service failed (BAD_REQUEST, status 503)')
  })

  it('counts as made before only if it was when the file was submitted', () => {
    const made = {result: createResult('CREATED', {madeBefore: true})}
    expect(decideRow(row, made).result).not.toHaveProperty('madeBefore')
    expect(decideRow({...row, wasMadeBefore: true}, made).result).toMatchObject({madeBefore: true})
  })
})
