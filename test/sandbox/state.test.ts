// The state of a sandbox: its file, its seed and demo data, its clock and queue, its log, and what a reset leaves of them.
import fs from 'node:fs'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it} from 'vitest'
import {customerStatuses, customerTypes} from '../../src/contract/vocabulary.ts'
import {ControlError} from '../../src/sandbox/operations/control-error.ts'
import {SandboxFileError, openSandbox} from '../../src/sandbox/sandbox.ts'
import {inMemory} from '../../src/storage/sqlite.ts'
import {measureCpuMs} from '../support/cpu-time.ts'
import {
  call,
  createCustomer,
  dayMs,
  dumpTables,
  hourMs,
  listAllCustomers,
  listPage,
  noon,
  openTemporary,
  passport,
  patchCustomer,
  querySql,
  readCustomer,
  temporaryFile,
} from './open.ts'

const readMode = (path: string) => (fs.statSync(path).mode & 0o777).toString(8)
const idsOf = (items: readonly {customerId: string}[]) => items.map(({customerId}) => customerId)
const someData = {kycData: {nationality: 'NO'}}

describe('the file', () => {
  it.each([
    ['of a newer svc', 'pragma user_version = 99', /newer svc \(schema 99; this svc knows \d+\): update svc/],
    ['of an older svc', 'pragma user_version = 1', /was written by an older svc \(schema 1; this svc knows \d+\)/],
    ['of another application', 'create table precious (x); insert into precious values (1)', /not a sandbox/],
    ['that is no database', undefined, /is not a database/],
  ])('%s is rejected with a reason, and not changed', (_, sql, sentence) => {
    const file = temporaryFile()
    if (sql?.startsWith('pragma')) openSandbox({file}).close()
    if (sql === undefined) fs.writeFileSync(file, 'Dear diary, today I wrote more than a hundred bytes. '.repeat(20))
    else {
      const database = new DatabaseSync(file)
      database.exec(sql)
      database.close()
    }
    fs.chmodSync(file, 0o640)
    const before = fs.readFileSync(file)
    expect(() => openSandbox({file})).toThrow(SandboxFileError)
    expect(() => openSandbox({file})).toThrow(sentence)
    expect([fs.readFileSync(file).equals(before), readMode(file)]).toEqual([true, '640'])
  })

  it('that is none keeps no named snapshots, and leaves no folder behind', () => {
    const {snapshots} = openTemporary({file: inMemory})
    expect(() => snapshots.save('before')).toThrow(/in memory, so it keeps no named snapshots/)
    expect([snapshots.list(), fs.existsSync(`${inMemory}.snapshots`)]).toEqual([[], false])
  })
})

describe('a new sandbox', () => {
  it('has every status of both types and two organizations, with the same ids whatever the seed', async () => {
    const sandbox = openTemporary()
    const customers = await listAllCustomers(sandbox)
    const kinds = new Set(customers.map(({customerType, customerStatus}) => `${customerType} ${customerStatus}`))
    expect([customers.length, kinds.size]).toEqual([24, customerTypes.length * customerStatuses.length])
    expect(new Set(customers.map(({organizationId}) => organizationId)).size).toBe(2)
    expect(customers[0]).toMatchObject({
      customerId: 'f80a5001-be2d-4368-9726-a4523bfb5e71',
      name: 'Grace Holloway-Pike',
    })
    expect(idsOf(await listAllCustomers(openTemporary({seed: 'x'})))).toEqual(idsOf(customers))
  })

  it('has links to forms that cannot be guessed, unless a seed is given, which it keeps', async () => {
    const links = async (seed?: string) =>
      (await listAllCustomers(openTemporary({seed}))).map(({verificationLink}) => verificationLink)
    const [one, other] = [await links(), await links()]
    expect(one.some((link) => other.includes(link))).toBe(false)
    expect(await links('x')).toEqual(await links('x'))
    const file = temporaryFile()
    openTemporary({file, seed: 'a'})
    expect(() => openSandbox({file, seed: 'b'})).toThrow(/another seed/)
    for (const seed of ['a', undefined]) expect(openTemporary({file, seed}).status().seedGiven).toBe(true)
  })

  it('has customers that become ACTIVE when only the missing fields are added', async () => {
    const sandbox = openTemporary()
    const mateo = (await listAllCustomers(sandbox)).find(({name}) => name === 'Mateo Quiroga') ?? expect.fail()
    expect(mateo.verificationIssues).toMatchObject([{code: 'NO_GOVERNMENT_ID'}])
    await patchCustomer(sandbox, mateo.customerId, {kycData: {documents: [{...passport, countryCode: 'AR'}]}})
    sandbox.clock.advance(60_000)
    expect((await readCustomer(sandbox, mateo.customerId)).customerStatus).toBe('ACTIVE')
  })

  it('gets more demo customers, the same on every machine, twenty thousand within seconds', async () => {
    const [one, other] = [openTemporary(), openTemporary()]
    expect(one.seedCustomers(30)).toEqual({added: 30})
    for (const count of [10, 20]) other.seedCustomers(count)
    const ids = async (sandbox: typeof one) => idsOf(await listAllCustomers(sandbox)).toSorted()
    expect(await ids(one)).toEqual(await ids(other))
    expect(() => one.seedCustomers(-1)).toThrow(ControlError)
    expect(measureCpuMs(() => one.seedCustomers(20_000))).toBeLessThan(3_000)
    expect(Object.values(one.status().customers).reduce((sum, count) => sum + count)).toBe(20_054)
    expect((await listPage(one, '/customers', {pageSize: 100})).customers).toHaveLength(100)
  })
})

describe('a reset', () => {
  it('deletes everything, sets the clock to real time, and keeps the API key', async () => {
    const sandbox = openTemporary()
    const {apiKey} = sandbox
    const {customerId} = await createCustomer(sandbox)
    sandbox.seedCustomers(5)
    sandbox.reset()
    expect(idsOf(await listAllCustomers(sandbox))).not.toContain(customerId)
    const clock = {frozen: false, offsetMs: 0}
    expect(sandbox.status()).toMatchObject({clock, queue: {waiting: 20}, seedGiven: false})
    expect([sandbox.apiKey, sandbox.requests.newest()]).toEqual([apiKey, 3])
  })

  it('with a seed gives the same database as a new one with this seed', () => {
    const [used, fresh] = [temporaryFile(), temporaryFile()]
    const beginning = {seed: 'lighthouse', frozenAt: new Date('2030-01-01T00:00:00Z')}
    const sandbox = openTemporary({file: used})
    sandbox.seedCustomers(5)
    sandbox.reset(beginning)
    expect(sandbox.apiKey).toBe(openTemporary({file: fresh, ...beginning}).apiKey)
    // Only the generation differs: a payment journal must not take it for the same service as before.
    const apartFromTheCount = (file: string) => dumpTables(file).replace(/"generation": \d+/, '')
    expect(apartFromTheCount(used)).toBe(apartFromTheCount(fresh))
    expect(dumpTables(used)).not.toBe(dumpTables(fresh))
  })
})

describe('the clock', () => {
  it('is advanced, frozen and run, and is stored in the file', () => {
    expect(openTemporary({frozenAt: undefined}).clock.advance(hourMs)).toMatchObject({frozen: false, offsetMs: hourMs})
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    expect(sandbox.clock.advance(hourMs)).toMatchObject({frozen: true, now: '2026-11-15T13:00:00.000Z'})
    sandbox.clock.freeze(new Date('2040-01-01T00:00:00Z'))
    expect(openTemporary({file}).status().clock).toMatchObject({frozen: true, now: '2040-01-01T00:00:00.000Z'})
    const {frozen, now} = sandbox.clock.run()
    expect([frozen, now.slice(0, 15)]).toEqual([false, '2040-01-01T00:0'])
    expect(sandbox.clock.freeze()).toMatchObject({frozen: true})
  })

  it('never goes back, nor beyond the years of a timestamp', () => {
    const {clock} = openTemporary()
    for (const ms of [-1, 0.5, Number.MAX_SAFE_INTEGER]) expect(() => clock.advance(ms)).toThrow(ControlError)
    for (const at of [noon.getTime() - 1, Number.NaN]) expect(() => clock.freeze(new Date(at))).toThrow(ControlError)
    expect(clock.status().now).toBe(noon.toISOString())
  })
})

describe('the queue', () => {
  it('runs due tasks in the order of their times, and each sees the time at which it was due', async () => {
    const sandbox = openTemporary()
    const [first, second] = [await createCustomer(sandbox), await createCustomer(sandbox)]
    await patchCustomer(sandbox, first.customerId, someData)
    sandbox.clock.advance(2_000)
    await patchCustomer(sandbox, second.customerId, someData)
    expect(sandbox.status().queue).toEqual({waiting: 22, failed: 0, nextDue: '2026-11-15T12:00:05.000Z'})
    // A task that another task queued runs in the same advance.
    const third = await createCustomer(sandbox, someData)
    sandbox.clock.freeze(new Date(noon.getTime() + dayMs))
    const decided = await Promise.all([first, second, third].map(({customerId}) => readCustomer(sandbox, customerId)))
    expect(decided.map(({updatedAt}) => updatedAt.slice(-4))).toEqual([':05Z', ':07Z', ':07Z'])
    expect(sandbox.status().queue).toEqual({waiting: 11, failed: 0, nextDue: '2026-11-18T11:00:00.000Z'})
  })

  it('skips a task that throws, undoes what it wrote, and shows it in the status', async () => {
    const file = temporaryFile()
    const sandbox = openTemporary({file})
    const {customerId} = await createCustomer(sandbox)
    const payload = JSON.stringify({customerId: 'nobody', review: 1})
    querySql(
      file,
      `insert into queue (due, kind, payload) values (${noon.getTime()}, 'verification.decide', '${payload}') returning seq`,
    )
    await patchCustomer(sandbox, customerId, someData)
    sandbox.clock.advance(hourMs)
    expect((await readCustomer(sandbox, customerId)).customerStatus).toBe('NEEDS_ADDITIONAL_INFORMATION')
    const lastFailure = 'verification.decide: There is no customer nobody'
    expect(sandbox.status().queue).toMatchObject({failed: 1, lastFailure})
    sandbox.reset()
    expect(sandbox.status().queue.failed).toBe(0)
  })
})

describe('the request log', () => {
  it('keeps the last ten thousand requests, lists those after a given one, and starts again with a reset', async () => {
    const file = temporaryFile()
    const writer = openTemporary({file, batchMs: 10_000})
    for (let count = 0; count < 10_100; count++) await writer.fetch(new Request('http://sandbox.invalid/customers'))
    writer.close()
    const sandbox = openTemporary({file})
    const {requests: log} = sandbox
    expect([log.newest(), log.last(20_000).length]).toEqual([10_100, 10_000])
    expect(log.since(10_098).requests.map(({seq}) => seq)).toEqual([10_099, 10_100])
    sandbox.reset()
    expect(log.last(10)).toEqual([])
    await call(sandbox, 'GET', '/customers')
    expect(log.since(10_100)).toMatchObject({seq: 1, requests: [{path: '/customers'}]})
  })
})
