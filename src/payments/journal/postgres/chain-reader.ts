// Reads the chains of a PostgreSQL journal and its payments, in one read transaction.
import type {JournalAddress} from '../../../storage/journal-address.ts'
import type {Query} from '../../../storage/postgres/database.ts'
import {
  type ChainEntry,
  type ChainHead,
  type ChainReader,
  type PaymentChange,
  type StoredPayment,
  databaseChains,
  fileChain,
  rowsPerRead,
} from '../chain.ts'
import {changesCondition, decided} from '../journal.ts'
import {checkVersion, withJournalDatabase} from './open-postgres-journal.ts'

const entries = `
  select chain, number, service_id as "serviceId", key, at, what, detail, payment, hash from svc.history`

const payments = `
  select service_id as "serviceId", key, template, slot, state, currency, amount, destination,
    transaction_id as "transactionId", spent_at as "spentAt", created_at as "createdAt", updated_at as "updatedAt",
    payment as text
  from svc.payments`

const selectEntries = `${entries} where (chain, number) > ($1, $2) order by chain, number limit ${rowsPerRead}`
const changes =
  'select service_id as "serviceId", key, at, what, payment from svc.history where (service_id, key) > ($1, $2)'
const changesOrder = `and ${changesCondition} order by service_id, key, chain, number`
const selectChanges = `${changes} and (service_id, key) <= ($3, $4) ${changesOrder}`
const selectLastChanges = `${changes} ${changesOrder} limit ${rowsPerRead}`
const selectDecisions = `${entries} where what = $1 order by at, chain, number`
const selectPayments = `${payments} where (service_id, key) > ($1, $2) order by service_id, key limit ${rowsPerRead}`

const chainMin = -(2 ** 31)

type Row<T> = T & Record<string, unknown>

export const createPostgresChainReader = (query: Query): ChainReader => ({
  chains: Array.from({length: databaseChains + 1}, (_, index) => fileChain + index),
  readHeads: () => query<Row<ChainHead>>({text: 'select chain, number, hash from svc.chains order by chain'}),
  readEntries: ({chain, number}) =>
    query<Row<ChainEntry>>({name: 'chain_entries', text: selectEntries}, [Math.max(chain, chainMin), number]),
  readChanges: (after, last) =>
    query<Row<PaymentChange>>(
      last ? {name: 'chain_changes', text: selectChanges} : {text: selectLastChanges},
      [after, ...(last ? [last] : [])].flatMap(({serviceId, key}) => [serviceId, key]),
    ),
  readDecisions: () => query<Row<ChainEntry>>({text: selectDecisions}, [decided]),
  readPayments: ({serviceId, key}) =>
    query<Row<StoredPayment>>({name: 'chain_payments', text: selectPayments}, [serviceId, key]),
})

export const withPostgresChains = <T>(address: JournalAddress, work: (reader: ChainReader) => Promise<T>): Promise<T> =>
  withJournalDatabase(address, async (database) => {
    await checkVersion(database)
    const read = async (query: Query) => {
      await query({text: 'set transaction isolation level repeatable read, read only'})
      return work(createPostgresChainReader(query))
    }
    return database.transact(read, {isRepeatable: true})
  })
