// The note of a row, a person's own remark, from the payout file to the journal, the proof and the books.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {createRow, header, listCreated, runPayouts} from './payroll.ts'

const sandbox = ['-p', 'sandbox']

function writeNotes(home: Home, rows: readonly string[]): string {
  fs.writeFileSync(path.join(home.folder, 'payroll.csv'), `${[`${header},note`, ...rows].join('\n')}\n`)
  return 'payroll.csv'
}

const showEntry = async (home: Home, key: string) => {
  const {out} = await run(home, ['journal', 'show', key, '--json', ...sandbox])
  return json(out) as {note?: string; state: string; attempts: Array<{bytes?: string}>}
}

describe('the note of a row', () => {
  useVirtualTime()

  it('is kept in the journal with the payment, and never sent', async () => {
    const home = freshHome()
    const file = writeNotes(home, [`${createRow('a-1')},"Bonus, May"`, `${createRow('a-2')},`])
    expect(await runPayouts(home, file)).toMatchObject({code: 0})
    const entry = await showEntry(home, 'a-1')
    expect(entry).toMatchObject({state: 'CREATED', note: 'Bonus, May'})
    expect(entry.attempts[0]?.bytes).not.toContain('Bonus')
    expect(JSON.stringify(await listCreated(home))).not.toContain('Bonus')
    expect(await showEntry(home, 'a-2')).not.toHaveProperty('note')
    expect((await run(home, ['journal', 'verify', ...sandbox])).code).toBe(0)
  })

  it('may change until the payment is made, and makes it no other payment', async () => {
    const home = freshHome()
    const stopped = createRow('a-1', {maxFee: '0.01'})
    expect(await runPayouts(home, writeNotes(home, [`${stopped},first`]))).toMatchObject({code: 10})
    expect(await showEntry(home, 'a-1')).toMatchObject({state: 'STOPPED', note: 'first'})
    expect(await runPayouts(home, writeNotes(home, [`${createRow('a-1')},second`]))).toMatchObject({code: 0})
    expect(await showEntry(home, 'a-1')).toMatchObject({state: 'CREATED', note: 'second'})
    expect(await runPayouts(home, writeNotes(home, [`${createRow('a-1')},third`]))).toMatchObject({code: 0})
    expect(await showEntry(home, 'a-1')).toMatchObject({state: 'CREATED', note: 'second'})
    expect(await listCreated(home)).toHaveLength(1)
    expect((await run(home, ['journal', 'verify', ...sandbox])).code).toBe(0)
  })

  it('stands in the books, in every format', async () => {
    const home = freshHome()
    const file = writeNotes(home, [`${createRow('a-1')},"Bonus; May, ""first"""`])
    await runPayouts(home, file, '--wait')
    const write = async (format: string) => {
      const {code, out, err} = await run(home, ['journal', 'export', '--format', format, ...sandbox])
      expect({code, err}).toMatchObject({code: 0})
      return out
    }
    expect(await write('csv')).toMatch(
      /,note,customer,payee,accountName\n(.*,"Bonus; May, ""first""",Zoë Ångström,.*\n)+$/,
    )
    expect(await write('jsonl')).toContain('"note":"Bonus; May, \\"first\\""')
    expect(await write('hledger')).toContain('    ; note:Bonus%3B May%2C %22first%22\n')
    expect(await write('beancount')).toContain('  note: "Bonus; May, \\"first\\""\n')
  })
})
