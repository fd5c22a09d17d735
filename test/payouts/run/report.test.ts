// What a run of a payout file says at its end: the sums, and what to do next.
import {expect, it} from 'vitest'
import type {Painter} from '../../../src/cli/output/colour.ts'
import type {PayoutResult} from '../../../src/payouts/run/result.ts'
import {buildRunError} from '../../../src/payouts/run/report-run.ts'
import {renderSummary} from '../../../src/payouts/run/summary.ts'
import {renderFailures} from '../../../src/payouts/run/view.ts'

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

it('advises to correct the lines that the service rejected for their content', () => {
  const rerun = 'Run it again to continue with the rows that are left; nothing is paid twice'
  expect(buildRunError({results: [row(2, {}), rejected(3, 400), rejected(5, 404)]})?.hint).toBe(
    'Correct lines 3, 5, which the service rejected, and run it again; nothing is paid twice',
  )
  const ended = row(4, {state: 'ENDED_BADLY'})
  expect(buildRunError({results: [ended, rejected(3, 400)]})?.hint).toMatch(
    /^Correct line 3, .*\. To pay again what ended/,
  )
  expect(buildRunError({results: [row(2, {}), rejected(3, 422)]})?.hint).toBe(rerun)
  expect(buildRunError({results: [row(2, {}), row(3, {state: 'FAILED'})]})?.hint).toBe(rerun)
})

it('advises to change what a limit stopped, if running it again would not continue with other rows', () => {
  const stopped = (line: number) => row(line, {state: 'STOPPED', error: {error: 'LIMIT_REACHED', message: 'Too much'}})
  expect(buildRunError({results: [row(2, {}), stopped(3)]})?.hint).toBe(
    'Change line 3 or the limit that stopped it, or run it again when it fits; nothing is paid twice',
  )
  expect(buildRunError({results: [row(2, {}), stopped(3), stopped(4)]})?.hint).toBe(
    'Change lines 3, 4 or the limits that stopped them, or run it again when they fit; nothing is paid twice',
  )
  for (const state of ['FAILED', 'UNKNOWN', 'IN_PROGRESS', 'NOT_TRIED'] as const) {
    expect(buildRunError({results: [stopped(3), row(4, {state})]})?.hint).toBe(
      'Run it again to continue with the rows that are left; nothing is paid twice',
    )
  }
})

it('says that other rows continue only if there are any', () => {
  const ended = row(2, {state: 'ENDED_BADLY'})
  const newKeys = 'To pay again what ended badly, give those rows new keys'
  expect(buildRunError({results: [ended, row(3, {})]})?.hint).toBe(newKeys)
  expect(buildRunError({results: [ended, row(3, {state: 'NOT_TRIED'})]})?.hint).toBe(
    `${newKeys}; other rows continue if you run it again`,
  )
})

it('adds up neither fees nor what is received for transactions that ended badly', () => {
  const quoted = {fee: '0.25', received: '9.75'}
  expect(renderSummary([row(2, quoted), row(3, {...quoted, state: 'ENDED_BADLY'})], plain)).toContain(
    'Made         1 row      10.00 USDC, fees 0.25 USDC\n                        arrives: 9.75 USD expected\n' +
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
    expect(buildRunError({results: [row(2, {status: 'PROCESSING'})], isAwaited: true, reason})?.hint).toBe(
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

it('says that money has to be added first, and the reason once for all rows that lack it', () => {
  const lacking = (line: number) =>
    row(line, {
      state: 'REJECTED',
      error: {error: 'INSUFFICIENT_BALANCE', message: `k${line} needs ${line}000`, statusCode: 422},
    })
  expect(buildRunError({results: [row(2, {}), lacking(3), lacking(4)]})?.hint).toBe(
    'The wallet holds too little for lines 3, 4: add money first, then run it again; nothing is paid twice',
  )
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
