// Writes a payment to its row in an SQLite journal. Most changes leave the indexed values as they are, and an update that does
// not mention them leaves the indexes alone.
import type {SQLInputValue} from 'node:sqlite'
import type {SqliteConnection} from '../../../storage/sqlite.ts'
import type {Payment} from '../../payment.ts'
import type {Lease} from '../journal.ts'

const insert =
  'insert into payments (serviceId, key, template, slot, state, currency, amount, destination, createdAt, payment) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'

export function insertPayment(connection: SqliteConnection, payment: Payment): void {
  const {serviceId, key, template, slot, state, content, createdAt} = payment
  const {sourceCurrency, sourceAmount} = content.source
  connection
    .prepare(insert)
    .run(
      serviceId,
      key,
      template ?? null,
      slot ?? null,
      state,
      sourceCurrency.toUpperCase(),
      sourceAmount,
      content.destination.destinationPaymentAccountId,
      createdAt,
      JSON.stringify(payment),
    )
}

const update = 'update payments set state = ?, payment = ?, transactionId = ?, renewedAt = ?'
const own = 'where serviceId = ? and key = ? and epoch = ?'
const updateSame = `${update} ${own} and currency = ? and amount = ? and destination = ? and spentAt is ?`
const updateAll = `${update}, currency = ?, amount = ?, destination = ?, spentAt = ? ${own}`

// When the money was, or may have been, spent: when the request was armed or, if it was adopted, when the service created it.
const getSpentAt = ({attempts, madeAt}: Payment) => attempts.at(-1)?.armedAt ?? madeAt ?? null

// Returns whether the lease is still held.
export function updatePayment(
  connection: SqliteConnection,
  {serviceId, key, epoch}: Lease,
  payment: Payment,
  renewedAt: number,
): boolean {
  const {source, destination} = payment.content
  const values = [payment.state, JSON.stringify(payment), payment.transactionId ?? null, renewedAt]
  const row = [serviceId, key, epoch]
  const indexedValues = [
    source.sourceCurrency.toUpperCase(),
    source.sourceAmount,
    destination.destinationPaymentAccountId,
    getSpentAt(payment),
  ]
  const run = (sql: string, parameters: SQLInputValue[]) => connection.prepare(sql).run(...parameters).changes !== 0
  // Arming sets when the money was spent.
  if (payment.state !== 'ARMED' && run(updateSame, [...values, ...row, ...indexedValues])) return true
  return run(updateAll, [...values, ...indexedValues, ...row])
}
