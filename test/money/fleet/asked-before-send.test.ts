// Just before it sends, a worker that was silent asks the queue whether the row is still its own.
// Only a yes lets it send.
import path from 'node:path'
import type {PgBoss, QueueOptions} from 'pg-boss'
import {expect, it, onTestFinished} from 'vitest'
import {createWireFetch} from '../../../src/client/http.ts'
import type {BatchRow} from '../../../src/fleet/batches.ts'
import type {RowSettings} from '../../../src/fleet/guard.ts'
import {RowWorker, decideRow} from '../../../src/fleet/pay-job.ts'
import {type RowJob, createQueue} from '../../../src/fleet/queue.ts'
import {openPaymentContext} from '../../../src/payments/context/open-context.ts'
import {Halt} from '../../../src/payouts/run/halt.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {connect, content, serviceId} from '../connect.ts'

const minuteMs = 60_000
// The job of a worker that is silent for so long is given to another one.
let heartbeatMs = 0
const notice = async (_: string, {heartbeatSeconds = 0}: QueueOptions) => void (heartbeatMs = heartbeatSeconds * 1000)
await createQueue({createQueue: notice} as unknown as PgBoss, 'b1')
const away = () => Promise.reject(new Error('the connection is closed'))

// How long the worker was silent, what the queue answers, and how many transactions are made then.
const rules: Array<{silentMs: number; answers: string; read: () => Promise<object[]>; made: 0 | 1}> = [
  {silentMs: 0, answers: 'nothing, since it is not asked', read: away, made: 1},
  {silentMs: minuteMs, answers: 'that the row is its own', read: async () => [{}], made: 1},
  {silentMs: minuteMs, answers: 'that another worker has the row', read: async () => [], made: 0},
  {silentMs: heartbeatMs, answers: 'that another worker has the row', read: async () => [], made: 0},
  {silentMs: minuteMs, answers: 'nothing, since it cannot be asked', read: away, made: 0},
]

it.each(rules)('after $silentMs ms, the queue says $answers: $made made', async ({silentMs, read, made}) => {
  const service = await servePayments()
  const traits = {serviceId, areKeysHonoured: false, listLagMaxMs: 6 * minuteMs}
  const context = await openPaymentContext({
    traits: {...traits, journal: {text: path.join(temporaryFolder(), 'journal.sqlite')}},
    connect: async () => connect(createWireFetch(), Date.now, {baseUrl: service.url}).client,
  })
  onTestFinished(() => context.close())
  const settings = {traits, database: {read}, caller: {}, log() {}, rebind: async () => {}} as unknown as RowSettings
  const worker = new RowWorker(settings, context, new Halt())
  const row = {batchId: 'b1', batchState: 'ACTIVE', line: 2, key: 'k', content, limits: {}} as unknown as BatchRow
  const touchedMs = performance.now() - silentMs
  const job: RowJob = {...row, id: 'job', tries: 0, isUnsettled: false, retryCount: 0, touchedMs}
  const outcome = await worker.payRow(row, job)
  expect(service.requestsTo('POST /transactions')).toHaveLength(made)
  const {state, again} = decideRow(row, job, outcome)
  expect({state, comesBack: again !== undefined}).toEqual({
    state: made === 1 ? 'CREATED' : 'WAITING',
    comesBack: made === 0,
  })
})
