// The database file of the sandbox: who can read it, which files are accepted, and sharing between processes.
import {execFile} from 'node:child_process'
import {chmodSync, mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {promisify} from 'node:util'
import {describe, expect, it} from 'vitest'
import {openSandbox, SandboxFileError} from '../../../src/sandbox/sandbox.ts'
import {listAllCustomers, openTemporary, temporaryFile, temporaryFolder} from '../open.ts'
import {bundleProgram} from '../../support/bundled-program.ts'

const child = new URL('child.ts', import.meta.url)

async function openInAnotherProcess(file: string, count: number, umask = '22') {
  const {stdout} = await promisify(execFile)(process.execPath, [await bundleProgram(child), file, String(count), umask])
  return JSON.parse(stdout) as {ids: string[]; modes: string[]}
}

const readMode = (path: string) => (statSync(path).mode & 0o777).toString(8)

function withDatabase(file: string, use: (database: DatabaseSync) => void) {
  const database = new DatabaseSync(file)
  use(database)
  database.close()
}

describe('the file', () => {
  it.each(['0', '22', '277', '777'])('and its folders are private under the umask %s', async (umask) => {
    const folder = temporaryFolder()
    const file = join(folder, 'new', 'deep', 'sandbox.db')
    const {modes} = await openInAnotherProcess(file, 1, umask)
    expect(modes).toEqual(['600', '600', '600'])
    expect([readMode(join(folder, 'new')), readMode(join(folder, 'new', 'deep'))]).toEqual(['700', '700'])
  })

  it('becomes private again if it has lost its mode, while an existing folder keeps its own', () => {
    const folder = join(temporaryFolder(), 'shared')
    mkdirSync(folder)
    chmodSync(folder, 0o755)
    const file = join(folder, 'sandbox.db')
    openSandbox({file}).close()
    chmodSync(file, 0o644)
    openTemporary({file})
    expect([readMode(folder), readMode(file)]).toEqual(['755', '600'])
  })

  it('of a newer svc is rejected with a reason, and not changed', () => {
    const file = temporaryFile()
    openSandbox({file}).close()
    withDatabase(file, (database) => database.exec('pragma user_version = 99'))
    chmodSync(file, 0o640)
    const before = readFileSync(file)
    expect(() => openSandbox({file})).toThrow(SandboxFileError)
    expect(() => openSandbox({file})).toThrow(/newer svc \(schema 99; this svc knows \d+\): update svc/)
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(readMode(file)).toBe('640')
  })

  it('of an older svc is rejected with a reason, and not changed', () => {
    const file = temporaryFile()
    openSandbox({file}).close()
    withDatabase(file, (database) => database.exec('pragma user_version = 1'))
    chmodSync(file, 0o640)
    const before = readFileSync(file)
    expect(() => openSandbox({file})).toThrow(SandboxFileError)
    expect(() => openSandbox({file})).toThrow(/was written by an older svc \(schema 1; this svc knows \d+\)/)
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(readMode(file)).toBe('640')
  })

  it('of another application is rejected and not changed, whether it is a database or not', () => {
    const [text, foreign] = [temporaryFile(), temporaryFile()]
    writeFileSync(text, 'Dear diary, today I wrote more than a hundred bytes. '.repeat(20))
    withDatabase(foreign, (database) => database.exec('create table precious (x); insert into precious values (1)'))
    for (const [file, sentence] of [
      [text, /is not a database/],
      [foreign, /not a sandbox/],
    ] as const) {
      const before = readFileSync(file)
      expect(() => openSandbox({file})).toThrow(SandboxFileError)
      expect(() => openSandbox({file})).toThrow(sentence)
      expect(readFileSync(file).equals(before)).toBe(true)
    }
  })

  it('has a write-ahead log, and the same content when it is opened again', async () => {
    const file = temporaryFile()
    const first = openTemporary({file})
    const customers = await listAllCustomers(first)
    const {apiKey} = first
    first.close()
    withDatabase(file, (database) => {
      expect(database.prepare('pragma journal_mode').get()).toEqual({journal_mode: 'wal'})
    })
    const second = openTemporary({file})
    expect(second.apiKey).toBe(apiKey)
    expect(await listAllCustomers(second)).toEqual(customers)
  })
})

describe('several processes at once', () => {
  it('create one database, and no write is lost', async () => {
    const file = temporaryFile()
    const [processes, each] = [6, 40]
    const outcomes = await Promise.all(Array.from({length: processes}, () => openInAnotherProcess(file, each)))
    const written = outcomes.flatMap(({ids}) => ids)
    expect(new Set(written).size).toBe(processes * each)
    const sandbox = openTemporary({file})
    const listed = (await listAllCustomers(sandbox, {pageSize: 100})).map(({customerId}) => customerId)
    expect(listed).toHaveLength(24 + processes * each)
    expect(new Set(listed)).toEqual(new Set([...listed, ...written]))
  })

  it('see the writes of each other, and a reset with a seed changes the key for both', async () => {
    const file = temporaryFile()
    const [one, other] = [openTemporary({file}), openTemporary({file})]
    const {ids} = await openInAnotherProcess(file, 2)
    expect((await listAllCustomers(one)).map(({customerId}) => customerId)).toEqual(expect.arrayContaining(ids))
    one.reset({seed: 'anew'})
    expect(other.apiKey).toBe(one.apiKey)
    expect(await listAllCustomers(other)).toHaveLength(24)
  })
})
