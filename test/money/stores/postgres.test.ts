// A journal in PostgreSQL as users meet it: set up, paid with from several hosts, copied into, and unreachable.
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {journalPart} from '../../../src/payments/journal/postgres/postgres-journal.ts'
import {createDatabase, runSql, usePostgres} from '../../support/postgres.ts'
import {PostgresProxy} from '../../support/postgres-proxy.ts'
import {payment} from '../../support/payments.ts'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {clearJournal, prepareDatabase} from './stores.ts'

const getAddress = usePostgres(prepareDatabase)

const pay = (home: Home, service: PaymentService, journal: string, key: string, ...flags: string[]) =>
  run(home, [...payment(key, '10'), '--yes', ...flags], {
    env: {...service.env, SVC_JOURNAL: journal, SVC_TIMEOUT: '20s'},
  })

describe('svc journal init', () => {
  it('prepares a database that every other command refuses before, and changes nothing the second time', async () => {
    const database = await createDatabase()
    onTestFinished(() => database.drop())
    const [home, service] = [freshHome(), await servePayments()]
    const env = {...service.env, SVC_JOURNAL: database.address}
    for (const args of [
      [...payment('a', '10'), '--yes'],
      ['journal', 'list'],
      ['reconcile', '--since', '1d'],
    ]) {
      const {code, err} = await run(home, [...args, '--json'], {env})
      expect(code).toBe(2)
      expect(json(err)).toMatchObject({
        error: 'JOURNAL_UNUSABLE',
        message: expect.stringMatching(/does not exist yet, so nothing is paid/) as string,
        hint: expect.stringMatching('svc journal init') as string,
      })
    }
    expect(service.requests).toEqual([])
    const init = async (...flags: string[]) =>
      json((await run(home, ['journal', 'init', '--json', ...flags], {env})).out)
    const changes = expect.arrayContaining([{part: 'journal', from: 0, to: journalPart.version}]) as unknown
    expect(await init('--dry-run')).toMatchObject({changes})
    expect(await init()).toMatchObject({journal: database.address, changes})
    expect(await init()).toMatchObject({changes: []})
    expect((await pay(home, service, database.address, 'a')).code).toBe(0)
  })

  it('warns of a standby that may lack the last commits, and so does doctor', async () => {
    const database = await createDatabase()
    const slot = `standby_${process.pid}`
    await runSql(database.address, `select pg_create_physical_replication_slot('${slot}')`)
    onTestFinished(async () => {
      await runSql(database.address, `select pg_drop_replication_slot('${slot}')`)
      await database.drop()
    })
    const [home, service] = [freshHome(), await servePayments()]
    const env = {...service.env, SVC_JOURNAL: database.address}
    const {code, err} = await run(home, ['journal', 'init'], {env})
    expect([code, err]).toEqual([0, expect.stringContaining('a failover can lose the last payments')])
    const {out} = await run(home, ['doctor', '--json'], {env})
    expect(json(out)['checks']).toContainEqual(expect.objectContaining({check: 'journal', outcome: 'warning'}))
  })
})

const show = async (home: Home) => json((await run(home, ['profiles', 'show', 'sandbox', '--json'])).out)

it('the journal of a profile is set, shown without a secret, checked by doctor, and removed', async () => {
  await clearJournal(getAddress())
  const home = freshHome()
  const set = (...args: string[]) => run(home, ['profiles', 'set', 'sandbox', ...args])
  const refused = await set('--journal', 'postgres://me:s3cret@db/j')
  expect([refused.code, refused.err.includes('s3cret')]).toEqual([2, false])
  expect((await set('--journal-password-command', 'pass svc')).code).toBe(2)
  expect((await set('--journal', 'mysql://db/j')).code).toBe(2)
  expect((await set('--journal', getAddress(), '--journal-password-command', 'pass svc')).code).toBe(0)
  expect(await show(home)).toMatchObject({journal: getAddress(), journalPasswordCommand: 'pass svc'})
  const whoami = await run(home, ['whoami', '-p', 'sandbox', '--json'])
  expect(json(whoami.out)).toMatchObject({journal: getAddress()})
  const doctor = await run(home, ['doctor', '-p', 'sandbox'])
  expect(doctor.out).toContain(getAddress())
  expect((await run(home, [...payment('own', '10'), '-p', 'sandbox', '--yes'])).code).toBe(0)
  expect(await runSql(getAddress(), 'select key, state from svc.payments')).toEqual([{key: 'own', state: 'CREATED'}])
  const other = await run(home, ['journal', 'list', '-p', 'sandbox'], {env: {SVC_JOURNAL: '/tmp/other.sqlite'}})
  expect([other.code, other.err.includes('names another journal than the profile')]).toEqual([2, true])
  expect((await set('--journal', '')).code).toBe(0)
  expect(await show(home)).not.toHaveProperty('journal')
})

it('svc journal copy copies a journal into an empty one, and refuses any other', async () => {
  await clearJournal(getAddress())
  const [home, service] = [freshHome(), await servePayments()]
  const file = path.join(home.folder, 'journal.sqlite')
  for (const key of ['a', 'b']) await pay(home, service, file, key, '--allow-duplicates')
  await run(home, [...payment('c', '10'), '--yes', '--max-fee', '0', '--min-rate', '99'], {
    env: {...service.env, SVC_JOURNAL: file},
  })
  const copy = (from: string) => run(home, ['journal', 'copy', '--from', from, '--to', getAddress(), '--json'])
  const list = async (journal: string) => {
    const env = {...service.env, SVC_JOURNAL: journal}
    const {out} = await run(home, ['journal', 'list', '--json'], {env})
    const shown = await Promise.all(
      ['a', 'b', 'c'].map(async (key) => (await run(home, ['journal', 'show', key, '--json'], {env})).out),
    )
    return [out, ...shown]
  }
  const first = await copy(file)
  expect(json(first.out)).toMatchObject({
    payments: 3,
    digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
  })
  expect(await list(getAddress())).toEqual(await list(file))
  const [ofFile, ofCopy] = await Promise.all(
    [file, getAddress()].map((journal) => run(home, ['journal', 'verify', '--json'], {env: {SVC_JOURNAL: journal}})),
  )
  const {digest} = json(first.out)
  expect([json(ofFile?.out ?? ''), json(ofCopy?.out ?? '')]).toMatchObject([{digest}, {digest}])
  const env = {SVC_JOURNAL: getAddress()}
  expect((await pay(home, service, env.SVC_JOURNAL, 'a')).code).toBe(0)
  expect(service.transactions).toHaveLength(2)
  const refused = await copy(file)
  expect([refused.code, refused.err.includes('is not empty')]).toEqual([2, true])
})

it('A payment that was recorded is told as made, also if the database is away from then on', async () => {
  await clearJournal(getAddress())
  const [home, service, proxy] = [freshHome(), await servePayments(), await PostgresProxy.start(getAddress())]
  const env = {...service.env, SVC_JOURNAL: proxy.address}
  let isAway = false
  proxy.plan(
    'cutBefore',
    (sql) => (isAway ||= service.transactions.length > 0 && /^select.*from svc\.history/s.test(sql)),
    Infinity,
  )
  const {code, out, err} = await run(home, [...payment('rent', '10'), '--yes', '--json', '--timeout', '2s'], {env})
  expect([code, err]).toEqual([0, err])
  expect(json(out)).toMatchObject({transactionId: service.transactions[0]?.['transactionId']})
})
