// Which payments count as possible duplicates of another one.
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {describeDuplicate, findDuplicates} from '../../../src/payments/pay/objections.ts'
import type {Intent, Journal} from '../../../src/payments/journal/journal.ts'
import {openSqliteJournal} from '../../../src/payments/journal/open-journal.ts'
import {createServerClock} from '../../../src/payments/protocol/clock.ts'
import type {Payment, PaymentContent} from '../../../src/payments/protocol/payment.ts'
import {lease, recordIntent} from '../../support/lease.ts'
import {temporaryFolder} from '../../support/svc.ts'

const serviceId = 'https://api.example.com'
const dayMs = 86_400_000
const nowMs = Date.parse('2026-11-15T12:00:00Z')
const clock = createServerClock(() => nowMs)

const content = (amount = '100', to = 'bank', currency = 'USDC'): PaymentContent => ({
  customerId: 'c',
  source: {
    sourcePaymentAccountId: 'w',
    sourceCurrency: currency,
    sourcePaymentMethod: 'SOLANA',
    sourceAmount: amount,
  },
  destination: {destinationPaymentAccountId: to, destinationCurrency: 'USD', destinationPaymentMethod: 'ACH'},
})

const open = () => openSqliteJournal(path.join(temporaryFolder(), 'journal.sqlite'), {now: () => nowMs})

// Records a payment as it is after it was armed so long ago.
async function record(
  journal: Journal,
  intent: Partial<Intent> & {key: string},
  agoMs: number,
  change: Partial<Payment> = {},
) {
  const whole: Intent = {serviceId, content: content(), ...intent}
  const acquired = await lease(journal, whole)
  const price = {rate: '1', received: '1', svcFee: '0', developerFee: '0', feeCurrency: 'USDC'}
  const times = {quoteExpiresAt: nowMs - agoMs + 300_000, armedAt: nowMs - agoMs, serverAheadMs: 0}
  const attempts = [{quoteId: `q-${whole.key}`, price, ...times, sends: 1}]
  await journal.commit(acquired.lease, {...acquired.payment, state: 'CREATED', attempts, ...change}, {what: 'TEST'})
  await journal.releaseLease(acquired.lease)
}

async function find(journal: Journal, intent: Partial<Intent> & {key: string}, windowMs = 3 * dayMs) {
  const whole = {serviceId, content: content(), ...intent}
  return (await findDuplicates({journal, clock}, whole, windowMs)).map(({key}) => key)
}

describe('a possible duplicate', () => {
  it('has the same amount as a number, the same currency and the same account, and another key', async () => {
    const journal = open()
    await record(journal, {key: 'same', content: content('100.00', 'bank', 'usdc')}, dayMs)
    await record(journal, {key: 'more', content: content('100.01')}, dayMs)
    await record(journal, {key: 'elsewhere', content: content('100', 'other')}, dayMs)
    await record(journal, {key: 'euro', content: content('100', 'bank', 'EURC')}, dayMs)
    expect(await find(journal, {key: 'new'})).toEqual(['same'])
  })

  it('was made in the window, at the same service', async () => {
    const journal = open()
    await record(journal, {key: 'old'}, 3 * dayMs + 1)
    await record(journal, {key: 'young'}, 3 * dayMs - 1)
    await record(journal, {key: 'other', serviceId: 'https://other.example.com'}, dayMs)
    expect(await find(journal, {key: 'new'})).toEqual(['young'])
    expect(await find(journal, {key: 'new'}, 4 * dayMs)).toEqual(['old', 'young'])
    expect(await find(journal, {key: 'new'}, 0)).toEqual([])
  })

  it('was made or may have been made, and did not end badly', async () => {
    const journal = open()
    for (const state of ['ARMED', 'UNKNOWN', 'CREATED', 'REJECTED', 'ABANDONED', 'STOPPED'] as const) {
      await record(journal, {key: state}, dayMs, {state})
    }
    await record(journal, {key: 'failed'}, dayMs, {ended: 'FAILED'})
    expect((await find(journal, {key: 'new'})).toSorted()).toEqual(['ARMED', 'CREATED', 'UNKNOWN'])
  })

  it('is no other slot of the same template, whatever its zone', async () => {
    const journal = open()
    await record(journal, {key: 'rent-1', template: 'rent-{date}'}, dayMs)
    await record(journal, {key: 'rent-2', template: 'rent-{date}'}, dayMs)
    await record(journal, {key: 'wage-1', template: 'wage-{date}'}, dayMs)
    expect(await find(journal, {key: 'rent-3', template: 'rent-{date}'})).toEqual(['wage-1'])
    expect(await find(journal, {key: 'plain'})).toEqual(['rent-1', 'rent-2', 'wage-1'])
  })

  it('does not matter for a payment that was or may have been made under its own key, but for every other', async () => {
    const journal = open()
    await record(journal, {key: 'other'}, dayMs)
    await record(journal, {key: 'rejected'}, dayMs, {state: 'REJECTED'})
    await recordIntent(journal, {serviceId, key: 'intended', content: content()})
    await record(journal, {key: 'unknown', content: content('7')}, dayMs, {state: 'UNKNOWN'})
    expect(await find(journal, {key: 'unknown'})).toEqual([])
    expect(await find(journal, {key: 'other'})).toEqual([])
    // It may have been paid under the other key because it was rejected.
    expect(await find(journal, {key: 'rejected'})).toEqual(['other'])
    expect(await find(journal, {key: 'intended'})).toEqual(['other'])
  })

  it('is described by amount, account, key, state and time', async () => {
    const journal = open()
    await record(journal, {key: 'rent'}, dayMs, {state: 'UNKNOWN'})
    const [found] = await findDuplicates({journal, clock}, {serviceId, key: 'new', content: content()}, dayMs * 3)
    expect(found && describeDuplicate(found)).toBe(
      '100 USDC to bank under the key rent, maybe made at 2026-11-14 12:00 UTC',
    )
  })
})
