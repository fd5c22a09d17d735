// The journal in PostgreSQL: its schema and versions, and connections that break at each kind of statement.
import {describe, expect, it, onTestFinished} from 'vitest'
import {SvcError} from '../../../src/errors.ts'
import {type Journal, LeaseLost} from '../../../src/payments/journal/journal.ts'
import {describeThisProcess} from '../../../src/payments/journal/owner.ts'
import {initJournal, openPostgresJournal} from '../../../src/payments/journal/postgres/open-postgres-journal.ts'
import {journalPart} from '../../../src/payments/journal/postgres/postgres-journal.ts'
import type {Payment} from '../../../src/payments/protocol/payment.ts'
import {lease, recordIntent} from '../../support/lease.ts'
import {createAttempt, enterState} from '../../support/recorded.ts'
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
  const [{reason}] = (await Promise.allSettled([work])) as [{reason?: unknown}]
  if (reason instanceof SvcError) return reason
  throw new Error(`it was not refused, but ${String(reason)}`)
}

// Records, quotes, arms with a check, makes and releases a payment, as `svc pay` does.
async function pay(journal: Journal, key: string): Promise<void> {
  const owner = {...describeThisProcess(), host: 'far.example'}
  const {lease: held, payment} = await lease(journal, {serviceId, key, content}, owner)
  const quoted = journal.note(held, enterState(payment, 'QUOTED'), {what: 'QUOTED'})
  await journal.renewLease(held)
  const check = {spending: {currency: 'USDC', day: 0}, judge: () => {}}
  const armed = await journal.commit(
    held,
    enterState(quoted, 'ARMED', {attempts: [createAttempt({armed: {at: 1_000}})]}),
    {what: 'ARMED'},
    check,
  )
  const made = await journal.commit(held, enterState(armed, 'CREATED', {made: {transactionId: 'tx'}}), {
    what: 'CREATED',
  })
  expect(await journal.find(serviceId, key)).toEqual(made)
  await journal.releaseLease(held)
}

describe('a connection that breaks', () => {
  // The four statements of each group, by a part of their text. A payment writes four groups, of which the renewal has nothing to write.
  const groups = ['the lease', 'the renewal', 'arming', 'what was made']
  const list = (place: string, sql: RegExp, of = groups) =>
    of.map((group, index) => ({place: `${place} ${group}`, sql, count: index + 1}))
  const places = [
    ...list('the locks for', /^begin;[^]*pg_advisory_xact_lock/),
    ...list('the reading for', /json_agg/),
    ...list('the write of', /with inserted as/, groups.toSpliced(1, 1)),
    ...list('the commit of', /^commit$/),
    {place: 'a find', sql: /^select service_id[^]*key = any/, count: 1},
  ]
  const cells = places.flatMap((place) => cuttingFaults.map((fault) => ({...place, fault})))

  it.each(cells)('at $place ($fault) changes nothing about the payment', async ({sql, count, fault}) => {
    await clearJournal(getAddress())
    const proxy = await PostgresProxy.start(getAddress())
    const journal = await open(proxy.address)
    let passed = 0
    proxy.plan(fault, (text) => sql.test(text) && ++passed === count)
    await pay(journal, 'rent')
    await proxy.settled()
    expect(proxy.pendingFaults).toBe(0)
    const [row] = await journal.list({serviceId})
    expect(row).toMatchObject({key: 'rent', state: 'CREATED', transactionId: 'tx'})
    expect(await journal.findLeaseHolder(serviceId, 'rent')).toBeUndefined()
    expect((await journal.history(serviceId, 'rent')).map(({what}) => what)).toEqual([
      'INTENDED',
      'QUOTED',
      'ARMED',
      'CREATED',
    ])
  })

  it.each([true, false])(
    'at a change that nobody answered is followed by the next change (arrives: %s)',
    async (arrives) => {
      await clearJournal(getAddress())
      const proxy = await PostgresProxy.start(getAddress())
      const journal = await open(proxy.address, 300)
      const {lease: held, payment} = await lease(journal, {serviceId, key: 'rent', content})
      let isLost = false
      proxy.plan(arrives ? 'arriveLate' : 'cutBefore', (sql) => sql === 'commit' && (isLost = true))
      proxy.plan('cutBefore', () => isLost, 1_000)
      proxy.holdLate()
      const armed = journal.commit(held, enterState(payment, 'ARMED'), {what: 'ARMED'})
      expect(await catchSvcError(armed)).toMatchObject({exitCode: 6})
      proxy.forgetFaults()
      // The next change waits for the locks of the one before.
      setTimeout(() => proxy.deliverLate(), 200)
      const unknown = await journal.commit(held, enterState(payment, 'UNKNOWN'), {what: 'UNKNOWN'})
      await proxy.settled()
      expect(await journal.find(serviceId, 'rent')).toEqual(unknown)
      const lines = (await journal.history(serviceId, 'rent')).map(({what}) => what)
      expect(lines).toEqual(['INTENDED', ...(arrives ? ['ARMED'] : []), 'UNKNOWN'])
    },
  )

  // Neither adds a line to the history, by which a group that was written is known.
  it.each(cuttingFaults)(
    'at the commit of a lease that was held before (%s) leaves it to its process alone',
    async (fault) => {
      await clearJournal(getAddress())
      const proxy = await PostgresProxy.start(getAddress())
      const journal = await open(proxy.address)
      const intent = {serviceId, key: 'rent', content}
      await recordIntent(journal, intent)
      proxy.plan(fault, (sql) => sql === 'commit')
      const {lease: held, payment} = await lease(journal, intent)
      await proxy.settled()
      expect(await journal.acquireLease(intent, held.owner)).toMatchObject({heldBy: held.owner})
      expect((await journal.commit(held, enterState(payment, 'STOPPED'), {what: 'STOPPED'})).state).toBe('STOPPED')
      proxy.plan(fault, (sql) => sql === 'commit')
      await journal.releaseLease(held)
      await proxy.settled()
      expect(proxy.pendingFaults).toBe(0)
      expect(await journal.findLeaseHolder(serviceId, 'rent')).toBeUndefined()
    },
  )

  it.each(['cutAfter', 'cutBefore'] satisfies Fault[])(
    'many times in a row (%s), at any statement, is survived',
    async (fault) => {
      await clearJournal(getAddress())
      const proxy = await PostgresProxy.start(getAddress())
      const journal = await open(proxy.address)
      const other = await open(getAddress())
      const who = {user: 'ada', host: 'far.example'}
      const decided: Array<Promise<void>> = []
      let [count, key] = [0, '']
      // Another host writes in the place of what was not written.
      const cut = (sql: string) => {
        const isCut = /svc\.|^commit$/.test(sql) && ++count % 3 === 0
        if (isCut) decided.push(other.recordDecision({kind: 'NOTED', about: {serviceId, key}, who}))
        return isCut
      }
      proxy.plan(fault, cut, 12)
      for (key of ['a', 'b', 'c', 'd']) await pay(journal, key)
      await Promise.all(decided)
      expect(proxy.pendingFaults).toBe(0)
      const lines = 16 + decided.length
      expect(await runSql(getAddress(), 'select count(*)::int as lines from svc.history')).toEqual([{lines}])
    },
  )

  it('and is not made again ends with 6, and a write that may be there is not called lost', async () => {
    await clearJournal(getAddress())
    const proxy = await PostgresProxy.start(getAddress())
    const journal = await open(proxy.address, 100)
    const acquired = await lease(journal, {serviceId, key: 'rent', content})
    const plan = (sql: RegExp) =>
      proxy.plan('cutAfter', (text) => {
        if (!sql.test(text)) return false
        setImmediate(() => proxy.down())
        return true
      })
    plan(/^commit$/)
    const commit = journal.commit(acquired.lease, enterState(acquired.payment, 'ARMED'), {what: 'ARMED'}, {judge() {}})
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
    const owner = describeThisProcess()
    const intent = {serviceId, key: 'rent', content}
    const {lease: held, payment} = await lease(journal, intent, owner)
    proxy.down()
    const commit = journal.commit(held, enterState(payment, 'ARMED'), {what: 'ARMED'})
    expect(await catchSvcError(commit)).toMatchObject({exitCode: 6})
    // An attempt would fail.
    await journal.releaseLease(held)
    proxy.up()
    const other = await open(getAddress())
    expect(await other.acquireLease(intent, describeThisProcess())).toEqual({heldBy: owner, payment})
    expect(await journal.acquireLease(intent, owner)).toMatchObject({lease: {epoch: held.epoch + 1}})
    await expect(journal.commit(held, enterState(payment, 'ARMED'), {what: 'ARMED'})).rejects.toThrow(LeaseLost)
  })

  it('while a lease is taken, and is not made again in time, does not keep the payment from the same process', async () => {
    await clearJournal(getAddress())
    const proxy = await PostgresProxy.start(getAddress())
    const journal = await open(proxy.address, 300)
    const intent = {serviceId, key: 'rent', content}
    const owner = describeThisProcess()
    let isCut = false
    proxy.plan('cutAfter', (sql) => !isCut && sql === 'commit' && (isCut = true))
    proxy.plan('cutBefore', () => isCut, 1_000)
    expect(await catchSvcError(journal.acquireLease(intent, owner))).toMatchObject({exitCode: 6})
    proxy.forgetFaults()
    expect(await journal.find(serviceId, 'rent')).toMatchObject({state: 'INTENDED'})
    expect(await journal.acquireLease(intent, owner)).toMatchObject({lease: {epoch: 2}})
    expect(await journal.acquireLease(intent, owner)).toMatchObject({heldBy: owner})
  })

  it('by a write that the database rejects leaves the others of its group', async () => {
    await clearJournal(getAddress())
    const journal = await open(getAddress())
    const [good, bad] = await Promise.all(['good', 'bad'].map((key) => lease(journal, {serviceId, key, content})))
    if (!good || !bad) throw new Error('both are leased')
    const outcomes = await Promise.allSettled([
      journal.commit(bad.lease, enterState(bad.payment, 'CREATED', {made: {transactionId: '\0'}}), {what: 'CREATED'}),
      journal.commit(good.lease, enterState(good.payment, 'ARMED'), {what: 'ARMED'}),
    ])
    expect(outcomes.map(({status}) => status)).toEqual(['rejected', 'fulfilled'])
    expect(await journal.find(serviceId, 'bad')).toMatchObject({state: 'INTENDED'})
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
    expect(await journal.list({serviceId})).toHaveLength(2)
  })
})

describe('the schema', () => {
  it('is made once, also by several at a time, by a role that is no superuser, and others need grants', async () => {
    const {address} = await createTestDatabase()
    const name = new URL(address).pathname.slice(1)
    const [owner, worker] = [name, `${name}_worker`]
    for (const role of [owner, worker]) {
      await runSql(address, `create role ${role} login`)
      onTestFinished(async () => void (await runSql(address, `drop owned by ${role}`, `drop role ${role}`)))
    }
    await runSql(address, `grant create on database ${name} to ${owner}`)
    const own = {text: withDatabase(address, name, owner)}
    const results = await Promise.all([1, 2, 3].map(() => initJournal(own, [journalPart])))
    expect(results.flatMap(({changes}) => changes)).toEqual([{part: 'journal', from: 0, to: journalPart.version}])
    await pay(await open(own.text), 'rent')
    expect(await catchSvcError(open(withDatabase(address, name, worker)))).toMatchObject({
      exitCode: 2,
      hint: expect.stringMatching('docs/postgres.md'),
    })
  })

  it('of another version is refused, and left as it is', async () => {
    const {address} = await createTestDatabase()
    await prepareDatabase(address)
    for (const version of [0, 9]) {
      await runSql(address, `update svc.versions set version = ${version}`)
      expect((await initJournal({text: address}, [journalPart])).changes).toEqual([])
      expect(await catchSvcError(open(address))).toMatchObject({
        exitCode: 2,
        message: expect.stringMatching('was made by another version of svc'),
      })
    }
  })
})
