// Slots of schedules, paid by `svc payouts work` and shown by `svc schedules runs`, on a real PostgreSQL.
import {describe, expect, it} from 'vitest'
import {listNextFirings} from '../../../src/values/schedules.ts'
import {useFleet} from '../../support/fleet.ts'
import {payment} from '../../support/payments.ts'
import {runSql} from '../../support/postgres.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {json, run} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {createRow, listCreated, logIn, writePayroll} from '../payouts/payroll.ts'
import {
  apply,
  createPlan,
  createSchedule,
  daily,
  listRuns,
  runSchedules,
  sleepFor,
  work,
  writeSchedules,
} from './schedule-files.ts'

const {freshHost, getAddress} = useFleet()

describe('a slot', () => {
  it('is paid by a worker, and shown with its time, its process and its transaction', async () => {
    const home = freshHost()
    await apply(home, [createSchedule('a-rent')])
    expect(await work(home)).toMatchObject({code: 0})
    expect(await listRuns(home)).toEqual([])
    await sleepFor(getAddress(), '2 days', 'a-rent')
    const {code, err} = await work(home)
    expect(code).toBe(0)
    expect(err).toMatch(/^The slot \S+ of a-rent is skipped \(MISSED\)\.\nThe slot \S+ of a-rent is batch b\w+\.\n/)
    const [made] = await listCreated(home)
    const runs = await listRuns(home)
    expect(runs).toMatchObject([
      {schedule: 'a-rent', state: 'DONE', rows: 1, made: 1, transaction: made?.transactionId},
      {state: 'SKIPPED', skippedBecause: 'MISSED', reason: expect.stringContaining('No worker ran')},
    ])
    expect(runs[0]?.['key']).toBe(`a-rent-${runs[0]?.['slot'] as string}`)
    expect(runs[0]?.['by']).toMatch(new RegExp(`^\\S+ \\(${process.pid}\\)$`))
    const table = await runSchedules(home, 'runs', 'a-rent', '--columns', 'schedule,slot,state,made')
    expect(table.out).toMatch(/^SCHEDULE +SLOT +STATE +MADE\na-rent +\S+:00Z +DONE +1 of 1\na-rent +\S+ +SKIPPED/)
    expect(await listRuns(home, '--open')).toEqual([])
    const metrics = (await run(home, ['metrics', '-p', 'sandbox'])).out
    expect(metrics).toMatch(/^svc_schedule_slots\{state="DONE"\} 1$/m)
    expect(metrics).toContain('\nsvc_schedule_overdue_seconds 0\n')
    const listed = json((await runSchedules(home, 'list', '--json')).out)
    expect(listed['schedules']).toMatchObject([{lastRun: {state: 'DONE'}}])
    expect(await work(home)).toMatchObject({code: 0})
    expect(await listCreated(home)).toHaveLength(1)
  })

  it('is paid once if the worker ended before it recorded what it had paid', async () => {
    const home = freshHost()
    await apply(home, [createSchedule('b-rent')])
    await sleepFor(getAddress(), '1 day', 'b-rent')
    await work(home)
    const [{batch} = {}] = await listRuns(home)
    // As a worker leaves it that was killed after its payment: the row waits, and has no job.
    await runSql(
      getAddress(),
      `update svc.batch_rows set state = 'WAITING', result = null, tries = 0 where batch_id = '${String(batch)}'`,
      `update svc.batch_counts set row_count = (state = 'WAITING')::integer where batch_id = '${String(batch)}'`,
      `update svc.batches set state = 'ACTIVE', ended_at = null where id = '${String(batch)}'`,
    )
    expect(await work(home)).toMatchObject({code: 0})
    expect(await listRuns(home)).toMatchObject([{state: 'DONE', made: 1}])
    expect(await listCreated(home)).toHaveLength(1)
  })

  it('of a payout file is paid row by row, and what needs a person is named', async () => {
    const home = freshHost()
    writePayroll(home, [
      createRow('anna'),
      createRow('bob', {amount: '3'}),
      createRow('bad', {amount: '1', maxFee: '0'}),
    ])
    await apply(home, [{name: 'c-payroll', cron: daily, payouts: 'payroll.csv'}])
    await sleepFor(getAddress(), '1 day', 'c-payroll')
    expect((await work(home)).code).toBe(9)
    const [slot] = await listRuns(home, '--open')
    const batch = String(slot?.['batch'])
    expect(slot).toMatchObject({
      state: 'PARTLY_DONE',
      rows: 3,
      made: 2,
      failed: 1,
      reason: '1 row was not paid',
      next: `svc payouts resume ${batch} --failed`,
    })
    const {out} = await run(home, ['payouts', 'status', batch, '--json', '-p', 'sandbox'])
    expect(json(out)).toMatchObject({
      name: `c-payroll-${slot?.['slot'] as string}`,
      attention: [{key: `c-payroll-${slot?.['slot'] as string}-bad`, state: 'STOPPED'}],
    })
    expect((await runSchedules(home, 'runs')).err).toContain(`1 row was not paid; svc payouts resume ${batch} --failed`)
  })

  it('is under way while its schedule changes or is deleted, and is finished', async () => {
    const home = freshHost()
    await apply(home, [createSchedule('d-rent')])
    await sleepFor(getAddress(), '1 day', 'd-rent')
    // The change hands out what had come.
    const changed = writeSchedules(home, [createSchedule('d-rent', {pay: createPlan('4')})])
    await runSchedules(home, 'apply', '-f', changed)
    const [{batch} = {}] = await listRuns(home)
    const {err} = await runSchedules(home, 'delete', 'd-rent')
    expect(err).toMatch(
      new RegExp(
        `^The slot \\S+ of d-rent is under way and is finished as it was; to stop it: svc payouts cancel ${String(batch)} -p sandbox\n$`,
      ),
    )
    expect(await work(home)).toMatchObject({code: 0})
    expect(await listRuns(home, 'd-rent')).toMatchObject([{state: 'DONE'}])
    const {out} = await run(home, ['journal', 'list', '--json', '-p', 'sandbox'])
    expect(json(out)['payments']).toMatchObject([{source: {sourceAmount: '2.50'}}])
  })

  it('that cron and `svc pay` have paid under the same key is not paid again', async () => {
    const home = freshHost()
    const key = 'e-rent-{date}'
    await apply(home, [createSchedule('e-rent', {pay: createPlan('2.50', {key})})])
    await sleepFor(getAddress(), '1 day', 'e-rent')
    const dayMs = 86_400_000
    const [slot] = listNextFirings(daily, Date.now() - dayMs, 1).map((time) => time.toISOString())
    const paid = await run(home, [...payment(key, '2.50'), '--slot', slot ?? '', '-p', 'sandbox', '--yes', '--json'])
    expect(paid.code).toBe(0)
    expect(await work(home)).toMatchObject({code: 0})
    expect(await listRuns(home)).toMatchObject([{state: 'DONE', transaction: json(paid.out)['transactionId']}])
    expect(await listCreated(home)).toHaveLength(1)
  })

  it('that may be a duplicate is stopped, unless its schedule allows it', async () => {
    const home = freshHost()
    const allowed = createSchedule('f-allowed', {allowDuplicates: true})
    await apply(home, [createSchedule('f-one', {missed: 'all'}), createSchedule('f-two'), allowed])
    await sleepFor(getAddress(), '2 days', 'f-one')
    // A slot is no duplicate of an earlier one of the same schedule.
    expect((await work(home)).code).toBe(0)
    await sleepFor(getAddress(), '1 day', 'f-two', 'f-allowed')
    expect((await work(home)).code).toBe(9)
    expect((await listRuns(home, 'f-one')).map(({state}) => state)).toEqual(['DONE', 'DONE'])
    const [two] = await listRuns(home, 'f-two')
    expect(two).toMatchObject({state: 'STOPPED', reason: expect.stringContaining('it may be a duplicate')})
    expect(await listRuns(home, 'f-allowed')).toMatchObject([{state: 'DONE'}])
  })

  it('is stopped by the caps of the profile that the worker has', async () => {
    const [home, service] = [freshHost(), await servePayments()]
    await logIn(home, service)
    const live = ['-p', 'acme', '--yes']
    const file = writeSchedules(home, [createSchedule('g-rent', {missed: 'all'})])
    expect((await run(home, ['schedules', 'apply', '-f', file, ...live, '--quiet'])).code).toBe(0)
    await run(home, ['profiles', 'set', 'acme', '--day-max', 'USDC=6', '--quiet'])
    await sleepFor(getAddress(), '3 days', 'g-rent')
    const worked = await run(home, [
      'payouts',
      'work',
      '--until-idle',
      '--listen',
      'off',
      '--concurrency',
      '1',
      ...live,
    ])
    expect(worked.code).toBe(9)
    expect(service.transactions).toHaveLength(2)
    const runs = json((await run(home, ['schedules', 'runs', '--json', '-p', 'acme'])).out)['runs'] as object[]
    expect(runs.map((each) => (each as {state: string}).state).toSorted()).toEqual(['DONE', 'DONE', 'STOPPED'])
  })
})

describe('an unsettled slot', () => {
  useVirtualTime()

  it('keeps the next one of its schedule waiting, and --until-idle does not wait for it', async () => {
    const [home, service] = [freshHost(), await servePayments({keys: 'ignored'})]
    let isCut = true
    service.intercept = ({method, path: to}, response) => {
      if (!isCut || method !== 'POST' || to !== '/transactions') return false
      response.socket?.destroy()
      return true
    }
    const runLive = (...args: string[]) => run(home, args, {env: service.env})
    const workLive = () => runLive('payouts', 'work', '--until-idle', '--listen', 'off', '--concurrency', '1', '--yes')
    const file = writeSchedules(home, [createSchedule('h-rent', {missed: 'all'})])
    expect((await runLive('schedules', 'apply', '-f', file, '--yes', '--quiet')).code).toBe(0)
    await sleepFor(getAddress(), '2 days', 'h-rent')
    expect((await workLive()).code).toBe(7)
    const runs = json((await runLive('schedules', 'runs', '--json')).out)['runs'] as Array<Record<string, unknown>>
    expect(runs).toMatchObject([
      {state: 'WAITING', reason: expect.stringContaining('Waits until it is known whether the earlier slot h-rent-')},
      {state: 'UNKNOWN', unknown: 1},
    ])
    isCut = false
    expect(service.transactions).toHaveLength(0)
  })
})
