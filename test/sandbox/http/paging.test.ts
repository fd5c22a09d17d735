// The sandbox lists customers newest first, each exactly once, with any page size.
import {describe, expect, it} from 'vitest'
import {createCustomer, listAllCustomers, openTemporary, listPage, callExpectingError} from '../open.ts'

describe('listing customers', () => {
  it('returns each one once with every page size', async () => {
    const sandbox = openTemporary()
    sandbox.seedCustomers(80)
    const ids = (await listAllCustomers(sandbox, {pageSize: 100})).map(({customerId}) => customerId)
    expect(new Set(ids).size).toBe(104)
    for (let pageSize = 1; pageSize <= 100; pageSize++) {
      expect((await listAllCustomers(sandbox, {pageSize})).map(({customerId}) => customerId)).toEqual(ids)
    }
  })

  it('has pages of 10 by default, and no token on the last page', async () => {
    const sandbox = openTemporary()
    expect((await listPage(sandbox, {})).customers).toHaveLength(10)
    expect(await listPage(sandbox, {pageSize: 24})).not.toHaveProperty('nextPageToken')
    expect(await listPage(sandbox, {pageSize: 23})).toHaveProperty('nextPageToken')
  })

  it('sorts the newest first, also among customers of the same instant', async () => {
    const sandbox = openTemporary()
    const created = []
    for (const name of ['a', 'b', 'c']) {
      created.unshift(
        (await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: `${name}@example.com`})).customerId,
      )
    }
    const {customers} = await listPage(sandbox, {pageSize: 3})
    expect(customers.map(({customerId}) => customerId)).toEqual(created)
  })

  it('can be sorted oldest first, and page tokens can expire', async () => {
    const sandbox = openTemporary()
    const ids = (await listAllCustomers(sandbox, {pageSize: 100})).map(({customerId}) => customerId)
    sandbox.faults.setBehaviours({listOrder: 'oldest-first', pageTokenSeconds: 10})
    for (const pageSize of [1, 7, 100]) {
      const found = await listAllCustomers(sandbox, {pageSize})
      expect(found.map(({customerId}) => customerId)).toEqual(ids.toReversed())
    }
    const {nextPageToken} = await listPage(sandbox, {})
    sandbox.clock.advance(10_000)
    const {message} = await callExpectingError(sandbox, 'GET', `/customers?pageToken=${nextPageToken}`)
    expect(message).toMatch(/^pageToken has expired/)
  })

  it('neither skips nor repeats a customer if others are created between two pages', async () => {
    const sandbox = openTemporary()
    const ids = (await listAllCustomers(sandbox)).map(({customerId}) => customerId)
    const first = await listPage(sandbox, {pageSize: 5})
    await createCustomer(sandbox, {customerType: 'INDIVIDUAL', email: 'late@example.com'})
    const second = await listPage(sandbox, {pageSize: 5, pageToken: first.nextPageToken ?? ''})
    expect([...first.customers, ...second.customers].map(({customerId}) => customerId)).toEqual(ids.slice(0, 10))
  })

  it('filters by organization, and the organizations together have all customers', async () => {
    const sandbox = openTemporary()
    const {organizations} = sandbox.status()
    const lists = await Promise.all(
      organizations.map(({organizationId}) => listAllCustomers(sandbox, {organizationId, pageSize: 3})),
    )
    for (const [index, list] of lists.entries()) {
      expect(list.length).toBeGreaterThan(0)
      expect(new Set(list.map(({organizationId}) => organizationId))).toEqual(
        new Set([organizations[index]?.organizationId]),
      )
    }
    expect(lists.flat()).toHaveLength(24)
    expect(await listAllCustomers(sandbox, {organizationId: '00000000-0000-4000-8000-000000000000'})).toEqual([])
  })

  it.each(['abc', '0', '101', '-1', '1.5', '', '1e1', '0x10', '99999999999999999999'])(
    'rejects the page size %j by name',
    async (pageSize) => {
      const {error, message} = await callExpectingError(openTemporary(), 'GET', `/customers?pageSize=${pageSize}`)
      expect(error).toBe('BAD_REQUEST')
      expect(message).toMatch(/^pageSize /)
    },
  )

  it('rejects a token that it did not issue, by name', async () => {
    const sandbox = openTemporary()
    const {nextPageToken} = await listPage(sandbox, {})
    const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const tokens = ['x', `${nextPageToken}A`, encoded(null), encoded(['customers']), encoded(['transactions', 1, 1])]
    for (const token of [...tokens, encoded(['customers', 1.5, 2, 3]), encoded(['customers', 1e300, 2, 3]), '%00']) {
      const {error, message} = await callExpectingError(sandbox, 'GET', `/customers?pageToken=${token}`)
      expect(error).toBe('BAD_REQUEST')
      expect(message).toMatch(/^pageToken /)
    }
  })

  it('rejects a repeated parameter and an organization that is not a UUID, and ignores unknown parameters', async () => {
    const sandbox = openTemporary()
    expect((await callExpectingError(sandbox, 'GET', '/customers?pageSize=1&pageSize=2')).message).toMatch(/^pageSize /)
    expect((await callExpectingError(sandbox, 'GET', '/customers?organizationId=7')).message).toMatch(
      /^organizationId /,
    )
    expect((await listPage(sandbox, {colour: 'blue'})).customers).toHaveLength(10)
  })
})
