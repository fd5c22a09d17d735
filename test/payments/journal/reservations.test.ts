// Reservations: money of a probe counts towards the daily limit like a payment.
import {describe, expect, it} from 'vitest'
import {joinFormerIds} from '../../../src/payments/journal/entries.ts'
import {type TestStore, useStores} from './stores.ts'

const serviceId = 'https://api.example.com'
const query = {currency: 'USDC', sinceMs: 1_000}

const openEmpty = async (store: TestStore) => (await store.create()).open()

describe.each(useStores())('a reservation in $name', (store) => {
  it('counts as spent for every payment, in its currency, at its service and since its time', async () => {
    const created = await store.create()
    const journal = await created.open()
    await journal.reserve({serviceId, id: 'one', currency: 'usdc', amount: '1.00'})
    await journal.reserve({serviceId, id: 'two', currency: 'EUR', amount: '5.00'})
    await journal.reserve({serviceId: 'https://other.example.com', id: 'three', currency: 'USDC', amount: '7.00'})
    expect(await journal.listSpentAmounts(serviceId, 'rent', query)).toEqual(['1.00'])
    expect(await journal.listSpentAmounts(serviceId, 'rent', {...query, sinceMs: (await created.now()) + 1})).toEqual(
      [],
    )
  })

  it('is not written if the check throws, and the check sees the earlier ones', async () => {
    const journal = await openEmpty(store)
    await journal.reserve({serviceId, id: 'one', currency: 'USDC', amount: '1.00'})
    const seen: string[] = []
    const judge = ({spentAmounts}: {spentAmounts: string[]}) => {
      seen.push(...spentAmounts)
      throw new Error('too much')
    }
    const reservation = {serviceId, id: 'two', currency: 'USDC', amount: '2.00'}
    await expect(journal.reserve(reservation, {spending: query, judge})).rejects.toThrow('too much')
    expect(seen).toEqual(['1.00'])
    expect(await journal.listSpentAmounts(serviceId, 'rent', query)).toEqual(['1.00'])
  })

  it('is checked against what was spent under former ids of the service too', async () => {
    const journal = await openEmpty(store)
    await journal.reserve({serviceId: 'old', id: 'one', currency: 'USDC', amount: '3.00'})
    const seen: string[] = []
    const joined = joinFormerIds(journal, serviceId, ['old'])
    const reservation = {serviceId, id: 'two', currency: 'USDC', amount: '2.00'}
    await joined.reserve(reservation, {
      spending: query,
      judge: ({spentAmounts}) => void seen.push(...spentAmounts),
    })
    expect(seen).toEqual(['3.00'])
  })

  it('ends when it is known that nothing was spent', async () => {
    const journal = await openEmpty(store)
    await journal.reserve({serviceId, id: 'one', currency: 'USDC', amount: '1.00'})
    await journal.cancelReservation(serviceId, 'one')
    expect(await journal.listSpentAmounts(serviceId, 'rent', query)).toEqual([])
  })
})
