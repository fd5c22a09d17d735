// What a run of a payout file says at its end: the sums, and what to do next.
import {expect, it} from 'vitest'
import {type ErrorKind, SvcError} from '../../../src/errors.ts'
import type {Painter} from '../../../src/cli/output/colour.ts'
import type {PayoutResult} from '../../../src/payouts/run/result.ts'
import {buildRunError} from '../../../src/payouts/run/report-run.ts'
import {renderFailures, renderSummary} from '../../../src/payouts/run/view.ts'

const row = (line: number, more: Partial<PayoutResult>): PayoutResult => ({
  line,
  key: `k${line}`,
  customer: 'c',
  destination: 'd',
  state: 'CREATED',
  amount: '10.00',
  currency: 'USDC',
  receivedCurrency: 'USD',
  ...more,
})

const rejected = (line: number, statusCode: number) =>
  row(line, {state: 'REJECTED', error: {error: 'BAD_REQUEST', message: 'It is wrong', statusCode}})

const plain = {status: String, bold: String} as unknown as Painter

const buildError = (results: readonly PayoutResult[], more: Partial<Parameters<typeof buildRunError>[0]> = {}) =>
  buildRunError({results, failures: [], ...more})

const failed = (kind: ErrorKind, hint?: string) => new SvcError({error: 'E', kind, message: 'It failed', hint})

it('ends with 7 before 9 before 8, and with the code of the first failure if nothing was made', () => {
  const [made, unknown, refused] = [row(2, {}), row(3, {state: 'UNKNOWN'}), rejected(4, 400)]
  const [ended, untried] = [row(5, {state: 'ENDED_BADLY'}), row(6, {state: 'NOT_TRIED'})]
  const unread = row(7, {state: 'UNKNOWN', error: {error: 'LIST_UNREADABLE', message: 'No list'}})
  const codes = [
    [[made, unknown, refused, untried], 7],
    [[made, refused, untried], 9],
    [[ended], 9],
    [[made, untried], 8],
    [[refused, untried], 3],
    // Nothing was sent for a row that could not be looked for.
    [[unread, untried], 3],
    [[made, unread], 9],
  ] as const
  for (const [results, code] of codes) {
    expect(buildError(results, {failures: [failed('refused')]})?.exitCode).toBe(code)
  }
})

it('says from when on a run can settle what is unknown, and that what ended badly takes new keys', () => {
  const failures = [failed('refused'), failed('unknownOutcome', 'A run after 12:17 UTC settles it')]
  expect(buildError([row(3, {state: 'UNKNOWN'})], {failures})?.hint).toBe('A run after 12:17 UTC settles it')
  const ended = row(2, {state: 'ENDED_BADLY'})
  expect(buildError([ended, row(3, {})])?.hint).toContain('give those rows new keys')
  expect(buildError([ended, row(3, {state: 'NOT_TRIED'})])?.hint).toContain('Run it again')
})

it('adds up neither fees nor what is received for transactions that ended badly', () => {
  const quoted = {fee: '0.25', received: '9.75'}
  expect(renderSummary([row(2, quoted), row(3, {...quoted, state: 'ENDED_BADLY'})], plain)).toContain(
    'Made         1 row      10.00 USDC, fees 0.25 USDC\n                        arrives: 9.75 USD\n' +
      'Ended badly  1 row      10.00 USDC\n',
  )
})

it('has no sum of amounts of which one cannot be read', () => {
  const read = row(2, {fee: '0.25', received: '9.75'})
  for (const text of ['', '1e3', 'n/a', '1,000']) {
    for (const [name, line] of [
      ['amount', 'Made         2 rows     unknown USDC, fees 0.50 USDC\n'],
      ['fee', '20.00 USDC, fees unknown USDC\n'],
      ['received', 'arrives: unknown USD'],
    ] as const) {
      expect(renderSummary([read, {...read, [name]: text}], plain)).toContain(line)
    }
  }
})

it('promises what is to arrive only if every row is guaranteed, and says what has arrived of rows that ended', () => {
  const quoted = {received: '9.75', guaranteed: true, status: 'PROCESSING'}
  const words = [
    [[quoted, quoted], 'arrives: 19.50 USD, guaranteed'],
    [[quoted, {...quoted, guaranteed: false}], 'arrives: about 19.50 USD (not guaranteed)'],
    [[{received: '9.75', state: 'READY', guaranteed: false}], 'arrives: about 9.75 USD (not guaranteed)'],
    [[{...quoted, status: 'COMPLETED'}], 'received 9.75 USD'],
  ] as const
  for (const [rows, text] of words) {
    expect(
      renderSummary(
        rows.map((result, index) => row(index, result)),
        plain,
      ),
    ).toContain(` ${text}\n`)
  }
})

it('advises to wait again if every row was made and the waiting was stopped', () => {
  for (const reason of ['SIGINT', 'SIGTERM', 'timeout'] as const) {
    expect(buildError([row(2, {status: 'PROCESSING'})], {isAwaited: true, reason})?.hint).toBe(
      'Run it again with --wait to follow them to their end; nothing is paid twice',
    )
  }
})

it('says first that nothing was paid, if every payment was made before', () => {
  const before = row(2, {madeBefore: true})
  expect(renderSummary([before], plain)).toBe(
    'Nothing was paid in this run.\nMade         1 row      10.00 USDC\n                        before this run\n',
  )
  for (const other of [row(3, {}), row(3, {state: 'UNKNOWN'})]) {
    expect(renderSummary([before, other], plain)).not.toContain('Nothing was paid')
  }
})

it('says the reason once for all rows that lack money', () => {
  const lacking = (line: number) =>
    row(line, {
      state: 'REJECTED',
      error: {error: 'INSUFFICIENT_BALANCE', message: `k${line} needs ${line}000`, statusCode: 422},
    })
  expect(renderFailures([lacking(3), lacking(4), rejected(5, 422), lacking(6)], plain, undefined)).toEqual([
    'REJECTED  3 rows, lines 3, 4, 6; the first is k3\n    k3 needs 3000',
    'REJECTED  line 5  k5\n    It is wrong',
    '',
  ])
  const others = [2, 3, 4].map((line) =>
    row(line, {state: 'FAILED', error: {error: 'E', message: `k${line} is ${line}`}}),
  )
  expect(renderFailures(others, plain, undefined)).toHaveLength(4)
})

it('breaks what is wrong with a row between words, and not in a pipe', () => {
  const wrong = row(2, {state: 'FAILED', error: {error: 'E', message: 'one two three four'}})
  expect(renderFailures([wrong], plain, 14)).toEqual(['FAILED  line 2  k2\n    one two\n    three four', ''])
  expect(renderFailures([wrong], plain, undefined)).toEqual(['FAILED  line 2  k2\n    one two three four', ''])
})
