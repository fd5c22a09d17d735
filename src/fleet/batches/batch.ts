// A batch: a payout file that was submitted to the fleet, and the states of its rows.
import {randomInt} from 'node:crypto'
import {SvcError, badUsage} from '../../errors.ts'
import type {RowState} from '../../payouts/run/result.ts'
import type {PostgresDatabase, Query} from '../../storage/postgres/database.ts'

export type BatchState = 'ACTIVE' | 'PAUSED' | 'CANCELLED' | 'DONE'

// WAITING rows are to be paid; CANCELLED ones were not tried. The others are as in a payout run.
export type BatchRowState = 'WAITING' | 'CANCELLED' | RowState

export const openRowStates: readonly BatchRowState[] = ['WAITING', 'UNKNOWN']

export type RowCounts = Partial<Record<BatchRowState, number>>

export interface Batch {
  id: string
  serviceId: string
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
// Long enough that two of a million digests do not meet.
const digestIdLength = 12

const joinId = (length: number, pick: (index: number) => number) =>
  `b${Array.from({length}, (_, index) => idAlphabet[pick(index)]).join('')}`

export const createBatchId = () => joinId(idLength, () => randomInt(idAlphabet.length))

// The id that stands for a digest. Two bytes decide on each character.
export const toBatchId = (digest: Buffer) =>
  joinId(digestIdLength, (index) => digest.readUInt16BE(index * 2) % idAlphabet.length)

interface BatchRecord {
  id: string
  service_id: string
  name: string
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
  name: record.name,
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

const noBatch = (reference: string) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `There is no batch ${JSON.stringify(reference)}`,
    hint: '`svc payouts status` lists the batches of this profile',
  })

// By its id, or by its name if only one has it.
export async function findBatch(database: Reader, serviceId: string, reference: string): Promise<Batch> {
  const text = `${selectBatch} where b.service_id = $1 and (b.id = $2 or b.name = $2) order by b.created_at desc limit 3`
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
  states.reduce((sum, state) => sum + (counts[state] ?? 0), 0)

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
