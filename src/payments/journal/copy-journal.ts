// Copies a journal from an SQLite file to a PostgreSQL database, row by row and verified: every payment and every line
// of the history is compared afterwards, and the chain of the history is walked. It can be repeated after it was interrupted.
import {createHash} from 'node:crypto'
import {SvcError, badUsage} from '../../errors.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import type {PostgresDatabase, Query, SqlValue} from '../../storage/postgres/database.ts'
import type {SqliteConnection} from '../../storage/sqlite.ts'
import {notIntact} from '../audit/head.ts'
import {verifyJournal} from '../audit/verify-journal.ts'
import {digestText, fileChain, namePayment} from './chain.ts'
import {readPaymentText, toColumns as toPaymentColumns} from './journal.ts'
import {hasEnded, readOwner} from './owner.ts'
import {withChainReader} from './open-journal.ts'
import {describePostgresFailure} from './postgres/failure.ts'
import {openJournalDatabase, openPostgresJournal} from './postgres/open-postgres-journal.ts'
import {hasJournalFile, openJournalFile} from './sqlite/file.ts'

export interface JournalCopy {
  from: string
  to: string
  payments: number
  historyLines: number
  // How many payments were there from an earlier copy.
  copiedBefore: number
  // The digest of everything that was copied, the same on both sides.
  digest: string
}

interface SourceRow extends Record<string, unknown> {
  serviceId: string
  key: string
  payment: string
  createdAt: number
  updatedAt: number
}

const rowsPerTransaction = 500

const insertPayments = `
  insert into svc.payments (service_id, key, template, slot, state, currency, amount, destination, transaction_id, spent_at,
    created_at, updated_at, payment, epoch, write_id)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::bigint[], $11::bigint[], $12::bigint[], $13::text[], $14::bigint[], $15::text[])`

const selectPayments = `select serviceId, key, template, slot, payment, createdAt, updatedAt, epoch from payments
  where (serviceId, key) > (?, ?) order by serviceId, key limit ${rowsPerTransaction}`

function* readBatches(source: SqliteConnection): Generator<SourceRow[]> {
  let last: [string, string] = ['', '']
  for (;;) {
    const rows = source.prepare(selectPayments).all(...last) as SourceRow[]
    if (rows.length === 0) return
    yield rows
    const {serviceId, key} = rows.at(-1) ?? {serviceId: '', key: ''}
    last = [serviceId, key]
  }
}

// The same in both stores.
const digestPayment = (text: string, createdAt: number, updatedAt: number) =>
  digestText(JSON.stringify([text, createdAt, updatedAt]))

interface TargetRow extends Record<string, unknown> {
  service_id: string
  key: string
  payment: string
  created_at: number
  updated_at: number
}

const selectTarget = `
  select service_id, key, payment, created_at, updated_at from svc.payments
  where (service_id, key) in (select * from unnest($1::text[], $2::text[]))`

async function readTarget(query: Query, rows: readonly SourceRow[]): Promise<Map<string, string>> {
  const values = toColumns(rows.map(({serviceId, key}) => [serviceId, key]))
  const found = await query<TargetRow>({name: 'copy_target', text: selectTarget}, values)
  return new Map(
    found.map(({service_id: id, key, payment, created_at: createdAt, updated_at: updatedAt}) => [
      namePayment({serviceId: id, key}),
      digestPayment(payment, createdAt, updatedAt),
    ]),
  )
}

// Writes the payments of a batch that are not there yet. Those that are must be equal.
async function copyBatch(
  query: Query,
  rows: readonly SourceRow[],
  to: string,
): Promise<{digests: string[]; copiedBefore: number}> {
  const there = await readTarget(query, rows)
  const batch = rows.map((row) => {
    const {payment: text, createdAt, updatedAt} = row
    const payment = readPaymentText(text, createdAt, updatedAt)
    return {row, payment, digest: digestPayment(text, createdAt, updatedAt)}
  })
  const missing = batch.filter(({row, digest}) => {
    const known = there.get(namePayment(row))
    if (known !== undefined && known !== digest) throw differs(to, `payment ${row.key}`)
    return known === undefined
  })
  if (missing.length > 0) {
    const payments = missing.map(({row, payment}): SqlValue[] => [
      ...Object.values(toPaymentColumns(payment)),
      row.createdAt,
      row.updatedAt,
      row.payment,
      Number(row['epoch']),
      'copied',
    ])
    await query({name: 'copy_payments', text: insertPayments}, toColumns(payments))
    const written = await readTarget(query, rows)
    const wrong = batch.find(({row, digest}) => written.get(namePayment(row)) !== digest)
    if (wrong) throw differs(to, `payment ${wrong.row.key}`)
  }
  return {
    digests: batch.map(({digest}) => digest),
    copiedBefore: rows.length - missing.length,
  }
}

// A payment that is worked on would go on changing in the old journal.
function rejectHeld(source: SqliteConnection, file: string): void {
  const held = source.prepare('select key, owner from payments where owner is not null').all()
  const busy = held.find(({owner}) => !hasEnded(readOwner(String(owner))))
  if (!busy) return
  throw new SvcError({
    error: 'JOURNAL_BUSY',
    kind: 'pending',
    effect: 'none',
    message: `A process still works on the payment ${String(busy['key'])} of ${file}`,
    hint: 'Copy the journal when no svc uses it; nothing was changed',
  })
}

async function copyAll(database: PostgresDatabase, source: SqliteConnection, copy: {from: string; to: string}) {
  const all = createHash('sha256')
  const totals = {payments: 0, copiedBefore: 0}
  for (const rows of readBatches(source)) {
    const work = (query: Query) => copyBatch(query, rows, copy.to)
    const {digests, copiedBefore} = await database.transact(work, {isRepeatable: true})
    for (const digest of digests) all.update(digest)
    totals.payments += rows.length
    totals.copiedBefore += copiedBefore
  }
  const historyLines = await copyHistory(database, source, copy.to)
  const [found] = await database.read<{payments: number; lines: number}>({
    text: `select (select count(*) from svc.payments) as payments,
      (select count(*) from svc.history where chain = ${fileChain}) as lines`,
  })
  if (found?.payments !== totals.payments || found.lines !== historyLines) {
    throw badUsage(
      `The journal ${copy.to} has ${found?.payments} payments with ${found?.lines} lines of history, but ${copy.from} has ${totals.payments} with ${historyLines}`,
      'Copy into an empty journal',
    )
  }
  const head = source.prepare('select hash from chains where chain = ?').get(fileChain)
  all.update(String(head?.['hash']))
  return {...totals, historyLines, digest: all.digest('hex')}
}

// Payments that the target has and the source has not are no copy, so such a target is rejected before anything is written.
async function rejectOthers(database: PostgresDatabase, source: SqliteConnection, to: string): Promise<void> {
  const [target] = await database.read<{count: number}>({text: 'select count(*) as count from svc.payments'})
  const own = Number(source.prepare('select count(*) as count from payments').get()?.['count'])
  const sample = await database.read<{service_id: string; key: string}>({
    text: 'select service_id, key from svc.payments order by service_id, key limit 1000',
  })
  const isKnown = source.prepare('select 1 from payments where serviceId = ? and key = ?')
  const isOther = sample.some(({service_id: id, key}) => !isKnown.get(id, key))
  if (isOther || (target?.count ?? 0) > own) {
    throw badUsage(`The journal ${to} has payments of its own`, 'Copy into an empty journal; nothing was changed')
  }
}

async function rejectBroken(address: JournalAddress, hint: string): Promise<void> {
  const {finding} = await withChainReader(address, (reader) => verifyJournal(reader))
  if (finding) throw notIntact(`The journal ${address.text} is not intact: ${finding.message}`, hint)
}

export async function copyJournal(file: string, address: JournalAddress): Promise<JournalCopy> {
  if (!hasJournalFile(file)) throw badUsage(`There is no journal ${file}`, 'Name the file of a journal with --from')
  await rejectBroken({text: file}, 'Nothing was copied; see docs/audit.md')
  const source = openJournalFile(file)
  const target = await openPostgresJournal(address)
  await target.close()
  const database = openJournalDatabase(address)
  const copy = {from: file, to: address.text}
  try {
    rejectHeld(source, file)
    await rejectOthers(database, source, address.text)
    const totals = await copyAll(database, source, copy)
    await rejectBroken(address, 'Copy into an empty journal')
    return {...copy, ...totals}
  } catch (error) {
    throw describePostgresFailure(address.text, error)
  } finally {
    source.close()
    await database.close()
  }
}

// Copies the history of an SQLite journal to a PostgreSQL database as it is: every line keeps its place in the chain and its hash,
// so that a head that was signed before the copy still holds.
const linesPerTransaction = 1_000

const selectSource = `select seq, serviceId, key, at, what, detail, payment, hash from history
  where seq > ? order by seq limit ${linesPerTransaction}`

const insertHistory = `
  insert into svc.history (chain, number, service_id, key, at, what, detail, payment, hash)
  select ${fileChain}, * from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[],
    $8::text[])
  on conflict (chain, number) do nothing`

const selectCopied = `
  select number, service_id, key, at, what, detail, payment, hash from svc.history
  where chain = ${fileChain} and number between $1 and $2 order by number`

// One array per column, as unnest takes them.
const toColumns = (rows: ReadonlyArray<readonly SqlValue[]>): SqlValue[] =>
  (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? null) as unknown as readonly string[])

const differs = (to: string, what: string): SvcError =>
  badUsage(
    `The journal ${to} has a ${what} that differs from the one to copy`,
    'Copy into an empty journal; the one that is there was not changed',
  )

const toComparable = (row: Readonly<Record<string, unknown>>) => JSON.stringify(Object.values(row))

async function copyLines(query: Query, rows: ReadonlyArray<Record<string, SqlValue>>, to: string): Promise<void> {
  await query({name: 'copy_history', text: insertHistory}, toColumns(rows.map((row) => Object.values(row))))
  const range = [Number(rows[0]?.['seq']), Number(rows.at(-1)?.['seq'])]
  const written = await query({name: 'copy_read', text: selectCopied}, range)
  const wrong = rows.find((row, index) => toComparable(row) !== toComparable(written[index] ?? {}))
  if (wrong) throw differs(to, `line ${String(wrong['seq'])} of the history`)
}

// Returns how many lines there are. Lines that an interrupted copy has written must be equal.
async function copyHistory(database: PostgresDatabase, source: SqliteConnection, to: string): Promise<number> {
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
