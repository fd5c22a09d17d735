// Listing transactions: filters, pages, lag, and the cost of a deep page.
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it} from 'vitest'
import {listAllCustomers, openTemporary, temporaryFile} from '../../open.ts'
import {listAllTransactions, nobody, pay, findAccountEnds, zoe} from './payments.ts'

const listIds = (transactions: readonly {transactionId: string}[]) =>
  transactions.map(({transactionId}) => transactionId)

describe('listing transactions', () => {
  it('filters by customer, account on either side, organization, and all of them together', async () => {
    const sandbox = openTemporary()
    const {wallet, ACH} = findAccountEnds(sandbox)
    const whole = await listAllTransactions(sandbox, {pageSize: 100})
    const owner = new Map(
      (await listAllCustomers(sandbox)).map(({customerId, organizationId}) => [customerId, organizationId]),
    )
    const organizationId = owner.get(zoe) ?? ''
    const other = [...owner.values()].find((id) => id !== organizationId) ?? ''
    const ofZoe = whole.filter(({customerId}) => customerId === zoe)
    const ofWallet = ofZoe.filter(
      ({source, destination}) =>
        source.sourcePaymentAccountId === wallet.id || destination.destinationPaymentAccountId === wallet.id,
    )
    expect(ofWallet.some(({source}) => source.sourcePaymentAccountId === wallet.id)).toBe(true)
    expect(ofWallet.some(({source}) => source.sourcePaymentAccountId !== wallet.id)).toBe(true)
    const ofOrganization = whole.filter(({customerId}) => owner.get(customerId) === organizationId)
    const found = (query: Record<string, string>) =>
      Promise.all(
        [1, 3, 100].map(async (pageSize) => listIds(await listAllTransactions(sandbox, {...query, pageSize}))),
      )
    const same = (ids: string[]) => [ids, ids, ids]
    expect(await found({customerId: zoe})).toEqual(same(listIds(ofZoe)))
    expect(await found({customerId: zoe.toUpperCase()})).toEqual(same(listIds(ofZoe)))
    expect(await found({paymentAccountId: wallet.id})).toEqual(same(listIds(ofWallet)))
    expect(await found({paymentAccountId: wallet.id.toUpperCase()})).toEqual(same(listIds(ofWallet)))
    expect(await found({organizationId})).toEqual(same(listIds(ofOrganization)))
    expect(await found({customerId: zoe, paymentAccountId: wallet.id, organizationId})).toEqual(same(listIds(ofWallet)))
    expect(await found({customerId: zoe, organizationId})).toEqual(same(listIds(ofZoe)))
    for (const nothing of [
      {customerId: nobody},
      {paymentAccountId: nobody},
      {organizationId: nobody},
      {customerId: zoe, organizationId: other},
      {customerId: nobody, paymentAccountId: ACH.id},
      {paymentAccountId: ACH.id, organizationId: other},
      {customerId: nobody, organizationId},
    ]) {
      expect(await found(nothing)).toEqual(same([]))
    }
  })

  it('lags by the configured seconds, with every filter', async () => {
    const sandbox = openTemporary()
    const {wallet, ACH} = findAccountEnds(sandbox)
    sandbox.faults.setBehaviours({listLagSeconds: 90})
    const {transactionId} = await pay(sandbox, wallet, ACH, '10')
    const queries = [{}, {customerId: zoe}, {paymentAccountId: wallet.id}]
    const seen = async () =>
      Promise.all(
        queries.map(async (query) => listIds(await listAllTransactions(sandbox, query)).includes(transactionId)),
      )
    expect(await seen()).toEqual([false, false, false])
    sandbox.clock.advance(89_999)
    expect(await seen()).toEqual([false, false, false])
    sandbox.clock.advance(1)
    expect(await seen()).toEqual([true, true, true])
  })

  it('can be sorted oldest first, with every filter and page size, and lags in that order too', async () => {
    const sandbox = openTemporary()
    const {wallet, ACH} = findAccountEnds(sandbox)
    const queries = [{}, {customerId: zoe}, {paymentAccountId: wallet.id}]
    const read = async (pageSize: number) =>
      Promise.all(queries.map(async (query) => listIds(await listAllTransactions(sandbox, {...query, pageSize}))))
    const newestFirst = await read(100)
    sandbox.faults.setBehaviours({listOrder: 'oldest-first', listLagSeconds: 30})
    for (const pageSize of [1, 3, 100]) {
      expect(await read(pageSize)).toEqual(newestFirst.map((ids) => ids.toReversed()))
    }
    const {transactionId} = await pay(sandbox, wallet, ACH, '10')
    expect(await read(3)).toEqual(newestFirst.map((ids) => ids.toReversed()))
    sandbox.clock.advance(30_000)
    expect(await read(3)).toEqual(newestFirst.map((ids) => [...ids.toReversed(), transactionId]))
  })

  it('reads a deep page by an index, without sorting other rows', () => {
    const file = temporaryFile()
    openTemporary({file})
    const database = new DatabaseSync(file, {readOnly: true})
    for (const filter of ['', 'customerSeq = ? and', 'organizationSeq = ? and', 'sourceAccountSeq = ? and']) {
      for (const after of [
        '(createdAt, seq) < (5, 5) order by createdAt desc, seq desc limit 3',
        '(createdAt, seq) > (5, 5) order by createdAt, seq limit 3',
      ]) {
        const sql = `select reply from transactions where ${filter} ${after}`
        const plan = database.prepare(`explain query plan ${sql}`).all()
        const text = plan.map(({detail}) => String(detail)).join('\n')
        expect(text).toMatch(/USING INDEX transactionsBy\w+ \(.*\(createdAt,seq\)[<>]\(\?,\?\)\)/)
        expect(text).not.toContain('TEMP B-TREE')
      }
    }
    database.close()
  })
})
