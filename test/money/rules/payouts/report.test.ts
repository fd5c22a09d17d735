// What a run of a payout file says at its end: the sums, and what to do next.
import {expect, it} from 'vitest'
import {type ErrorKind, SvcError} from '../../../../src/errors.ts'
import type {Painter} from '../../../../src/cli/output/colour.ts'
import type {PayoutResult} from '../../../../src/payouts/run/result.ts'
import {buildRunError} from '../../../../src/payouts/run/report-run.ts'
import {renderFailures, renderSummary} from '../../../../src/payouts/run/view.ts'

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

const plain = {status: String, bold: String} as unknown as Painter

const failed = (kind: ErrorKind, hint?: string) => new SvcError({error: 'E', kind, message: 'It failed', hint})

const buildError = (results: readonly PayoutResult[], more: Partial<Parameters<typeof buildRunError>[0]> = {}) =>
  buildRunError({results, failures: [failed('refused')], ...more})

const [made, unknown, ended] = [row(2, {}), row(3, {state: 'UNKNOWN'}), row(5, {state: 'ENDED_BADLY'})]
const refused = row(4, {state: 'REJECTED', error: {error: 'BAD_REQUEST', message: 'It is wrong', statusCode: 400}})
const untried = row(6, {state: 'NOT_TRIED'})
const unread = row(7, {state: 'UNKNOWN', error: {error: 'LIST_UNREADABLE', message: 'No list'}})

it('ends with 7 before 9 before 8, and with the code of the first failure if nothing was made', () => {
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
  for (const [results, code] of codes) expect(buildError(results)?.exitCode).toBe(code)
})

it('says what to do next', () => {
  const failures = [failed('refused'), failed('unknownOutcome', 'A run after 12:17 UTC settles it')]
  const hints = [
    [buildError([unknown], {failures}), 'A run after 12:17 UTC settles it'],
    [buildError([ended, made]), 'give those rows new keys'],
    [buildError([ended, untried]), 'Run it again'],
    [buildError([{...made, status: 'PROCESSING'}], {isAwaited: true, reason: 'SIGINT'}), 'Run it again with --wait'],
  ] as const
  for (const [error, hint] of hints) expect(error?.hint).toContain(hint)
})

const quoted = {fee: '0.25', received: '9.75'}
const arriving = {received: '9.75', guaranteed: true, status: 'PROCESSING'}

it.each<[rows: ReadonlyArray<Partial<PayoutResult>>, text: string]>([
  // Nothing arrives from a transaction that ended badly, and no fee is known to be charged.
  [
    [quoted, {...quoted, state: 'ENDED_BADLY'}],
    'Made         1 row      10.00 USDC, fees 0.25 USDC\n                        arrives: 9.75 USD\n' +
      'Ended badly  1 row      10.00 USDC\n',
  ],
  // There is no sum of amounts of which one cannot be read.
  ...['', '1e3', 'n/a', '1,000'].flatMap((text): Array<[Array<Partial<PayoutResult>>, string]> => [
    [[quoted, {...quoted, amount: text}], 'Made         2 rows     unknown USDC, fees 0.50 USDC\n'],
    [[quoted, {...quoted, fee: text}], '20.00 USDC, fees unknown USDC\n'],
    [[quoted, {...quoted, received: text}], 'arrives: unknown USD'],
  ]),
  // A promise only if every row has one.
  [[arriving, arriving], ' arrives: 19.50 USD, guaranteed\n'],
  [[arriving, {...arriving, guaranteed: false}], ' arrives: about 19.50 USD (not guaranteed)\n'],
  [[{received: '9.75', state: 'READY', guaranteed: false}], ' arrives: about 9.75 USD (not guaranteed)\n'],
  [[{...arriving, status: 'COMPLETED'}], ' received 9.75 USD\n'],
  [[{madeBefore: true}], 'Made         1 row      10.00 USDC\n                        before this run\n'],
])('adds up %j', (rows, text) => {
  const results = rows.map((more, index) => row(index, more))
  expect(renderSummary(results, plain)).toContain(text)
})

it('says the reason once for rows that lack money, and breaks it between words, but not in a pipe', () => {
  const lacking = (line: number) =>
    row(line, {state: 'REJECTED', error: {error: 'INSUFFICIENT_BALANCE', message: `k${line} needs ${line}000`}})
  expect(renderFailures([lacking(3), refused, lacking(5), lacking(6)], plain, undefined)).toEqual([
    'REJECTED  3 rows, lines 3, 5, 6; the first is k3\n    k3 needs 3000',
    'REJECTED  line 4  k4\n    It is wrong',
    '',
  ])
  const others = [2, 3, 4].map((line) =>
    row(line, {state: 'FAILED', error: {error: 'E', message: `k${line} is one two ${line}`}}),
  )
  expect(renderFailures(others, plain, undefined)).toHaveLength(4)
  expect(renderFailures(others, plain, 18)[0]).toBe('FAILED  line 2  k2\n    k2 is one two\n    2')
  const [together] = renderFailures([lacking(3), lacking(5), lacking(6)], plain, 40)
  expect(together).toBe('REJECTED  3 rows, lines 3, 5, 6; the\nfirst is k3\n    k3 needs 3000')
})
