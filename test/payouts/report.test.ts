// What a run of a payout file says at its end: the sums, and what to do next.
import {expect, it} from 'vitest'
import type {Painter} from '../../src/cli/output/colour.ts'
import type {PayoutResult} from '../../src/payouts/result.ts'
import {buildRunError} from '../../src/payouts/run-error.ts'
import {renderSummary} from '../../src/payouts/summary.ts'
import {renderFailures} from '../../src/payouts/view.ts'

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

it('breaks what is wrong with a row between words, and not in a pipe', () => {
  const wrong = row(2, {state: 'FAILED', error: {error: 'E', message: 'one two three four'}})
  expect(renderFailures([wrong], plain, 14)).toEqual(['FAILED  line 2  k2\n    one two\n    three four', ''])
  expect(renderFailures([wrong], plain, undefined)).toEqual(['FAILED  line 2  k2\n    one two three four', ''])
})
