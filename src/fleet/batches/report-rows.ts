// What is said about the rows of batches: what the journal has of their payments now, over what the workers have written so far. A
// worker that was killed has written nothing, but the journal knows what it sent.
import type {Journal} from '../../payments/journal/journal.ts'
import {openJournal} from '../../payments/journal/open-journal.ts'
import {unsettledStates} from '../../payments/protocol/payment.ts'
import {
  type PayoutResult,
  type RecordedPayment,
  readPaymentsByKey,
  tellOutcome,
  toBaseResult,
  toUnknownResult,
} from '../../payouts/run/result.ts'
import type {BatchRowState, RowCounts} from '../../payouts/run/row-states.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {type Batch, type BatchRow, type RowRecord, toBatchRow} from './batch.ts'
import {type FleetDatabase, withFleet} from './open-fleet.ts'
import {getBatchQueue, jobSchema} from './queue.ts'

export interface FleetReader extends FleetDatabase {
  journal: Journal
  serviceId: string
}

export const toFleetReader = (
  fleet: FleetDatabase,
  journal: FleetReader['journal'],
  {serviceId}: Pick<ServiceTraits, 'serviceId'>,
): FleetReader => ({...fleet, journal, serviceId})

// With the journal of the service, to read alone.
export const withFleetReader = <T>(
  traits: Pick<ServiceTraits, 'serviceId' | 'journal'>,
  work: (fleet: FleetReader) => Promise<T>,
): Promise<T> =>
  withFleet(traits.journal, async (fleet) => {
    const journal = await openJournal(traits.journal)
    try {
      return await work(toFleetReader(fleet, journal, traits))
    } finally {
      await journal.close()
    }
  })

const cancelled = {error: 'CANCELLED', message: 'The batch was cancelled before this row was paid'}
const taken = {error: 'IN_FLIGHT', message: 'A worker has taken it, and has not reported back yet'}

// What the workers have written of a row. One that was not paid yet may have a reason why its last try failed.
function toWrittenResult(row: BatchRow, isTaken: boolean): PayoutResult {
  if (row.state === 'CANCELLED') return {...toBaseResult(row, 'NOT_TRIED'), error: cancelled}
  // One that is unknown may still have the result of an earlier try.
  if (row.state === 'UNKNOWN' && row.result?.state !== 'UNKNOWN') return toUnknownResult(row, row.result)
  if (row.state !== 'WAITING') return row.result ?? toBaseResult(row, row.state)
  if (isTaken) return {...toBaseResult(row, 'IN_PROGRESS'), error: taken}
  const {error} = row.result ?? {}
  return {...toBaseResult(row, 'NOT_TRIED'), ...(error && {error})}
}

function reportBatchRow(row: BatchRow, recorded: RecordedPayment | undefined, isTaken: boolean): PayoutResult {
  const isUnsettled = recorded !== undefined && unsettledStates.includes(recorded.payment.state)
  // Of a payment that was armed, the journal knows more than that a worker has taken it.
  const heard = isUnsettled && row.state === 'WAITING' ? undefined : toWrittenResult(row, isTaken)
  return tellOutcome(row, recorded, heard, row.wasMadeBefore)
}

// The keys of rows that were given to a worker which has not reported back, nor been silent for long.
async function readTakenKeys(database: PostgresDatabase, batchId: string): Promise<ReadonlySet<string>> {
  const text = `select singleton_key as key from ${jobSchema}.job where name = $1 and state = 'active'`
  const jobs = await database.read<{key: string}>({text}, [getBatchQueue(batchId)])
  return new Set(jobs.map(({key}) => key))
}

// Reports rows of one batch.
export async function createRowReporter({database, journal, serviceId}: FleetReader, batchId: string) {
  const takenKeys = await readTakenKeys(database, batchId)
  return async (rows: readonly BatchRow[]): Promise<PayoutResult[]> => {
    const keys = rows.map(({key}) => key)
    const recorded = await readPaymentsByKey(journal, serviceId, keys)
    return rows.map((row) => reportBatchRow(row, recorded.get(row.key), takenKeys.has(row.key)))
  }
}

// What was written of batches at one moment: the counts of their rows, and the rows whose payment was, or may have been, made although
// nothing was written of it yet. These are rows that a worker has taken or put off, those that the journal has as armed or unknown, and
// those that were written as cancelled or failed before a slow worker made them. One statement reads all, since workers go on meanwhile.
const writtenText = `
  with taken as (
    select substr(name, length('batch.') + 1) as batch_id, singleton_key as key, bool_or(state = 'active') as is_active
    from ${jobSchema}.job where name = any($3::text[])
      and (state in ('active', 'retry') or (state = 'created' and start_after > now())) group by 1, 2
  ), doubtful as (
    select r.batch_id, r.line from svc.batch_rows r
    where r.batch_id = any($1::text[]) and r.state not in ('UNKNOWN', 'CREATED', 'ENDED_BADLY') and r.key in (
      select p.key from svc.payments p where p.service_id = $2 and p.state in ('ARMED', 'UNKNOWN')
      union all select key from taken)
    union select r.batch_id, r.line from svc.batch_rows r join svc.payments p on p.key = r.key
    where r.batch_id = any($1::text[]) and r.state not in ('WAITING', 'CREATED') and r.state not in ('UNKNOWN', 'ENDED_BADLY')
      and p.service_id = $2 and p.state = 'CREATED'
  )
  select b.id, (select jsonb_object_agg(c.state, c.row_count) from svc.batch_counts c
      where c.batch_id = b.id and c.row_count > 0) as counts,
    (select jsonb_agg(to_jsonb(r) || jsonb_build_object('batch_state', b.state, 'is_taken', coalesce(t.is_active, false)))
      from doubtful d join svc.batch_rows r using (batch_id, line) left join taken t on t.batch_id = r.batch_id and t.key = r.key
      where d.batch_id = b.id) as rows
  from svc.batches b where b.id = any($1::text[])`

interface WrittenBatch {
  id: string
  counts: RowCounts | null
  rows: Array<RowRecord & {is_taken: boolean}> | null
}

function readWritten({database, serviceId}: FleetReader, batchIds: readonly string[]) {
  const values = [batchIds, serviceId, batchIds.map(getBatchQueue)]
  return database.read<WrittenBatch & Record<string, unknown>>({text: writtenText}, values)
}

// A row of which more is known than was written: what was written, and what is said instead.
export interface Correction {
  batchId: string
  written: BatchRowState
  result: PayoutResult
}

// The counts as they were written, and what is said instead of some of them.
export interface WrittenCounts {
  countsByBatch: ReadonlyMap<string, RowCounts>
  corrections: readonly Correction[]
}

export async function readCounts(fleet: FleetReader, batchIds: readonly string[]): Promise<WrittenCounts> {
  if (batchIds.length === 0) return {countsByBatch: new Map(), corrections: []}
  const written = await readWritten(fleet, batchIds)
  const doubtful = written.flatMap(({rows}) =>
    (rows ?? []).map((record) => ({row: toBatchRow(record), isTaken: record.is_taken})),
  )
  const keys = doubtful.map(({row}) => row.key)
  const recorded = await readPaymentsByKey(fleet.journal, fleet.serviceId, keys)
  const corrections = doubtful.flatMap(({row, isTaken}) => {
    const result = reportBatchRow(row, recorded.get(row.key), isTaken)
    const isSame = result.state === row.state || result.state === 'NOT_TRIED'
    return isSame ? [] : [{batchId: row.batchId, written: row.state, result}]
  })
  return {countsByBatch: new Map(written.map(({id, counts}) => [id, counts ?? {}])), corrections}
}

export function correctCounts(counts: RowCounts, corrections: readonly Correction[]): RowCounts {
  const corrected = {...counts}
  for (const {written, result} of corrections) {
    corrected[written] = (corrected[written] ?? 0) - 1
    corrected[result.state] = (corrected[result.state] ?? 0) + 1
  }
  return corrected
}

// The batches with what the journal knows of their rows.
export async function reportBatches(fleet: FleetReader, batches: readonly Batch[]): Promise<Batch[]> {
  const {countsByBatch, corrections} = await readCounts(
    fleet,
    batches.map(({id}) => id),
  )
  return batches.map((batch) => {
    const own = corrections.filter(({batchId}) => batchId === batch.id)
    return {...batch, counts: correctCounts(countsByBatch.get(batch.id) ?? batch.counts, own)}
  })
}

export async function reportBatch(fleet: FleetReader, batch: Batch): Promise<Batch> {
  const [reported] = await reportBatches(fleet, [batch])
  return reported ?? batch
}
