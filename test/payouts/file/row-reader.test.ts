// A payout file that is read some rows at a time has the same rows as one that is read as a whole.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {IrregularFile, readRowChunks} from '../../../src/payouts/file/row-reader.ts'
import {type PayoutRow, readPayouts} from '../../../src/payouts/file/rows.ts'
import {createRow, header} from '../../commands/payouts/payroll.ts'
import {temporaryFolder} from '../../support/svc.ts'

function write(name: string, text: string): string {
  const file = path.join(temporaryFolder(), name)
  fs.writeFileSync(file, text)
  return file
}

async function readAll(file: string) {
  const hash = createHash('sha256')
  const chunks: PayoutRow[][] = []
  for await (const rows of readRowChunks(file, hash)) chunks.push(rows)
  return {chunks, digest: hash.digest('hex')}
}

const rows = (count: number) =>
  Array.from({length: count}, (_, index) => createRow(`k-${index}`, {amount: `${index + 1}.5`}))
const json = (key: string) =>
  JSON.stringify({
    key,
    customer: '4738020a-a06d-4ef3-bc07-b5cacbf3446c',
    from: 'a',
    'from-currency': 'USDC',
    'from-method': 'SOLANA',
    to: 'b',
    'to-currency': 'USD',
    'to-method': 'ACH',
    amount: 2.5,
    note: 'für Zoë',
  })

describe('a long file', () => {
  it.each([
    ['with commas', 'a.csv', `${[header, ...rows(3)].join('\n')}\n`],
    ['with semicolons, a mark and CRLF', 'a.csv', `\uFEFF${[header, ...rows(3)].join('\r\n').replaceAll(',', ';')}`],
    ['that names its separator', 'a.csv', `\uFEFFsep=;\r\n${[header, ...rows(3)].join('\r\n').replaceAll(',', ';')}`],
    [
      'with line breaks in cells and empty rows',
      'a.csv',
      `${header},note\n${rows(1)[0]},"x\r\ny"\n,,,,,,,,,,\n${rows(2)[1]},"z ""q"""\n`,
    ],
    ['of JSON lines', 'a.jsonl', `${json('k-1')}\n\n${json('k-2')}`],
  ])('%s has the same rows', async (_, name, text) => {
    const file = write(name, text)
    const {chunks, digest} = await readAll(file)
    expect(chunks.flat()).toEqual((await readPayouts(file)).rows)
    expect(digest).toBe(createHash('sha256').update(text).digest('hex'))
  })

  it('is read a thousand rows at a time', async () => {
    const {chunks} = await readAll(write('a.csv', [header, ...rows(2300)].join('\n')))
    expect(chunks.map(({length}) => length)).toEqual([1000, 1000, 300])
    expect(chunks[2]?.at(-1)).toMatchObject({line: 2301, key: 'k-2299'})
  })

  it.each([
    ['without rows', 'a.csv', header],
    ['that is empty', 'a.csv', ''],
    ['with a wrong amount', 'a.csv', `${header}\n${createRow('k', {amount: 'x'})}`],
    ['with an unknown column', 'a.csv', `${header},bonus\n${createRow('k')},1`],
    ['without a needed column', 'a.csv', 'key,amount\nk,1'],
    ['with a quote that is never closed', 'a.csv', `${header}\n"${createRow('k')}`],
    ['that is no UTF-8', 'a.csv', `${header}\n${createRow('k')}`.replace('k,', '\u0000')],
    ['in YAML', 'a.yaml', '- key: k'],
    ['with broken JSON', 'a.jsonl', `${json('k')}\n{`],
  ])('%s is left to the other reader', async (_, name, text) => {
    await expect(readAll(write(name, text))).rejects.toBeInstanceOf(IrregularFile)
  })
})
