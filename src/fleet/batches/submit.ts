// Stores a payout file as a batch: all of its rows with their jobs in one transaction, or none. A file without anything unusual is
// read and stored some rows at a time; any other is checked as a whole, as `svc payouts run` does.
import {createHash} from 'node:crypto'
import path from 'node:path'
import type {PgBoss} from 'pg-boss'
import type {Client} from '../../client/client.ts'
import type {Connection} from '../../client/connection.ts'
import type {SpendingLimits} from '../../controls/limits.ts'
import {type ApprovalSubject, digestParts} from '../../controls/statement.ts'
import {SvcError, interrupted} from '../../errors.ts'
import {digestPayment} from '../../payments/controls/approve-plan.ts'
import {getCoolDownRules} from '../../payments/controls/objections.ts'
import {LimitReached, checkKnownFees, checkPaymentLimits} from '../../payments/protocol/limits.ts'
import {withApprovalNotice} from '../../payments/run/notify-payments.ts'
import {requireFileApproval} from '../../payouts/file/approve-file.ts'
import {checkFile, rejectRowsElsewhere} from '../../payouts/file/check-file.ts'
import {readValidPayouts, rejectWrongRows} from '../../payouts/file/readiness.ts'
import {IrregularFile, readRowChunks} from '../../payouts/file/row-reader.ts'
import {type PayoutRow, rejectReceiveRows} from '../../payouts/file/rows.ts'
import {describeChangedRows, isCreated} from '../../payouts/run/journal-state.ts'
import {type RowStop, listDuplicates, toStoppedResult} from '../../payouts/run/result.ts'
import {type OpenBatch, openBatch} from '../../payouts/run/run.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import type {PostgresDatabase, Query} from '../../storage/postgres/database.ts'
import {getSqlState} from '../../storage/postgres/postgres-error.ts'
import {readInParts} from '../../storage/read-regular-file.ts'
import {setRateMax} from '../work/pace.ts'
import {
  type Batch,
  type StoredRow,
  addToCounts,
  createBatchId,
  endBatchIfDone,
  findBatch,
  findBatchByDigest,
  insertRows,
} from './batch.ts'
import type {FleetDatabase} from './open-fleet.ts'
import {addJobs, createQueue, getBatchQueue, getSettleQueue, openBoss} from './queue.ts'

interface Submission {
  boss: PgBoss
  database: PostgresDatabase
  serviceId: string
  file: string
  name: string
  spending: SpendingLimits
  duplicateWindowMs: number
  // Whether new payees wait, which needs a look at the whole file.
  hasCoolDown?: boolean | undefined
  // Throws if the rows need approvals and have too few. Absent if they need none.
  requireApproval?: ((subject: ApprovalSubject, totals: RowTotals) => Promise<void>) | undefined
  // Checks the whole file, and returns all of its rows: those that are not to be paid have a result.
  checkWhole(): Promise<StoredRow[]>
  // Asks for a yes if one is needed. It is called before anything is committed.
  confirm(totals: RowTotals): Promise<void>
}

interface RowTotals {
  rowCount: number
  // By currency, as decimal text.
  sums: ReadonlyArray<{currency: string; amount: string}>
}

export interface Submitted {
  batch: Batch
  // The same file was submitted before.
  isKnown: boolean
}

// Rows that need a look at the whole file: one may be over a limit, or in the journal already.
class UnusualRows extends Error {
  override name = 'UnusualRows'
}

const uniqueViolation = '23505'
const chunkRows = 1000
const hashBytes = 64 * 1024

function* splitRows(rows: readonly StoredRow[]): Generator<StoredRow[]> {
  for (let start = 0; start < rows.length; start += chunkRows) yield rows.slice(start, start + chunkRows)
}

// The limits of single payments. Those of a day need the whole file.
function checkSingly({spending, hasCoolDown}: Submission, rows: readonly PayoutRow[]): void {
  if (spending.dayMax || hasCoolDown) throw new UnusualRows()
  try {
    for (const {content, limits} of rows) {
      checkPaymentLimits(spending, content)
      checkKnownFees(limits, content)
    }
  } catch (error) {
    throw error instanceof LimitReached ? new UnusualRows() : error
  }
}

interface StoredChunks {
  chunks: AsyncIterable<StoredRow[]> | Iterable<StoredRow[]>
  // Known after the last chunk.
  getDigest: () => string
  isChecked: boolean
}

function streamChunks(submission: Submission): StoredChunks {
  const hash = createHash('sha256')
  async function* read() {
    for await (const rows of readRowChunks(submission.file, hash)) {
      checkSingly(submission, rows)
      yield rows.map((row) => ({row}))
    }
  }
  return {chunks: read(), getDigest: () => hash.digest('hex'), isChecked: false}
}

const readTotalsText = `
  select count(*)::integer as count, upper(content->'source'->>'sourceCurrency') as currency,
    sum((content->'source'->>'sourceAmount')::numeric)::text as amount
  from svc.batch_rows where batch_id = $1 and state = 'WAITING' group by 2 order by 2`

async function readTotals(query: Query, batchId: string): Promise<RowTotals> {
  const sums = await query<{count: number; currency: string; amount: string}>({text: readTotalsText}, [batchId])
  return {rowCount: sums.reduce((total, {count}) => total + count, 0), sums}
}

// A person may take longer to answer than a transaction may otherwise wait.
const waitForPerson = {text: `set local idle_in_transaction_session_timeout = '1h'`}

async function store(query: Query, submission: Submission, batchId: string, stored: StoredChunks): Promise<void> {
  const {boss, serviceId, name} = submission
  const queue = getBatchQueue(batchId)
  await query(
    {
      text: `insert into svc.batches (id, service_id, name, digest, state, row_count) values ($1, $2, $3, $1, 'ACTIVE', 0)`,
    },
    [batchId, serviceId, name],
  )
  let rowCount = 0
  const counts: Record<string, number> = {}
  const digests: Buffer[] = []
  for await (const rows of stored.chunks) {
    if (submission.requireApproval) digests.push(...rows.map(({row}) => digestPayment(row)))
    await insertRows(
      query,
      rows.map((row) => ({...row, batchId})),
    )
    const waiting = rows.filter(({result}) => !result).map(({row: {line, key}}) => ({batchId, line, key}))
    await addJobs(boss, query, queue, waiting)
    rowCount += rows.length
    for (const {result} of rows) counts[result?.state ?? 'WAITING'] = (counts[result?.state ?? 'WAITING'] ?? 0) + 1
  }
  const unusual = await findUnusual(query, {...submission, batchId})
  if (unusual.other) throw keyInOtherBatch(unusual.other)
  if (unusual.isUnusual && !stored.isChecked) throw new UnusualRows()
  await query(waitForPerson)
  const totals = await readTotals(query, batchId)
  await submission.requireApproval?.({kind: 'payouts', serviceId, digest: digestParts(digests)}, totals)
  await submission.confirm(totals)
  await addToCounts(query, batchId, counts)
  await query({text: 'update svc.batches set digest = $2, row_count = $3 where id = $1'}, [
    batchId,
    stored.getDigest(),
    rowCount,
  ])
  await endBatchIfDone(query, batchId)
}

const keyInOtherBatch = ({key, batchId}: {key: string; batchId: string}) =>
  new SvcError({
    error: 'KEY_IN_OTHER_BATCH',
    kind: 'usage',
    message: `The key ${key} is also a row of the batch ${batchId}, which has not ended`,
    hint: `Wait for it, or cancel it: svc payouts cancel ${batchId}; nothing was stored`,
  })

async function storeBatch(submission: Submission, batchId: string, prepare: () => StoredChunks): Promise<Submitted> {
  const {boss, database, serviceId} = submission
  let digest = ''
  try {
    await createQueue(boss, getSettleQueue(serviceId))
    await createQueue(boss, getBatchQueue(batchId))
    await database.transact(
      async (query) => {
        const stored = prepare()
        await store(query, submission, batchId, {...stored, getDigest: () => (digest = stored.getDigest())})
      },
      {isRepeatable: true},
    )
  } catch (error) {
    const isKnown = getSqlState(error instanceof Error ? (error.cause ?? error) : error) === uniqueViolation
    const known = isKnown ? await findBatchByDigest(database, serviceId, digest) : undefined
    // The answer to the commit may have been lost, and the repetition met the rows of the first time.
    if (known?.id === batchId) return {batch: known, isKnown: false}
    await boss.deleteQueue(getBatchQueue(batchId)).catch(() => {})
    if (known) return {batch: known, isKnown: true}
    throw error
  }
  return {batch: await findBatch(database, serviceId, batchId), isKnown: false}
}

// Standard input has no second reading, so its rows stand for it.
const hashRows = (rows: readonly StoredRow[]) =>
  createHash('sha256')
    .update(JSON.stringify(rows.map(({row}) => row)))
    .digest('hex')

function hashFile(file: string): string | undefined {
  try {
    const hash = createHash('sha256')
    for (const bytes of readInParts(file, hashBytes)) hash.update(bytes)
    return hash.digest('hex')
  } catch {
    // A file that cannot be read is reported with its reason when it is.
    return undefined
  }
}

export async function submitFile(submission: Submission): Promise<Submitted> {
  const {database, serviceId, file} = submission
  const digest = file === '-' ? undefined : hashFile(file)
  const known = digest === undefined ? undefined : await findBatchByDigest(database, serviceId, digest)
  if (known) return {batch: known, isKnown: true}
  const batchId = createBatchId()
  try {
    if (digest !== undefined) return await storeBatch(submission, batchId, () => streamChunks(submission))
  } catch (error) {
    if (!(error instanceof IrregularFile) && !(error instanceof UnusualRows)) throw error
  }
  const rows = await submission.checkWhole()
  const stored = {chunks: [...splitRows(rows)], getDigest: () => digest ?? hashRows(rows), isChecked: true}
  return storeBatch(submission, batchId, () => stored)
}

// Finds out, with a few statements about all rows of a batch, whether any of them needs a closer look before the batch is stored.
interface Unusual {
  // A row that another batch has, which has not ended.
  other?: {key: string; batchId: string} | undefined
  isUnusual: boolean
}

const otherText = `
  select r.key, o.batch_id as "batchId" from svc.batch_rows r
  join svc.batch_rows o on o.key = r.key and o.batch_id <> r.batch_id and o.state in ('WAITING', 'UNKNOWN')
  join svc.batches b on b.id = o.batch_id and b.service_id = $2
  where r.batch_id = $1 order by r.line limit 1`

const repeatedKeyText = `
  select exists (select from svc.batch_rows where batch_id = $1 group by key having count(*) > 1) as found`

// The journal has a payment of this key, at this service or at another.
const knownKeyText = `
  select exists (select from svc.batch_rows r join svc.payments p on p.key = r.key where r.batch_id = $1) as found`

const alikeText = `
  select exists (select from svc.batch_rows where batch_id = $1 group by content->'destination'->>'destinationPaymentAccountId',
    upper(content->'source'->>'sourceCurrency'), (content->'source'->>'sourceAmount')::numeric having count(*) > 1) as found`

const paidText = `
  select exists (select from svc.batch_rows r join svc.payments p
      on p.service_id = $2 and p.destination = r.content->'destination'->>'destinationPaymentAccountId'
    where r.batch_id = $1 and p.state in ('ARMED', 'CREATED', 'UNKNOWN')) as found`

interface StoredBatch {
  batchId: string
  serviceId: string
  duplicateWindowMs: number
}

async function findUnusual(query: Query, batch: StoredBatch): Promise<Unusual> {
  const {batchId, serviceId, duplicateWindowMs} = batch
  const isFound = async (text: string, ...more: string[]) =>
    (await query<{found: boolean}>({text}, [batchId, ...more]))[0]?.found === true
  // Nothing is known yet about rows of this transaction, and a plan that looks each of them up in a list of all would never end.
  await query({text: 'set local enable_nestloop = off'})
  const [other] = await query<{key: string; batchId: string}>({text: otherText}, [batchId, serviceId])
  const isUnusual =
    (await isFound(repeatedKeyText)) ||
    (await isFound(knownKeyText)) ||
    (duplicateWindowMs > 0 && ((await isFound(alikeText)) || (await isFound(paidText, serviceId))))
  await query({text: 'set local enable_nestloop = on'})
  return {other, isUnusual}
}

// Submits a file for a profile: what is unusual about its rows is checked as `svc payouts run` does.
export interface SubmitSettings {
  fleet: FleetDatabase
  caller: Caller
  traits: ServiceTraits
  file: string
  name: string
  rateMax?: number | null | undefined
  isUpToCap: boolean
  allowsDuplicates: boolean
  // Whether a person can be asked about duplicates.
  canAsk: boolean
  notice: (text: string) => void
  // Asks for a yes if one is needed.
  confirm: (words: string, stops: readonly RowStop[]) => Promise<void>
  connect: (onReply: NonNullable<Connection['onReply']>) => Promise<Client>
}

const describeTotals = ({rowCount, sums}: RowTotals) =>
  `${rowCount} ${rowCount === 1 ? 'payment' : 'payments'}, ${sums.map(({amount, currency}) => `${amount} ${currency}`).join(', ')}, by the workers of the fleet.`

async function refuseDuplicates(
  {canAsk, notice}: SubmitSettings,
  batch: OpenBatch,
  check: Awaited<ReturnType<typeof checkFile>>,
) {
  const {refusal, duplicates} = check
  if (!refusal) return
  if (!refusal.isAboutDuplicates || !canAsk) throw refusal.error
  for (const line of listDuplicates(duplicates, batch.rows)) notice(line)
  const {askYes} = await import('../../cli/prompts/ask.ts')
  if (!(await askYes('Pay them as further payments?'))) throw interrupted()
}

// All rows at once, with what the journal and the limits say about them.
async function checkWhole(
  settings: SubmitSettings,
  onStops: (stops: readonly RowStop[]) => void,
): Promise<StoredRow[]> {
  const {caller, traits, file, notice, connect} = settings
  const {rows, remarks} = await readValidPayouts(file, async () => ({traits, connect}))
  for (const remark of remarks) notice(remark)
  rejectReceiveRows(file, rows)
  const batch = await openBatch({traits, rows, controls: caller, connect})
  try {
    await rejectWrongRows(file, batch)
    await rejectRowsElsewhere(file, batch)
    const duplicateWindowMs = settings.allowsDuplicates ? 0 : caller.duplicateWindowMs
    const approval = await recordRefusal(settings, () => requireFileApproval({...batch, caller, traits, file}))
    const coolDown = getCoolDownRules(caller, approval)
    const check = await checkFile(batch, {isUpToCap: settings.isUpToCap, duplicateWindowMs, coolDown}, false)
    await refuseDuplicates(settings, batch, check)
    for (const line of describeChangedRows(batch.journalState, false)) notice(line)
    onStops(check.overLimit)
    const stopped = new Map(check.overLimit.map((stop) => [stop.row.key, toStoppedResult(stop)]))
    return batch.rows.map((row) => ({
      row,
      wasMadeBefore: isCreated(row, batch.journalState),
      result: stopped.get(row.key),
    }))
  } finally {
    await batch.context.close()
  }
}

// Nobody is notified here: whoever submits a file is told, and the journal remembers it.
const recordRefusal = <T>({traits: {journal}, file}: SubmitSettings, work: () => Promise<T>): Promise<T> =>
  withApprovalNotice({open: async () => undefined, journal, name: path.basename(file)}, work)

async function requireBatchApproval(
  {caller, traits, file}: SubmitSettings,
  subject: ApprovalSubject,
  sums: RowTotals['sums'],
): Promise<void> {
  const {requireApproval} = await import('../../payments/controls/require-approval.ts')
  await requireApproval({caller, journal: traits.journal, subject, sums, file})
}

export async function submit(settings: SubmitSettings): Promise<Submitted> {
  const {fleet, caller, traits, file, name, rateMax} = settings
  const {database} = fleet
  const boss = await openBoss(database)
  let isConfirmed = false
  let stops: readonly RowStop[] = []
  try {
    const submitted = await submitFile({
      boss,
      database,
      serviceId: traits.serviceId,
      file,
      name,
      spending: caller.spending ?? {},
      duplicateWindowMs: settings.allowsDuplicates ? 0 : caller.duplicateWindowMs,
      hasCoolDown: (caller.coolDownMs ?? 0) > 0,
      requireApproval:
        caller.approvals &&
        ((subject, {sums}) => recordRefusal(settings, () => requireBatchApproval(settings, subject, sums))),
      checkWhole: () => checkWhole(settings, (found) => (stops = found)),
      async confirm(totals) {
        if (!isConfirmed) await settings.confirm(describeTotals(totals), stops)
        isConfirmed = true
      },
    })
    if (rateMax !== undefined) await setRateMax(database, traits.serviceId, rateMax ?? undefined)
    return submitted
  } finally {
    await boss.stop({graceful: false})
  }
}
