// Money that may be spent without a payment of its own, such as by a probe. It is in the journal before it can be spent, so
// that it counts towards the daily limit of a profile in every process.
import {describeJournalFailure, openJournalFile} from './file.ts'
import type {CommitCheck} from './journal.ts'
import {selectSpentAmounts} from './spent-amounts.ts'

interface Reservation {
  serviceId: string
  id: string
  currency: string
  // Decimal text.
  amount: string
}

export interface Reservations {
  // Durable when this returns. If the check throws, nothing is written.
  reserve(reservation: Reservation, check?: CommitCheck): void
  // For money that is known not to have been spent.
  release(serviceId: string, id: string): void
  close(): void
}

// What was spent under the former ids of the service counts as well.
export function openReservations(
  file: string,
  now: () => number = Date.now,
  formerIds: readonly string[] = [],
): Reservations {
  const connection = openJournalFile(file)
  const transact = (work: () => void) => {
    try {
      connection.transact(work)
    } catch (error) {
      throw describeJournalFailure(file, error)
    }
  }
  return {
    reserve({serviceId, id, currency, amount}, check) {
      transact(() => {
        const ids = [serviceId, ...formerIds]
        check?.((query) => ids.flatMap((each) => selectSpentAmounts(connection, {serviceId: each, key: ''}, query)))
        connection.run(
          'insert or replace into reservations (serviceId, id, currency, amount, spentAt) values (?, ?, ?, ?, ?)',
          serviceId,
          id,
          currency.toUpperCase(),
          amount,
          now(),
        )
      })
    },
    release: (serviceId, id) =>
      transact(() => connection.run('delete from reservations where serviceId = ? and id = ?', serviceId, id)),
    close: () => connection.close(),
  }
}
