// A batch: a payout file that was submitted to the fleet, and the states of its rows.
import {randomInt} from 'node:crypto'
import {SvcError, badUsage} from '../../errors.ts'
import type {PaymentContent, PriceLimits} from '../../payments/protocol/payment.ts'
import type {PayoutRow} from '../../payouts/file/rows.ts'
import type {PayoutResult} from '../../payouts/run/result.ts'
import {type BatchRowState, type RowCounts, sumCounts} from '../../payouts/run/row-states.ts'
import type {PostgresDatabase, Query} from '../../storage/postgres/database.ts'
import type {RowReference} from './queue.ts'

export type BatchState = 'ACTIVE' | 'PAUSED' | 'CANCELLED' | 'DONE'

export const openRowStates: readonly BatchRowState[] = ['WAITING', 'UNKNOWN']

export interface Batch {
  id: string
  serviceId: string
  // With its slot, if it has one: payroll.csv 2026-11
  name: string
  digest: string
  state: BatchState
  rowCount: number
  createdAt: Date
  endedAt?: Date | undefined
  counts: RowCounts
}

// Without vowels and characters that look alike.
const idAlphabet = '23456789bcdfghjkmnpqrstvwxz'
const idLength = 8

export const createBatchId = () =>
  `b${Array.from({length: idLength}, () => idAlphabet[randomInt(idAlphabet.length)]).join('')}`

interface BatchRecord {
  id: string
  service_id: string
  name: string
  slot: string | null
  digest: string
  state: BatchState
  row_count: number
  created_at: Date
  ended_at: Date | null
  counts: RowCounts | null
}

const toBatch = (record: BatchRecord): Batch => ({
  id: record.id,
  serviceId: record.service_id,
  name: record.slot === null ? record.name : `${record.name} ${record.slot}`,
  digest: record.digest,
  state: record.state,
  rowCount: record.row_count,
  createdAt: record.created_at,
  ...(record.ended_at && {endedAt: record.ended_at}),
  counts: record.counts ?? {},
})

const selectBatch = `
  select b.*, (select jsonb_object_agg(c.state, c.row_count) from svc.batch_counts c
    where c.batch_id = b.id and c.row_count > 0) as counts
  from svc.batches b`

type Reader = Pick<PostgresDatabase, 'read'>

export async function findBatchByDigest(
  database: Reader,
  serviceId: string,
  digest: string,
): Promise<Batch | undefined> {
  const text = `${selectBatch} where b.service_id = $1 and b.digest = $2 and b.state <> 'CANCELLED'`
  const [found] = await database.read<BatchRecord>({text}, [serviceId, digest])
  return found && toBatch(found)
}

// An earlier slot of the same name that has not ended: rows of it may still be paid, or may have been.
export async function findEarlierBatch(
  database: Reader,
  serviceId: string,
  name: string,
  beforeMs: number,
): Promise<Batch | undefined> {
  const text = `${selectBatch} where b.service_id = $1 and b.name = $2 and b.slot_at < $3::timestamptz and b.ended_at is null
    order by b.slot_at limit 1`
  const [found] = await database.read<BatchRecord>({text}, [serviceId, name, new Date(beforeMs).toISOString()])
  return found && toBatch(found)
}

// The newest first: what is not done yet, and the last ones that are.
export async function listBatches(database: Reader, serviceId: string, limit: number): Promise<Batch[]> {
  const text = `${selectBatch} where b.service_id = $1 order by b.created_at desc limit $2`
  return (await database.read<BatchRecord>({text}, [serviceId, limit])).map(toBatch)
}

const openBatchesMax = 1000

// Those whose rows are still to be paid or settled, the oldest first. One that was cancelled is open until all is settled.
export async function listOpenBatches(database: Reader, serviceId: string): Promise<Batch[]> {
  const text = `${selectBatch} where b.service_id = $1 and b.ended_at is null
    order by b.created_at limit $2`
  return (await database.read<BatchRecord>({text}, [serviceId, openBatchesMax])).map(toBatch)
}

export async function findBatches(database: Reader, serviceId: string, ids: readonly string[]): Promise<Batch[]> {
  const text = `${selectBatch} where b.service_id = $1 and b.id = any($2)`
  return (await database.read<BatchRecord>({text}, [serviceId, ids])).map(toBatch)
}

const noBatch = (reference: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `There is no batch ${JSON.stringify(reference)}`,
    hint: '`svc payouts status` lists the batches of this profile',
  })

// By its id, or by its name if only one has it.
export async function findBatch(database: Reader, serviceId: string, reference: string): Promise<Batch> {
  const text = `${selectBatch} where b.service_id = $1 and (b.id = $2 or b.name = $2 or b.name || ' ' || b.slot = $2) order by b.created_at desc limit 3`
  const found = await database.read<BatchRecord>({text}, [serviceId, reference])
  const exact = found.find(({id}) => id === reference)
  if (exact) return toBatch(exact)
  const [first, second] = found
  if (!first) throw noBatch(reference)
  if (second) {
    const ids = found.map(({id}) => id)
    throw badUsage(`Several batches are called ${JSON.stringify(reference)}`, `Name one by its id: ${ids.join(', ')}`)
  }
  return toBatch(first)
}

export const countRows = ({counts}: Pick<Batch, 'counts'>, states: readonly BatchRowState[]): number =>
  sumCounts(counts, states)

// Adds to the counts of a batch, in the transaction that changes its rows.
export async function addToCounts(query: Query, batchId: string, changes: RowCounts): Promise<void> {
  for (const [state, change] of Object.entries(changes).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    await query(
      {
        text: `insert into svc.batch_counts as c (batch_id, state, row_count) values ($1, $2, $3)
          on conflict (batch_id, state) do update set row_count = c.row_count + excluded.row_count`,
      },
      [batchId, state, change],
    )
  }
}

// The rows of batches in the database: written when a file is submitted, read by workers, and changed when a row has ended.
export interface BatchRow extends PayoutRow {
  batchId: string
  batchState: BatchState
  state: BatchRowState
  tries: number
  // The journal had its payment as made when the file was submitted.
  wasMadeBefore: boolean
  result?: PayoutResult | undefined
}

export interface RowRecord {
  batch_id: string
  batch_state: BatchState
  line: number
  key: string
  content: PaymentContent
  limits: PriceLimits
  is_guaranteed: boolean
  made_before: boolean
  template: string | null
  slot: string | null
  note: string | null
  state: BatchRowState
  tries: number
  result: PayoutResult | null
}

export const toBatchRow = (record: RowRecord): BatchRow => ({
  batchId: record.batch_id,
  batchState: record.batch_state,
  line: record.line,
  key: record.key,
  content: record.content,
  limits: record.limits,
  isGuaranteed: record.is_guaranteed,
  wasMadeBefore: record.made_before,
  ...(record.template !== null && {template: record.template}),
  ...(record.slot !== null && {slot: record.slot}),
  ...(record.note !== null && {note: record.note}),
  state: record.state,
  tries: record.tries,
  ...(record.result && {result: record.result}),
})

// A row that was stopped before the first one, with its result.
export interface StoredRow {
  row: PayoutRow
  wasMadeBefore?: boolean
  result?: PayoutResult | undefined
}

export async function insertRows(
  query: Query,
  rows: ReadonlyArray<StoredRow & Pick<RowReference, 'batchId'>>,
): Promise<void> {
  const records = rows.map(({batchId, row, wasMadeBefore = false, result}) => ({
    batch_id: batchId,
    line: row.line,
    key: row.key,
    content: row.content,
    limits: row.limits,
    is_guaranteed: row.isGuaranteed,
    made_before: wasMadeBefore,
    template: row.template ?? null,
    slot: row.slot ?? null,
    note: row.note ?? null,
    state: result?.state ?? 'WAITING',
    result: result ?? null,
  }))
  await query(
    {
      text: `insert into svc.batch_rows (batch_id, line, key, content, limits, is_guaranteed, made_before, template, slot, note, state,
          result)
        select batch_id, line, key, content, limits, is_guaranteed, made_before, template, slot, note, state,
          nullif(result, 'null'::jsonb)
        from jsonb_to_recordset($1::jsonb) as r (batch_id text, line integer, key text, content jsonb, limits jsonb,
          is_guaranteed boolean, made_before boolean, template text, slot text, note text, state text,
          result jsonb)`,
    },
    [JSON.stringify(records)],
  )
}

const selectRow = `
  select r.*, b.state as batch_state from svc.batch_rows r join svc.batches b on b.id = r.batch_id`

export async function loadRows(
  database: Pick<PostgresDatabase, 'read'>,
  references: readonly RowReference[],
): Promise<BatchRow[]> {
  const text = `${selectRow}
    join unnest($1::text[], $2::text[]) as wanted (batch_id, line)
      on r.batch_id = wanted.batch_id and r.line = wanted.line::integer`
  const ids = references.map(({batchId}) => batchId)
  const lines = references.map(({line}) => String(line))
  return (await database.read<RowRecord>({name: 'load_rows', text}, [ids, lines])).map(toBatchRow)
}

const pageSize = 1000

// Walks the rows of a batch in the order of the file, some at a time.
export async function* walkRows(
  database: Pick<PostgresDatabase, 'read'>,
  batchId: string,
  condition = 'true',
): AsyncGenerator<BatchRow[]> {
  let line = 0
  for (;;) {
    const text = `${selectRow} where r.batch_id = $1 and r.line > $2 and ${condition} order by r.line limit ${pageSize}`
    const page = (await database.read<RowRecord>({text}, [batchId, line])).map(toBatchRow)
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (!last || page.length < pageSize) return
    line = last.line
  }
}

// Rows that need a person: stopped, rejected, failed, ended badly or unknown.
export async function listNotableRows(
  database: Pick<PostgresDatabase, 'read'>,
  batchId: string,
  limit: number,
): Promise<BatchRow[]> {
  const text = `${selectRow} where r.batch_id = $1 and r.state not in ('WAITING', 'CREATED') and r.state <> 'CANCELLED'
    order by r.line limit $2`
  return (await database.read<RowRecord>({text}, [batchId, limit])).map(toBatchRow)
}

// What has become of a row after one try.
export interface RowChange {
  batchId: string
  line: number
  state: BatchRowState
  result: PayoutResult
}

interface Counted {
  batch_id: string
}

// A row that has ended stays as it is, except that a payment which exists, or may exist in a batch that was cancelled meanwhile,
// is always recorded: a worker that was slow may report after others have. The counts of the batches change in the same statement.
const recordText = `
  with change as (
    select * from jsonb_to_recordset($1::jsonb) as c (batch_id text, line integer, state text, result jsonb)
  ), before as (
    select r.batch_id, r.line, r.state from svc.batch_rows r join change c using (batch_id, line)
    order by r.batch_id, r.line for update of r
  ), changed as (
    update svc.batch_rows r set state = c.state, result = c.result, tries = r.tries + 1, updated_at = now()
    from change c join before b using (batch_id, line)
    where r.batch_id = c.batch_id and r.line = c.line
      and (b.state in ('WAITING', 'UNKNOWN') or (c.state in ('CREATED', 'ENDED_BADLY') and b.state <> c.state)
        or (c.state = 'UNKNOWN' and b.state = 'CANCELLED'))
    returning r.batch_id, b.state as was, r.state as became
  ), difference as (
    select batch_id, state, sum(change)::integer as change from (
      select batch_id, was as state, -1 as change from changed
      union all select batch_id, became, 1 from changed
    ) each group by batch_id, state having sum(change) <> 0 order by batch_id, state
  )
  insert into svc.batch_counts as c (batch_id, state, row_count) select batch_id, state, change from difference
  on conflict (batch_id, state) do update set row_count = c.row_count + excluded.row_count
  returning c.batch_id`

// A batch has ended when none of its rows is open any more. A cancelled one may have a row again that is to be settled.
const endText = `
  update svc.batches b set ended_at = case when open.has_rows then null else now() end,
    state = case when b.state = 'CANCELLED' or open.has_rows then b.state else 'DONE' end
  from (select i.id, exists (select from svc.batch_counts c where c.batch_id = i.id
      and c.state in ('WAITING', 'UNKNOWN') and c.row_count > 0) as has_rows
    from unnest($1::text[]) as i (id)) open
  where b.id = open.id and (b.ended_at is null) = (not open.has_rows)`

export async function recordChanges(query: Query, changes: readonly RowChange[]): Promise<void> {
  if (changes.length === 0) return
  const records = changes.map(({batchId, ...change}) => ({batch_id: batchId, ...change}))
  const counted = await query<Counted>({name: 'record_rows', text: recordText}, [JSON.stringify(records)])
  const batchIds = [...new Set(counted.map(({batch_id}) => batch_id))]
  if (batchIds.length > 0) await query({name: 'end_batches', text: endText}, [batchIds])
}

export const endBatchIfDone = (query: Query, batchId: string) => query({text: endText}, [[batchId]])
