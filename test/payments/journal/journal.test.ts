// The journal file: private, checked before use, shared by processes. If it cannot be used, nothing is paid.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it, onTestFinished} from 'vitest'
import {SvcError} from '../../../src/errors.ts'
import {type LeaseOwner, describeThisProcess, hasEnded} from '../../../src/payments/journal/owner.ts'
import {openSqliteJournal} from '../../../src/payments/journal/open-journal.ts'
import {recordIntents} from '../../support/lease.ts'
import {minuteMs, Stage} from '../../money/stage.ts'

function createFolder(): string {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-journal-'))
  onTestFinished(() => {
    fs.chmodSync(made, 0o700)
    fs.rmSync(made, {recursive: true, force: true})
  })
  return made
}

async function catchSvcError(work: () => unknown): Promise<SvcError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
  throw new Error('it was not refused')
}

const getMode = (file: string) => (fs.statSync(file).mode & 0o777).toString(8)

describe('a journal', () => {
  it('is readable by its owner only, uses a write-ahead log, and leaves an existing folder unchanged', () => {
    const inside = path.join(createFolder(), 'there')
    fs.mkdirSync(inside, {mode: 0o755})
    const file = path.join(inside, 'journal.sqlite')
    void openSqliteJournal(file).close()
    expect([getMode(inside), getMode(file)]).toEqual(['755', '600'])
    const deeper = path.join(inside, 'a/b/journal.sqlite')
    void openSqliteJournal(deeper).close()
    expect(getMode(path.dirname(deeper))).toBe('700')
    const database = new DatabaseSync(file)
    expect(database.prepare('pragma journal_mode').get()).toEqual({journal_mode: 'wal'})
    database.close()
  })

  const wrong: ReadonlyArray<{
    what: string
    make: (file: string) => void | Promise<void>
    says: RegExp
    next?: string
  }> = [
    {
      what: 'a database of something else',
      make: (file) => new DatabaseSync(file).exec('create table cakes (name text)'),
      says: /is a database, but not a payment journal, so nothing is paid/,
    },
    {
      what: 'one of a newer svc',
      make: async (file) => {
        await openSqliteJournal(file).close()
        new DatabaseSync(file).exec('pragma user_version = 99; pragma journal_mode = delete')
      },
      says: /was written by a newer svc \(schema 99; this svc knows \d+\), so nothing is paid/,
      next: 'Update svc',
    },
    {
      what: 'one of an older svc',
      make: async (file) => {
        await openSqliteJournal(file).close()
        new DatabaseSync(file).exec('pragma user_version = 1; pragma journal_mode = delete')
      },
      says: /was written by an older svc \(schema 1; this svc knows \d+\), so nothing is paid/,
    },
    {what: 'no database', make: (file) => fs.writeFileSync(file, 'not a database at all'.repeat(100)), says: /damaged/},
    {what: 'a folder', make: (file) => fs.mkdirSync(file), says: /cannot be read or written, so nothing is paid/},
  ]
  it.each(wrong)(
    'that is $what is rejected with one sentence and code 2, and not changed',
    async ({make, says, next}) => {
      const file = path.join(createFolder(), 'journal.sqlite')
      await make(file)
      fs.chmodSync(file, 0o755)
      const before = fs.statSync(file).isFile() ? fs.readFileSync(file) : undefined
      const {message, exitCode, hint} = await catchSvcError(() => openSqliteJournal(file))
      expect(message).toMatch(says)
      expect(exitCode).toBe(2)
      expect(hint).toContain(next ?? 'SVC_JOURNAL')
      expect(getMode(file)).toBe('755')
      if (before) expect(fs.readFileSync(file).equals(before)).toBe(true)
    },
  )

  it('that is damaged is rejected with one sentence, where its pages or a payment cannot be read', async () => {
    const file = path.join(createFolder(), 'journal.sqlite')
    await recordIntents(openSqliteJournal(file), 50)
    new DatabaseSync(file).exec(`update payments set payment = '{"half'; pragma wal_checkpoint = truncate`)
    const journal = openSqliteJournal(file)
    expect((await catchSvcError(() => journal.find('p', 'k-0'))).message).toMatch(/is damaged, so nothing is paid/)
    await journal.close()
    fs.writeFileSync(file, fs.readFileSync(file).fill(0x5a, 4_096 * 2))
    expect((await catchSvcError(() => openSqliteJournal(file))).message).toMatch(/is damaged/)
  })

  it('that cannot be written is rejected before any request, and after one with 7; once repaired, it settles', async () => {
    const stage = new Stage()
    onTestFinished(() => stage.close())
    const journalFile = stage.journal()
    const answered = await stage.run({
      key: 'k',
      journalFile,
      onStep: (point) => void (point === 'create' && lock(journalFile)),
    })
    expect(answered.code).toBe(7)
    expect(answered.error?.message).not.toContain('nothing is paid')
    const {length: asked} = stage.requests
    const {code, error} = await stage.run({key: 'new', journalFile})
    expect(code).toBe(2)
    expect(error?.message).toMatch(/, so nothing is paid/)
    expect(stage.requests).toHaveLength(asked)
    unlock(journalFile)
    // The lease could not be returned either, and this process is still running.
    stage.advance(2 * minuteMs + 1_000)
    expect((await stage.run({key: 'k', journalFile})).code).toBe(0)
    expect(stage.made('k')).toHaveLength(1)
  })

  it('can be created by several processes at once', async () => {
    const file = path.join(createFolder(), 'journal.sqlite')
    const load = (name: string) => JSON.stringify(path.resolve(name))
    const source = `import {openSqliteJournal} from ${load('src/payments/journal/open-journal.ts')}
      import {recordIntents} from ${load('test/support/lease.ts')}
      await recordIntents(openSqliteJournal(${JSON.stringify(file)}), 20, process.pid)`
    const codes = await Promise.all(
      Array.from({length: 6}, () => {
        const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', source], {stdio: 'inherit'})
        return new Promise((resolve) => child.on('close', resolve))
      }),
    )
    expect(codes).toEqual([0, 0, 0, 0, 0, 0])
    const journal = openSqliteJournal(file)
    expect(await journal.list({serviceId: 'p'})).toHaveLength(120)
    await journal.close()
  })
})

// Behaves like a full disk: reads succeed and writes fail.
function changeFile(file: string, sql: (when: string) => string): void {
  const database = new DatabaseSync(file)
  for (const when of ['insert', 'update']) database.exec(sql(when))
  database.close()
}
const lock = (file: string) =>
  changeFile(
    file,
    (when) => `create trigger full_${when} before ${when} on payments begin select raise(abort, 'full'); end`,
  )
const unlock = (file: string) => changeFile(file, (when) => `drop trigger full_${when}`)

describe('the process that holds a lease', () => {
  const me = describeThisProcess()
  const cases: ReadonlyArray<[string, Partial<LeaseOwner>, boolean]> = [
    ['this very process', {}, false],
    ['a process whose number was used again', {began: '1'}, true],
    ['a process that is not there', {pid: 2 ** 22 - 1}, true],
    ['a process of this machine from before its last boot', {boot: 'another'}, true],
    ['a process of another container', {container: 'pid:[1]', pid: 2 ** 22 - 1}, false],
    ['a process of another machine', {host: 'far.example', pid: 2 ** 22 - 1}, false],
  ]
  it.each(cases)('that is %s counts as ended: %o, %s', (_, change, expected) => {
    expect(hasEnded({...me, ...change})).toBe(expected)
  })

  it('counts as ended when it is a zombie', async () => {
    const child = spawn('sh', ['-c', 'sleep 0.05 & echo $!; exec sleep 600'], {stdio: ['ignore', 'pipe', 'ignore']})
    onTestFinished(() => void child.kill())
    const pid = await new Promise<number>((resolve) =>
      child.stdout.once('data', (text: Buffer) => resolve(Number(text))),
    )
    await expect.poll(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ')
    const began = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? ''
    expect(hasEnded({...me, pid, began})).toBe(true)
  })
})
