// What is said about the rows of batches: what the journal has of their payments now, over what the workers have written so far. A
// worker that was killed has written nothing, but the journal knows what it sent.
import {joinFormerIds} from '../../payments/journal/entries.ts'
import type {Journal} from '../../payments/journal/journal.ts'
import {openJournal} from '../../payments/journal/open-journal.ts'
import {unsettledStates} from '../../payments/protocol/payment.ts'
import {type PayoutResult, toBaseResult} from '../../payouts/run/result.ts'
import {type RecordedPayment, readPaymentsByKey, reportRow} from '../../payouts/run/row-outcome.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import type {PostgresDatabase} from '../../storage/postgres/database.ts'
import {type Batch, type BatchRow, type BatchRowState, type RowCounts, loadRows} from './batch.ts'
import {type FleetDatabase, type FleetUse, withFleet} from './open-fleet.ts'
import {type RowReference, getBatchQueue, jobSchema} from './queue.ts'

export interface FleetReader extends FleetDatabase {
  journal: Journal
  serviceId: string
  // The ids that the service had before.
  formerIds: readonly string[]
}

// `journal` is that of the service, with the ids that it had before.
export const toFleetReader = (
  fleet: FleetDatabase,
  journal: FleetReader['journal'],
  {serviceId, identity: {formerIds}}: Pick<ServiceTraits, 'serviceId' | 'identity'>,
): FleetReader => ({...fleet, journal, serviceId, formerIds})

// With the journal of the service, to read alone.
export const withFleetReader = <T>(
  traits: ServiceTraits,
  work: (fleet: FleetReader) => Promise<T>,
  use?: FleetUse,
): Promise<T> =>
  withFleet(
    traits.journal,
    async (fleet) => {
      const journal = await openJournal(traits.journal, {isOnlyRead: true})
      const {serviceId, identity} = traits
      try {
        return await work(toFleetReader(fleet, joinFormerIds(journal, serviceId, identity.formerIds), traits))
      } finally {
        await journal.close()
      }
    },
    use,
  )

const cancelled = {error: 'CANCELLED', message: 'The batch was cancelled before this row was paid'}
const taken = {error: 'IN_FLIGHT', message: 'A worker has taken it, and has not reported back yet'}

// What the workers have written of a row. One that was not paid yet may have a reason why its last try failed.
function toWrittenResult(row: BatchRow, isTaken: boolean): PayoutResult {
  if (row.state === 'CANCELLED') return {...toBaseResult(row, 'NOT_TRIED'), error: cancelled}
  if (row.state !== 'WAITING') return row.result ?? toBaseResult(row, row.state)
  if (isTaken) return {...toBaseResult(row, 'IN_PROGRESS'), error: taken}
  const {error} = row.result ?? {}
  return {...toBaseResult(row, 'NOT_TRIED'), ...(error && {error})}
}

function reportBatchRow(row: BatchRow, recorded: RecordedPayment | undefined, isTaken: boolean): PayoutResult {
  const isUnsettled = recorded !== undefined && unsettledStates.includes(recorded.payment.state)
  // Of a payment that was armed, the journal knows more than that a worker has taken it.
  const heard = isUnsettled && row.state === 'WAITING' ? undefined : toWrittenResult(row, isTaken)
  return reportRow({row, recorded, heard, wasMadeBefore: row.wasMadeBefore})
}

// The keys of rows that were given to a worker which has not reported back: `left` are those whose worker has been silent for long.
async function listTakenKeys(database: PostgresDatabase, batchIds: readonly string[]) {
  const text = `select name, singleton_key as key, state::text as state from ${jobSchema}.job
    where name = any($1::text[]) and state in ('active', 'retry')`
  const queues = batchIds.map(getBatchQueue)
  return database.read<{name: string; key: string; state: 'active' | 'retry'}>({text}, [queues])
}

const readTakenKeys = async (database: PostgresDatabase, batchId: string): Promise<ReadonlySet<string>> =>
  new Set((await listTakenKeys(database, [batchId])).flatMap(({key, state}) => (state === 'active' ? [key] : [])))

// Reports rows of one batch.
export async function createRowReporter({database, journal, serviceId}: FleetReader, batchId: string) {
  const takenKeys = await readTakenKeys(database, batchId)
  return async (rows: readonly BatchRow[]): Promise<PayoutResult[]> => {
    const keys = rows.map(({key}) => key)
    const recorded = await readPaymentsByKey(journal, serviceId, keys)
    return rows.map((row) => reportBatchRow(row, recorded.get(row.key), takenKeys.has(row.key)))
  }
}

// Rows whose payment was, or may have been, made, although nothing was written of it yet: those that a worker has taken, those
// that the journal has as armed or unknown, and those that were written as cancelled or failed before a slow worker made them.
async function listDoubtfulRows(
  {database, serviceId, formerIds}: FleetReader,
  batchIds: readonly string[],
): Promise<Array<{row: BatchRow; isTaken: boolean}>> {
  const jobs = await listTakenKeys(database, batchIds)
  const takenKeys = new Set(jobs.flatMap(({key, state}) => (state === 'active' ? [key] : [])))
  const text = `select r.batch_id as "batchId", r.line, r.key from svc.batch_rows r
    where r.batch_id = any($1::text[]) and r.state not in ('UNKNOWN', 'CREATED', 'ENDED_BADLY') and r.key in (
      select p.key from svc.payments p where p.service_id = any($2::text[]) and p.state in ('ARMED', 'UNKNOWN')
      union all select unnest($3::text[]))
    union select r.batch_id, r.line, r.key from svc.batch_rows r join svc.payments p on p.key = r.key
    where r.batch_id = any($1::text[]) and r.state not in ('WAITING', 'CREATED') and r.state not in ('UNKNOWN', 'ENDED_BADLY')
      and p.service_id = any($2::text[]) and p.state = 'CREATED'`
  const ids = [serviceId, ...formerIds]
  const keys = jobs.map(({key}) => key)
  const references = await database.read<RowReference & Record<string, unknown>>({text}, [batchIds, ids, keys])
  const rows = await loadRows(database, references)
  return rows.map((row) => ({row, isTaken: takenKeys.has(row.key)}))
}

// A row of which more is known than was written: what was written, and what is said instead.
export interface Correction {
  batchId: string
  written: BatchRowState
  result: PayoutResult
}

export async function readCorrections(fleet: FleetReader, batchIds: readonly string[]): Promise<Correction[]> {
  if (batchIds.length === 0) return []
  const doubtful = await listDoubtfulRows(fleet, batchIds)
  const keys = doubtful.map(({row}) => row.key)
  const recorded = await readPaymentsByKey(fleet.journal, fleet.serviceId, keys)
  return doubtful.flatMap(({row, isTaken}) => {
    const result = reportBatchRow(row, recorded.get(row.key), isTaken)
    const isSame = result.state === row.state || result.state === 'NOT_TRIED'
    return isSame ? [] : [{batchId: row.batchId, written: row.state, result}]
  })
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
  const corrections = await readCorrections(
    fleet,
    batches.map(({id}) => id),
  )
  return batches.map((batch) => {
    const own = corrections.filter(({batchId}) => batchId === batch.id)
    return {...batch, counts: correctCounts(batch.counts, own)}
  })
}

export async function reportBatch(fleet: FleetReader, batch: Batch): Promise<Batch> {
  const [reported] = await reportBatches(fleet, [batch])
  return reported ?? batch
}
