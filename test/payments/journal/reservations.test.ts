// Reservations: money of a probe counts towards the daily limit like a payment.
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {openReservations} from '../../../src/payments/journal/reservations.ts'
import {openJournal} from '../../../src/payments/journal/sqlite-journal.ts'
import {temporaryFolder} from '../../support/svc.ts'

const serviceId = 'https://api.example.com'
const query = {currency: 'USDC', sinceMs: 1_000}

function open() {
  const file = path.join(temporaryFolder(), 'journal.sqlite')
  return {journal: openJournal(file), reservations: openReservations(file, () => 2_000)}
}

describe('a reservation', () => {
  it('counts as spent for every payment, in its currency, at its service and since its time', () => {
    const {journal, reservations} = open()
    reservations.reserve({serviceId, id: 'one', currency: 'usdc', amount: '1.00'})
    reservations.reserve({serviceId, id: 'two', currency: 'EUR', amount: '5.00'})
    reservations.reserve({serviceId: 'https://other.example.com', id: 'three', currency: 'USDC', amount: '7.00'})
    expect(journal.listSpentAmounts(serviceId, 'rent', query)).toEqual(['1.00'])
    expect(journal.listSpentAmounts(serviceId, 'rent', {...query, sinceMs: 2_001})).toEqual([])
  })

  it('is not written if the check throws, and the check sees the earlier ones', () => {
    const {journal, reservations} = open()
    reservations.reserve({serviceId, id: 'one', currency: 'USDC', amount: '1.00'})
    const seen: string[] = []
    expect(() =>
      reservations.reserve({serviceId, id: 'two', currency: 'USDC', amount: '2.00'}, (listSpentAmounts) => {
        seen.push(...listSpentAmounts(query))
        throw new Error('too much')
      }),
    ).toThrow('too much')
    expect(seen).toEqual(['1.00'])
    expect(journal.listSpentAmounts(serviceId, 'rent', query)).toEqual(['1.00'])
  })

  it('is checked against what was spent under former ids of the service too', () => {
    const file = path.join(temporaryFolder(), 'journal.sqlite')
    openReservations(file, () => 2_000).reserve({serviceId: 'old', id: 'one', currency: 'USDC', amount: '3.00'})
    const seen: string[] = []
    const reservations = openReservations(file, () => 2_000, ['old'])
    reservations.reserve({serviceId, id: 'two', currency: 'USDC', amount: '2.00'}, (listSpentAmounts) =>
      seen.push(...listSpentAmounts(query)),
    )
    expect(seen).toEqual(['3.00'])
  })

  it('ends when it is known that nothing was spent', () => {
    const {journal, reservations} = open()
    reservations.reserve({serviceId, id: 'one', currency: 'USDC', amount: '1.00'})
    reservations.release(serviceId, 'one')
    expect(journal.listSpentAmounts(serviceId, 'rent', query)).toEqual([])
  })
})
