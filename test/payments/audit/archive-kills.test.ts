// Kills the process that prunes a journal with kill -9 at each step: the journal has everything that it had, or the archive has it.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import {archiveSteps} from '../../../src/payments/audit/archive-journal.ts'
import {bundleProgram} from '../../support/bundled-program.ts'
import {usePostgres} from '../../support/postgres.ts'
import {prepareDatabase} from '../journal/stores.ts'
import type {ArchiveOrder} from './archive-child.ts'
import {
  type TestJournal,
  createDatabaseJournal,
  createFileJournal,
  fill,
  newFile,
  prune,
  soon,
  verify,
} from './archived-journal.ts'

const getAddress = usePostgres(prepareDatabase)
let program: string

beforeAll(async () => {
  program = await bundleProgram(new URL('archive-child.ts', import.meta.url))
})

// Long enough for the statements before the one that never ends.
const removalMs = 1_500

// Without a step, it is killed inside of the transaction that removes the history.
function runKilled(order: ArchiveOrder): Promise<string | null> {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], {stdio: ['ignore', 'pipe', 'inherit']})
  child.stdout.on('data', (chunk: Buffer) => {
    const isRemoving = order.crashAt === undefined && chunk.toString().includes('verified')
    if (isRemoving) setTimeout(() => child.kill('SIGKILL'), removalMs)
  })
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve(signal ?? String(code)))
  })
}

const stores = [
  [
    'a file',
    createFileJournal,
    {
      stop: `create trigger stop before insert on history when new.key = 'archive' begin
        select count(*) from (with recursive n (i) as (select 1 union all select i + 1 from n) select i from n); end`,
      go: 'drop trigger stop',
    },
  ],
  [
    'PostgreSQL',
    () => createDatabaseJournal(getAddress()),
    {
      stop: `create function public.stop() returns trigger language plpgsql as 'begin perform pg_sleep(4); return new; end';
        create trigger stop before insert on svc.history for each row when (new.key = 'archive') execute function public.stop()`,
      go: 'drop trigger stop on svc.history; drop function public.stop()',
    },
  ],
] as const

// Whatever has happened, the journal is intact, and together with the archive it has all of its history.
async function checkAfter(journal: TestJournal, file: string, entries: number, isRemoved: boolean): Promise<void> {
  const without = await verify(journal)
  expect(without.finding).toBeUndefined()
  expect(without.archived.entries > 0).toBe(isRemoved)
  const archives = fs.existsSync(file) ? [file] : []
  const whole = await verify(journal, {archives})
  expect(whole.finding).toBeUndefined()
  expect(whole).toMatchObject({entries: entries + Number(isRemoved), payments: 5, archived: {entries: 0, payments: 0}})
  // Nothing stands in the way of the next one.
  expect((await prune(journal, newFile('next.jsonl'))).isPruned).toBe(!isRemoved)
}

describe.each(stores)('a prune of a journal in %s', (_, create, trigger) => {
  it.each(archiveSteps)(
    'that is killed when the archive is at the step "%s" leaves all or nothing',
    async (crashAt) => {
      const journal = await create()
      await fill(journal, 1)
      const {entries} = await verify(journal)
      const file = newFile()
      expect(await runKilled({address: journal.address.text, file, beforeMs: soon(), crashAt})).toBe('SIGKILL')
      expect(fs.existsSync(file)).toBe(crashAt !== 'writing')
      await checkAfter(journal, file, entries, crashAt === 'removed')
    },
  )

  it('that is killed while it removes the history leaves all of it', async () => {
    const journal = await create()
    await fill(journal, 1)
    const {entries} = await verify(journal)
    const file = newFile()
    await journal.run(trigger.stop)
    expect(await runKilled({address: journal.address.text, file, beforeMs: soon()})).toBe('SIGKILL')
    await journal.run(trigger.go)
    expect(fs.readdirSync(path.dirname(file))).toEqual(['archive.jsonl'])
    await checkAfter(journal, file, entries, false)
  })
})
