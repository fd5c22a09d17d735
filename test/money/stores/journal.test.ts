// The journal file: private, checked before use, shared by processes. If it cannot be used, nothing is paid.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it, onTestFinished} from 'vitest'
import {SvcError} from '../../../src/errors.ts'
import {type LeaseOwner, describeThisProcess} from '../../../src/payments/journal/owner.ts'
import {hasEnded, toMachineId} from '../../../src/storage/process-identity.ts'
import {openSqliteJournal} from '../../../src/payments/journal/open-journal.ts'
import {SqliteJournal, openJournalFile} from '../../../src/payments/journal/sqlite/sqlite-journal.ts'
import {unknownContent} from '../../../src/payments/protocol/payment.ts'
import {lease, recordIntent, recordIntents} from '../../support/lease.ts'
import {enterState} from '../../support/recorded.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {minuteMs, Stage} from '../stage.ts'

async function catchSvcError(work: () => unknown): Promise<SvcError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof SvcError) return error
    throw error
  }
  throw new Error('it was not refused')
}

describe('a journal', () => {
  it('that is damaged or of a newer svc is rejected with one sentence, and says what to do', async () => {
    const file = path.join(temporaryFolder(), 'journal.sqlite')
    await recordIntents(openSqliteJournal(file), 50)
    new DatabaseSync(file).exec(`update payments set payment = '{"half'; pragma wal_checkpoint = truncate`)
    const journal = openSqliteJournal(file)
    expect((await catchSvcError(() => journal.find('p', 'k-0'))).message).toMatch(/is damaged, so nothing is paid/)
    new DatabaseSync(file).exec(`update payments set payment = '{"v":2}'`)
    const ofOther = await catchSvcError(() => journal.find('p', 'k-0'))
    expect(ofOther).toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/another version of svc wrote .*, so nothing is paid/) as string,
      hint: expect.stringContaining('Update svc') as string,
    })
    expect(ofOther.hint).not.toContain('SVC_JOURNAL')
    await journal.close()
    const newer = path.join(temporaryFolder(), 'journal.sqlite')
    await openSqliteJournal(newer).close()
    new DatabaseSync(newer).exec('pragma user_version = 99; pragma journal_mode = delete')
    expect(await catchSvcError(() => openSqliteJournal(newer))).toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/was written by a newer svc .*, so nothing is paid/) as string,
      hint: expect.stringContaining('Update svc') as string,
    })
    fs.writeFileSync(file, 'no database')
    expect((await catchSvcError(() => openSqliteJournal(file))).hint).toContain('SVC_JOURNAL')
  })

  it.each(['commit', 'sync'])(
    'takes no more once a %s has failed, since the system may have dropped what was written before it',
    async (failing) => {
      const connection = openJournalFile(path.join(temporaryFolder(), 'journal.sqlite'))
      const journal = new SqliteJournal(connection, 'FILE', Date.now)
      onTestFinished(() => journal.close())
      const createIntent = (key: string) => ({serviceId: 'p', key, content: unknownContent})
      const arm = async (key: string) => {
        const {lease: held, payment} = await lease(journal, createIntent(key))
        return journal.commit(held, enterState(payment, 'ARMED'), {what: 'ARMED'})
      }
      await recordIntent(journal, createIntent('before'))
      const run = connection.run.bind(connection)
      if (failing === 'sync') fs.rmSync(`${connection.file}-wal`)
      else
        connection.run = (text, ...values) => {
          if (text === 'commit') throw new Error('disk I/O error')
          return run(text, ...values)
        }
      const reason = failing === 'sync' ? /^The journal FILE cannot be/ : 'disk I/O error'
      await expect(arm('during')).rejects.toThrow(reason)
      connection.run = run
      await expect(arm('after')).rejects.toThrow(reason)
      const left = await journal.list({serviceId: 'p'})
      expect(left.map(({key}) => key)).toEqual(failing === 'sync' ? ['before', 'during'] : ['before'])
    },
  )

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
  const me = {...describeThisProcess(), machine: 'a1'}
  const cases: ReadonlyArray<[string, Partial<LeaseOwner>, boolean]> = [
    ['this very process', {}, false],
    ['a process whose number was used again', {began: '1'}, true],
    ['a process that is not there', {pid: 2 ** 22 - 1}, true],
    ['a process of this machine from before its last boot', {boot: 'another'}, true],
    ['a process of another machine of this name', {boot: 'another', machine: 'b2'}, false],
    ['a process of a machine of this name and no id', {boot: 'another', machine: ''}, false],
    ['a process of another container', {container: 'pid:[1]', pid: 2 ** 22 - 1}, false],
    ['a process of another machine', {host: 'far.example', pid: 2 ** 22 - 1}, false],
  ]
  it.each(cases)('that is %s counts as ended: %o, %s', (_, change, expected) => {
    expect(hasEnded({...me, ...change}, me)).toBe(expected)
  })

  it('does not count as ended after another boot if neither machine has an id', () => {
    expect(hasEnded({...me, boot: 'another', machine: ''}, {...me, machine: ''})).toBe(false)
  })

  const id = '0123456789abcdef0123456789abcdef'
  const host = 'pid:[4026531836]'
  it.each([
    ['on a machine', id, host, id],
    ['on a machine that was not started yet', 'uninitialized', host, ''],
    ['on a machine without an id', '', host, ''],
    ['in a container, of which others have the id of the image', id, 'pid:[4026532841]', ''],
    ['where the system says nothing of containers', id, '', ''],
  ])('knows its machine %s', (_, text, container, machine) => {
    expect(toMachineId(text, container)).toBe(machine)
  })

  it('counts as ended when it is a zombie', async () => {
    const child = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 600'], {stdio: ['ignore', 'pipe', 'ignore']})
    onTestFinished(() => void child.kill())
    const pid = await new Promise<number>((resolve) =>
      child.stdout.once('data', (text: Buffer) => resolve(Number(text))),
    )
    await expect.poll(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ')
    const began = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19] ?? ''
    expect(hasEnded({...me, pid, began})).toBe(true)
  })
})
