// A service that had other ids before: the journal treats payments under all of them as payments at this service.
import {Big} from 'big.js'
import {describe, expect, it} from 'vitest'
import {type Journal, type LeaseOwner, describeThisProcess} from '../../../src/payments/journal/journal.ts'
import {joinFormerIds} from '../../../src/payments/journal/entries.ts'
import type {Payment, PaymentState} from '../../../src/payments/protocol/payment.ts'
import {useStores} from './stores.ts'

const content = (sourceAmount: string): Payment['content'] => ({
  customerId: 'c',
  source: {
    sourcePaymentAccountId: 'from',
    sourceCurrency: 'USDC',
    sourcePaymentMethod: 'SOLANA',
    sourceAmount,
  },
  destination: {
    destinationPaymentAccountId: 'to',
    destinationPaymentMethod: 'SOLANA',
    destinationCurrency: 'USDC',
  },
})

const owner: LeaseOwner = describeThisProcess()

async function record(
  journal: Journal,
  serviceId: string,
  key: string,
  state: PaymentState,
  amount = '5',
): Promise<void> {
  const payment = await journal.findOrCreate({serviceId, key, content: content(amount)})
  const acquired = await journal.acquireLease(serviceId, key, owner)
  if (!('lease' in acquired)) throw new Error('the lease is held')
  await journal.commit(acquired.lease, {...payment, state, madeAt: 1000}, {what: state})
  await journal.releaseLease(acquired.lease)
}

describe.each(useStores())('a journal in $name with former ids', (store) => {
  async function openBoth(): Promise<{plain: Journal; joined: Journal}> {
    const plain = await (await store.create()).open()
    return {plain, joined: joinFormerIds(plain, 'now', ['before', 'long-before'])}
  }

  it('finds a payment under a former id, and prefers one that was made, or may have been', async () => {
    const {plain, joined} = await openBoth()
    await record(plain, 'before', 'a', 'CREATED')
    expect(await joined.find('now', 'a')).toMatchObject({serviceId: 'before', state: 'CREATED'})
    const existing = await joined.findOrCreate({serviceId: 'now', key: 'a', content: content('5')})
    expect(existing.serviceId).toBe('before')
    expect(await plain.find('now', 'a')).toBeUndefined()
    await record(plain, 'now', 'b', 'STOPPED')
    await record(plain, 'long-before', 'b', 'UNKNOWN')
    expect(await joined.find('now', 'b')).toMatchObject({serviceId: 'long-before', state: 'UNKNOWN'})
    await record(plain, 'now', 'c', 'REJECTED')
    await record(plain, 'before', 'c', 'REJECTED')
    for (const id of ['now', 'before']) expect(await joined.find(id, 'c')).toMatchObject({serviceId: id})
    expect(await joined.find('elsewhere', 'a')).toBeUndefined()
  })

  it('lists, and adds up, what was paid under all ids, and names only other services as elsewhere', async () => {
    const {plain, joined} = await openBoth()
    await record(plain, 'before', 'a', 'CREATED', '1')
    await record(plain, 'now', 'b', 'CREATED', '2')
    await record(plain, 'elsewhere', 'a', 'CREATED', '4')
    expect((await joined.list({serviceId: 'now'})).map(({key}) => key)).toEqual(['a', 'b'])
    expect(await joined.list({})).toHaveLength(3)
    const query = {currency: 'USDC', sinceMs: 0}
    expect((await joined.listSpentAmounts('now', 'c', query)).toSorted()).toEqual(['1', '2'])
    const paidTo = await joined.listPaidTo({serviceId: 'now', destination: 'to', currency: 'USDC', sinceMs: 0})
    expect(paidTo.map(({key}) => key).toSorted()).toEqual(['a', 'b'])
    expect((await joined.findElsewhere('now', 'a')).map(({serviceId}) => serviceId)).toEqual(['elsewhere'])
    const payment = await joined.findOrCreate({serviceId: 'now', key: 'c', content: content('8')})
    const acquired = await joined.acquireLease('now', 'c', owner)
    if (!('lease' in acquired)) throw new Error('the lease is held')
    expect((await joined.findLeaseHolder('now', 'c'))?.run).toBe(owner.run)
    let spent: string[] = []
    await joined.commit(
      acquired.lease,
      {...payment, state: 'ARMED'},
      {what: 'ARMED'},
      {spending: query, judge: ({spentAmounts}) => void (spent = spentAmounts)},
    )
    // A store may add amounts up.
    expect(spent.reduce((sum, amount) => sum.plus(amount), new Big('0')).toFixed()).toBe('3')
  })

  it('is the journal itself if there are none', async () => {
    const {plain} = await openBoth()
    expect(joinFormerIds(plain, 'now', [])).toBe(plain)
  })
})
