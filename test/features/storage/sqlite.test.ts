// What all SQLite files of svc have in common: who may read them, which files are accepted, and sharing between processes.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {fileURLToPath} from 'node:url'
import {promisify} from 'node:util'
import {describe, expect, it, onTestFinished} from 'vitest'
import {SqliteConnection} from '../../../src/storage/sqlite.ts'
import {SqliteFileError} from '../../../src/storage/sqlite-error.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {notesFormat, openNotes} from './notes.ts'

const child = fileURLToPath(new URL('open-child.ts', import.meta.url))

const newFile = () => path.join(temporaryFolder(), 'notes.sqlite')
const readMode = (file: string) => (fs.statSync(file).mode & 0o777).toString(8)

async function openInAnotherProcess(file: string, count = 0, umask = '22'): Promise<string[]> {
  const {stdout} = await promisify(execFile)(process.execPath, [child, file, String(count), umask])
  return JSON.parse(stdout) as string[]
}

function withDatabase<T>(file: string, use: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file)
  try {
    return use(database)
  } finally {
    database.close()
  }
}

function openFailing(file: string, options: Parameters<typeof openNotes>[1] = {}): SqliteFileError {
  try {
    openNotes(file, options).close()
  } catch (error) {
    if (error instanceof SqliteFileError) return error
    throw error
  }
  throw new Error('the file was accepted')
}

describe('a new file', () => {
  it('gets the schema, the application id and the version, a write-ahead log, and full synchronization', () => {
    const file = newFile()
    const notes = openNotes(file)
    onTestFinished(() => notes.close())
    expect(notes.all('select * from notes')).toEqual([])
    expect(notes.readPragma('application_id')).toBe(notesFormat.applicationId)
    expect(notes.readPragma('user_version')).toBe(notesFormat.schemaVersion)
    expect(notes.readPragma('journal_mode')).toBe('wal')
    expect(notes.readPragma('synchronous')).toBe(2)
  })

  it.each(['0', '777'])('is private under the umask %s, with its folders and side files', async (umask) => {
    const folder = temporaryFolder()
    const file = path.join(folder, 'new', 'deep', 'notes.sqlite')
    expect(await openInAnotherProcess(file, 1, umask)).toEqual(['600', '600', '600'])
    expect([readMode(path.join(folder, 'new')), readMode(path.join(folder, 'new', 'deep'))]).toEqual(['700', '700'])
  })

  it('is initialized in the transaction that creates its tables: if that fails, the next one starts again', () => {
    const file = newFile()
    const initialize = (notes: SqliteConnection) => notes.run("insert into notes (text) values ('first')")
    const fail = (notes: SqliteConnection) => {
      initialize(notes)
      throw new Error('no')
    }
    expect(() => openNotes(file, {initialize: fail})).toThrow('no')
    const notes = openNotes(file, {initialize})
    expect(notes.all('select text from notes')).toEqual([{text: 'first'}])
    notes.close()
    const again = openNotes(file, {initialize})
    expect(again.all('select text from notes')).toHaveLength(1)
    again.close()
  })

  it('is created once by several processes that start together, and no write is lost', async () => {
    const file = newFile()
    const [processes, each] = [6, 20]
    await Promise.all(Array.from({length: processes}, () => openInAnotherProcess(file, each)))
    const notes = openNotes(file)
    expect(notes.one<{count: number}>('select count(distinct text) as count from notes')?.count).toBe(processes * each)
    notes.close()
  })
})

describe('an existing file', () => {
  it('gets its mode back, while its folder keeps its own', () => {
    const folder = path.join(temporaryFolder(), 'shared')
    fs.mkdirSync(folder)
    fs.chmodSync(folder, 0o755)
    const file = path.join(folder, 'notes.sqlite')
    openNotes(file).close()
    fs.chmodSync(file, 0o644)
    openNotes(file).close()
    expect([readMode(folder), readMode(file)]).toEqual(['755', '600'])
  })

  const setVersion = (version: number) => (file: string) => {
    openNotes(file).close()
    withDatabase(file, (database) => database.exec(`pragma user_version = ${version}; pragma journal_mode = delete`))
  }

  const olderSvc = (version: number) => `was written by an older svc (schema ${version}; this svc knows 3)`

  it.each<[of: string, make: (file: string) => void, problem: string, reason: string]>([
    [
      'another application',
      (file) => withDatabase(file, (database) => database.exec('create table cakes (name text)')),
      'otherApplication',
      'is a database, but not a notebook',
    ],
    ['a newer svc', setVersion(99), 'newerSchema', 'was written by a newer svc (schema 99; this svc knows 3)'],
    ['an older svc', setVersion(2), 'olderSchema', olderSvc(2)],
    ['an svc that set the application id and no version', setVersion(0), 'olderSchema', olderSvc(0)],
    ['nobody knows whom, and empty,', (file) => fs.writeFileSync(file, ''), 'empty', 'is empty'],
    [
      'a text editor',
      (file) => fs.writeFileSync(file, 'These are notes, but not a database. '.repeat(40)),
      'notADatabase',
      'is not a database, or it is damaged',
    ],
  ])('of %s is rejected, and neither its bytes nor its mode change', (_, make, problem, reason) => {
    const file = newFile()
    make(file)
    fs.chmodSync(file, 0o644)
    const before = fs.readFileSync(file)
    expect(openFailing(file)).toMatchObject({problem, reason, message: `${file} ${reason}`})
    expect(fs.readFileSync(file).equals(before)).toBe(true)
    expect(readMode(file)).toBe('644')
    expect(fs.readdirSync(path.dirname(file))).toEqual([path.basename(file)])
  })

  it('with damaged pages is rejected when it is opened, if the store checks files of its size', () => {
    const file = newFile()
    const notes = openNotes(file)
    notes.transact(() => {
      for (let index = 0; index < 200; index++) notes.run('insert into notes (text) values (?)', 'x'.repeat(500))
    })
    notes.close()
    const bytes = fs.readFileSync(file)
    bytes.fill(0x5a, 4_096 * 2)
    fs.writeFileSync(file, bytes)
    expect(openFailing(file, {checkedPagesMax: 1_000}).problem).toBe('damaged')
    const unchecked = openNotes(file, {checkedPagesMax: 1})
    expect(() => unchecked.all('select text from notes')).toThrow(/malformed/)
    unchecked.close()
  })

  it('that is a folder, or below something that is none, cannot be opened', () => {
    const file = newFile()
    fs.mkdirSync(file)
    expect(openFailing(file)).toMatchObject({problem: 'cannotOpen', reason: 'cannot be opened'})
    expect(openFailing('/dev/null/notes.sqlite')).toMatchObject({
      problem: 'cannotCreate',
      reason: 'cannot be opened or created (ENOTDIR)',
    })
  })

  it('that another process holds is rejected as busy when the wait of the store is over', () => {
    const file = newFile()
    withDatabase(file, (holder) => {
      holder.exec('begin exclusive')
      const startedAt = performance.now()
      const failure = openFailing(file, {connect: (resolved) => new SqliteConnection(resolved, 300)})
      expect(failure).toMatchObject({problem: 'busy', reason: 'is in use by another process that does not release it'})
      expect(performance.now() - startedAt).toBeGreaterThan(250)
    })
  })
})

it('a transaction is undone if the work throws, and the connection stays usable', () => {
  const notes = openNotes(newFile())
  onTestFinished(() => notes.close())
  const fail = () =>
    notes.transact(() => {
      notes.run("insert into notes (text) values ('half')")
      throw new Error('no')
    })
  expect(fail).toThrow('no')
  notes.transact(() => notes.run("insert into notes (text) values ('whole')"))
  expect(notes.all('select text from notes')).toEqual([{text: 'whole'}])
})
