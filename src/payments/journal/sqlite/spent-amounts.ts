// Lists what payments and reservations have, or may have, spent. The caller adds the amounts up as decimals.
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import type {SpendingQuery} from '../../../controls/check-spending.ts'
import {spendingStates} from '../../protocol/payment.ts'

// The index is named, since SQLite would read all payments of the service instead.
const selectPayments = `select amount from payments indexed by paymentsBySpending
  where serviceId = :serviceId and spentAt >= :sinceMs and key <> :key and state in (select value from json_each(:states))`

// A payment whose amount is unknown has no currency either.
export const selectSpent = `${selectPayments} and currency = :currency
  union all
  ${selectPayments} and currency = '' and :currency <> ''
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
    .prepare(selectSpent)
    .all(values)
    .map(({amount}) => String(amount))
}
