// The state of a sandbox: its seed and demo data, its clock and queue, its log, and what a reset leaves of them.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {customerStatuses, customerTypes} from '../../src/contract/vocabulary.ts'
import {ControlError} from '../../src/sandbox/operations/control-error.ts'
import {openSandbox} from '../../src/sandbox/sandbox.ts'
import {inMemory} from '../../src/storage/sqlite.ts'
import {measureCpuMs} from '../support/cpu-time.ts'
import {
  call,
  completeKyc,
  createCustomer,
  createTransaction,
  dayMs,
  dumpTables,
  findAccountEnds,
  hourMs,
  listAllCustomers,
  listPage,
  minuteMs,
  noon,
  openTemporary,
  patchCustomer,
  querySql,
  quoteBody,
  readCustomer,
  requestQuote,
  temporaryFile,
  toRoute,
  zoe,
} from './open.ts'

const idsOf = (items: readonly {customerId: string}[]) => items.map(({customerId}) => customerId)
const someData = {kycData: {nationality: 'NO'}}

it('the file that is none keeps no named snapshots, and leaves no folder behind', () => {
  const {snapshots} = openTemporary({file: inMemory})
  expect(() => snapshots.save('before')).toThrow(/in memory, so it keeps no named snapshots/)
  expect([snapshots.list(), fs.existsSync(`${inMemory}.snapshots`)]).toEqual([[], false])
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

it('the request log keeps the last ten thousand requests, lists those after a given one, and starts again with a reset', async () => {
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

// Shorter than an id may be, with the characters that an id may have.
const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlMQ'
const parts = token.split('.')

const known = endpointEntries.flatMap(({endpoint}) => Object.keys(endpoint.query?.shape ?? {}))
const parameters = [...new Set(known), 'access_token']

const queries = [
  ...parameters.map((name) => `${name}=${token}`),
  ...parameters.map((name) => `${name}=${parts[1]}`),
  ...parameters.map((name) => `${name}=1&${name}=${token}`),
  `pageToken=Wy${parts[1]}`,
  token,
  `${token}=1`,
  `%22=${token}`,
]

const targets = ['/customers', '/transactions', '/payment-accounts', '/automation-rules', '/nowhere']

it.each(['throws', 'is silent'])('a log that cannot be written changes no reply, if onFault %s', async (kind) => {
  const file = temporaryFile()
  const faults: unknown[] = []
  const onFault = (error: unknown) => {
    faults.push(error)
    if (kind === 'throws') throw error
  }
  const sandbox = openSandbox({file, frozenAt: noon, onFault})
  querySql(file, "create trigger full before insert on requests begin select raise(abort, 'no space'); end")
  const made = await createCustomer(sandbox)
  expect(await call(sandbox, 'GET', `/customers/${made.customerId}`)).toMatchObject({status: 200})
  expect(await call(sandbox, 'GET', '/customers/nobody')).toMatchObject({status: 400})
  expect(faults).toHaveLength(3)
  sandbox.close()
})

it.each(['reset', 'restore'] as const)('nothing of a customer is left in the files after a %s', async (way) => {
  const file = temporaryFile()
  const sandbox = openSandbox({file, frozenAt: noon})
  sandbox.snapshots.save('before')
  const names = Array.from({length: 20}, (_, index) => `Ermintrude${index}`)
  for (const legalFirstName of names) await createCustomer(sandbox, {kycData: {legalFirstName}})
  expect(querySql(file, 'select count(*) as count from customers')).toEqual([{count: expect.any(Number) as number}])
  if (way === 'reset') sandbox.reset()
  else sandbox.snapshots.restore('before')
  // A server keeps the database open for days, and with it the write-ahead log.
  const folder = path.dirname(file)
  const readAll = () =>
    fs
      .readdirSync(folder, {recursive: true, encoding: 'utf8'})
      .map((name) => path.join(folder, name))
      .filter((name) => fs.statSync(name).isFile())
      .map((name) => fs.readFileSync(name, 'latin1'))
  expect(readAll().filter((text) => text.includes('Ermintrude'))).toEqual([])
  sandbox.close()
  expect(fs.readdirSync(folder).filter((name) => name.endsWith('-wal'))).toEqual([])
  expect(readAll().filter((text) => text.includes('Ermintrude'))).toEqual([])
})

it('the log of the sandbox has nothing of a query but which parameters of the interface were used', async () => {
  const file = temporaryFile()
  const sandbox = openTemporary({file})
  for (const [index, query] of queries.entries()) {
    const reply = await call(sandbox, 'GET', `${targets[index % targets.length]}?${query}`)
    expect([200, 400, 404]).toContain(reply.status)
  }
  const logged = sandbox.requests.last(100)
  expect(logged).toHaveLength(queries.length)
  for (const part of parts) expect(JSON.stringify(logged) + dumpTables(file)).not.toContain(part)
  await call(sandbox, 'GET', '/customers?pageSize=1&mine=2')
  expect(sandbox.requests.last(1)).toMatchObject([{path: '/customers?pageSize=…&…=…'}])
})

// With the same seed, a frozen clock and the same requests, two databases are equal byte for byte.
// Uses every part of the service once.
async function runStory(seed: string): Promise<string> {
  const file = temporaryFile()
  const sandbox = openTemporary({file, seed})
  sandbox.webhooks.add({url: 'http://127.0.0.1:9/hook'})
  sandbox.faults.add({method: 'GET', path: '/customers', kind: 'status', status: 503, probability: 0.5})
  for (let count = 0; count < 10; count++) await call(sandbox, 'GET', '/customers?pageSize=1')
  sandbox.faults.clear()
  const kycData = {...completeKyc, accountPurposeOther: 'MAGIC_DOC_QUALITY_POOR'}
  const {customerId} = await createCustomer(sandbox, {kycData})
  sandbox.clock.advance(minuteMs)
  await patchCustomer(sandbox, customerId, {kycData: {phoneNumber: '+15551234567'}})
  sandbox.clock.advance(minuteMs)
  const {wallet, ACH} = findAccountEnds(sandbox)
  const {quoteId} = await requestQuote(sandbox, quoteBody(wallet, ACH, '12.34'))
  await createTransaction(sandbox, {quoteId}, 'one')
  const rule = await call(sandbox, 'POST', '/automation-rules', {
    name: 'Daily',
    customerId: zoe,
    transactionTemplate: {...toRoute(wallet, ACH), amount: {type: 'PCT', value: '1'}},
    trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * *'},
  })
  expect(rule.status).toBe(200)
  sandbox.clock.advance(3 * dayMs)
  sandbox.seedCustomers(5)
  sandbox.money.verifyLedger()
  return dumpTables(file)
}

it('the same seed, a frozen clock and the same requests give a byte-identical database, and another seed does not', async () => {
  const [one, other] = [await runStory('twin'), await runStory('twin')]
  expect(one.length).toBeGreaterThan(50_000)
  expect(other).toBe(one)
  expect(await runStory('stranger')).not.toBe(one)
})
