// Copies a journal from an SQLite file to a PostgreSQL database, row by row and verified: afterwards every payment, every line of
// its history and every reservation is compared by digest. It can be repeated after it was interrupted.
import {createHash} from 'node:crypto'
import {SvcError, badUsage} from '../../errors.ts'
import type {SqliteConnection} from '../../storage/sqlite.ts'
import type {JournalAddress} from '../../storage/journal-address.ts'
import type {PostgresDatabase, Query, SqlValue} from '../../storage/postgres/database.ts'
import {hasEnded, type LeaseOwner} from '../lease-owner.ts'
import type {Payment} from '../payment.ts'
import {describePostgresFailure} from './postgres/failure.ts'
import {openJournalDatabase, openPostgresJournal} from './postgres/open-postgres-journal.ts'
import {getSpentAt, toPaymentText} from './postgres/rows.ts'
import {hasJournalFile, openJournalFile} from './sqlite/file.ts'

export interface JournalCopy {
  from: string
  to: string
  payments: number
  historyLines: number
  reservations: number
  // How many payments were there from an earlier copy.
  copiedBefore: number
  // The digest of everything that was copied, the same on both sides.
  digest: string
}

interface SourceRow extends Record<string, unknown> {
  serviceId: string
  key: string
  payment: string
}

const rowsPerTransaction = 500

const insertPayments = `
  insert into svc.payments (service_id, key, template, slot, state, currency, amount, destination, transaction_id, spent_at,
    created_at, updated_at, payment, epoch, write_id)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::bigint[], $11::bigint[], $12::bigint[], $13::text[], $14::bigint[], $15::text[])`

const insertHistory = `
  insert into svc.history (service_id, key, at, what, detail)
  select service_id, key, at, what, detail
  from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[]) with ordinality
    as line (service_id, key, at, what, detail, number) order by number`

const insertReservations = `
  insert into svc.reservations (service_id, id, currency, amount, spent_at)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[])
  on conflict (service_id, id) do nothing`

// One array per column, as unnest takes them.
const toColumns = (rows: ReadonlyArray<readonly SqlValue[]>): SqlValue[] =>
  (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? null) as unknown as readonly string[])

const toText = (value: unknown) => (typeof value === 'string' ? value : null)

const selectPayments = `select serviceId, key, template, slot, payment, epoch from payments
  where (serviceId, key) > (?, ?) order by serviceId, key limit ${rowsPerTransaction}`
const selectHistory = 'select at, what, detail from history where serviceId = ? and key = ? order by seq'

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

type Line = [at: number, what: string, detail: string | null]

const readLines = (source: SqliteConnection, {serviceId, key}: SourceRow): Line[] =>
  source
    .prepare(selectHistory)
    .all(serviceId, key)
    .map(({at, what, detail}): Line => [Number(at), String(what), toText(detail)])

// Everything about a payment in one form, whatever store it comes from.
const digestPayment = (payment: Payment, lines: readonly Line[]) => {
  const {createdAt, updatedAt} = payment
  const parts = [toPaymentText(payment), createdAt, updatedAt, lines]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

interface TargetRow extends Record<string, unknown> {
  service_id: string
  key: string
  payment: string
  created_at: number
  updated_at: number
  lines: Line[] | null
}

const selectTarget = `
  select service_id, key, payment, created_at, updated_at,
    (select json_agg(json_build_array(at, what, detail) order by seq) from svc.history as line
      where line.service_id = p.service_id and line.key = p.key) as lines
  from svc.payments as p
  where (service_id, key) in (select * from unnest($1::text[], $2::text[]))`

const nameRow = (serviceId: string, key: string) => JSON.stringify([serviceId, key])

async function readTarget(query: Query, rows: readonly SourceRow[]): Promise<Map<string, string>> {
  const values = toColumns(rows.map(({serviceId, key}) => [serviceId, key]))
  const found = await query<TargetRow>({name: 'copy_target', text: selectTarget}, values)
  return new Map(
    found.map(({service_id: id, key, payment, created_at: createdAt, updated_at: updatedAt, lines}) => [
      nameRow(id, key),
      digestPayment({...(JSON.parse(payment) as Payment), createdAt, updatedAt}, lines ?? []),
    ]),
  )
}

const differs = (to: string, key: string) =>
  badUsage(
    `The journal ${to} has a payment ${key} that differs from the one to copy`,
    'Copy into an empty journal; the one that is there was not changed',
  )

// Writes the payments of a batch that are not there yet. Those that are must be equal.
async function copyBatch(
  query: Query,
  source: SqliteConnection,
  rows: readonly SourceRow[],
  to: string,
): Promise<{digests: string[]; lines: number; copiedBefore: number}> {
  const there = await readTarget(query, rows)
  const batch = rows.map((row) => {
    const payment = JSON.parse(row.payment) as Payment
    const lines = readLines(source, row)
    return {row, payment, lines, digest: digestPayment(payment, lines)}
  })
  const missing = batch.filter(({row, digest}) => {
    const known = there.get(nameRow(row.serviceId, row.key))
    if (known !== undefined && known !== digest) throw differs(to, row.key)
    return known === undefined
  })
  if (missing.length > 0) {
    const payments = missing.map(({row, payment}): SqlValue[] => [
      row.serviceId,
      row.key,
      toText(row['template']),
      toText(row['slot']),
      payment.state,
      payment.content.source.sourceCurrency.toUpperCase(),
      payment.content.source.sourceAmount,
      payment.content.destination.destinationPaymentAccountId,
      payment.transactionId ?? null,
      getSpentAt(payment),
      payment.createdAt,
      payment.updatedAt,
      toPaymentText(payment),
      Number(row['epoch']),
      'copied',
    ])
    await query({name: 'copy_payments', text: insertPayments}, toColumns(payments))
    const lines = missing.flatMap(({row, lines: own}) => own.map((line) => [row.serviceId, row.key, ...line]))
    if (lines.length > 0) await query({name: 'copy_history', text: insertHistory}, toColumns(lines))
    const written = await readTarget(query, rows)
    const wrong = batch.find(({row, digest}) => written.get(nameRow(row.serviceId, row.key)) !== digest)
    if (wrong) throw differs(to, wrong.row.key)
  }
  return {
    digests: batch.map(({digest}) => digest),
    lines: batch.reduce((sum, {lines}) => sum + lines.length, 0),
    copiedBefore: rows.length - missing.length,
  }
}

async function copyReservations(database: PostgresDatabase, source: SqliteConnection, to: string): Promise<number> {
  const rows = source
    .prepare('select serviceId, id, currency, amount, spentAt from reservations order by serviceId, id')
    .all()
    .map((row): SqlValue[] => [
      String(row['serviceId']),
      String(row['id']),
      String(row['currency']),
      String(row['amount']),
      Number(row['spentAt']),
    ])
  if (rows.length === 0) return 0
  const work = async (query: Query) => {
    await query({text: insertReservations}, toColumns(rows))
    const text = 'select service_id, id, currency, amount, spent_at from svc.reservations order by service_id, id'
    const found = new Set((await query({text})).map((row) => JSON.stringify(Object.values(row))))
    const wrong = rows.find((row) => !found.has(JSON.stringify(row)))
    if (wrong) throw differs(to, String(wrong[1]))
  }
  await database.transact(work, {isRepeatable: true})
  return rows.length
}

// A payment that is worked on would go on changing in the old journal.
function rejectHeld(source: SqliteConnection, file: string): void {
  const held = source.prepare('select key, owner from payments where owner is not null').all()
  const busy = held.find(({owner}) => !hasEnded(JSON.parse(String(owner)) as LeaseOwner))
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
  const totals = {payments: 0, historyLines: 0, copiedBefore: 0}
  for (const rows of readBatches(source)) {
    const {digests, lines, copiedBefore} = await database.transact((query) => copyBatch(query, source, rows, copy.to), {
      isRepeatable: true,
    })
    for (const digest of digests) all.update(digest)
    totals.payments += rows.length
    totals.historyLines += lines
    totals.copiedBefore += copiedBefore
  }
  const [found] = await database.read<{payments: number; lines: number}>({
    text: 'select (select count(*) from svc.payments) as payments, (select count(*) from svc.history) as lines',
  })
  if (found?.payments !== totals.payments || found.lines !== totals.historyLines) {
    throw badUsage(
      `The journal ${copy.to} has ${found?.payments} payments with ${found?.lines} lines of history, but ${copy.from} has ${totals.payments} with ${totals.historyLines}`,
      'Copy into an empty journal',
    )
  }
  const reservations = await copyReservations(database, source, copy.to)
  return {...totals, reservations, digest: all.digest('hex')}
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

export async function copyJournal(file: string, address: JournalAddress): Promise<JournalCopy> {
  if (!hasJournalFile(file)) throw badUsage(`There is no journal ${file}`, 'Name the file of a journal with --from')
  const source = openJournalFile(file, {isOnlyRead: true})
  const target = await openPostgresJournal(address)
  await target.close()
  const database = openJournalDatabase(address)
  const copy = {from: file, to: address.text}
  try {
    rejectHeld(source, file)
    await rejectOthers(database, source, address.text)
    return {...copy, ...(await copyAll(database, source, copy))}
  } catch (error) {
    throw describePostgresFailure(address.text, error)
  } finally {
    source.close()
    await database.close()
  }
}
