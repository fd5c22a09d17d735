// The file of the journal as commands find it: busy, emptied, lost, where nothing can be written, or no file at all.
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it, onTestFinished} from 'vitest'
import type {SvcError} from '../../../src/errors.ts'
import {JournalUnusable} from '../../../src/payments/journal/journal.ts'
import {wrapJournalFailure} from '../../../src/payments/protocol/errors.ts'
import type {Payment} from '../../../src/payments/protocol/payment.ts'
import {payment} from '../../support/payments.ts'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {type Home, type RunResult, freshHome, json, run, spawnSvc} from '../../support/svc.ts'
import {canMount, runUnwritable} from '../../support/unwritable.ts'
import {createRow, writePayroll} from '../../support/payroll.ts'

const getJournal = (home: Home) => path.join(home.folder, 'config', 'state', 'journal.sqlite')

const pay = (home: Home, {env}: PaymentService, key: string, extraEnv: Record<string, string> = {}) =>
  run(home, [...payment(key, '10'), '--yes', '--json'], {env: {...env, ...extraEnv}})

const listKeys = ({out}: RunResult) => (json(out)['payments'] as Array<{key: string}>).map(({key}) => key)

// A row and a payment that were made, and one that may have been.
async function preparePayments() {
  const [home, service] = [freshHome(), await servePayments()]
  const paid = writePayroll(home, [createRow('anna')], 'paid.csv')
  await run(home, ['payouts', 'run', paid, '--yes', '--json'], {env: service.env})
  expect((await pay(home, service, 'first')).code).toBe(0)
  service.script({at: 'POST /transactions', times: 1, reply: 'reset'})
  const outage = service.script({at: 'GET /transactions', skip: 1, times: 100, reply: 'reset'})
  expect((await pay(home, service, 'lost', {SVC_TIMEOUT: '1s'})).code).toBe(7)
  outage.remove()
  return {home, service, paid}
}

describe('a journal that another process does not release', () => {
  it('is waited for; then nothing is sent, and what was or may have been made, or has failed, is told as that', async () => {
    const {home, service} = await preparePayments()
    const start = (...args: string[]) => spawnSvc(home, [...args, '--yes', '--json'], {env: service.env})
    service.behaviour.status = 'PROCESSING'
    const ending = start(...payment('ending', '10'), '--wait')
    const show = () => run(home, ['journal', 'show', 'ending', '--json'], {env: service.env})
    await expect.poll(async () => (await show()).out).toContain('CREATED')
    const sent = service.requestsTo('POST /transactions').length
    const holder = new DatabaseSync(getJournal(home))
    holder.exec('begin immediate')
    onTestFinished(() => holder.close())
    Object.assign(service.transactions.at(-1) ?? {}, {transactionStatus: 'FAILED'})
    // Each waits ten seconds.
    const [second, first, lost, failed] = await Promise.all([
      start(...payment('second', '10')),
      start(...payment('first', '10')),
      start(...payment('lost', '10')),
      ending,
    ])
    expect({code: failed.code, ...json(failed.out)}).toMatchObject({code: 11, transactionStatus: 'FAILED'})
    expect(second).toMatchObject({code: 8, out: ''})
    expect(json(second.err)).toMatchObject({
      error: 'JOURNAL_BUSY',
      exitCode: 8,
      message: expect.stringMatching(/is in use by another process .*, so nothing is paid\.$/) as string,
    })
    expect({code: first.code, ...json(first.out)}).toMatchObject({
      code: 0,
      transactionId: service.transactions[1]?.['transactionId'],
    })
    expect(lost.code).toBe(7)
    for (const {err} of [first, lost]) expect(err).not.toContain('nothing is paid')
    expect(service.requestsTo('POST /transactions')).toHaveLength(sent)
    holder.exec('rollback')
    expect((await pay(home, service, 'second')).code).toBe(0)
  })
})

it('A journal that fails once a payment may have been sent leaves its outcome unknown', async () => {
  const busy = new JournalUnusable('The journal is in use', 'Try again', undefined, 'busy')
  const states = ['INTENDED', 'QUOTED', 'ARMED', 'UNKNOWN'] as const
  const failures = states.map((state) => {
    const payment_ = {key: 'a', state, attempts: [], serviceId: 's'} as unknown as Payment
    return wrapJournalFailure(payment_, () => Promise.reject(busy)).catch((error: SvcError) => error.exitCode)
  })
  expect(await Promise.all(failures)).toEqual([8, 8, 7, 7])
})

describe('a journal that lost its content', () => {
  it.each<[string, (file: string) => void, string]>([
    ['is empty', (file) => fs.truncateSync(file), 'is empty'],
    [
      'has no tables',
      (file) => {
        fs.rmSync(file)
        const database = new DatabaseSync(file)
        database.exec('pragma journal_mode = wal; vacuum')
        database.close()
      },
      'is empty',
    ],
    [
      'is gone except for its log',
      (file) => {
        fs.rmSync(file)
        fs.writeFileSync(`${file}-wal`, 'the log of a process that was killed')
      },
      'is missing, although its write-ahead log',
    ],
  ])('and %s is not taken for a new one', async (_, spoil, why) => {
    const [home, service] = [freshHome(), await servePayments()]
    await pay(home, service, 'first')
    const file = getJournal(home)
    const listFiles = () => fs.readdirSync(path.dirname(file)).filter((name) => /^journal(?!.*-shm$)/.test(name))
    expect(listFiles()).toEqual(['journal.sqlite'])
    spoil(file)
    const before = listFiles()
    const sent = service.requests.length
    for (const args of [
      [...payment('first', '10'), '--yes'],
      ['journal', 'list'],
    ]) {
      const {code, out, err} = await run(home, [...args, '--json'], {env: service.env})
      expect({code, out}).toEqual({code: 2, out: ''})
      expect(json(err)).toMatchObject({
        error: 'JOURNAL_UNUSABLE',
        message: expect.stringContaining(why) as string,
        hint: expect.stringContaining('to begin a new journal') as string,
      })
    }
    expect(service.requests).toHaveLength(sent)
    expect(listFiles()).toEqual(before)
    for (const name of before) fs.rmSync(path.join(path.dirname(file), name))
    // The new journal finds the payment at the service.
    expect((await pay(home, service, 'first')).code).toBe(0)
    expect(service.transactions).toHaveLength(1)
  })
})

describe.skipIf(!canMount)('a journal that cannot be written', () => {
  it.each(['read-only file system', 'full disk'] as const)(
    'on a %s is read and told, and nothing is sent that it would have to record',
    async (where) => {
      const {home, service, paid} = await preparePayments()
      const folder = path.dirname(getJournal(home))
      const runThere = (...args: string[]) => runUnwritable(where, home, folder, [...args, '--json'], service.env)
      expect(listKeys(await runThere('journal', 'list'))).toEqual(['lost', 'first', 'anna'])
      const made = await runThere(...payment('first', '10'), '--yes')
      const {transactionId} = service.transactions[1] ?? {}
      expect({code: made.code, ...json(made.out)}).toMatchObject({code: 0, transactionId})
      const unknown = await runThere(...payment('lost', '10'), '--yes')
      expect(unknown).toMatchObject({code: 7, out: ''})
      const again = await runThere('payouts', 'run', paid, '--yes')
      expect(again).toMatchObject({code: 0})
      const refused = await runThere(...payment('second', '10'), '--yes')
      expect(refused).toMatchObject({code: 2, out: ''})
      expect(json(refused.err)).toMatchObject({error: 'JOURNAL_UNUSABLE'})
      for (const {err} of [made, unknown, again]) expect(err).not.toContain('nothing is paid')
      expect(service.requestsTo('POST /transactions')).toHaveLength(3)
    },
  )

  it('says so if it has changes in its log, which cannot be read there', async () => {
    const [home, service] = [freshHome(), await servePayments()]
    await pay(home, service, 'first')
    // As long as a process has it open, the latest changes are in the log alone.
    const writer = new DatabaseSync(getJournal(home))
    writer.exec('update payments set renewed_at = 1')
    onTestFinished(() => writer.close())
    const copy = path.join(home.folder, 'copy')
    fs.mkdirSync(copy)
    for (const name of ['journal.sqlite', 'journal.sqlite-wal']) {
      fs.copyFileSync(path.join(path.dirname(getJournal(home)), name), path.join(copy, name))
    }
    const env = {...service.env, SVC_JOURNAL: path.join(copy, 'journal.sqlite')}
    const list = ['journal', 'list', '--json']
    const {code, out, err} = await runUnwritable('read-only file system', home, copy, list, env)
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(json(err)).toMatchObject({
      message: expect.stringMatching(/has changes in \S+-wal that cannot be read here/) as string,
      hint: 'Copy both files to a folder where you can write, and name the copy with SVC_JOURNAL.',
    })
    expect(listKeys(await run(home, list, {env}))).toEqual(['first'])
  })
})

it('SVC_JOURNAL accepts the address of a file', async () => {
  const [home, service] = [freshHome(), await servePayments()]
  const file = path.join(home.folder, 'my journal.sqlite')
  expect((await pay(home, service, 'a', {SVC_JOURNAL: `file://${encodeURI(file)}`})).code).toBe(0)
  expect(fs.existsSync(file)).toBe(true)
})
