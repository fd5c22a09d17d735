// Stores a payout file as a batch: all of its rows with their jobs in one transaction, or none. It is checked before as `svc payouts run`
// does before its first row, and a person is asked before the transaction begins.
import {createHash} from 'node:crypto'
import type {PgBoss} from 'pg-boss'
import {Parties} from '../accounts/parties.ts'
import type {WriteConfirmation} from '../cli/confirm-write.ts'
import {SvcError} from '../errors.ts'
import {digestContent} from '../payments/protocol/compare.ts'
import {type FileRules, checkFile} from '../payouts/file/check-file.ts'
import type {FileSlot} from '../payouts/file/file-slot.ts'
import {type PayoutFile, type PayoutRow, readPayouts} from '../payouts/file/rows.ts'
import {buildRunQuestion} from '../payouts/run/preview.ts'
import type {PayoutResult} from '../payouts/run/result.ts'
import {type RunSettings, describeChangedRows, openRun} from '../payouts/run/run.ts'
import {describeLivePlace} from '../profiles/write-gate.ts'
import type {PostgresDatabase, Query} from '../storage/postgres/database.ts'
import {countNoun, svc} from '../values/text.ts'
import {
  type Batch,
  type BatchSummary,
  createBatchId,
  findBatch,
  findBatchByDigest,
  findEarlierBatch,
  findKeyElsewhere,
  readBatch,
  summarizeBatch,
} from './batches.ts'
import {addJobs, createQueue, withBoss} from './queue.ts'

export interface SubmitSettings extends Omit<FileRules, 'isDryRun' | 'notifier'>, Pick<RunSettings, 'connect'> {
  database: PostgresDatabase
  name: string
  // Whether the payees are named.
  hasNames: boolean
  // Asks for a yes if one is needed.
  confirm: (asked: WriteConfirmation) => Promise<void>
}

export interface Submitted {
  batch: Batch
  // The same file was submitted before.
  isKnown: boolean
}

// A row that was stopped before the first one has a result.
interface StoredRow {
  row: PayoutRow
  result?: PayoutResult | undefined
}

interface NewBatch {
  serviceId: string
  name: string
  slot?: FileSlot | undefined
  digest: string
  rows: readonly StoredRow[]
}

const chunkRows = 1000

const insertBatchText = `insert into svc.batches (id, service_id, name, slot, slot_at, digest, state, row_count, ended_at)
  values ($1, $2, $3, $4, $5::timestamptz, $6, 'ACTIVE', $7, case when $8::boolean then now() end)
  on conflict (service_id, digest) where state <> 'CANCELLED' do nothing returning id`

const insertRowsText = `insert into svc.batch_rows (batch_id, line, key, "row", content_digest, heard)
  select $1, line, key, "row", digest, nullif(heard, 'null'::jsonb)
  from jsonb_to_recordset($2::jsonb) as r (line integer, key text, "row" jsonb, digest text, heard jsonb)`

async function store(boss: PgBoss, query: Query, batchId: string, batch: NewBatch): Promise<void> {
  const {serviceId, name, slot, digest, rows} = batch
  const slotAt = slot ? new Date(slot.time.atMs).toISOString() : null
  const hasEnded = rows.every(({result}) => result)
  // Another process that stores the same file waits here, and finds this batch.
  const values = [batchId, serviceId, name, slot?.name ?? null, slotAt, digest, rows.length, hasEnded]
  const inserted = await query({text: insertBatchText}, values)
  if (inserted.length === 0) return
  for (let start = 0; start < rows.length; start += chunkRows) {
    const chunk = rows.slice(start, start + chunkRows)
    const records = chunk.map(({row, result: heard = null}) => {
      const {line, key, content} = row
      return {line, key, row, digest: digestContent(content), heard}
    })
    await query({text: insertRowsText}, [batchId, JSON.stringify(records)])
    const waiting = chunk.filter(({result}) => !result).map(({row: {line, key}}) => ({batchId, line, key}))
    await addJobs(boss, query, waiting)
  }
  // Nothing is known yet about rows of this transaction, and a plan that looks each of them up in a list of all would never end.
  await query({text: 'set local enable_nestloop = off'})
  const other = await findKeyElsewhere(query, batchId, serviceId)
  if (other) throw keyInOtherBatch(other)
}

const keyInOtherBatch = ({key, batchId}: {key: string; batchId: string}) =>
  new SvcError({
    error: 'KEY_IN_OTHER_BATCH',
    kind: 'usage',
    message: `The key ${key} is also a row of the batch ${batchId}, which has not ended`,
    hint: `Wait for it, or cancel it: ${svc`payouts cancel ${batchId}`}; nothing was stored`,
  })

export async function storeBatch(boss: PgBoss, database: PostgresDatabase, batch: NewBatch): Promise<Submitted> {
  const {serviceId, digest} = batch
  const batchId = createBatchId()
  // One that stays without a batch is removed by workers.
  await createQueue(boss, batchId)
  await database.transact((query) => store(boss, query, batchId, batch), {isRepeatable: true})
  const stored =
    (await findBatchByDigest(database, serviceId, digest)) ?? (await findBatch(database, serviceId, batchId))
  return {batch: stored, isKnown: stored.id !== batchId}
}

// The keys carry the slot, so another slot makes another digest.
const digestRows = (rows: readonly PayoutRow[]) => createHash('sha256').update(JSON.stringify(rows)).digest('hex')

const earlierBatchOpen = (slot: string, {id, name}: Batch) =>
  new SvcError({
    error: 'EARLIER_SLOT_OPEN',
    kind: 'unknownOutcome',
    message: `The slot ${slot} was not stored, since the earlier slot ${name} (batch ${id}) has not ended`,
    hint: `Let the workers finish it (${svc`payouts status ${id}`}), or cancel it: ${svc`payouts cancel ${id}`}`,
  })

// What the journal and the limits say about the rows, and what a person does.
async function checkRows(settings: SubmitSettings, written: PayoutFile): Promise<StoredRow[]> {
  const {caller, traits, connect, notice} = settings
  const run = await openRun({traits, written, controls: caller, connect})
  try {
    // Nobody is notified here: whoever submits a file is told, and the journal remembers it.
    const {stopped, refusal} = await checkFile(run, {...settings, isDryRun: false})
    if (refusal) throw refusal
    for (const line of describeChangedRows(run, false)) notice(line)
    const stoppedByKey = new Map(stopped.map((result) => [result.key, result]))
    const names = settings.hasNames ? new Parties(async () => run.context.client) : undefined
    const asked = buildRunQuestion(run, {caller, stopped, verb: 'Let the workers pay', names}) ?? {
      describe: () => `${countNoun(run.rows.length - stopped.length, 'payment')}, by the workers of the fleet.`,
      question: `Let the workers pay this${describeLivePlace(caller)}?`,
    }
    await settings.confirm(asked)
    const allowed = settings.allowsDuplicates ? {allowsDuplicates: true as const} : {}
    return run.rows.map((row) => ({row: {...row, ...allowed}, result: stoppedByKey.get(row.key)}))
  } finally {
    await run.context.close()
  }
}

export async function submit(settings: SubmitSettings): Promise<{batch: BatchSummary; isKnown: boolean}> {
  const {database, traits, file, name, slot} = settings
  const {serviceId} = traits
  const written = await readPayouts(file, slot)
  const digest = digestRows(written.rows)
  const known = await findBatchByDigest(database, serviceId, digest)
  if (known && written.problems.length === 0)
    return {batch: summarizeBatch(await readBatch(database, known)), isKnown: true}
  const earlier = slot && (await findEarlierBatch(database, serviceId, name, slot.time.atMs))
  if (earlier) throw earlierBatchOpen(slot.name, earlier)
  const rows = await checkRows(settings, written)
  const stored = await withBoss(database, (boss) => storeBatch(boss, database, {serviceId, name, slot, digest, rows}))
  return {...stored, batch: summarizeBatch(await readBatch(database, stored.batch))}
}
