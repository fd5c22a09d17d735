// Copies the history of an SQLite journal to a PostgreSQL database as it is: every line keeps its place in the chain and its hash,
// so that a head that was signed before the copy still holds.
import {SvcError, badUsage} from '../../errors.ts'
import type {PostgresDatabase, Query, SqlValue} from '../../storage/postgres/database.ts'
import type {SqliteConnection} from '../../storage/sqlite.ts'
import {fileChain} from './chain.ts'

const linesPerTransaction = 1_000

const selectSource = `select seq, serviceId, key, at, what, detail, evidence, payment, hash from history
  where seq > ? order by seq limit ${linesPerTransaction}`

const insertHistory = `
  insert into svc.history (chain, number, service_id, key, at, what, detail, evidence, payment, hash)
  select ${fileChain}, * from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[])
  on conflict (chain, number) do nothing`

const selectTarget = `
  select number, service_id, key, at, what, detail, evidence, payment, hash from svc.history
  where chain = ${fileChain} and number between $1 and $2 order by number`

// One array per column, as unnest takes them.
export const toColumns = (rows: ReadonlyArray<readonly SqlValue[]>): SqlValue[] =>
  (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? null) as unknown as readonly string[])

export const differs = (to: string, what: string): SvcError =>
  badUsage(
    `The journal ${to} has a ${what} that differs from the one to copy`,
    'Copy into an empty journal; the one that is there was not changed',
  )

const toComparable = (row: Readonly<Record<string, unknown>>) => JSON.stringify(Object.values(row))

async function copyLines(query: Query, rows: ReadonlyArray<Record<string, SqlValue>>, to: string): Promise<void> {
  await query({name: 'copy_history', text: insertHistory}, toColumns(rows.map((row) => Object.values(row))))
  const range = [Number(rows[0]?.['seq']), Number(rows.at(-1)?.['seq'])]
  const written = await query({name: 'copy_read', text: selectTarget}, range)
  const wrong = rows.find((row, index) => toComparable(row) !== toComparable(written[index] ?? {}))
  if (wrong) throw differs(to, `line ${String(wrong['seq'])} of the history`)
}

// Returns how many lines there are. Lines that an interrupted copy has written must be equal.
export async function copyHistory(database: PostgresDatabase, source: SqliteConnection, to: string): Promise<number> {
  let last = 0
  let lines = 0
  for (;;) {
    const rows = source.prepare(selectSource).all(last) as Record<string, SqlValue>[]
    if (rows.length === 0) break
    await database.transact((query) => copyLines(query, rows, to), {isRepeatable: true})
    last = Number(rows.at(-1)?.['seq'])
    lines += rows.length
  }
  const head = source.prepare('select number, hash from chains where chain = ?').get(fileChain)
  const values = [Number(head?.['number']), String(head?.['hash'])]
  const text = `update svc.chains set number = $1, hash = $2 where chain = ${fileChain}`
  await database.write({text}, values, {isRepeatable: true})
  return lines
}
