// What svc says about the rows of a batch is what the journal has of them, whatever became of the worker that paid them.
import {setTimeout as sleep} from 'node:timers/promises'
import {describe, expect, it} from 'vitest'
import {readMetrics, useFleet} from '../../support/fleet.ts'
import {runSql} from '../../support/postgres.ts'
import {startSvc} from '../../support/running.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {json, run} from '../../support/svc.ts'
import {createRow, readStates, writePayroll} from './payroll.ts'

const {freshHost, getAddress} = useFleet()

// Longer than a worker trusts that its jobs are still its own.
const silenceMs = 11_000

let batches = 0

// Keys of their own for every batch, since all are in one database.
function createRows(count: number) {
  batches += 1
  return Array.from({length: count}, (_, index) => createRow(`${batches}-${index + 1}`, {amount: `${index + 2}.50`}))
}

// A service of its own for every test, whose id is its address.
async function prepare(rowCount: number) {
  const [home, service] = [freshHost(), await servePayments()]
  const {env} = service
  const svc = (...args: string[]) => run(home, args, {env})
  const submitted = await svc('payouts', 'submit', writePayroll(home, createRows(rowCount)), '--yes', '--json')
  expect(submitted.code).toBe(0)
  const id = String(json(submitted.out)['id'])
  const work = () => svc('payouts', 'work', '--until-idle', '--yes', '--listen', 'off')
  const startWorker = (args: string[] = [], more: Record<string, string> = {}) =>
    startSvc(home, ['payouts', 'work', '--yes', '--listen', 'off', '--concurrency', '2', ...args], {...env, ...more})
  const readStatus = async () => json((await svc('payouts', 'status', id, '--json')).out)
  const readResult = async () => {
    const {code, out, err} = await svc('payouts', 'status', id, '--rows', '--json')
    const rows = json(out)['payouts'] as Array<{state: string; error?: {error: string; message: string}}>
    return {code, err, rows, states: rows.map(({state}) => state)}
  }
  return {home, service, svc, id, work, startWorker, readStatus, readResult}
}

// As after a silence of more than two minutes: the queue gives the jobs of a worker to others, and its leases have ended.
const giveUpWorker = (id: string) =>
  runSql(
    getAddress(),
    `update svc_jobs.job set state = 'retry' where name = 'batch.${id}'`,
    `update svc.payments set renewed_at = renewed_at - 300000 where owner is not null`,
  )

describe('a worker that is killed while it sends', () => {
  it('leaves rows that are told as unknown everywhere, with code 7, until another settles them', async () => {
    const {home, service, svc, id, work, startWorker, readStatus, readResult} = await prepare(3)
    service.script({at: 'POST /transactions', times: 2, reply: 'lost'})
    const worker = startWorker()
    await expect.poll(() => service.transactions.length, {timeout: 20_000}).toBe(2)
    worker.stop('SIGKILL')
    await worker.ended
    const {code, states, err} = await readResult()
    expect(states.toSorted()).toEqual(['NOT_TRIED', 'UNKNOWN', 'UNKNOWN'])
    expect(code).toBe(7)
    expect(err).toContain('2 rows may have been paid')
    expect((await svc('payouts', 'status', id, '--out', 'r.csv')).code).toBe(7)
    expect(readStates(home, 'r.csv')).toEqual(states)
    expect((await svc('payouts', 'pause', id)).err).toBe(`The batch ${id} is PAUSED: 0 of 3 (0%), 0 made, 2 unknown.\n`)
    expect((await svc('payouts', 'resume', id)).code).toBe(0)
    expect(await readStatus()).toMatchObject({
      unknown: 2,
      waiting: 1,
      made: 0,
      attention: [{state: 'UNKNOWN'}, {state: 'UNKNOWN'}],
    })
    expect(await readMetrics(getAddress(), service.url)).toContain('svc_batch_rows{state="UNKNOWN"} 2\n')
    await giveUpWorker(id)
    expect(await work()).toMatchObject({code: 0})
    expect(await readResult()).toMatchObject({code: 0, states: ['CREATED', 'CREATED', 'CREATED']})
    expect(service.transactions).toHaveLength(3)
  })
})

describe('a worker that is suspended while its batch is cancelled', () => {
  it('sends nothing for the row when it goes on after a long silence', async () => {
    const {service, svc, id, work, startWorker, readStatus, readResult} = await prepare(1)
    const quote = Promise.withResolvers<void>()
    const {reached} = service.script({at: 'POST /quotes', before: quote.promise})
    const worker = startWorker()
    await reached
    worker.stop('SIGSTOP')
    await sleep(silenceMs)
    await giveUpWorker(id)
    await svc('payouts', 'cancel', id)
    // Nothing of it is in flight any more, so it has ended.
    expect((await work()).code).toBe(0)
    quote.resolve()
    worker.stop('SIGCONT')
    await expect.poll(() => service.requestsTo('POST /quotes').length, {timeout: 20_000}).toBe(1)
    worker.stop('SIGTERM')
    expect((await worker.ended).code).toBe(0)
    expect(service.transactions).toHaveLength(0)
    expect(await readStatus()).toMatchObject({state: 'CANCELLED', made: 0, cancelled: 1})
    expect(await readResult()).toMatchObject({code: 0, states: ['NOT_TRIED']})
  })
})
