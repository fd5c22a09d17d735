// The content of a new sandbox, adding demo customers, and resets.
import {ControlError} from '../../../src/sandbox/operations/control-error.ts'
import {describe, expect, it} from 'vitest'
import {customerStatuses, customerTypes} from '../../../src/contract/vocabulary.ts'
import {openSandbox} from '../../../src/sandbox/sandbox.ts'
import {measureCpuMs} from '../../support/cpu-time.ts'
import {
  createCustomer,
  dumpTables,
  listAllCustomers,
  openTemporary,
  listPage,
  passport,
  patchCustomer,
  readCustomer,
  temporaryFile,
} from '../open.ts'

describe('a new sandbox', () => {
  it('has every status of both types, and two organizations', async () => {
    const sandbox = openTemporary()
    const customers = await listAllCustomers(sandbox)
    expect(customers).toHaveLength(24)
    const kinds = new Set(customers.map(({customerType, customerStatus}) => `${customerType} ${customerStatus}`))
    expect(kinds.size).toBe(customerTypes.length * customerStatuses.length)
    expect(new Set(customers.map(({organizationId}) => organizationId)).size).toBe(2)
    expect(sandbox.status().organizations).toHaveLength(2)
  })

  it('has the same customers with the same ids on every machine, whatever the seed', async () => {
    const known = (await listAllCustomers(openTemporary())).map(({customerId, name}) => [customerId, name])
    expect(known[0]).toEqual(['f80a5001-be2d-4368-9726-a4523bfb5e71', 'Grace Holloway-Pike'])
    expect(known[5]?.[1]).toBe('Zoë Ångström')
    const seeded = (await listAllCustomers(openTemporary({seed: 'x'}))).map(({customerId, name}) => [customerId, name])
    expect(seeded).toEqual(known)
  })

  it('has links to forms that cannot be guessed, unless a seed is given', async () => {
    const links = async (seed?: string) =>
      (await listAllCustomers(openTemporary({seed}))).map(({verificationLink}) => verificationLink)
    const [one, other] = [await links(), await links()]
    expect(one.some((link) => other.includes(link))).toBe(false)
    expect(await links('x')).toEqual(await links('x'))
  })

  it('has customers that become ACTIVE when only the missing fields are added', async () => {
    const sandbox = openTemporary()
    const mateo = (await listAllCustomers(sandbox)).find(({name}) => name === 'Mateo Quiroga')
    expect(mateo?.verificationIssues).toMatchObject([{code: 'NO_GOVERNMENT_ID'}])
    const customerId = mateo?.customerId ?? ''
    await patchCustomer(sandbox, customerId, {kycData: {documents: [{...passport, countryCode: 'AR'}]}})
    sandbox.clock.advance(60_000)
    expect(await readCustomer(sandbox, customerId)).toMatchObject({customerStatus: 'ACTIVE', name: 'Mateo Quiroga'})
  })

  it('cannot be opened with another seed than its own', () => {
    const file = temporaryFile()
    openTemporary({file, seed: 'a'})
    expect(() => openSandbox({file, seed: 'b'})).toThrow(/another seed/)
    expect(openTemporary({file, seed: 'a'}).status().seedGiven).toBe(true)
    expect(openTemporary({file}).status().seedGiven).toBe(true)
  })
})

describe('more demo customers', () => {
  it('are the same on every machine, whether added at once or in several steps', async () => {
    const [one, other] = [openTemporary(), openTemporary()]
    expect(one.seedCustomers(30)).toEqual({added: 30})
    other.seedCustomers(10)
    other.seedCustomers(20)
    const ids = async (sandbox: typeof one) =>
      (await listAllCustomers(sandbox)).map(({customerId}) => customerId).toSorted()
    expect(await ids(one)).toEqual(await ids(other))
    expect(() => one.seedCustomers(-1)).toThrow(ControlError)
  })

  it('are added by the hundred thousand within seconds', async () => {
    const sandbox = openTemporary()
    expect(measureCpuMs(() => sandbox.seedCustomers(100_000))).toBeLessThan(15_000)
    expect(Object.values(sandbox.status().customers).reduce((sum, count) => sum + count)).toBe(100_024)
    expect((await listPage(sandbox, {pageSize: 100})).customers).toHaveLength(100)
  })
})

describe('a reset', () => {
  it('deletes everything, sets the clock to real time, and keeps the API key', async () => {
    const sandbox = openTemporary()
    const {apiKey} = sandbox
    const {customerId} = await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'gone@example.com'})
    sandbox.seedCustomers(5)
    sandbox.reset()
    expect(sandbox.apiKey).toBe(apiKey)
    expect((await listAllCustomers(sandbox)).map((customer) => customer.customerId)).not.toContain(customerId)
    expect(sandbox.status()).toMatchObject({
      clock: {frozen: false, offsetMs: 0},
      queue: {waiting: 20},
      seedGiven: false,
    })
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
