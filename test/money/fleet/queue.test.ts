// The queue of a fleet on a real PostgreSQL: what happens to rows and jobs when workers end, report late, or a batch is cancelled.
import {openJournalDatabase} from '../../../src/payments/journal/postgres/open-postgres-journal.ts'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {type BatchRow, countRows, findBatch, listOpenRows, walkRows} from '../../../src/fleet/batches.ts'
import {cancelBatch, pauseBatch} from '../../../src/fleet/change-batch.ts'
import {type RowJob, getQueue, openBoss, takeJobs, touchJobs} from '../../../src/fleet/queue.ts'
import {readFleetState} from '../../../src/fleet/status.ts'
import {storeBatch} from '../../../src/fleet/submit.ts'
import {finishBatches, settleUnsettled} from '../../../src/fleet/sweep.ts'
import {WorkLoop, WorkStatistics, recordRows} from '../../../src/fleet/worker.ts'
import {toPaymentText} from '../../../src/payments/journal/payment-text.ts'
import {toNewPayment} from '../../../src/payments/journal/tables.ts'
import {describeThisProcess} from '../../../src/payments/journal/owner.ts'
import {digestContent} from '../../../src/payments/protocol/compare.ts'
import type {PaymentState} from '../../../src/payments/protocol/payment.ts'
import {type PayoutRow, readPayouts} from '../../../src/payouts/file/rows.ts'
import {Halt} from '../../../src/payouts/run/halt.ts'
import {toResult} from '../../../src/payouts/run/result.ts'
import type {RowState} from '../../../src/payouts/run/row-states.ts'
import {createRow, header} from '../../support/payroll.ts'
import {useFleet} from '../../support/fleet.ts'
import {runSql} from '../../support/postgres.ts'
import {enterState} from '../../support/recorded.ts'
import {temporaryFolder} from '../../support/svc.ts'

const {getAddress} = useFleet()
let services = 0

interface JournalPayment {
  state: PaymentState
  ended?: 'FAILED'
  isHeld?: boolean
  amount?: string
}

// A service of its own for every test, with a batch of so many rows.
async function prepare(rowCount: number) {
  const database = openJournalDatabase({text: getAddress()})
  const boss = await openBoss(database)
  onTestFinished(async () => {
    await boss.stop({graceful: false})
    await database.close()
  })
  services += 1
  const serviceId = `service-${services}`
  const file = path.join(temporaryFolder(), 'payroll.csv')
  const lines = Array.from({length: rowCount}, (_, index) =>
    createRow(`${serviceId}-${index + 1}`, {amount: `${index + 1}`}),
  )
  fs.writeFileSync(file, `${[header, ...lines].join('\n')}\n`)
  const {rows} = await readPayouts(file)
  const stored = rows.map((row) => ({row}))
  const {batch} = await storeBatch(boss, database, {serviceId, name: 'payroll.csv', digest: serviceId, rows: stored})
  const queue = getQueue(batch.id)
  const findRow = (line: number) => rows.find((row) => row.line === line) as PayoutRow

  // What a worker reports: a row that was made has a payment, and of others it tells what it has heard.
  async function report(job: RowJob, state: RowState, delayMs?: number): Promise<void> {
    if (state === 'CREATED') await writePayment(findRow(job.line), {state})
    const heard = state === 'CREATED' ? null : toResult(findRow(job.line), state)
    const again = delayMs === undefined ? undefined : {isUnsettled: state === 'UNKNOWN', delayMs, tries: 1}
    await recordRows({boss, database}, [{job, heard, again}])
  }

  async function writePayment(row: PayoutRow, {state, ended, isHeld = false, amount}: JournalPayment): Promise<void> {
    const {key} = row
    const content = amount ? {...row.content, source: {...row.content.source, sourceAmount: amount}} : row.content
    const intended = {...toNewPayment({serviceId, key, content}), createdAt: 1, updatedAt: 1}
    const payment = enterState(intended, state, {made: {transactionId: 't', ...(ended && {ended})}})
    const owner = isHeld ? `'${JSON.stringify(describeThisProcess())}', extract(epoch from now()) * 1000` : 'null, null'
    await runSql(
      getAddress(),
      `insert into svc.payments (service_id, key, state, currency, amount, destination, created_at, updated_at, payment,
        content_digest, ended, owner, renewed_at) values ('${serviceId}', '${key}', '${state}', 'USDC', '1', 'd', 1, 1,
        '${toPaymentText(payment)}', '${digestContent(content)}', ${ended ? `'${ended}'` : 'null'}, ${owner})`,
    )
  }

  return {
    database,
    boss,
    serviceId,
    batch,
    rows,
    queue,
    report,
    writePayment,
    readBatch: () => findBatch(database, serviceId, batch.id),
    countStates: async () => (await countRows(database, [batch]))[0]?.counts,
    finish: () => finishBatches(boss, database, serviceId, new Set()),
    take: async (count: number) => takeJobs(boss, await findBatch(database, serviceId, batch.id), count),
  }
}

// As if the worker of these jobs had been silent for an hour.
const silenceWorkers = (queue: string) =>
  runSql(
    getAddress(),
    `update svc_jobs.job set heartbeat_on = now() - interval '1 hour' where name = '${queue}' and state = 'active'`,
  )

describe('a job', () => {
  it('comes back when its worker has ended, and is gone when the first worker was only slow', async () => {
    const {boss, queue, take, report, countStates} = await prepare(2)
    const [first] = await take(1)
    if (!first) throw new Error('there is no job')
    await touchJobs(boss, [first])
    await boss.supervise(queue)
    expect((await take(2)).map(({line}) => line)).not.toContain(first.line)
    await silenceWorkers(queue)
    // Supervision is shared, so another pass may be waited for.
    await runSql(
      getAddress(),
      `update svc_jobs.queue set monitor_on = null, monitor_claim_on = null where name = '${queue}'`,
    )
    await boss.supervise(queue)
    const again = await take(5)
    expect(again.find(({line}) => line === first.line)).toMatchObject({retryCount: 1})
    // A row that has ended needs no job, whoever has it.
    await report(first, 'CREATED')
    const jobs = await runSql(getAddress(), `select state::text from svc_jobs.job where name = '${queue}'`)
    expect(jobs).toEqual([{state: 'active'}])
    expect(await countStates()).toEqual({CREATED: 1, IN_PROGRESS: 1})
  })

  it('is made again if it was lost', async () => {
    const {queue, take, finish} = await prepare(3)
    await runSql(getAddress(), `delete from svc_jobs.job where name = '${queue}'`)
    expect(await take(3)).toEqual([])
    await finish()
    await finish()
    expect((await take(9)).map(({line}) => line).toSorted((a, b) => a - b)).toEqual([2, 3, 4])
  })
})

const countBy = (rules: ReadonlyArray<{is: string}>) =>
  Object.fromEntries([...Map.groupBy(rules, ({is}) => is)].map(([is, own]) => [is, own.length]))

describe('a row', () => {
  // What its payment, its worker, its job and its batch say, and what it is then.
  const rules: Array<{is: string; payment?: JournalPayment; heard?: object; isTaken?: true; isCancelled?: true}> = [
    {is: 'WAITING'},
    {is: 'WAITING', heard: {state: 'NOT_TRIED', error: {error: 'E', message: 'The service failed'}}},
    {is: 'WAITING', payment: {state: 'INTENDED'}},
    {is: 'WAITING', payment: {state: 'CREATED', amount: '99'}},
    {is: 'WAITING', payment: {state: 'ABANDONED'}},
    {is: 'IN_PROGRESS', isTaken: true},
    {is: 'IN_PROGRESS', isTaken: true, isCancelled: true},
    {is: 'IN_PROGRESS', payment: {state: 'ARMED', isHeld: true}, isTaken: true},
    {is: 'UNKNOWN', payment: {state: 'ARMED'}, isTaken: true},
    {is: 'UNKNOWN', payment: {state: 'UNKNOWN'}, isCancelled: true},
    {is: 'UNKNOWN', payment: {state: 'UNKNOWN'}, heard: {state: 'FAILED'}},
    {is: 'UNKNOWN', payment: {state: 'CREATED'}, heard: {state: 'UNKNOWN', transaction: 't'}},
    {is: 'UNKNOWN', heard: {state: 'UNKNOWN'}, isCancelled: true},
    {is: 'CREATED', payment: {state: 'CREATED'}, heard: {state: 'UNKNOWN'}},
    {is: 'CREATED', payment: {state: 'CREATED'}, heard: {state: 'FAILED'}, isCancelled: true},
    {is: 'ENDED_BADLY', payment: {state: 'CREATED', ended: 'FAILED'}},
    {is: 'REJECTED', payment: {state: 'REJECTED'}, heard: {state: 'REJECTED'}},
    {is: 'STOPPED', heard: {state: 'STOPPED'}, isCancelled: true},
    {is: 'FAILED', heard: {state: 'FAILED'}, payment: {state: 'CREATED', amount: '99'}},
    {is: 'CANCELLED', isCancelled: true},
    {is: 'CANCELLED', isCancelled: true, payment: {state: 'CREATED', amount: '99'}},
  ]

  // One row of the batch for each rule, whose job is taken first.
  it.each([true, false])(
    'is told alike in counts, by itself and as open, in a batch that is cancelled: %s',
    async (isCancelled) => {
      const own = rules.filter((rule) => (rule.isCancelled ?? false) === isCancelled)
      const ordered = [...own.filter(({isTaken}) => isTaken), ...own.filter(({isTaken}) => !isTaken)]
      const {database, batch, rows, take, writePayment, countStates} = await prepare(ordered.length)
      await take(own.filter(({isTaken}) => isTaken).length)
      for (const [index, {payment, heard}] of ordered.entries()) {
        const row = rows[index] as PayoutRow
        if (payment) await writePayment(row, payment)
        const told = JSON.stringify({...toResult(row, 'NOT_TRIED'), ...heard})
        const sql = `update svc.batch_rows set heard = '${told}' where batch_id = '${batch.id}' and line = ${row.line}`
        if (heard) await runSql(getAddress(), sql)
      }
      if (isCancelled) await runSql(getAddress(), `update svc.batches set state = 'CANCELLED' where id = '${batch.id}'`)
      const [page = []] = await Array.fromAsync(walkRows(database, batch.id))
      const states = ordered.map(({is}) => (is === 'WAITING' || is === 'CANCELLED' ? 'NOT_TRIED' : is))
      expect(page.map(({result}) => result.state)).toEqual(states)
      expect(await countStates()).toEqual(countBy(ordered))
      const open = await database.transact((query) => listOpenRows(query, batch.id), {isRepeatable: true})
      const openStates = new Set(['WAITING', 'IN_PROGRESS', 'UNKNOWN'])
      expect(open.map(({line}) => line).toSorted((a, b) => a - b)).toEqual(
        rows.filter((_, index) => openStates.has(ordered[index]?.is ?? '')).map(({line}) => line),
      )
    },
  )

  it('stays as it ended, except that a payment which exists is always told', async () => {
    const {take, report, readBatch, countStates, finish} = await prepare(2)
    const [one, other] = (await take(2)) as [RowJob, RowJob]
    await report(one, 'CREATED')
    await report(one, 'FAILED')
    await report(other, 'FAILED')
    await report(other, 'NOT_TRIED', 0)
    expect(await countStates()).toEqual({CREATED: 1, FAILED: 1})
    const [again] = (await take(1)) as [RowJob]
    await report(again, 'FAILED')
    await finish()
    expect((await readBatch()).state).toBe('DONE')
    await report(other, 'CREATED')
    expect(await countStates()).toEqual({CREATED: 2})
  })

  it('that is unknown is settled, whatever its batch does', async () => {
    const {boss, database, serviceId, rows, take, report, readBatch, countStates, writePayment} = await prepare(3)
    const [one] = (await take(1)) as [RowJob]
    await report(one, 'UNKNOWN', 0)
    await pauseBatch(database, await readBatch())
    expect(await take(5)).toMatchObject([{line: one.line, tries: 1}])
    expect((await readBatch()).state).toBe('PAUSED')
    expect(await countStates()).toEqual({UNKNOWN: 1, WAITING: 2})
    // A worker that armed the payment of another row has ended, and its job waits.
    const other = rows.find(({line}) => line !== one.line) as PayoutRow
    await writePayment(other, {state: 'ARMED'})
    expect(await take(5)).toEqual([])
    await settleUnsettled(boss, database, serviceId)
    expect(await take(5)).toMatchObject([{line: other.line, isUnsettled: true}])
    // So it does if its batch has ended, such as where a backup was restored in part.
    const last = rows.find(({line}) => line !== one.line && line !== other.line) as PayoutRow
    await writePayment(last, {state: 'ARMED'})
    const {id} = await readBatch()
    const end = {text: `update svc.batches set state = 'ACTIVE', ended_at = now() where id = $1`}
    await database.transact((query) => query(end, [id]), {isRepeatable: true})
    await settleUnsettled(boss, database, serviceId)
    expect(await take(5)).toMatchObject([{line: last.line, isUnsettled: true}])
    expect(await readBatch()).not.toHaveProperty('endedAt')
  })
})

it('a batch that is cancelled keeps the rows that a worker has taken or whose payment is armed, until they are settled', async () => {
  const {database, serviceId, rows, take, report, writePayment, readBatch, countStates, finish} = await prepare(3)
  await writePayment(rows[1] as PayoutRow, {state: 'ARMED'})
  const [slow] = (await take(1)) as [RowJob]
  await cancelBatch(database, await readBatch())
  expect(await countStates()).toEqual({UNKNOWN: 1, IN_PROGRESS: 1, CANCELLED: 1})
  const [armed, ...others] = (await take(5)) as [RowJob]
  expect(armed).toMatchObject({key: `${serviceId}-2`, isUnsettled: true})
  expect(others).toEqual([])
  await runSql(getAddress(), `update svc.payments set state = 'CREATED' where service_id = '${serviceId}'`)
  await report(armed, 'NOT_TRIED')
  await finish()
  expect((await readBatch()).endedAt).toBeUndefined()
  await report(slow, 'NOT_TRIED')
  await finish()
  expect((await readBatch()).endedAt).toBeDefined()
  // A worker that was paying when the batch was cancelled does not know the outcome.
  await report(slow, 'UNKNOWN', 0)
  expect(await countStates()).toEqual({CREATED: 1, CANCELLED: 1, UNKNOWN: 1})
  expect(await readBatch()).toMatchObject({state: 'CANCELLED'})
  expect((await readBatch()).endedAt).toBeUndefined()
})

// A worker that asks whether it is stopped again and again, without letting anything else happen, would never end, nor would this test.
class CountedHalt extends Halt {
  #asked = 0

  override get signal(): AbortSignal {
    this.#asked += 1
    if (this.reason !== undefined && this.#asked > 1_000) throw new Error('the worker waits in a loop')
    return super.signal
  }
}

// A worker with places for two rows. A row that it pays is told as rejected.
const createWorker = (
  {boss, database, serviceId}: Awaited<ReturnType<typeof prepare>>,
  halt: Halt,
  statistics: WorkStatistics,
  pay: (row: BatchRow) => Promise<void>,
) =>
  new WorkLoop({
    boss,
    database,
    serviceId,
    concurrency: 2,
    isUntilIdle: false,
    halt,
    log: () => {},
    statistics,
    rows: {
      payRow: async (row) => {
        await pay(row)
        return {result: toResult(row, 'REJECTED')}
      },
      forgetBatch() {},
    },
  })

it('a worker that is stopped lets the rows in flight end, records them, and gives back what it has not begun', async () => {
  const prepared = await prepare(5)
  const {take, countStates} = prepared
  const halt = new CountedHalt()
  const stopped = Promise.withResolvers<void>()
  let begun = 0
  // The first row makes room for two more, of which only one can be begun. The service answers after
  // the signal.
  const worker = createWorker(prepared, halt, new WorkStatistics(), async () => {
    begun += 1
    if (begun === 3) {
      halt.stop('SIGTERM')
      setTimeout(stopped.resolve, 1)
    }
    if (begun > 1) await stopped.promise
  })
  await worker.run()
  expect(await countStates()).toEqual({REJECTED: 3, WAITING: 2})
  expect(await take(5)).toHaveLength(2)
})

// The first row makes room for two more, of which one waits in the worker for its place.
it.each([
  {change: pauseBatch, state: 'PAUSED'},
  {change: cancelBatch, state: 'CANCELLED'},
])('a worker sees that a batch is $state before it begins a row that it took earlier', async ({change, state}) => {
  const prepared = await prepare(4)
  const halt = new Halt()
  const statistics = new WorkStatistics()
  const changed = Promise.withResolvers<void>()
  const states: string[] = []
  const worker = createWorker(prepared, halt, statistics, async (row) => {
    const begun = states.push(row.batchState)
    if (begun === 3) {
      await change(prepared.database, await prepared.readBatch())
      const changedMs = performance.now()
      await expect.poll(() => statistics.contactMs).toBeGreaterThan(changedMs)
      changed.resolve()
    }
    if (begun > 1) await changed.promise
    if (begun === 4) halt.stop('SIGTERM')
  })
  await worker.run()
  expect(states).toEqual(['ACTIVE', 'ACTIVE', 'ACTIVE', state])
})

it('the state of a fleet tells how many rows wait and since when, and which batches are paused', async () => {
  const {database, serviceId, readBatch, take} = await prepare(3)
  const read = (id = serviceId) => readFleetState({serviceId: id, journal: {text: getAddress()}})
  expect(await read('a service without a fleet')).toBeUndefined()
  const batch = await readBatch()
  const {submittedAt} = batch
  const idle = {waiting: 3, inFlight: 0, paused: [], oldestAt: submittedAt}
  expect(await read()).toEqual(idle)
  await take(1)
  expect(await read()).toEqual({...idle, waiting: 2, inFlight: 1})
  await pauseBatch(database, batch)
  const paused = [{id: batch.id, name: 'payroll.csv', waiting: 2, submittedAt}]
  expect(await read()).toEqual({...idle, waiting: 0, inFlight: 1, paused, oldestAt: undefined})
})
