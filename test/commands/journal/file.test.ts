// The file of the journal as commands find it: busy, emptied, lost, on a read-only file system, or no file at all.
import {execFile, execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it, onTestFinished} from 'vitest'
import {SvcError} from '../../../src/errors.ts'
import {JournalUnusable} from '../../../src/payments/journal/journal.ts'
import {wrapJournalFailure} from '../../../src/payments/protocol/errors.ts'
import type {Payment} from '../../../src/payments/protocol/payment.ts'
import {payment} from '../../support/payments.ts'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {type Home, type RunResult, bin, freshHome, json, run} from '../../support/svc.ts'
import {createRow, writePayroll} from '../payouts/payroll.ts'

const getJournal = (home: Home) => path.join(home.folder, 'config', 'state', 'journal.sqlite')

const pay = (home: Home, {env}: PaymentService, key: string, extraEnv: Record<string, string> = {}) =>
  run(home, [...payment(key, '10'), '--yes', '--json'], {env: {...env, ...extraEnv}})

const listKeys = ({out}: RunResult) => (json(out)['payments'] as Array<{key: string}>).map(({key}) => key)

// The journal waits ten seconds for another process.
const busyTestMs = 40_000

describe('a journal that another process does not release', () => {
  it(
    'ends with 8 before anything is sent, and works again afterwards',
    async () => {
      const [home, service] = [freshHome(), await servePayments()]
      expect((await pay(home, service, 'first')).code).toBe(0)
      const sent = service.requests.length
      const holder = new DatabaseSync(getJournal(home))
      holder.exec('begin immediate')
      onTestFinished(() => holder.close())
      const {code, out, err} = await pay(home, service, 'second')
      expect({code, out}).toEqual({code: 8, out: ''})
      expect(json(err)).toMatchObject({
        error: 'JOURNAL_BUSY',
        exitCode: 8,
        message: expect.stringMatching(/is in use by another process .*, so nothing is paid\.$/) as string,
      })
      expect(service.requests).toHaveLength(sent)
      holder.exec('rollback')
      expect((await pay(home, service, 'second')).code).toBe(0)
    },
    busyTestMs,
  )

  it(
    'tells a payment that was made as made, and one that may have been as unknown',
    async () => {
      const [home, service] = [freshHome(), await servePayments()]
      expect((await pay(home, service, 'first')).code).toBe(0)
      service.script({at: 'POST /transactions', times: 1, reply: 'reset'})
      service.script({at: 'GET /transactions', skip: 1, times: 100, reply: 'reset'})
      expect((await pay(home, service, 'lost', {SVC_TIMEOUT: '1s'})).code).toBe(7)
      const holder = new DatabaseSync(getJournal(home))
      holder.exec('begin immediate')
      onTestFinished(() => holder.close())
      const [first] = service.transactions
      const made = await pay(home, service, 'first')
      expect(made.code).toBe(0)
      expect(json(made.out)).toMatchObject({transactionId: first?.['transactionId']})
      expect(made.err).toContain('The payment first was made before')
      expect(made.err).not.toContain('nothing is paid')
      const lost = await pay(home, service, 'lost')
      expect(lost.code).toBe(7)
      expect(lost.err).not.toContain('nothing is paid')
      expect(service.transactions).toHaveLength(2)
    },
    busyTestMs * 2,
  )

  it(
    'ends a payout run with 8, which tried nothing',
    async () => {
      const [home, service] = [freshHome(), await servePayments()]
      await pay(home, service, 'first')
      const holder = new DatabaseSync(getJournal(home))
      holder.exec('begin immediate')
      onTestFinished(() => holder.close())
      const file = writePayroll(home, [createRow('anna')])
      const {code, out, err} = await run(home, ['payouts', 'run', file, '--yes', '--json'], {env: service.env})
      expect(code).toBe(8)
      expect(json(out)['payouts']).toMatchObject([{key: 'anna', state: 'NOT_TRIED', error: {error: 'JOURNAL_BUSY'}}])
      expect(err).toContain('1 not tried; the run stopped because the journal cannot be used')
      expect(service.transactions).toHaveLength(1)
    },
    busyTestMs,
  )

  it('is an unknown outcome once the payment may have been sent', async () => {
    const busy = new JournalUnusable('The journal is in use', 'Try again', undefined, {problem: 'busy'})
    const fail = async (state: Payment['state']) => {
      try {
        const failed = {key: 'a', state, attempts: [], serviceId: 's'} as unknown as Payment
        await wrapJournalFailure(failed, () => Promise.reject(busy))
      } catch (error) {
        return error instanceof SvcError ? error.exitCode : error
      }
      return undefined
    }
    const codes = await Promise.all((['INTENDED', 'QUOTED', 'ARMED', 'UNKNOWN'] as const).map(fail))
    expect(codes).toEqual([8, 8, 7, 7])
  })
})

describe('a journal that lost its content', () => {
  const spoil: ReadonlyArray<[string, (file: string) => void, string, string]> = [
    ['is empty', (file) => fs.truncateSync(file), 'is empty', 'remove the file to begin a new journal'],
    [
      'has no tables',
      (file) => {
        fs.rmSync(file)
        const database = new DatabaseSync(file)
        database.exec('pragma journal_mode = wal; vacuum')
        database.close()
      },
      'is empty',
      'remove the file to begin a new journal',
    ],
    [
      'is gone except for its log',
      (file) => {
        fs.rmSync(file)
        fs.writeFileSync(`${file}-wal`, 'the log of a process that was killed')
      },
      'is missing, although its write-ahead log',
      'remove the files that are left of it to begin a new journal',
    ],
  ]
  it.each(spoil)('and %s is not taken for a new one', async (_, make, why, next) => {
    const [home, service] = [freshHome(), await servePayments()]
    await pay(home, service, 'first')
    const file = getJournal(home)
    make(file)
    const before = fs.readdirSync(path.dirname(file)).filter((name) => !name.endsWith('-shm'))
    const sent = service.requests.length
    for (const args of [
      [...payment('first', '10'), '--yes'],
      ['journal', 'list'],
      ['journal', 'show', 'first'],
    ]) {
      const {code, out, err} = await run(home, [...args, '--json'], {env: service.env})
      expect({code, out}).toEqual({code: 2, out: ''})
      expect(json(err)).toMatchObject({
        error: 'JOURNAL_UNUSABLE',
        message: expect.stringContaining(why) as string,
        hint: expect.stringContaining(next) as string,
      })
    }
    expect(service.requests).toHaveLength(sent)
    expect(fs.readdirSync(path.dirname(file)).filter((name) => !name.endsWith('-shm'))).toEqual(before)
    for (const name of [file, `${file}-wal`, `${file}-shm`]) fs.rmSync(name, {force: true})
    // The new journal finds the payment at the service.
    expect((await pay(home, service, 'first')).code).toBe(0)
    expect(service.transactions).toHaveLength(1)
  })

  it('leaves no other file behind when it is created', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await pay(home, service, 'first')
    const files = fs.readdirSync(path.dirname(getJournal(home))).filter((name) => name.startsWith('journal'))
    expect(files).toEqual(['journal.sqlite'])
  })
})

// Root may write to any file, so nothing but a mount keeps it out.
const namespaceFlags = process.getuid?.() === 0 ? '-m' : '-rm'
const canMount = (() => {
  try {
    execFileSync('unshare', [namespaceFlags, 'mount', '-t', 'tmpfs', 'none', '/mnt'], {stdio: 'ignore'})
    return true
  } catch {
    return false
  }
})()

const makeUnwritable = {
  'read-only file system': 'mount --bind "$folder" "$folder" && mount -o remount,ro,bind "$folder"',
  'full disk':
    'mount -t tmpfs -o size=1m none /mnt && cp -a "$folder/." /mnt && mount --bind /mnt "$folder" && ! cat /dev/zero 2>/dev/null >"$folder/filler"',
} as const

type FileSystem = keyof typeof makeUnwritable

// Runs the built program with one folder that cannot be written.
function runUnwritable(
  fileSystem: FileSystem,
  home: Home,
  folder: string,
  args: readonly string[],
  env: Record<string, string>,
) {
  const script = `folder=$1; shift; ${makeUnwritable[fileSystem]} && exec "$@"`
  return new Promise<RunResult>((resolve) => {
    execFile(
      'unshare',
      [namespaceFlags, 'sh', '-c', script, 'sh', folder, process.execPath, bin, ...args],
      {env: {...home.env, ...env}, cwd: home.folder},
      (error, out, err) => resolve({code: error ? Number(error.code) : 0, out, err}),
    )
  })
}

// As long as a process has it open, the latest changes are in the log alone.
function openAndChange(file: string): DatabaseSync {
  const writer = new DatabaseSync(file)
  writer.exec('update payments set renewed_at = 1')
  onTestFinished(() => writer.close())
  return writer
}

describe.skipIf(!canMount)('a journal that cannot be written', () => {
  it.each<[FileSystem, string, (file: string) => void]>([
    ['read-only file system', 'that was closed', () => {}],
    ['read-only file system', 'that another process has open', (file) => void openAndChange(file)],
    ['full disk', 'that was closed', () => {}],
  ])('on a %s, %s, is read and told, and nothing is sent that it would have to record', async (where, _, leave) => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = writePayroll(home, [createRow('anna')])
    await run(home, ['payouts', 'run', file, '--yes', '--json'], {env: service.env})
    await pay(home, service, 'first')
    service.script({at: 'POST /transactions', times: 1, reply: 'reset'})
    const outage = service.script({at: 'GET /transactions', skip: 1, times: 100, reply: 'reset'})
    expect((await pay(home, service, 'lost', {SVC_TIMEOUT: '1s'})).code).toBe(7)
    outage.remove()
    const journal = getJournal(home)
    leave(journal)
    const runThere = (...args: string[]) =>
      runUnwritable(where, home, path.dirname(journal), [...args, '--json'], service.env)
    expect(listKeys(await runThere('journal', 'list'))).toEqual(['lost', 'first', 'anna'])
    expect(json((await runThere('journal', 'show', 'first')).out)).toMatchObject({key: 'first', state: 'CREATED'})
    expect(await runThere('reconcile', '--since', '1d')).toMatchObject({code: 12})
    const status = await runThere('payouts', 'status', file)
    expect({code: status.code, ...json(status.out)}).toMatchObject({code: 0, rows: 1, made: 1})
    const made = await runThere(...payment('first', '10'), '--yes')
    expect({code: made.code, ...json(made.out)}).toMatchObject({
      code: 0,
      transactionId: service.transactions[1]?.['transactionId'],
    })
    const unknown = await runThere(...payment('lost', '10'), '--yes')
    expect(unknown).toMatchObject({code: 7, out: ''})
    const again = await runThere('payouts', 'run', file, '--yes')
    expect(again).toMatchObject({code: 0})
    const refused = await runThere(...payment('second', '10'), '--yes')
    expect(refused).toMatchObject({code: 2, out: ''})
    expect(json(refused.err)).toMatchObject({error: 'JOURNAL_UNUSABLE'})
    for (const {err} of [made, unknown, again]) expect(err).not.toContain('nothing is paid')
    expect(service.transactions).toHaveLength(3)
    expect(service.requestsTo('POST /transactions')).toHaveLength(3)
  })

  it('says so if its log cannot be read there', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await pay(home, service, 'first')
    const file = getJournal(home)
    openAndChange(file)
    const copy = path.join(home.folder, 'copy')
    fs.mkdirSync(copy)
    for (const name of ['journal.sqlite', 'journal.sqlite-wal']) {
      fs.copyFileSync(path.join(path.dirname(file), name), path.join(copy, name))
    }
    const env = {...service.env, SVC_JOURNAL: path.join(copy, 'journal.sqlite')}
    const {code, out, err} = await runUnwritable(
      'read-only file system',
      home,
      copy,
      ['journal', 'list', '--json'],
      env,
    )
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(json(err)).toMatchObject({
      message: expect.stringMatching(/has changes in \S+-wal that cannot be read here/) as string,
      hint: 'Copy both files to a folder where you can write, and name the copy with SVC_JOURNAL.',
    })
    expect(listKeys(await run(home, ['journal', 'list', '--json'], {env}))).toEqual(['first'])
  })
})

describe('SVC_JOURNAL', () => {
  it.each([
    ['postgres://svc:s3cret@db.example.com/journal', 'SVC_JOURNAL contains a password'],
    ['postgres://db.example.com/journal?password=s3cret', 'SVC_JOURNAL contains a password'],
    ['PostgreSQL://db:none/journal', 'SVC_JOURNAL is not an address of a PostgreSQL database'],
    ['mysql://svc:s3cret@db.example.com/journal', 'begins with mysql://'],
    [':memory:', 'must outlive the process'],
  ])('rejects %s, which is neither a file nor a database that it may use', async (address, why) => {
    const [home, service] = [freshHome(), await servePayments()]
    for (const args of [
      [...payment('a', '10'), '--yes'],
      ['journal', 'list'],
      ['reconcile', '--since', '1d'],
    ]) {
      const {code, out, err} = await run(home, [...args, '--json'], {env: {...service.env, SVC_JOURNAL: address}})
      expect({code, out}).toEqual({code: 2, out: ''})
      expect(err).toContain(why)
      expect(err).not.toContain('s3cret')
    }
    expect(service.requests).toEqual([])
    expect(fs.readdirSync(home.folder)).not.toContain('postgres:')
  })

  it('accepts the address of a file', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    const file = path.join(home.folder, 'my journal.sqlite')
    const env = {SVC_JOURNAL: `file://${encodeURI(file)}`}
    expect((await pay(home, service, 'a', env)).code).toBe(0)
    expect(fs.existsSync(file)).toBe(true)
  })
})
