// The journal in PostgreSQL: its schema and versions, and connections that break at each kind of statement.
import {Client} from 'pg'
import {describe, expect, it, onTestFinished} from 'vitest'
import {SvcError} from '../../../src/errors.ts'
import {pickDatabaseChain} from '../../../src/payments/journal/chain.ts'
import {type Journal, LeaseLost, describeThisProcess} from '../../../src/payments/journal/journal.ts'
import {initJournal, openPostgresJournal} from '../../../src/payments/journal/postgres/open-postgres-journal.ts'
import {getStatement} from '../../../src/payments/journal/postgres/statements.ts'
import {journalPart} from '../../../src/payments/journal/postgres/schema.ts'
import type {Payment} from '../../../src/payments/protocol/payment.ts'
import {createDatabase, runSql, usePostgres, withDatabase} from '../../support/postgres.ts'
import {type Fault, PostgresProxy, cuttingFaults} from '../../support/postgres-proxy.ts'
import {clearJournal, prepareDatabase} from './stores.ts'

const getAddress = usePostgres(prepareDatabase)

const serviceId = 'https://api.example.com'
const content: Payment['content'] = {
  customerId: 'c',
  source: {sourcePaymentAccountId: 'from', sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA', sourceAmount: '5'},
  destination: {destinationPaymentAccountId: 'to', destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
}

// A database for one test, without a journal.
async function createTestDatabase() {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  return database
}

async function open(address: string, waitMs = 20_000): Promise<Journal> {
  const journal = await openPostgresJournal({text: address}, {waitMs: () => waitMs})
  onTestFinished(() => journal.close())
  return journal
}

async function catchSvcError(work: Promise<unknown>): Promise<SvcError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof SvcError) return error
  throw new Error(`it was not refused, but ${String(error)}`)
}

// Records, quotes, arms with a check, makes and releases a payment, as `svc pay` does.
async function pay(journal: Journal, key: string): Promise<void> {
  await journal.findOrCreate({serviceId, key, content})
  const acquired = await journal.acquireLease(serviceId, key, {...describeThisProcess(), host: 'far.example'})
  if (!('lease' in acquired)) throw new Error('the lease is held')
  const {lease} = acquired
  const quoted = await journal.commit(lease, {...acquired.payment, state: 'QUOTED'}, {what: 'QUOTED'})
  await journal.renewLease(lease)
  const check = {spending: {currency: 'USDC', sinceMs: 0}, judge: () => {}}
  const armed = await journal.commit(lease, {...quoted, state: 'ARMED', madeAt: 1_000}, {what: 'ARMED'}, check)
  const made = await journal.commit(lease, {...armed, state: 'CREATED', transactionId: 'tx'}, {what: 'CREATED'})
  expect(await journal.find(serviceId, key)).toEqual(made)
  await journal.releaseLease(lease)
}

describe('a connection that breaks', () => {
  // Each statement that a payment runs, by a part of its text.
  const places: Record<string, RegExp> = {
    'the first record': /insert into svc\.payments/,
    'taking the lease': /is_free/,
    'a commit without a check': /with clock as materialized[^]*changed as/,
    'the begin': /^begin$/,
    'the lock of a cap': /pg_advisory_xact_lock/,
    'reading what was spent': /is_decimal/,
    'reading what is elsewhere': /with recursive services/,
    'the commit that arms': /^commit$/,
    'the renewal': /with renewed as/,
    'a find': /^select payment/,
    'returning the lease': /set owner = null/,
  }
  const cells = Object.entries(places).flatMap(([place, sql]) => cuttingFaults.map((fault) => ({place, sql, fault})))

  it.each(cells)('at $place ($fault) changes nothing about the payment', async ({sql, fault}) => {
    await clearJournal(getAddress())
    const proxy = await PostgresProxy.start(getAddress())
    const journal = await open(proxy.address)
    proxy.plan(fault, sql)
    await pay(journal, 'rent')
    await proxy.settled()
    expect(proxy.pendingFaults).toBe(0)
    const [row] = await journal.list({})
    expect(row).toMatchObject({key: 'rent', state: 'CREATED', transactionId: 'tx'})
    expect((await journal.history(serviceId, 'rent')).map(({what}) => what)).toEqual([
      'INTENDED',
      'QUOTED',
      'ARMED',
      'CREATED',
    ])
  })

  // Statements that are a transaction of their own. Others keep their locks until they arrive.
  const alone = [
    'the first record',
    'taking the lease',
    'a commit without a check',
    'the renewal',
    'returning the lease',
  ]
  it.each(alone)('at %s, which arrives when the payment is done, changes nothing', async (place) => {
    await clearJournal(getAddress())
    const proxy = await PostgresProxy.start(getAddress())
    const journal = await open(proxy.address)
    proxy.holdLate()
    proxy.plan('arriveLate', places[place] ?? /never/)
    await pay(journal, 'rent')
    expect(proxy.pendingFaults).toBe(0)
    const before = [await journal.list({}), await journal.history(serviceId, 'rent')]
    proxy.deliverLate()
    await proxy.settled()
    expect([await journal.list({}), await journal.history(serviceId, 'rent')]).toEqual(before)
    expect(await journal.findLeaseHolder(serviceId, 'rent')).toBeUndefined()
    expect(await journal.acquireLease(serviceId, 'rent', describeThisProcess())).toMatchObject({
      lease: {},
      payment: {state: 'CREATED', transactionId: 'tx'},
    })
  })

  it('at a change that nobody answered, is followed by the next change whenever it arrives', async () => {
    await clearJournal(getAddress())
    const proxy = await PostgresProxy.start(getAddress())
    const journal = await openPostgresJournal({text: proxy.address}, {waitMs: () => 300})
    onTestFinished(() => journal.close())
    await journal.findOrCreate({serviceId, key: 'rent', content})
    const acquired = await journal.acquireLease(serviceId, 'rent', describeThisProcess())
    if (!('lease' in acquired)) throw new Error('the lease is held')
    const {lease, payment} = acquired
    proxy.holdLate()
    proxy.plan('arriveLate', (sql) => {
      if (!/changed as/.test(sql)) return false
      proxy.down()
      return true
    })
    expect(await catchSvcError(journal.commit(lease, {...payment, state: 'QUOTED'}, {what: 'QUOTED'}))).toBeInstanceOf(
      SvcError,
    )
    proxy.up()
    const unknown = await journal.commit(lease, {...payment, state: 'UNKNOWN'}, {what: 'UNKNOWN'})
    proxy.deliverLate()
    await proxy.settled()
    expect(await journal.find(serviceId, 'rent')).toEqual(unknown)
    expect((await journal.history(serviceId, 'rent')).map(({what}) => what)).toEqual(['INTENDED', 'UNKNOWN'])
  })

  it.each(['cutAfter', 'cutBefore'] satisfies Fault[])(
    'many times in a row (%s), at any statement, is survived',
    async (fault) => {
      await clearJournal(getAddress())
      const proxy = await PostgresProxy.start(getAddress())
      const journal = await open(proxy.address)
      let count = 0
      proxy.plan(fault, (sql) => /svc\.|^commit$/.test(sql) && ++count % 3 === 0, 12)
      for (const key of ['a', 'b', 'c', 'd']) await pay(journal, key)
      expect(proxy.pendingFaults).toBe(0)
      expect(await runSql(getAddress(), 'select count(*)::int as lines from svc.history')).toEqual([{lines: 16}])
    },
  )

  it('and is not made again ends with 6, and a write that may be there is not called lost', async () => {
    await clearJournal(getAddress())
    const proxy = await PostgresProxy.start(getAddress())
    const journal = await open(proxy.address, 100)
    await journal.findOrCreate({serviceId, key: 'rent', content})
    const acquired = await journal.acquireLease(serviceId, 'rent', describeThisProcess())
    if (!('lease' in acquired)) throw new Error('the lease is held')
    const plan = (sql: RegExp) =>
      proxy.plan('cutAfter', (text) => {
        if (!sql.test(text)) return false
        setImmediate(() => proxy.down())
        return true
      })
    plan(/^commit$/)
    const commit = journal.commit(acquired.lease, {...acquired.payment, state: 'ARMED'}, {what: 'ARMED'}, {judge() {}})
    expect(await catchSvcError(commit)).toMatchObject({
      error: 'JOURNAL_UNREACHABLE',
      exitCode: 6,
      message: expect.stringMatching(/broke the connection before it confirmed a write, so nothing is paid$/),
    })
    expect(await catchSvcError(journal.find(serviceId, 'rent'))).toMatchObject({exitCode: 6})
  })

  it('and is not made again is not waited for once more to return the lease, which the same process may take again', async () => {
    await clearJournal(getAddress())
    const proxy = await PostgresProxy.start(getAddress())
    const journal = await open(proxy.address, 100)
    await journal.findOrCreate({serviceId, key: 'rent', content})
    const owner = describeThisProcess()
    const acquired = await journal.acquireLease(serviceId, 'rent', owner)
    if (!('lease' in acquired)) throw new Error('the lease is held')
    proxy.down()
    const {lease, payment} = acquired
    const commit = journal.commit(lease, {...payment, state: 'ARMED'}, {what: 'ARMED'})
    expect(await catchSvcError(commit)).toMatchObject({exitCode: 6})
    // An attempt would fail.
    await journal.releaseLease(lease)
    proxy.up()
    const other = await open(getAddress())
    expect(await other.acquireLease(serviceId, 'rent', describeThisProcess())).toEqual({heldBy: owner})
    expect(await journal.acquireLease(serviceId, 'rent', owner)).toMatchObject({lease: {epoch: lease.epoch + 1}})
    await expect(journal.commit(lease, payment, {what: 'QUOTED'})).rejects.toThrow(LeaseLost)
  })

  it('and delivers the taking of a lease once more after it was returned takes nothing', async () => {
    await clearJournal(getAddress())
    const journal = await open(getAddress())
    await journal.findOrCreate({serviceId, key: 'rent', content})
    const owner = describeThisProcess()
    const acquired = await journal.acquireLease(serviceId, 'rent', owner)
    if (!('lease' in acquired)) throw new Error('the lease is held')
    const [taken] = await runSql(getAddress(), 'select write_id from svc.payments')
    await journal.commit(acquired.lease, {...acquired.payment, state: 'QUOTED'}, {what: 'QUOTED'})
    await journal.releaseLease(acquired.lease)
    const client = new Client({connectionString: getAddress()})
    await client.connect()
    const values = [serviceId, 'rent', JSON.stringify(owner), String(taken?.['write_id']), null]
    onTestFinished(() => client.end())
    const {rows} = await client.query(getStatement('acquire').text, [...values, pickDatabaseChain(serviceId, 'rent')])
    expect(rows).toMatchObject([{epoch: null}])
    expect(await journal.findLeaseHolder(serviceId, 'rent')).toBeUndefined()
    expect(await journal.acquireLease(serviceId, 'rent', owner)).toMatchObject({payment: {state: 'QUOTED'}})
  })

  it('by a server that ends every session is made again', async () => {
    await clearJournal(getAddress())
    const journal = await open(getAddress())
    await pay(journal, 'a')
    await runSql(
      getAddress(),
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )
    await pay(journal, 'b')
    expect(await journal.list({})).toHaveLength(2)
  })
})

describe('the schema', () => {
  it('is made by init alone, once, also by several at a time, by a role that is no superuser', async () => {
    const {address} = await createTestDatabase()
    const role = new URL(address).pathname.slice(1)
    await runSql(address, `create role ${role} login`, `grant create on database ${role} to ${role}`)
    onTestFinished(async () => void (await runSql(address, `drop owned by ${role}`, `drop role ${role}`)))
    const own = {text: withDatabase(address, role, role)}
    expect(await catchSvcError(openPostgresJournal(own))).toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/ does not exist yet, so nothing is paid$/),
      hint: 'Create it with `svc journal init`',
    })
    const created = {part: 'journal', from: 0, to: journalPart.migrations.length}
    expect((await initJournal(own, [journalPart], {isDryRun: true})).changes).toEqual([created])
    expect(await catchSvcError(openPostgresJournal(own))).toMatchObject({exitCode: 2})
    const results = await Promise.all([1, 2, 3].map(() => initJournal(own, [journalPart])))
    expect(results.flatMap(({changes}) => changes)).toEqual([created])
    const journal = await open(own.text)
    await pay(journal, 'rent')
  })

  it('of another version is refused or used, as the two versions say', async () => {
    const {address} = await createTestDatabase()
    await prepareDatabase(address)
    const setVersion = (version: number, compatible: number) =>
      runSql(address, `update svc.versions set version = ${version}, compatible_from = ${compatible}`)
    await setVersion(9, 1)
    await open(address)
    expect((await initJournal({text: address}, [journalPart])).changes).toEqual([])
    await setVersion(9, 8)
    expect(await catchSvcError(openPostgresJournal({text: address}))).toMatchObject({
      exitCode: 2,
      message: expect.stringMatching('was migrated by a newer svc that this one cannot work with'),
      hint: 'Update svc on this host',
    })
    await setVersion(0, 0)
    expect(await catchSvcError(openPostgresJournal({text: address}))).toMatchObject({
      exitCode: 2,
      hint: expect.stringMatching('svc journal init'),
    })
  })

  it('gives a worker what it needs with few grants, and says what is missing', async () => {
    const {address} = await createTestDatabase()
    await prepareDatabase(address)
    const role = `${new URL(address).pathname.slice(1)}_worker`
    await runSql(address, `create role ${role} login`)
    onTestFinished(async () => void (await runSql(address, `drop owned by ${role}`, `drop role ${role}`)))
    const text = withDatabase(address, new URL(address).pathname.slice(1), role)
    expect(await catchSvcError(openPostgresJournal({text}))).toMatchObject({
      exitCode: 2,
      hint: expect.stringMatching('docs/postgres.md'),
    })
    await runSql(
      address,
      `grant usage on schema svc to ${role}`,
      `grant select, insert, update, delete on all tables in schema svc to ${role}`,
    )
    await pay(await open(text), 'rent')
  })
})
