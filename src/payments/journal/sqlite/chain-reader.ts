// Reads the chain of an SQLite journal and its payments, in one read transaction.
import {
  type ChainEntry,
  type ChainReader,
  type PaymentChange,
  type StoredPayment,
  fileChain,
  rowsPerRead,
} from '../chain.ts'
import {changesCondition, decided} from '../journal.ts'
import {readText} from '../../../values/records.ts'
import {describeJournalFailure, openJournalFile} from './file.ts'

// Whole numbers are read as text, since somebody may have written one that is too large for JavaScript.
const entries = `
  select seq, serviceId, key, cast(at as text) as at, what, detail, payment, hash from history`

const payments = `
  select serviceId, key, template, slot, state, currency, amount, destination, transactionId, cast(spentAt as text) as spentAt,
    cast(createdAt as text) as createdAt, cast(updatedAt as text) as updatedAt, payment as text
  from payments`

const selectEntries = `${entries} where seq > ? order by seq limit ${rowsPerRead}`
const changes = `select serviceId, key, cast(at as text) as at, what, payment from history where (serviceId, key) > (?, ?)`
const changesOrder = `and ${changesCondition} order by serviceId, key, seq`
const selectChanges = `${changes} and (serviceId, key) <= (?, ?) ${changesOrder}`
const selectLastChanges = `${changes} ${changesOrder} limit ${rowsPerRead}`
const selectDecisions = `${entries} where what = ? order by seq`
const selectPayments = `${payments} where (serviceId, key) > (?, ?) order by serviceId, key limit ${rowsPerRead}`

type Row = Record<string, unknown>

const toStoredPayment = ({spentAt, createdAt, updatedAt, ...row}: Row): StoredPayment => ({
  ...(row as unknown as Omit<StoredPayment, 'spentAt' | 'createdAt' | 'updatedAt'>),
  spentAt: spentAt === null ? null : Number(spentAt),
  createdAt: Number(createdAt),
  updatedAt: Number(updatedAt),
})

const toChange = ({serviceId, key, at, what, payment}: Row): PaymentChange => ({
  serviceId: String(serviceId),
  key: String(key),
  at: Number(at),
  what: String(what),
  payment: payment === null ? null : readText(payment),
})

const toEntry = ({seq, at, ...row}: Row): ChainEntry => ({
  ...(row as unknown as Omit<ChainEntry, 'chain' | 'number' | 'at'>),
  chain: fileChain,
  number: Number(seq),
  at: Number(at),
})

export async function withSqliteChains<T>(file: string, work: (reader: ChainReader) => Promise<T>): Promise<T> {
  const connection = openJournalFile(file)
  const read = <R>(sql: string, values: (string | number)[], convert: (row: Row) => R): R[] =>
    connection
      .prepare(sql)
      .all(...values)
      .map(convert)
  try {
    connection.database.exec('begin')
    return await work({
      chains: [fileChain],
      readHeads: async () =>
        read('select chain, cast(number as text) as number, hash from chains order by chain', [], (row) => ({
          chain: Number(row['chain']),
          number: Number(row['number']),
          hash: String(row['hash']),
        })),
      readEntries: async ({chain, number}) =>
        chain > fileChain ? [] : read(selectEntries, [chain < fileChain ? Number.MIN_SAFE_INTEGER : number], toEntry),
      readChanges: async (after, last) => {
        const range = [after, ...(last ? [last] : [])].flatMap(({serviceId, key}) => [serviceId, key])
        return read(last ? selectChanges : selectLastChanges, range, toChange)
      },
      readDecisions: async () => read(selectDecisions, [decided], toEntry),
      readPayments: async ({serviceId, key}) => read(selectPayments, [serviceId, key], toStoredPayment),
    })
  } catch (error) {
    throw describeJournalFailure(file, error)
  } finally {
    connection.close()
  }
}
