// Payout files as people and programs write them, and what is rejected before anything is sent.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {SvcError} from '../../../src/errors.ts'
import {readPayouts, rejectFile} from '../../../src/payouts/file/rows.ts'
import {bank, header, createRow, wallet, zoe} from '../../commands/payouts/payroll.ts'
import {temporaryFolder} from '../../support/svc.ts'

function writeFile(text: string | Buffer, name = 'payouts.csv'): string {
  const file = path.join(temporaryFolder(), name)
  fs.writeFileSync(file, text)
  return file
}

async function read(text: string | Buffer, name?: string) {
  const {file, rows, problems} = await readPayouts(writeFile(text, name))
  rejectFile(file, problems)
  return rows
}

async function readProblems(text: string | Buffer, name?: string): Promise<readonly string[]> {
  const error = await read(text, name).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof SvcError)) throw new Error('it was not refused')
  expect(error.exitCode).toBe(2)
  return error.problems ?? [error.message]
}

const readKeysAndLines = async (text: string, name?: string) =>
  (await read(text, name)).map(({key, line}) => [key, line] as const)

describe('a payout file in CSV', () => {
  it('is read with a byte order mark, CRLF, quotes, empty lines, cleared rows and a separator at the end', async () => {
    const lines = [
      `${header},`,
      '',
      `${createRow('"a"')},`,
      ',,,,,,,,,,',
      '',
      `${createRow('b', {amount: '"10.00"'})},`,
    ]
    const text = `\uFEFF${lines.join('\r\n')}\r\n`
    const rows = await read(text)
    expect(rows.map(({key, line, content}) => [key, line, content.source.sourceAmount])).toEqual([
      ['a', 3, '2.50'],
      ['b', 6, '10.00'],
    ])
  })

  it('can use semicolons or tabs', async () => {
    for (const separator of [';', '\t']) {
      expect(await read(`${header}\n${createRow('a')}\n`.replaceAll(',', separator))).toHaveLength(1)
    }
  })

  it('can name its separator in the first line, as for spreadsheets', async () => {
    const text = `${header}\r\n${createRow('a')}\r\n`.replaceAll(',', ';')
    for (const first of ['\uFEFFsep=;', '"sep=;"', 'SEP=;']) {
      expect(await readKeysAndLines(`${first}\r\n${text}`)).toEqual([['a', 3]])
    }
  })

  it('accepts column names as flags, in camel case, and as people write them', async () => {
    const names = 'Key,customer,From,fromCurrency,from_method,To,To Currency,toMethod,AMOUNT,maxFee'
    expect(await readKeysAndLines(`${names}\n${createRow('a')}\n`)).toEqual([['a', 2]])
  })

  it('rejects an unquoted amount with a comma, which fills two cells', async () => {
    expect(await readProblems(`${header}\n${createRow('a', {amount: '1,50', maxFee: ''})}\n`)).toEqual([
      'line 2: has 11 cells, but the header has 10: quote cells that contain a separator, and write amounts with a point and no comma',
    ])
    const semicolons = `${header}\n${createRow('a')}\n`.replaceAll(',', ';').replace('2.50', '2,50')
    expect(await readProblems(semicolons)).toEqual([
      'line 2: amount must be a decimal number, such as 120.50, with a point and no comma (found "2,50")',
    ])
  })

  it('rejects an unknown column, because a misspelt limit would have no effect', async () => {
    expect(await readProblems(`${header.replace('max-fee', 'max-fees')}\n${createRow('a', {maxFee: '1'})}\n`)).toEqual([
      'line 1: there is no column "max-fees": did you mean max-fee?',
    ])
  })

  it('reports a missing column once, not for every row', async () => {
    const text = `${header.replace('key,', '')}\n${createRow('').slice(1)}\n${createRow('').slice(1)}\n`
    expect(await readProblems(text)).toEqual(['line 1: the column key is missing'])
  })

  it('reports the line of a quote that is never closed', async () => {
    expect(await readProblems(`${header}\n${createRow('a')}\n${createRow('"b')}\n`)).toEqual([
      'line 3: a quote is never closed',
    ])
    const long = `${header}\n${createRow('a', {maxFee: '"\r\n"'})}\r\n${createRow('"b')}\n${createRow('c')}\n`
    expect(await readProblems(long)).toEqual(['line 4: a quote is never closed'])
  })

  it('may mix the line ends of several systems, and its problems keep their lines', async () => {
    const text = `${header}\r\n${createRow('a')}\n${createRow('b')}\r\n\r\n${createRow('c')}\r${createRow('d')}\n`
    expect(await readKeysAndLines(text)).toEqual([
      ['a', 2],
      ['b', 3],
      ['c', 5],
      ['d', 6],
    ])
    const wrong = `${header}\n${createRow('a', {maxFee: '"\r\n"'})}\r\n${createRow('b', {amount: 'x'})}\n`
    expect((await readProblems(wrong))[0]).toMatch(/^line 4: amount must be a decimal number/)
  })

  it('rejects a file without rows, one in UTF-16 and one that is not UTF-8', async () => {
    expect(await readProblems(`${header}\n`)).toEqual(['line 1: the file has no rows'])
    expect((await readProblems(Buffer.from(`\uFEFF${header}\n`, 'utf16le')))[0]).toContain('is not in UTF-8')
    expect((await readProblems(Buffer.from([...Buffer.from(header), 0xe9, 0x0a])))[0]).toContain('is not in UTF-8')
  })
})

describe('a row', () => {
  const fields = {
    key: 'a',
    customer: zoe,
    from: wallet,
    fromCurrency: 'USDC',
    fromMethod: 'SOLANA',
    to: bank,
    toCurrency: 'USD',
    toMethod: 'ACH',
    amount: '2.50',
  }
  const toLine = (more: Record<string, unknown>) => `${JSON.stringify({...fields, ...more})}\n`
  const readOnlyRow = async (more: Record<string, unknown>) => (await read(toLine(more), 'a.jsonl'))[0]

  it('must not repeat a field', async () => {
    expect(await readProblems('{"key": "a", "amount": 10, "amount": 11}', 'a.jsonl')).toEqual([
      'line 1: has the field "amount" twice',
    ])
  })

  it('can have limits: on the fees as an amount or a percentage, on the rate, and on the amount received', async () => {
    expect(await readOnlyRow({maxFee: '1.5%', minRate: '0.98', minReceived: 2})).toMatchObject({
      limits: {feeMax: {percent: '1.5'}, rateMin: '0.98', receivedMin: '2'},
    })
    expect(await readOnlyRow({maxFee: '2.50'})).toMatchObject({limits: {feeMax: {amount: '2.50'}}})
    expect(await readProblems(toLine({maxFee: '101%', minRate: '-1', guarantee: 'maybe'}), 'a.jsonl')).toEqual([
      'line 1: max-fee must be an amount such as 2.50, or a percentage such as 1.5%, at most 100% (found "101%")',
      'line 1: min-rate must be a decimal number, such as 1.05 (found "-1")',
      'line 1: guarantee must be yes or no (found "maybe")',
    ])
  })

  it('reads no answer from a word that every object inherits', async () => {
    expect(await readProblems(toLine({guarantee: 'constructor'}), 'a.jsonl')).toEqual([
      'line 1: guarantee must be yes or no (found "constructor")',
    ])
  })

  it('requests a guarantee if it limits the rate or the amount received, unless it says otherwise', async () => {
    expect((await readOnlyRow({}))?.isGuaranteed).toBe(false)
    expect((await readOnlyRow({minRate: '0.9'}))?.isGuaranteed).toBe(true)
    expect((await readOnlyRow({minRate: '0.9', guarantee: false}))?.isGuaranteed).toBe(false)
    expect((await readOnlyRow({guarantee: 'yes'}))?.isGuaranteed).toBe(true)
  })

  it('keeps the digits of amounts that are written as numbers', async () => {
    const text = toLine({}).replace('"2.50"', '100000000000000000.10')
    expect((await read(text, 'a.jsonl'))[0]?.content.source.sourceAmount).toBe('100000000000000000.10')
  })

  it('must have a valid, unique key without a placeholder', async () => {
    const keys = ['has blank', 'rent-{date}', 'ok', 'ok']
    expect(await readProblems(keys.map((key) => toLine({key})).join(''), 'a.jsonl')).toEqual([
      'line 1: key must be 1 to 200 printable ASCII characters without blanks (found "has blank")',
      'line 2: key contains a brace: placeholders work only in `svc pay --key` (found "rent-{date}")',
      'line 4: key is already used by line 3 (found "ok")',
    ])
  })

  it('may have a note, which is not part of what is sent', async () => {
    const {note, ...sent} = (await readOnlyRow({note: ' for the\noffice\u001B[2J '})) ?? {}
    expect(note).toBe('for the office')
    expect(JSON.stringify(sent)).not.toContain('office')
    expect(await readProblems(toLine({note: 'x'.repeat(1001)}), 'a.jsonl')).toMatchObject([
      expect.stringContaining('line 1: note has more than 1000 characters'),
    ])
  })

  it('has a developer fee in the source currency by default', async () => {
    expect((await readOnlyRow({developerFee: '0.50'}))?.content.developerFee).toEqual({
      developerFeeType: 'SOURCE_CURRENCY',
      developerFeeAmount: '0.50',
    })
    expect(await readProblems(toLine({developerFeeType: 'USD'}), 'a.jsonl')).toEqual([
      'line 1: developer-fee is missing',
    ])
  })
})

describe('a payout file in JSON lines', () => {
  it('has an object on each line, and its problems have lines', async () => {
    expect(await readProblems('{"key":"a"\n[]\n', 'a.jsonl')).toEqual([
      'line 1: is not valid JSON',
      'line 2: is not an object of columns and values',
    ])
    expect(await readProblems('{"key":{"a":1},"colour":"red"}', 'a.jsonl')).toContain(
      'line 1: key must be text or a number',
    )
  })
})

it.each(['payouts.yaml', 'payouts.yml', 'payouts.json'])('the file %s is neither CSV nor JSON lines', async (name) => {
  await expect(read('- key: a\n', name)).rejects.toMatchObject({exitCode: 2})
})
