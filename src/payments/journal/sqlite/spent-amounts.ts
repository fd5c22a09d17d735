// Lists what payments and reservations have, or may have, spent. The caller adds the amounts up as decimals.
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import type {SpendingQuery} from '../../../profiles/check-spending.ts'
import {spendingStates} from '../../payment.ts'

// A payment whose amount is unknown has no currency either.
const sql = `select amount from payments where serviceId = :serviceId and currency in (:currency, '') and spentAt >= :sinceMs
    and key <> :key and state in (select value from json_each(:states))
  union all
  select amount from reservations where serviceId = :serviceId and currency = :currency and spentAt >= :sinceMs`

// The amounts of all payments but the one with this key.
export function selectSpentAmounts(
  connection: SqliteConnection,
  {serviceId, key}: {serviceId: string; key: string},
  {currency, sinceMs}: SpendingQuery,
): string[] {
  const values = {serviceId, key, currency: currency.toUpperCase(), sinceMs, states: JSON.stringify(spendingStates)}
  return connection
    .prepare(sql)
    .all(values)
    .map(({amount}) => String(amount))
}
