// What becomes of a row after one try: it has ended, or it comes back later.
import {expect, it} from 'vitest'
import {type ErrorKind, SvcError} from '../../../src/errors.ts'
import type {BatchRow} from '../../../src/fleet/batches.ts'
import {type RowOutcome, decideRow, triesMax} from '../../../src/fleet/pay-job.ts'
import type {JobData} from '../../../src/fleet/queue.ts'
import {JournalUnusable} from '../../../src/payments/journal/journal.ts'
import {SearchFailed} from '../../../src/payments/protocol/errors.ts'
import type {PayoutResult} from '../../../src/payouts/run/result.ts'
import type {RowState} from '../../../src/payouts/run/row-states.ts'

const row = {batchId: 'b1', batchState: 'ACTIVE', line: 2, key: 'k'} as BatchRow

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

const error = {error: 'BAD_REQUEST', message: 'Jane Doe is not known', statusCode: 400}
const unreachable = {result: createResult('FAILED'), failure: fail('unreachable')}
const unknown = {result: createResult('UNKNOWN'), failure: fail('unknownOutcome')}
const unlisted = createResult('UNKNOWN', {error: {error: 'LIST_UNREADABLE', message: 'No list'}})
const unlistable = (kind: ErrorKind): RowOutcome => ({result: unlisted, failure: new SearchFailed(fail(kind))})
const untouched: RowOutcome = {result: createResult('NOT_TRIED'), isUntouched: true}
const busy = new JournalUnusable('The journal is busy', 'Wait', undefined, 'busy')
const settling = {isUnsettled: true}
const later = (isUnsettled: boolean, delayMs: number, tries: number) => ({isUnsettled, delayMs, tries})

// What was heard of the try, its job and its row, and what is decided.
const rules: Array<[is: object, outcome: RowOutcome, job?: Partial<JobData>, own?: Partial<BatchRow>]> = [
  // It has ended, and is kept unless its payment says all.
  ...(['CREATED', 'ENDED_BADLY', 'STOPPED', 'REJECTED', 'FAILED'] as const).map((state): [object, RowOutcome] => {
    const result = createResult(state)
    return [{state, heard: state === 'CREATED' || state === 'ENDED_BADLY' ? null : result}, {result}]
  }),
  // What may have been paid comes back, later with every try, and is never given up.
  ...(
    [
      [0, 30_000],
      [1, 60_000],
      [2, 120_000],
      [500, 120_000],
    ] as const
  ).map(([tries, delayMs]): [object, RowOutcome, object] => [
    {state: 'UNKNOWN', heard: unknown.result, again: later(true, delayMs, tries + 1)},
    unknown,
    {tries},
  ]),
  [{state: 'UNKNOWN', again: later(true, 120_000, 501)}, unreachable, {...settling, tries: 500}],
  // The service failed before it was sent: it comes back, and fails after the last try.
  [{state: 'WAITING', again: later(false, 5_000, 1), heard: createResult('NOT_TRIED')}, unreachable],
  [{state: 'FAILED', heard: unreachable.result}, unreachable, {tries: triesMax - 1}],
  // Nothing was sent for a row that could not be looked for in the list, whatever the list said.
  [
    {state: 'WAITING', again: later(false, 5_000, 1), heard: {...unlisted, state: 'NOT_TRIED'}},
    unlistable('unreachable'),
  ],
  [{state: 'FAILED', heard: {...unlisted, state: 'FAILED'}}, unlistable('unreachable'), {tries: triesMax - 1}],
  [{state: 'FAILED', heard: {...unlisted, state: 'FAILED'}}, unlistable('refused')],
  [{state: 'UNKNOWN', again: later(true, 5_000, 1)}, unlistable('unreachable'), settling],
  // It was not tried: another process has it, the journal is away, or the worker stops.
  ...[
    {result: createResult('IN_PROGRESS'), failure: fail('pending')},
    {result: createResult('NOT_TRIED'), failure: busy},
    {result: createResult('FAILED'), failure: fail('unreachable', 'NOT_TRIED')},
  ].map((outcome): [object, RowOutcome, object] => [
    {state: 'WAITING', again: later(false, 5_000, 99)},
    outcome,
    {tries: 99},
  ]),
  // Nothing may have been paid: it waits again, unless its batch was cancelled or it had failed.
  [{state: 'WAITING', again: later(false, 0, 0)}, untouched, settling, {batchState: 'PAUSED'}],
  [{state: 'CANCELLED', heard: null}, untouched, settling, {batchState: 'CANCELLED'}],
  [{state: 'FAILED'}, untouched, settling, {heard: createResult('FAILED')}],
  // The words of the service, which may name a person, are not stored.
  ...(['refused', 'notFound', 'unauthenticated'] as const).map((kind): [object, RowOutcome] => {
    const heard = createResult('REJECTED', {
      error: {...error, message: 'The service rejected it (BAD_REQUEST, status 400)'},
    })
    return [
      {state: 'REJECTED', heard},
      {result: createResult('REJECTED', {error}), failure: new SvcError({...error, kind})},
    ]
  }),
]

it.each(rules)('a row is decided as %j', (is, outcome, job = {}, own = {}) => {
  const {result: _, ...decision} = decideRow({...row, ...own}, {isUnsettled: false, tries: 0, ...job}, outcome)
  expect(decision).toEqual(is)
})
