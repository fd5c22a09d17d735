// Batches, which are payout files that were submitted to the fleet, and their rows. What has become of a row is read from its payment,
// its job and what a worker has heard of it, always at one moment, and is stored nowhere else.
import {randomInt} from 'node:crypto'
import {SvcError, badUsage} from '../errors.ts'
import {leaseTimeoutMs, readOwner} from '../payments/journal/owner.ts'
import {hasEnded} from '../storage/process-identity.ts'
import {type PaymentRow, toCondition, toPayment} from '../payments/journal/tables.ts'
import {unsettledStates} from '../payments/protocol/payment.ts'
import type {PayoutRow} from '../payouts/file/rows.ts'
import {type PayoutResult, tellOutcome, toResult} from '../payouts/run/result.ts'
import {type BatchRowState, type RowCounts, failedStates, retriedStates, sumCounts} from '../payouts/run/row-states.ts'
import type {PostgresDatabase, Query, SqlValue} from '../storage/postgres/database.ts'
import {svc} from '../values/text.ts'
import {type RowReference, jobSchema} from './queue.ts'

export type BatchState = 'ACTIVE' | 'PAUSED' | 'CANCELLED' | 'DONE'

export interface Batch {
  id: string
  serviceId: string
  // With its slot, if it has one: payroll.csv 2026-11
  name: string
  digest: string
  state: BatchState
  // The code of what made a worker pause it, such as NOT_APPROVED. Absent if a person did.
  refusal?: string | undefined
  rows: number
  submittedAt: string
  endedAt?: string | undefined
}

// Without vowels and characters that look alike.
const idAlphabet = '23456789bcdfghjkmnpqrstvwxz'
const idLength = 8

export const createBatchId = () =>
  `b${Array.from({length: idLength}, () => idAlphabet[randomInt(idAlphabet.length)]).join('')}`

type Reader = Pick<PostgresDatabase, 'read'>

const toIsoText = (time: string) => `to_char(${time} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

async function readBatches(database: Reader, condition: string, values: readonly SqlValue[]): Promise<Batch[]> {
  const text = `select b.id, b.service_id as "serviceId", concat_ws(' ', b.name, b.slot) as name, b.digest, b.row_count as rows,
      case when b.ended_at is not null and b.state <> 'CANCELLED' then 'DONE' else b.state end as state,
      case when b.state = 'PAUSED' then b.refusal end as refusal,
      ${toIsoText('b.created_at')} as "submittedAt", ${toIsoText('b.ended_at')} as "endedAt"
    from svc.batches b where b.service_id = $1 and ${condition}`
  type Found = Omit<Batch, 'endedAt' | 'refusal'> & Record<'endedAt' | 'refusal', string | null>
  const found = await database.read<Found>({text}, values)
  return found.map(({endedAt, refusal, ...batch}) => ({
    ...batch,
    ...(endedAt !== null && {endedAt}),
    ...(refusal !== null && {refusal}),
  }))
}

export async function findBatchByDigest(
  database: Reader,
  serviceId: string,
  digest: string,
): Promise<Batch | undefined> {
  const [found] = await readBatches(database, `b.digest = $2 and b.state <> 'CANCELLED'`, [serviceId, digest])
  return found
}

// An earlier slot of the same name that has not ended: rows of it may still be paid, or may have been.
export async function findEarlierBatch(
  database: Reader,
  serviceId: string,
  name: string,
  beforeMs: number,
): Promise<Batch | undefined> {
  const condition = 'b.name = $2 and b.slot_at < $3::timestamptz and b.ended_at is null order by b.slot_at limit 1'
  const [found] = await readBatches(database, condition, [serviceId, name, new Date(beforeMs).toISOString()])
  return found
}

// The newest first.
export const listBatches = (database: Reader, serviceId: string, limit: number): Promise<Batch[]> =>
  readBatches(database, 'true order by b.created_at desc limit $2', [serviceId, limit])

// Those whose rows are still to be paid or settled, the oldest first. One that was cancelled is open until all is settled.
export const listOpenBatches = (database: Reader, serviceId: string): Promise<Batch[]> =>
  readBatches(database, 'b.ended_at is null order by b.created_at', [serviceId])

export const listBatchesById = (database: Reader, serviceId: string, ids: readonly string[]): Promise<Batch[]> =>
  readBatches(database, 'b.id = any($2) order by b.created_at', [serviceId, ids])

// Those that are open, and those that ended within a day.
export const listRecentBatches = (database: Reader, serviceId: string): Promise<Batch[]> =>
  readBatches(database, `(b.ended_at is null or b.ended_at > now() - interval '1 day')`, [serviceId])

const noBatch = (reference: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `There is no batch ${JSON.stringify(reference)}`,
    hint: `${svc`payouts status`} lists the batches of this profile`,
  })

// By its id, or by its name if only one has it.
export async function findBatch(database: Reader, serviceId: string, reference: string): Promise<Batch> {
  const condition = `(b.id = $2 or b.name = $2 or concat_ws(' ', b.name, b.slot) = $2) order by b.created_at desc limit 3`
  const found = await readBatches(database, condition, [serviceId, reference])
  const [first, second] = found
  if (!first) throw noBatch(reference)
  const exact = found.find(({id}) => id === reference)
  if (second && !exact) {
    const ids = found.map(({id}) => id)
    throw badUsage(`Several batches are called ${JSON.stringify(reference)}`, `Name one by its id: ${ids.join(', ')}`)
  }
  return exact ?? first
}

// ARMED is a payment that a process is sending, or was when it ended.
type FoundState = BatchRowState | 'ARMED'

// The states of rows in the words of SQL, where a million of them are counted; tellRow() says the same of each. A payment with other
// content under the key is none of this row. A job that is active was given to a worker that has not reported back, nor been silent
// for long. Of a payment that was made, a worker may have heard what is unknown of it, such as that it has two transactions.
const heardStates = [...retriedStates, 'UNKNOWN'].map((state) => `'${state}'`).join(', ')
const foundRows = `
  select r.batch_id, r.line, r.key, r."row", r.heard, p.payment, p.created_at as "createdAt", p.updated_at as "updatedAt",
    case when p.state = 'ARMED' and p.renewed_at > extract(epoch from clock_timestamp()) * 1000 - ${leaseTimeoutMs} then p.owner end
      as owner,
    case when p.state = 'CREATED' and (r.heard ->> 'state' = 'UNKNOWN' and r.heard ? 'transaction') is not true
        then case when p.ended is null then 'CREATED' else 'ENDED_BADLY' end
      when p.state in ('CREATED', 'UNKNOWN') then 'UNKNOWN'
      when p.state = 'ARMED' then 'ARMED'
      when r.heard ->> 'state' in (${heardStates}) then r.heard ->> 'state'
      when j.id is not null then 'IN_PROGRESS'
      when b.state = 'CANCELLED' then 'CANCELLED'
      else 'WAITING' end as state
  from svc.batches b join svc.batch_rows r on r.batch_id = b.id
  left join svc.payments p on p.service_id = b.service_id and p.key = r.key and p.content_digest = r.content_digest
  left join ${jobSchema}.job j on j.name = 'batch.' || b.id and j.singleton_key = r.key and j.state = 'active'`

const openStates: readonly FoundState[] = ['WAITING', 'IN_PROGRESS', 'ARMED', 'UNKNOWN']

interface FoundRow extends Omit<PaymentRow, 'state'> {
  row: PayoutRow
  heard: PayoutResult | null
  owner: string | null
  state: FoundState
}

// The process that sends an armed payment now.
function readHolder(owner: string | null) {
  const holder = owner === null ? undefined : readOwner(owner)
  return holder && !hasEnded(holder) ? holder : undefined
}

const cancelled = {error: 'CANCELLED', message: 'The batch was cancelled before this row was paid'}
const taken = {error: 'IN_FLIGHT', message: 'A worker has taken it, and has not reported back yet'}

// What is known of a row besides its payment. One that waits may have a reason why its last try failed.
function readHeard({row, heard, state}: FoundRow): PayoutResult | undefined {
  if (state === 'ARMED') return undefined
  if (state === 'CANCELLED') return toResult(row, 'NOT_TRIED', cancelled)
  if (state === 'IN_PROGRESS') return toResult(row, 'IN_PROGRESS', taken)
  if (state === 'WAITING') return toResult(row, 'NOT_TRIED', heard?.error)
  return heard ?? undefined
}

function tellRow(found: FoundRow): PayoutResult {
  const recorded = found.payment ? {payment: toPayment(found), holder: readHolder(found.owner)} : undefined
  return tellOutcome(found.row, recorded, readHeard(found))
}

const pageSize = 1000

// Walks the rows of a batch in the order of the file, some at a time, with what has become of them.
export async function* walkRows(
  database: Reader,
  batchId: string,
): AsyncGenerator<Array<{row: PayoutRow; result: PayoutResult}>> {
  const text = `${foundRows} where b.id = $1 and r.line > $2 order by r.line limit ${pageSize}`
  for (let line = 0; ;) {
    const page = await database.read<FoundRow>({text}, [batchId, line])
    if (page.length > 0) yield page.map((found) => ({row: found.row, result: tellRow(found)}))
    if (page.length < pageSize) return
    line = page.at(-1)?.row.line ?? 0
  }
}

const notableMax = 20

const countText = `
  select batch_id as "batchId", state, owner, count(*)::integer as count,
    (array_agg(line) filter (where state not in ('CREATED', 'WAITING', 'CANCELLED', 'IN_PROGRESS')))[1:${notableMax}] as lines
  from (${foundRows} where b.id = any($1)) as found group by batch_id, state, owner`

interface CountedGroup {
  batchId: string
  state: FoundState
  owner: string | null
  count: number
  lines: number[] | null
}

const readState = ({state, owner}: Pick<FoundRow, 'state' | 'owner'>): BatchRowState =>
  state === 'ARMED' ? (readHolder(owner) ? 'IN_PROGRESS' : 'UNKNOWN') : state

// With the lines of some rows that need a person: stopped, rejected, failed, ended badly or unknown.
export type Counted<T> = T & {counts: RowCounts; lines: number[]}

// Counts the rows of these batches. A million rows took 7 to 10 seconds on two busy cores.
export async function countRows<T extends {id: string}>(
  database: Reader,
  batches: readonly T[],
): Promise<Counted<T>[]> {
  const ids = batches.map(({id}) => id)
  const groups = await database.read<CountedGroup & Record<string, unknown>>({text: countText}, [ids])
  return batches.map((batch) => {
    const own = groups.filter(({batchId}) => batchId === batch.id)
    const counts: RowCounts = {}
    for (const group of own) counts[readState(group)] = (counts[readState(group)] ?? 0) + group.count
    const lines = own.flatMap((group) => (readState(group) === 'IN_PROGRESS' ? [] : (group.lines ?? [])))
    return {...batch, counts, lines}
  })
}

export async function readNotable(database: Reader, {id, lines}: Counted<Batch>): Promise<PayoutResult[]> {
  const text = `${foundRows} where b.id = $1 and r.line = any($2::integer[]) order by r.line limit ${notableMax}`
  const found = await database.read<FoundRow>({text}, [id, lines.map(String)])
  return found.map(tellRow).filter(({state}) => state !== 'CREATED')
}

export const summarizeCounts = (counts: RowCounts) => ({
  made: counts.CREATED ?? 0,
  waiting: counts.WAITING ?? 0,
  // Being paid by workers now.
  inFlight: counts.IN_PROGRESS ?? 0,
  unknown: counts.UNKNOWN ?? 0,
  failed: sumCounts(counts, failedStates),
  cancelled: counts.CANCELLED ?? 0,
})

export type BatchSummary = Omit<Batch, 'serviceId' | 'digest'> & ReturnType<typeof summarizeCounts>

export function summarizeBatch({id, name, state, rows, counts, submittedAt, endedAt}: Counted<Batch>): BatchSummary {
  const ended = endedAt === undefined ? {} : {endedAt}
  return {id, name, state, rows, ...summarizeCounts(counts), submittedAt, ...ended}
}

// In one transaction with the batch locked, so that of two changes the later one sees what the earlier one did.
export const changeLocked = <T>(
  database: PostgresDatabase,
  id: string,
  change: (query: Query) => Promise<T>,
): Promise<T> =>
  database.transact(
    async (query) => {
      await query({text: 'select from svc.batches where id = $1 for update'}, [id])
      return change(query)
    },
    {isRepeatable: true},
  )

// As it is now.
export async function readBatch(database: Reader, {id, serviceId}: Batch): Promise<Counted<Batch>> {
  const batch = await findBatch(database, serviceId, id)
  const [counted = {...batch, counts: {}, lines: []}] = await countRows(database, [batch])
  return counted
}

// A row as a worker takes it.
export interface BatchRow extends PayoutRow {
  batchId: string
  batchState: BatchState
  heard?: PayoutResult | undefined
}

// By their lines.
export async function loadRows(
  database: Reader,
  batchId: string,
  references: readonly RowReference[],
): Promise<Map<number, BatchRow>> {
  const text = `select r.batch_id as "batchId", b.state as "batchState", r."row", r.heard
    from svc.batch_rows r join svc.batches b on b.id = r.batch_id where b.id = $1 and r.line = any($2::integer[])`
  type Loaded = Pick<BatchRow, 'batchId' | 'batchState'> & Pick<FoundRow, 'row' | 'heard'>
  const lines = references.map(({line}) => String(line))
  const loaded = await database.read<Loaded>({name: 'load_rows', text}, [batchId, lines])
  return new Map(loaded.map(({row, heard, ...batch}) => [row.line, {...row, ...batch, heard: heard ?? undefined}]))
}

export interface HeardOfRow {
  batchId: string
  line: number
  // Null for nothing.
  heard: PayoutResult | null
}

// A row that was stopped, rejected or failed stays so until a person wants it to be tried again: a worker that was slow may report
// after others have.
export async function recordHeard(query: Query, rows: readonly HeardOfRow[]): Promise<void> {
  const text = `update svc.batch_rows r set heard = nullif(c.heard, 'null'::jsonb)
    from jsonb_to_recordset($1::jsonb) as c ("batchId" text, line integer, heard jsonb)
    where r.batch_id = c."batchId" and r.line = c.line and coalesce(r.heard ->> 'state', '') <> all($2::text[])`
  const records = rows.map(({batchId, line, heard}) => ({batchId, line, heard}))
  await query({name: 'record_heard', text}, [JSON.stringify(records), retriedStates])
}

// Makes rows that failed before anything was made wait again, and returns them.
export async function forgetFailures(query: Query, batchId: string): Promise<RowReference[]> {
  const text = `update svc.batch_rows r set heard = null from (${foundRows} where b.id = $1) as found
    where r.batch_id = $1 and r.line = found.line and found.state = any($2::text[])
    returning r.batch_id as "batchId", r.line, r.key`
  return query<RowReference & Record<string, unknown>>({text}, [batchId, retriedStates])
}

// A batch that had ended has rows again that are to be settled.
export async function reopenBatches(query: Query, rows: readonly RowReference[]): Promise<void> {
  const ids = [...new Set(rows.map(({batchId}) => batchId))]
  await query({text: 'update svc.batches set ended_at = null where id = any($1) and ended_at is not null'}, [ids])
}

export interface OpenRow extends RowReference {
  isUnsettled: boolean
}

const openRowsMax = 1000

// Rows that are to be paid or settled, some at a time.
export async function listOpenRows(query: Query, batchId: string): Promise<OpenRow[]> {
  const text = `select batch_id as "batchId", line, key, ${toCondition(unsettledStates)} as "isUnsettled"
    from (${foundRows} where b.id = $1) as found where state = any($2::text[]) limit ${openRowsMax}`
  return query<OpenRow & Record<string, unknown>>({text}, [batchId, openStates])
}

// A key of the batch that is also an open row of another one.
export async function findKeyElsewhere(
  query: Query,
  batchId: string,
  serviceId: string,
): Promise<{key: string; batchId: string} | undefined> {
  const text = `select key, batch_id as "batchId" from (
      ${foundRows} where b.service_id = $2 and b.ended_at is null and b.id <> $1
        and r.key in (select key from svc.batch_rows where batch_id = $1)) as found
    where state = any($3::text[]) order by line limit 1`
  const [found] = await query<{key: string; batchId: string}>({text}, [batchId, serviceId, openStates])
  return found
}

// What a worker can do for an open batch.
export interface OpenBatch {
  id: string
  state: BatchState
  hasJobs: boolean
  // Whether some of them are of rows that are still to be paid.
  hasUnpaid: boolean
}

export async function listWork(database: Reader, serviceId: string): Promise<OpenBatch[]> {
  const job = `select from ${jobSchema}.job j where j.name = 'batch.' || b.id and j.state <= 'active'`
  const text = `select b.id, b.state, exists (${job}) as "hasJobs", exists (${job} and priority = 0) as "hasUnpaid"
    from svc.batches b where b.service_id = $1 and b.ended_at is null order by b.created_at`
  return database.read<OpenBatch & Record<string, unknown>>({name: 'list_work', text}, [serviceId])
}
