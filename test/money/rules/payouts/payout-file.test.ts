// Payout files as people and programs write them, and what is rejected before anything is sent.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {SvcError} from '../../../../src/errors.ts'
import {readPayouts, rejectFile} from '../../../../src/payouts/file/rows.ts'
import {bank, header, createRow, wallet, zoe} from '../../../support/payroll.ts'
import {temporaryFolder} from '../../../support/svc.ts'

async function read(text: string | Buffer, name = 'payouts.csv') {
  const file = path.join(temporaryFolder(), name)
  fs.writeFileSync(file, text)
  const {rows, problems} = await readPayouts(file)
  rejectFile(name, problems)
  return rows
}

async function readProblems(text: string | Buffer, name?: string): Promise<readonly string[]> {
  const error = await read(text, name).catch((thrown: unknown) => thrown)
  if (!(error instanceof SvcError)) throw new Error('it was not refused')
  expect(error.exitCode).toBe(2)
  return error.problems ?? [error.message]
}

const [a, b] = [createRow('a'), createRow('b')]
const semicolons = `${header}\r\n${a}\r\n`.replaceAll(',', ';')

describe('a payout file in CSV', () => {
  it.each<[how: string, text: string, keysAndLines: ReadonlyArray<readonly [string, number]>]>([
    [
      'a byte order mark, CRLF, quotes, empty lines, cleared rows and a separator at the end',
      `\uFEFF${[`${header},`, '', `${createRow('"a"')},`, ',,,,,,,,,,', '', `${b},`].join('\r\n')}\r\n`,
      [
        ['a', 3],
        ['b', 6],
      ],
    ],
    ['semicolons', semicolons, [['a', 2]]],
    ['tabs', semicolons.replaceAll(';', '\t'), [['a', 2]]],
    ['its separator in the first line', `\uFEFFsep=;\r\n${semicolons}`, [['a', 3]]],
    ['its separator in quotes', `"SEP=;"\r\n${semicolons}`, [['a', 3]]],
    [
      'column names as flags, in camel case, and as people write them',
      `Key,customer,From,fromCurrency,from_method,To,To Currency,toMethod,AMOUNT,maxFee\n${a}\n`,
      [['a', 2]],
    ],
    [
      'line ends of several systems',
      `${header}\r\n${a}\n${b}\r\n\r\n${createRow('c')}\r${createRow('d')}\n`,
      [
        ['a', 2],
        ['b', 3],
        ['c', 5],
        ['d', 6],
      ],
    ],
  ])('is read with %s', async (_, text, keysAndLines) => {
    expect((await read(text)).map(({key, line}) => [key, line])).toEqual(keysAndLines)
  })

  const breakInCell = createRow('a', {maxFee: '"\r\n"'})
  const counted = 'line 2: has 11 cells, but the header has 10: quote cells that contain a separator'

  it.each<[what: string, text: string | Buffer, problem: string]>([
    [
      'an unquoted amount with a comma, which fills two cells',
      `${header}\n${createRow('a', {amount: '1,50', maxFee: ''})}\n`,
      counted,
    ],
    [
      'a decimal comma',
      semicolons.replace('2.50', '2,50'),
      'line 2: amount must be a decimal number, such as 120.50 (found "2,50")',
    ],
    [
      'an unknown column, because a misspelt limit would have no effect',
      `${header.replace('max-fee', 'max-fees')}\n${a}\n`,
      'line 1: there is no column "max-fees": did you mean max-fee?',
    ],
    [
      'a missing column, once',
      `${header.replace('key,', '')}\n${[a, b, a].map((row) => row.slice(2)).join('\n')}\n`,
      'line 2: key is missing: every row needs a unique, permanent name; so too in lines 3, 4',
    ],
    ['a cell in a column without a name', `${header},\n${a},x\n`, 'line 2: "x" is in a column without a name'],
    [
      'a quote that is never closed',
      `${header}\n${breakInCell}\r\n${createRow('"b')}\n${a}\n`,
      'line 4: a quote is never closed',
    ],
    [
      'a problem after a line break in a cell',
      `${header}\n${breakInCell}\r\n${createRow('b', {amount: 'x'})}\n`,
      'line 4: amount must be',
    ],
    ['no rows', `${header}\n`, 'line 1: the file has no rows'],
    ['UTF-16', Buffer.from(`\uFEFF${header}\n`, 'utf16le'), 'is not in UTF-8'],
    ['bytes that are not UTF-8', Buffer.from([...Buffer.from(header), 0xe9, 0x0a]), 'is not in UTF-8'],
  ])('is rejected with %s', async (_, text, problem) => {
    expect(await readProblems(text)).toEqual([expect.stringContaining(problem)])
  })
})

describe('a row', () => {
  const route = {fromCurrency: 'USDC', fromMethod: 'SOLANA', toCurrency: 'USD', toMethod: 'ACH'}
  const toLine = (more: Record<string, unknown>) =>
    `${JSON.stringify({key: 'a', customer: zoe, from: wallet, to: bank, amount: '2.50', ...route, ...more})}\n`

  it.each<[more: Record<string, unknown>, row: object]>([
    [
      {maxFee: '1.5%', minRate: '0.98', minReceived: 2},
      {limits: {feeMax: {percent: '1.5'}, rateMin: '0.98', receivedMin: '2'}, isGuaranteed: true},
    ],
    [{maxFee: '2.50'}, {limits: {feeMax: {amount: '2.50'}}, isGuaranteed: false}],
    [{minRate: '0.9', guarantee: false}, {isGuaranteed: false}],
    [{guarantee: 'yes'}, {isGuaranteed: true}],
    [{note: ' for the\noffice\u001B[2J '}, {note: 'for the office'}],
    [
      {developerFee: '0.50'},
      {content: {developerFee: {developerFeeType: 'SOURCE_CURRENCY', developerFeeAmount: '0.50'}}},
    ],
  ])('of %j is read', async (more, row) => {
    expect(await read(toLine(more), 'a.jsonl')).toMatchObject([row])
  })

  it('keeps the digits of amounts that are written as numbers', async () => {
    const text = toLine({}).replace('"2.50"', '100000000000000000.10')
    expect((await read(text, 'a.jsonl'))[0]?.content.source.sourceAmount).toBe('100000000000000000.10')
  })

  it.each<[text: string, problems: string[]]>([
    ['{"key": "a", "amount": 10, "amount": 11}', ['line 1: has the field "amount" twice']],
    ['{"key":"a"\n[]\n', ['line 1: is not valid JSON', 'line 2: is not an object of columns and values']],
    [
      toLine({key: {a: 1}}),
      ['line 1: key must be text or a number', 'line 1: key is missing: every row needs a unique, permanent name'],
    ],
    [
      toLine({maxFee: '101%', minRate: '-1', guarantee: 'constructor'}),
      [
        'line 1: max-fee must be an amount such as 2.50, or a percentage such as 1.5%, at most 100% (found "101%")',
        'line 1: min-rate must be a decimal number, such as 1.05 (found "-1")',
        'line 1: guarantee must be yes or no (found "constructor")',
      ],
    ],
    [
      ['has blank', 'rent-{date}', 'ok', 'ok', 'quote:1'].map((key) => toLine({key})).join(''),
      [
        'line 1: key must be 1 to 200 printable ASCII characters without blanks (found "has blank")',
        'line 2: key contains a brace: placeholders work only in `svc pay --key` (found "rent-{date}")',
        'line 4: key is already used by line 3 (found "ok")',
        expect.stringContaining('line 5: key must not begin with quote:') as string,
      ],
    ],
    [
      toLine({note: 'x'.repeat(1001)}),
      [expect.stringContaining('line 1: note has more than 1000 characters') as string],
    ],
    [toLine({developerFeeType: 'USD'}), ['line 1: developer-fee is missing']],
    [toLine({amount: '0'}), ['line 1: amount should be more than 0 (found "0")']],
  ])('of %s is rejected', async (text, problems) => {
    expect(await readProblems(text, 'a.jsonl')).toEqual(problems)
  })
})

it.each(['payouts.yaml', 'payouts.yml', 'payouts.json'])('the file %s is neither CSV nor JSON lines', async (name) => {
  await expect(read('- key: a\n', name)).rejects.toMatchObject({exitCode: 2})
})
