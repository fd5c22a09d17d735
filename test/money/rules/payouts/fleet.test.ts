// svc payouts submit, work, status, pause, resume and cancel: a file that is paid by workers, with the queue on a real PostgreSQL.
import fs from 'node:fs'
import path from 'node:path'
import {setTimeout as sleep} from 'node:timers/promises'
import {describe, expect, it} from 'vitest'
import {readMetrics, useFleet} from '../../../support/fleet.ts'
import {type Home, freshHome, json, run, setUp} from '../../../support/svc.ts'
import {servePayments} from '../../../support/scripted-service.ts'
import {startSvc} from '../../../support/running.ts'
import {runSql} from '../../../support/postgres.ts'
import {
  bank,
  createRow,
  inSandbox,
  listCreated,
  logIn,
  readResultRows,
  readStates,
  wallet,
  writePayroll,
  zoe,
} from '../../../support/payroll.ts'

const {freshHost, getAddress} = useFleet()

const createRows = (prefix: string, count: number) =>
  Array.from({length: count}, (_, index) => createRow(`${prefix}-${index + 1}`, {amount: `${index + 2}.50`}))

const runPayouts = (home: Home, ...args: string[]) =>
  run(home, ['payouts', ...args, ...inSandbox.filter((word) => word !== '--allow-duplicates')])

const work = (home: Home, ...flags: string[]) => runPayouts(home, 'work', '--until-idle', '--listen', 'off', ...flags)

async function submit(home: Home, file: string, ...flags: string[]): Promise<string> {
  const {code, out, err} = await runPayouts(home, 'submit', file, '--json', ...flags)
  if (code !== 0) throw new Error(err)
  return json(out)['id'] as string
}

const readBatch = async (home: Home, id: string) => json((await runPayouts(home, 'status', id, '--json')).out)

describe('a file that is submitted', () => {
  it('is paid by a worker, row by row once, with the result of a run', async () => {
    const home = freshHost()
    const file = writePayroll(home, createRows('a', 12))
    const {code, out, err} = await runPayouts(home, 'submit', file)
    expect(code).toBe(0)
    const id = /^BATCH +(\S+)$/m.exec(out)?.[1] ?? ''
    expect(err).toBe(`Stored as batch ${id}. See how far it is: \`svc payouts status ${id} -p sandbox\`\n`)
    expect(await readBatch(home, id)).toMatchObject({state: 'ACTIVE', rows: 12, waiting: 12, made: 0})
    expect(await listCreated(home)).toEqual([])
    expect(await work(home)).toMatchObject({code: 0, out: ''})
    expect(await listCreated(home)).toHaveLength(12)
    expect(await readBatch(home, id)).toMatchObject({state: 'DONE', made: 12, waiting: 0, failed: 0, unknown: 0})
    expect(await runPayouts(home, 'status', id, '--out', 'r.csv')).toMatchObject({
      code: 0,
      err: 'What is known of every row is in r.csv.\n',
    })
    const rows = readResultRows(home, 'r.csv')
    expect(rows.map(({line, key, state}) => [line, key, state])).toEqual(
      rows.map((_, index) => [String(index + 2), `a-${index + 1}`, 'CREATED']),
    )
    expect(fs.statSync(path.join(home.folder, 'r.csv')).mode & 0o777).toBe(0o600)
    // A run of the same file finds everything made, and its result file has the same columns.
    await runPayouts(home, 'run', file)
    expect(Object.keys(readResultRows(home)[0] ?? {})).toEqual(Object.keys(rows[0] ?? {}))
    expect(await listCreated(home)).toHaveLength(12)
  })

  it('is reported from the journal if a run of one host paid it, and it is no batch', async () => {
    const home = freshHost()
    const file = writePayroll(home, createRows('a', 2))
    expect((await runPayouts(home, 'run', file)).code).toBe(0)
    const {code, out} = await runPayouts(home, 'status', file, '--rows', '--json')
    expect(code).toBe(0)
    expect(json(out)['payouts']).toMatchObject([{state: 'CREATED'}, {state: 'CREATED'}])
    expect(await readBatch(home, file)).toMatchObject({state: 'DONE', rows: 2, made: 2})
    expect((await runPayouts(home, 'status', 'nothing.csv', '--rows')).err).toContain('There is no batch "nothing.csv"')
    // Once it is submitted, the batch of its name is meant.
    const id = await submit(home, file)
    expect(await readBatch(home, file)).toMatchObject({id, rows: 2})
  })

  it('is recognized when it is submitted again, until it is cancelled', async () => {
    const home = freshHost()
    const file = writePayroll(home, createRows('a', 3))
    const id = await submit(home, file, '--name', 'march')
    const again = await runPayouts(home, 'submit', file, '--json')
    expect(again).toMatchObject({code: 0, err: `This file is already the batch ${id}; nothing was stored.\n`})
    expect(json(again.out)).toMatchObject({id, name: 'march'})
    expect(await runPayouts(home, 'cancel', 'march')).toMatchObject({
      code: 0,
      err: `The batch ${id} is CANCELLED: 3 of 3 (100%), 0 made, 3 cancelled.\n`,
    })
    expect(await work(home)).toMatchObject({code: 0})
    const {out} = await runPayouts(home, 'status', id, '--rows', '--json')
    expect(json(out)['payouts']).toMatchObject([1, 2, 3].map(() => ({state: 'NOT_TRIED', error: {error: 'CANCELLED'}})))
    expect(await submit(home, file)).not.toBe(id)
    expect(await work(home)).toMatchObject({code: 0})
    expect(await listCreated(home)).toHaveLength(3)
  })

  it('is not paid if another file pays the same meanwhile, unless it was submitted with --allow-duplicates', async () => {
    const home = freshHost()
    const write = (key: string) => writePayroll(home, [createRow(key)], `${key}.csv`)
    const ids = [await submit(home, write('a')), await submit(home, write('b'))]
    await work(home)
    ids.push(await submit(home, write('c'), '--allow-duplicates'))
    await work(home)
    const rows = await Promise.all(ids.map((id) => runPayouts(home, 'status', id, '--rows', '--json')))
    const [one, other, allowed] = rows.map(({out}) => (json(out)['payouts'] as Array<Record<string, unknown>>)[0])
    expect([one, other].map((row) => String(row?.['state'])).toSorted()).toEqual(['CREATED', 'STOPPED'])
    expect([one, other].find((row) => row?.['state'] === 'STOPPED')).toMatchObject({
      error: {error: 'POSSIBLE_DUPLICATE'},
    })
    expect(allowed).toMatchObject({state: 'CREATED'})
    expect(await listCreated(home)).toHaveLength(2)
  })

  it('is checked as a run does: the same words and codes, and nothing is stored', async () => {
    const home = freshHost()
    const twice = writePayroll(home, [...createRows('a', 2), createRow('a-1', {amount: 'x'})])
    for (const file of [twice, 'missing.csv']) {
      const [submitted, paid] = [await runPayouts(home, 'submit', file), await runPayouts(home, 'run', file)]
      expect(submitted.code).toBe(2)
      expect(submitted.err).toBe(paid.err)
    }
    const alike = writePayroll(home, [createRow('b-1'), createRow('b-2')], 'alike.csv')
    const {code, err} = await runPayouts(home, 'submit', alike)
    expect(code).toBe(10)
    expect(err).toContain('1 of 2 rows may be a duplicate (line 3), so nothing was paid')
    expect(json((await runPayouts(home, 'status', '--json')).out)['batches']).toEqual([])
    expect(await submit(home, alike, '--allow-duplicates')).toMatch(/^b/)
    const third = await runPayouts(home, 'submit', writePayroll(home, [createRow('b-2', {amount: '9'})], 'third.csv'))
    expect(third.code).toBe(2)
    expect(third.err).toContain('The key b-2 is also a row of the batch b')
  })

  it('is not stored over the caps of the profile, or only what fits', async () => {
    const [home, service] = [freshHost(), await servePayments()]
    await logIn(home, service)
    await setUp(home, ['profiles', 'set', 'acme', '--day-max', 'USDC=45', '--quiet'])
    const rows = ['10', '20', '30', '5'].map((amount, index) => createRow(`r-${index + 1}`, {amount}))
    const args = ['payouts', 'submit', writePayroll(home, rows), '-p', 'acme', '--yes']
    const {code, err} = await run(home, args)
    expect(code).toBe(10)
    expect(err).toContain('1 of 4 rows does not fit the limits (line 4), so nothing was paid: ')
    const fitting = json((await run(home, [...args, '--up-to-cap', '--json'])).out)
    expect(fitting).toMatchObject({rows: 4, waiting: 3, failed: 1})
    const worked = await run(home, ['payouts', 'work', '--until-idle', '--yes', '--listen', 'off', '-p', 'acme'])
    expect(worked.code).toBe(9)
    expect(service.transactions).toHaveLength(3)
  })

  it('needs --yes of a script on a live profile, and a journal on PostgreSQL', async () => {
    const [home, service] = [freshHost(), await servePayments()]
    await logIn(home, service)
    const file = writePayroll(home, createRows('a', 1))
    for (const args of [['submit', file], ['work']]) {
      const {code, err} = await run(home, ['payouts', ...args, '-p', 'acme'])
      expect(code).toBe(2)
      expect(err).toContain('--yes')
    }
    const alone = freshHome()
    const {code, err} = await runPayouts(alone, 'submit', writePayroll(alone, createRows('a', 1)))
    expect(code).toBe(2)
    expect(err).toContain('A fleet needs a journal on PostgreSQL, but the journal is a file')
  })
})

describe('a batch', () => {
  it('pays nothing while it is paused, and goes on when it is resumed', async () => {
    const home = freshHost()
    const id = await submit(home, writePayroll(home, createRows('a', 4)))
    expect(await runPayouts(home, 'pause', id)).toMatchObject({
      code: 0,
      err: `The batch ${id} is PAUSED: 0 of 4 (0%), 0 made.\n`,
    })
    expect(await work(home)).toMatchObject({code: 8})
    expect(await listCreated(home)).toEqual([])
    expect(await runPayouts(home, 'resume', id)).toMatchObject({
      code: 0,
      err: `The batch ${id} is ACTIVE: 0 of 4 (0%), 0 made.\n`,
    })
    expect(await work(home)).toMatchObject({code: 0})
    expect(await listCreated(home)).toHaveLength(4)
    const late = await runPayouts(home, 'pause', id)
    expect(late.code).toBe(2)
    expect(late.err).toContain(`The batch ${id} is DONE, so it cannot be paused`)
    // None of its rows failed, so there is nothing to try again.
    const done = await readBatch(home, id)
    expect(await runPayouts(home, 'resume', id, '--failed')).toMatchObject({code: 0})
    expect(await readBatch(home, id)).toEqual(done)
    expect((await runPayouts(home, 'cancel', id)).code).toBe(2)
  })

  it('is left as it is with a read-only profile or SVC_DRY_RUN', async () => {
    const [home, service] = [freshHost(), await servePayments()]
    await logIn(home, service)
    const svc = (args: string[], env = {}) => run(home, ['payouts', ...args, '-p', 'acme'], {env})
    const submitted = await svc(['submit', writePayroll(home, createRows('gate', 1)), '--yes', '--json'])
    const id = String(json(submitted.out)['id'])
    await setUp(home, ['profiles', 'set', 'acme', '--read-only', '--quiet'])
    const before = (await svc(['status', id, '--json'])).out
    for (const verb of ['pause', 'resume', 'cancel']) {
      expect(await svc([verb, id])).toMatchObject({code: 2, err: expect.stringContaining('is read-only') as string})
      expect(await svc([verb, id], {SVC_DRY_RUN: '1'})).toMatchObject({code: 2, out: ''})
    }
    expect((await svc(['status', id, '--json'])).out).toBe(before)
  })

  it('names the rows that failed, ends with 9, and tries them again when told to', async () => {
    const home = freshHost()
    const rows = [...createRows('a', 2), createRow('bad', {to: 'no-such-account', amount: '77'})]
    const id = await submit(home, writePayroll(home, rows))
    const {code, err} = await work(home)
    expect(code).toBe(9)
    expect(err).toContain(`Not all rows ended well (batch ${id}: Of 3 rows, 2 made, 1 rejected)`)
    expect(await readBatch(home, id)).toMatchObject({
      state: 'DONE',
      failed: 1,
      attention: [{line: 4, key: 'bad', state: 'REJECTED'}],
    })
    expect((await runPayouts(home, 'resume', id)).code).toBe(2)
    expect(await runPayouts(home, 'resume', id, '--failed')).toMatchObject({code: 0})
    expect(await readBatch(home, id)).toMatchObject({state: 'ACTIVE', waiting: 1})
    expect((await work(home)).code).toBe(9)
    const {code: watched} = await runPayouts(home, 'status', id, '--watch')
    expect(watched).toBe(9)
  })
})

// A batch at a service of its own, whose id is its address.
async function submitRows(prefix: string, rowCount: number) {
  const [home, service] = [freshHost(), await servePayments()]
  const {env} = service
  const svc = (...args: string[]) => run(home, args, {env})
  const submitted = await svc('payouts', 'submit', writePayroll(home, createRows(prefix, rowCount)), '--yes', '--json')
  expect(submitted.code).toBe(0)
  const id = String(json(submitted.out)['id'])
  const finish = () => svc('payouts', 'work', '--until-idle', '--yes', '--listen', 'off')
  const startWorker = () => startSvc(home, ['payouts', 'work', '--yes', '--listen', 'off', '--concurrency', '2'], env)
  const readStatus = async () => json((await svc('payouts', 'status', id, '--json')).out)
  const readResult = async () => {
    const {code, out, err} = await svc('payouts', 'status', id, '--rows', '--json')
    const rows = json(out)['payouts'] as Array<{state: string}>
    return {code, err, states: rows.map(({state}) => state)}
  }
  return {home, service, svc, id, finish, startWorker, readStatus, readResult}
}

// As after a silence of more than two minutes: the queue gives the jobs of a worker to others, and its leases have ended.
const giveUpWorker = (id: string) =>
  runSql(
    getAddress(),
    `update svc_jobs.job set state = 'retry' where name = 'batch.${id}'`,
    `update svc.payments set renewed_at = renewed_at - 300000 where owner is not null`,
  )

// Longer than a worker trusts that its jobs are still its own.
const silenceMs = 11_000

describe('a worker', () => {
  it('finishes on SIGTERM with 0, and logs without what the rows pay', async () => {
    const home = freshHost()
    await submit(home, writePayroll(home, createRows('t', 3)))
    const started = startSvc(home, ['payouts', 'work', '--log', 'json', '--listen', '127.0.0.1:0', '-p', 'sandbox'])
    await started.waitFor('"t-1","state":"CREATED"')
    started.stop('SIGTERM')
    const {code, out: printed, err} = await started.ended
    expect([code, printed]).toEqual([0, ''])
    for (const line of err.trim().split('\n')) expect(json(line)).toHaveProperty('level')
    for (const personal of [bank, wallet, zoe]) expect(err).not.toContain(personal)
  })

  it('ends when --grace is over after SIGTERM, also while a person is told what happened', async () => {
    const [home, service] = [freshHost(), await servePayments({status: 'FAILED'})]
    const file = writePayroll(home, createRows('grace', 5))
    expect((await run(home, ['payouts', 'submit', file, '--yes'], service)).code).toBe(0)
    const flags = ['--yes', '--listen', 'off', '--log', 'json', '--grace', '1s', '--on-result', 'sleep 9']
    const worker = startSvc(home, ['payouts', 'work', ...flags], service.env)
    await worker.waitFor('"key":"grace-5","state":"ENDED_BADLY"')
    const beganMs = performance.now()
    worker.stop('SIGTERM')
    expect((await worker.ended).code).toBe(0)
    expect(performance.now() - beganMs).toBeLessThan(20_000)
  })

  it('that cannot connect to the service ends, and leaves nothing running', async () => {
    const env = {SVC_BASE_URL: 'https://api.example.com', SVC_API_KEY: 'k', HTTPS_PROXY: 'ftp://proxy.example.com'}
    const {code, err} = await startSvc(freshHost(), ['payouts', 'work', '--yes', '--listen', 'off'], env).ended
    expect([code, err]).toEqual([2, expect.stringContaining('HTTPS_PROXY does not name a proxy')])
    expect(err).not.toContain('Trying again')
  })

  it('that is killed while it sends leaves rows that are told as unknown everywhere, with code 7, until another settles them', async () => {
    const {home, service, svc, id, finish, startWorker, readStatus, readResult} = await submitRows('killed', 3)
    service.script({at: 'POST /transactions', times: 2, reply: 'lost'})
    const worker = startWorker()
    await expect.poll(() => service.transactions.length).toBe(2)
    worker.stop('SIGKILL')
    await worker.ended
    const {code, states, err} = await readResult()
    expect(states.toSorted()).toEqual(['NOT_TRIED', 'UNKNOWN', 'UNKNOWN'])
    expect(code).toBe(7)
    expect(err).toContain('2 unknown')
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
    expect(await finish()).toMatchObject({code: 0})
    expect(await readResult()).toMatchObject({code: 0, states: ['CREATED', 'CREATED', 'CREATED']})
    expect(service.transactions).toHaveLength(3)
  })

  it('that is suspended for long sends nothing for a row that was cancelled meanwhile', async () => {
    const {service, svc, id, finish, startWorker, readStatus, readResult} = await submitRows('suspended', 1)
    const quote = Promise.withResolvers<void>()
    const {reached} = service.script({at: 'POST /quotes', before: quote.promise})
    const worker = startWorker()
    await reached
    worker.stop('SIGSTOP')
    const silence = sleep(silenceMs)
    await giveUpWorker(id)
    await svc('payouts', 'cancel', id)
    // Nothing of it is in flight any more, so it has ended.
    expect((await finish()).code).toBe(0)
    await silence
    quote.resolve()
    worker.stop('SIGCONT')
    await expect.poll(() => service.requestsTo('POST /quotes').length).toBe(1)
    worker.stop('SIGTERM')
    expect((await worker.ended).code).toBe(0)
    expect(service.transactions).toHaveLength(0)
    expect(await readStatus()).toMatchObject({state: 'CANCELLED', made: 0, cancelled: 1})
    expect(await readResult()).toMatchObject({code: 9, states: ['NOT_TRIED']})
  })
})
