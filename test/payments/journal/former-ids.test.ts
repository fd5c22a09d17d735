// A service that had other ids before: the journal treats payments under all of them as payments at this service.
import path from 'node:path'
import {expect, it, onTestFinished} from 'vitest'
import type {LeaseOwner} from '../../../src/payments/lease-owner.ts'
import {describeThisProcess} from '../../../src/payments/lease-owner.ts'
import {joinFormerIds} from '../../../src/payments/journal/former-ids.ts'
import type {Journal} from '../../../src/payments/journal/journal.ts'
import {openJournal} from '../../../src/payments/journal/sqlite-journal.ts'
import type {Payment, PaymentState} from '../../../src/payments/payment.ts'
import {temporaryFolder} from '../../support/svc.ts'

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

function openBoth(): {plain: Journal; joined: Journal} {
  const plain = openJournal(path.join(temporaryFolder(), 'journal.sqlite'))
  onTestFinished(() => plain.close())
  return {plain, joined: joinFormerIds(plain, 'now', ['before', 'long-before'])}
}

function record(journal: Journal, serviceId: string, key: string, state: PaymentState, amount = '5'): void {
  const payment = journal.findOrCreate({serviceId, key, content: content(amount)})
  const acquired = journal.acquireLease(serviceId, key, owner)
  if (!('lease' in acquired)) throw new Error('the lease is held')
  journal.commit(acquired.lease, {...payment, state, madeAt: 1000}, {what: state})
  journal.releaseLease(acquired.lease)
}

it('finds a payment under a former id, and prefers one that was made, or may have been', () => {
  const {plain, joined} = openBoth()
  record(plain, 'before', 'a', 'CREATED')
  expect(joined.find('now', 'a')).toMatchObject({serviceId: 'before', state: 'CREATED'})
  expect(joined.findOrCreate({serviceId: 'now', key: 'a', content: content('5')}).serviceId).toBe('before')
  expect(plain.find('now', 'a')).toBeUndefined()
  record(plain, 'now', 'b', 'STOPPED')
  record(plain, 'long-before', 'b', 'UNKNOWN')
  expect(joined.find('now', 'b')).toMatchObject({serviceId: 'long-before', state: 'UNKNOWN'})
  record(plain, 'now', 'c', 'REJECTED')
  record(plain, 'before', 'c', 'REJECTED')
  expect(['now', 'before'].map((id) => joined.find(id, 'c')?.serviceId)).toEqual(['now', 'before'])
  expect(joined.find('elsewhere', 'a')).toBeUndefined()
})

it('lists, and adds up, what was paid under all ids, and names only other services as elsewhere', () => {
  const {plain, joined} = openBoth()
  record(plain, 'before', 'a', 'CREATED', '1')
  record(plain, 'now', 'b', 'CREATED', '2')
  record(plain, 'elsewhere', 'a', 'CREATED', '4')
  expect(joined.list({serviceId: 'now'}).map(({key}) => key)).toEqual(['a', 'b'])
  expect(joined.list({}).map(({serviceId}) => serviceId)).toHaveLength(3)
  const query = {currency: 'USDC', sinceMs: 0}
  expect(joined.listSpentAmounts('now', 'c', query).toSorted()).toEqual(['1', '2'])
  const paidTo = joined.listPaidTo({serviceId: 'now', destination: 'to', currency: 'USDC', sinceMs: 0})
  expect(paidTo.map(({key}) => key).toSorted()).toEqual(['a', 'b'])
  expect(joined.findElsewhere('now', 'a').map(({serviceId}) => serviceId)).toEqual(['elsewhere'])
  const payment = joined.findOrCreate({serviceId: 'now', key: 'c', content: content('8')})
  const acquired = joined.acquireLease('now', 'c', owner)
  if (!('lease' in acquired)) throw new Error('the lease is held')
  expect(joined.findLeaseHolder('now', 'c')?.run).toBe(owner.run)
  let spent: string[] = []
  joined.commit(acquired.lease, {...payment, state: 'ARMED'}, {what: 'ARMED'}, (listSpentAmounts) => {
    spent = listSpentAmounts(query)
  })
  expect(spent.toSorted()).toEqual(['1', '2'])
})

it('is the journal itself if there are none', () => {
  const {plain} = openBoth()
  expect(joinFormerIds(plain, 'now', [])).toBe(plain)
})
