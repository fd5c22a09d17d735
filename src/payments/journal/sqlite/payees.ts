// Finds out since when the journal knows payees, and whether it has paid them.
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import type {Payee} from '../journal.ts'

// Uses the index of payments that have spent money.
const selectPaid = `select value as destination from json_each(:destinations) where exists (
    select 1 from payments where serviceId = :serviceId and destination = value and spentAt is not null
      and state = 'CREATED' and payment ->> '$.ended' is null)`

const selectSeen = `select destination, min(createdAt) as firstSeenAt from payments
  where serviceId = :serviceId and destination in (select value from json_each(:destinations)) group by destination`

export function selectPayees(
  connection: SqliteConnection,
  serviceId: string,
  destinations: readonly string[],
): Payee[] {
  const select = (sql: string, wanted: readonly string[]) =>
    connection.prepare(sql).all({serviceId, destinations: JSON.stringify(wanted)})
  const paid = new Set(select(selectPaid, destinations).map(({destination}) => String(destination)))
  const unpaid = destinations.filter((destination) => !paid.has(destination))
  const seen = unpaid.length === 0 ? [] : select(selectSeen, unpaid)
  return [
    ...[...paid].map((destination) => ({destination, isPaid: true})),
    ...seen.map(({destination, firstSeenAt}) => ({
      destination: String(destination),
      isPaid: false,
      firstSeenAt: Number(firstSeenAt),
    })),
  ]
}
