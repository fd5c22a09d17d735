// The queue of a fleet on a real PostgreSQL: what happens to rows and jobs when workers end, report late, or a batch is cancelled.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {findBatch, listOpenBatches, loadRows} from '../../../src/fleet/batches/batch.ts'
import {
  type RowJob,
  getBatchQueue,
  getSettleQueue,
  openBoss,
  takeJobs,
  touchJobs,
} from '../../../src/fleet/batches/queue.ts'
import {cancelBatch, pauseBatch} from '../../../src/fleet/batches/control.ts'
import {openFleet} from '../../../src/fleet/batches/open-fleet.ts'
import {readPace, setRateMax, slowDown, takePermission} from '../../../src/fleet/work/pace.ts'
import {Recorder, runWorker} from '../../../src/fleet/work/worker.ts'
import {readFleetState} from '../../../src/fleet/batches/status.ts'
import {storeBatch} from '../../../src/fleet/batches/submit.ts'
import {registerWorker, sweep} from '../../../src/fleet/work/worker-registry.ts'
import {WorkStatistics} from '../../../src/fleet/work/work-log.ts'
import {retryDelays} from '../../../src/fleet/work/fleet-payer.ts'
import {readPayouts} from '../../../src/payouts/file/rows.ts'
import {Halt} from '../../../src/payouts/run/halt.ts'
import {toBaseResult} from '../../../src/payouts/run/result.ts'
import type {BatchRowState} from '../../../src/payouts/run/row-states.ts'
import {createRow, header} from '../../commands/payouts/payroll.ts'
import {useFleet} from '../../support/fleet.ts'
import {runSql} from '../../support/postgres.ts'
import {temporaryFolder} from '../../support/svc.ts'

const {getAddress} = useFleet()
let services = 0

// A service of its own for every test, with a batch of so many rows.
async function prepare(rowCount: number) {
  const {database} = await openFleet({text: getAddress()})
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
  const rows = (await readPayouts(file)).rows.map((row) => ({row}))
  const {batch} = await storeBatch(boss, database, {serviceId, name: 'payroll.csv', digest: serviceId, rows})
  const log = {
    problem: (_: string, error: unknown) => {
      throw error
    },
  }
  const recorder = new Recorder({boss, database, serviceId, log})
  const queue = getBatchQueue(batch.id)
  const readBatch = () => findBatch(database, serviceId, batch.id)
  async function report(job: RowJob, state: BatchRowState, delayMs?: number): Promise<void> {
    const [row] = await loadRows(database, [job])
    if (!row) throw new Error('the row is gone')
    const result = toBaseResult(row, state === 'WAITING' || state === 'CANCELLED' ? 'FAILED' : state)
    const change = {batchId: batch.id, line: job.line, state, result}
    await recorder.add({job, change, ...(delayMs !== undefined && {delayMs})})
  }
  const countStates = async () => {
    const sql = `select state, count(*)::int as n from svc.batch_rows where batch_id = '${batch.id}' group by state`
    return Object.fromEntries((await runSql(getAddress(), sql)).map(({state, n}) => [String(state), Number(n)]))
  }
  return {
    database,
    boss,
    serviceId,
    batch,
    queue,
    readBatch,
    report,
    countStates,
    take: (count: number) => takeJobs(boss, queue, count),
  }
}

// As if the worker of these jobs had been silent for an hour.
const silenceWorkers = (queue: string) =>
  runSql(
    getAddress(),
    `update svc_jobs.job set heartbeat_on = now() - interval '1 hour' where name = '${queue}' and state = 'active'`,
  )

describe('a job', () => {
  it('comes back when its worker has ended, and is then no longer the first worker’s', async () => {
    const {boss, queue, take, report, readBatch} = await prepare(2)
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
    // The first worker was only slow: what it reports counts, and the job is left to the second.
    await report(first, 'CREATED')
    const jobs = await runSql(
      getAddress(),
      `select state::text from svc_jobs.job where name = '${queue}' order by state`,
    )
    expect(jobs).toEqual([{state: 'active'}, {state: 'active'}])
    expect((await readBatch()).counts).toEqual({CREATED: 1, WAITING: 1})
  })

  it('is made again if it was lost', async () => {
    const {boss, database, serviceId, queue, take} = await prepare(3)
    await runSql(getAddress(), `delete from svc_jobs.job where name = '${queue}'`)
    expect(await take(3)).toEqual([])
    await sweep(boss, database, serviceId, await listOpenBatches(database, serviceId))
    await sweep(boss, database, serviceId, await listOpenBatches(database, serviceId))
    expect((await take(9)).map(({line}) => line).toSorted((a, b) => a - b)).toEqual([2, 3, 4])
  })
})

describe('a row', () => {
  it('stays as it ended, except that a payment which exists is always recorded', async () => {
    const {take, report, readBatch, countStates} = await prepare(2)
    const [one, other] = (await take(2)) as [RowJob, RowJob]
    await report(one, 'CREATED')
    await report(one, 'FAILED')
    await report(other, 'FAILED')
    expect(await countStates()).toEqual({CREATED: 1, FAILED: 1})
    expect(await readBatch()).toMatchObject({state: 'DONE', counts: {CREATED: 1, FAILED: 1}})
    await report(other, 'CREATED')
    expect(await countStates()).toEqual({CREATED: 2})
    expect((await readBatch()).counts).toEqual({CREATED: 2})
  })

  it('that is unknown waits in the queue for settling, whatever its batch does', async () => {
    const {boss, database, serviceId, take, report, readBatch} = await prepare(2)
    const [one] = (await take(1)) as [RowJob]
    await report(one, 'UNKNOWN', 0)
    await pauseBatch(database, await readBatch())
    expect(await takeJobs(boss, getSettleQueue(serviceId), 5)).toMatchObject([{line: one.line}])
    expect(await readBatch()).toMatchObject({state: 'PAUSED', counts: {UNKNOWN: 1, WAITING: 1}})
  })
})

describe('a batch that is cancelled', () => {
  it('keeps the rows that a worker has taken or whose payment is armed, until they are settled', async () => {
    const {boss, database, serviceId, take, report, readBatch, countStates} = await prepare(3)
    await runSql(
      getAddress(),
      `insert into svc.payments (service_id, key, state, currency, amount, destination, created_at, updated_at, payment, write_id)
        values ('${serviceId}', '${serviceId}-2', 'ARMED', 'USDC', '1', 'd', 1, 1, '{}', 'w')`,
    )
    const [slow] = (await take(1)) as [RowJob]
    await cancelBatch(boss, database, await readBatch())
    expect(await countStates()).toEqual({UNKNOWN: 1, WAITING: 1, CANCELLED: 1})
    expect(await take(5)).toEqual([])
    const [armed] = (await takeJobs(boss, getSettleQueue(serviceId), 5)) as [RowJob]
    expect(armed).toMatchObject({key: `${serviceId}-2`})
    await report(armed, 'CREATED')
    expect((await readBatch()).endedAt).toBeUndefined()
    await report(slow, 'CANCELLED')
    expect((await readBatch()).endedAt).toBeInstanceOf(Date)
    // A worker that was paying when the batch was cancelled does not know the outcome: the row is open again.
    await report(slow, 'UNKNOWN', 0)
    expect(await readBatch()).toMatchObject({state: 'CANCELLED', counts: {CREATED: 1, CANCELLED: 1, UNKNOWN: 1}})
    expect((await readBatch()).endedAt).toBeUndefined()
  })
})

describe('the pace', () => {
  it('grants workers that ask at once no more than the rate allows', async () => {
    const {database, serviceId} = await prepare(1)
    expect(await takePermission(database, serviceId, 7)).toEqual({granted: 7, waitMs: 0})
    // Three an hour: one can be saved up.
    await setRateMax(database, serviceId, 3 / 3600)
    await runSql(
      getAddress(),
      `update svc.paces set refilled_at = now() - interval '1 day' where service_id = '${serviceId}'`,
    )
    const granted = await Promise.all([1, 2, 3, 4, 5].map(() => takePermission(database, serviceId, 4)))
    expect(granted.reduce((sum, each) => sum + each.granted, 0)).toBe(1)
    expect(granted.find((each) => each.granted === 0)?.waitMs).toBeGreaterThan(60_000)
    expect(await readPace(database, serviceId)).toMatchObject({rateMax: 3 / 3600, waitMs: 0})
  })

  it('lets nobody start while the service asks for a pause, and is slower afterwards', async () => {
    const {database, serviceId} = await prepare(1)
    await slowDown(database, serviceId, 3_600_000)
    expect(await takePermission(database, serviceId, 4)).toMatchObject({granted: 0})
    const {slowRate, waitMs} = await readPace(database, serviceId)
    expect(waitMs).toBeGreaterThan(3_000_000)
    expect(slowRate).toBeGreaterThan(0)
    await runSql(
      getAddress(),
      `update svc.paces set not_before = now(), slowed_at = now() - interval '1 hour' where service_id = '${serviceId}'`,
    )
    expect(await takePermission(database, serviceId, 40)).toEqual({granted: 40, waitMs: 0})
  })
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

describe('a worker that is stopped', () => {
  it('lets the rows in flight end, and records them', async () => {
    const {boss, database, serviceId, countStates} = await prepare(3)
    const halt = new CountedHalt()
    const log = {info() {}, problem() {}, row() {}}
    await runWorker({
      boss,
      database,
      serviceId,
      concurrency: 2,
      isUntilIdle: false,
      halt,
      delays: retryDelays,
      log,
      statistics: new WorkStatistics(),
      // The service answers after the signal.
      payRow: async (row) => {
        halt.stop('SIGTERM')
        await new Promise((resolve) => setTimeout(resolve, 1))
        return {result: toBaseResult(row, 'CREATED')}
      },
      sweep: async () => {},
      onBatchEnded() {},
    })
    expect(await countStates()).toEqual({CREATED: 2, WAITING: 1})
  })
})

describe('the state of a fleet', () => {
  it('tells who works, how many rows wait and since when, and which batches are paused', async () => {
    const {database, serviceId, readBatch} = await prepare(3)
    const read = (id = serviceId) => readFleetState({serviceId: id, journal: {text: getAddress()}})
    expect(await read('a service without a fleet')).toBeUndefined()
    const batch = await readBatch()
    const submittedAt = batch.createdAt.toISOString()
    const idle = {workers: 0, waiting: 3, inFlight: 0, unknown: 0, paused: [], oldestAt: submittedAt}
    expect(await read()).toEqual(idle)
    const worker = registerWorker(database, {serviceId, version: '1', concurrency: 4})
    await worker.report({inFlight: 0, rowsPerSecond: 0, isStopping: false, counters: {}})
    expect(await read()).toEqual({...idle, workers: 1})
    await pauseBatch(database, batch)
    const paused = [{id: batch.id, name: 'payroll.csv', waiting: 3, submittedAt}]
    expect(await read()).toEqual({...idle, workers: 1, waiting: 0, paused, oldestAt: undefined})
  })
})
