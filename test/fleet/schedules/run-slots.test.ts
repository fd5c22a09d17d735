// Slots that are handed to the workers: each once in the whole fleet, whatever ends in between, and as the schedule was when it came.
import {describe, expect, it} from 'vitest'
import {openBoss} from '../../../src/fleet/batches/queue.ts'
import {openFleet} from '../../../src/fleet/batches/open-fleet.ts'
import {applyPlan} from '../../../src/fleet/schedules/apply-plan.ts'
import {runDueSlots, startScheduler} from '../../../src/fleet/schedules/run-slots.ts'
import {deriveBatchId, listSchedules} from '../../../src/fleet/schedules/schedule.ts'
import {SvcError} from '../../../src/errors.ts'
import {useFleet} from '../../support/fleet.ts'
import {runSql} from '../../support/postgres.ts'
import {PostgresProxy, cuttingFaults} from '../../support/postgres-proxy.ts'
import {at, prepareSchedules, want, wantFile} from './stage.ts'

const {getAddress} = useFleet()
const stage = () => prepareSchedules(getAddress())
const monday = at('2026-11-09T12:00')

describe('a slot', () => {
  it('becomes a batch with the key of its name and time, in the order of time', async () => {
    const {apply, runAt, listSlots, readRows} = await stage()
    await apply([want('rent', {missed: 'all'})], monday)
    await runAt(at('2026-11-10T08:59'))
    expect(await listSlots()).toEqual([])
    await runAt(at('2026-11-11T09:00:01'))
    expect(await listSlots()).toEqual(['2026-11-10T09:00Z WAITING', '2026-11-11T09:00Z WAITING'])
    const row = {template: 'rent-{slot}', amount: '2.50', jobs: 1}
    expect(await readRows()).toEqual([
      {...row, key: 'rent-2026-11-10T09:00Z', slot: '2026-11-10T09:00:00.000Z', batch: 'rent-2026-11-10T09:00Z'},
      {...row, key: 'rent-2026-11-11T09:00Z', slot: '2026-11-11T09:00:00.000Z', batch: 'rent-2026-11-11T09:00Z'},
    ])
  })

  it('of a payout file has all of its rows, with keys of their own', async () => {
    const {apply, runAt, readRows, listRuns} = await stage()
    await apply([wantFile('payroll', ['anna', 'bob'], {cron: '0 6 25 * *'})], monday)
    await runAt(at('2026-11-25T06:00'))
    expect((await readRows()).map(({key, template}) => [key, template])).toEqual([
      ['payroll-2026-11-25T06:00Z-anna', 'payroll-{slot}-anna'],
      ['payroll-2026-11-25T06:00Z-bob', 'payroll-{slot}-bob'],
    ])
    expect(await listRuns()).toMatchObject([{schedule: 'payroll', rows: 2, waiting: 2, made: 0}])
  })

  it('has the key of its plan, filled in for its zone', async () => {
    const {apply, runAt, readRows} = await stage()
    await apply([want('rent', {cron: '30 0 * * *', zone: 'Europe/Berlin', key: 'rent-{date}'})], monday)
    await runAt(at('2026-11-09T23:30'))
    expect(await readRows()).toMatchObject([{key: 'rent-2026-11-10', template: 'rent-{date} in Europe/Berlin'}])
  })

  it('is handed out once by workers that race for it', async () => {
    const {apply, runAt, openRunner, listSlots, readRows} = await stage()
    await apply([want('rent', {missed: 'all'}), wantFile('payroll', ['anna', 'bob'], {missed: 'all'})], monday)
    const runners = await Promise.all(Array.from({length: 5}, () => openRunner()))
    const end = at('2026-11-12T10:00')
    await Promise.all(runners.map((runner) => runAt(end, runner)))
    // One that met another may have left slots to it.
    await runAt(end)
    expect(await listSlots('rent')).toHaveLength(3)
    expect(await listSlots('payroll')).toHaveLength(3)
    const rows = await readRows()
    expect(new Set(rows.map(({key}) => key)).size).toBe(9)
    expect(rows).toHaveLength(9)
    expect(rows.every(({key, jobs}) => jobs === (String(key).startsWith('rent') ? 1 : 2))).toBe(true)
  })

  it('is recorded with its batch or not at all, if the process ends in between', async () => {
    const {apply, runAt, boss, openRunner, listSlots, readRows} = await stage()
    await apply([want('rent')], monday)
    const broken = new Proxy(boss, {
      get(target, name) {
        if (name === 'insert') return () => Promise.reject(new Error('the process ended'))
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const runner = await openRunner(broken)
    await expect(runAt(at('2026-11-10T09:00'), runner)).rejects.toThrow('the process ended')
    expect([await listSlots(), await readRows()]).toEqual([[], []])
    await runAt(at('2026-11-10T09:01'))
    expect(await readRows()).toMatchObject([{key: 'rent-2026-11-10T09:00Z', jobs: 1}])
  })

  it.each(cuttingFaults)('is handed out once if the commit is lost (%s)', async (fault) => {
    const {apply, runAt, serviceId, listSlots, readRows} = await stage()
    await apply([want('rent', {missed: 'all'})], monday)
    const proxy = await PostgresProxy.start(getAddress())
    const {database} = await openFleet({text: proxy.address})
    const boss = await openBoss(database)
    let isArmed = false
    proxy.plan(fault, (sql) => {
      isArmed ||= /insert into svc\.schedule_runs/.test(sql)
      return isArmed && /^commit$/i.test(sql)
    })
    await runAt(at('2026-11-11T10:00'), {boss, database, serviceId})
    expect(proxy.pendingFaults).toBe(0)
    await proxy.settled()
    await boss.stop({graceful: false})
    await database.close()
    await runAt(at('2026-11-11T10:00'))
    expect(await listSlots()).toEqual(['2026-11-10T09:00Z WAITING', '2026-11-11T09:00Z WAITING'])
    expect((await readRows()).map(({jobs}) => jobs)).toEqual([1, 1])
  })

  it('is decided about by the clock of the database', async () => {
    const {apply, runner, listSlots} = await stage()
    await apply([want('rent', {cron: '* * * * *', missed: 'all'})], new Date(Date.now() - 120_000))
    const realNow = Date.now
    // This host is a day ahead.
    Date.now = () => realNow() + 86_400_000
    try {
      await runDueSlots(runner)
    } finally {
      Date.now = realNow
    }
    const slots = await listSlots()
    expect(slots.length).toBeGreaterThanOrEqual(2)
    expect(slots.length).toBeLessThan(600)
  })
})

describe('many schedules that are due in the same minute', () => {
  const names = Array.from({length: 110}, (_, index) => `rent-${index}`)
  const ninth = at('2026-11-10T09:00')
  const expectAllOnce = (rows: ReadonlyArray<Record<string, unknown>>, expected = names) => {
    expect(rows.map(({key}) => String(key)).toSorted()).toEqual(
      expected.map((name) => `${name}-2026-11-10T09:00Z`).toSorted(),
    )
    expect(rows.every(({jobs}) => jobs === 1)).toBe(true)
  }

  it('are handed out together, once by workers that race for them', async () => {
    const {apply, runAt, openRunner, readRows, listSlots, database, serviceId} = await stage()
    await apply(
      names.map((name) => want(name)),
      monday,
    )
    const runners = await Promise.all(Array.from({length: 3}, () => openRunner()))
    await Promise.all(runners.map((runner) => runAt(ninth, runner)))
    await runAt(ninth)
    expectAllOnce(await readRows())
    expect(await listSlots()).toEqual(names.map(() => '2026-11-10T09:00Z WAITING'))
    const nextTimes = (await listSchedules(database, serviceId)).map(({nextAt}) => nextAt?.toISOString())
    expect(new Set(nextTimes)).toEqual(new Set(['2026-11-11T09:00:00.000Z']))
  })

  it('are handed out although something is wrong with one of them, which is said', async () => {
    const {apply, runAt, readRows, database, serviceId} = await stage()
    await apply(
      names.map((name) => want(name)),
      monday,
    )
    const bad = (await listSchedules(database, serviceId)).find(({name}) => name === 'rent-7')
    if (!bad) throw new Error('no schedule rent-7')
    await runSql(
      getAddress(),
      `insert into svc.batches (id, service_id, name, digest, state, row_count)
        values ('${deriveBatchId(bad, ninth)}', 'another', 'taken', '', 'ACTIVE', 0)`,
    )
    await expect(runAt(ninth)).rejects.toThrow(/duplicate key value/)
    expectAllOnce(
      await readRows(),
      names.filter((name) => name !== 'rent-7'),
    )
  })
})

describe('after days without workers', () => {
  const later = at('2026-11-12T10:00')

  it.each([
    ['skip', ['MISSED', 'MISSED', 'MISSED']],
    ['latest', ['MISSED', 'MISSED', 'WAITING']],
    ['all', ['WAITING', 'WAITING', 'WAITING']],
  ] as const)('the policy %s decides', async (missed, expected) => {
    const {apply, runAt, listSlots} = await stage()
    await apply([want('rent', {missed})], monday)
    await runAt(later)
    await runAt(later)
    expect((await listSlots()).map((slot) => slot.split(' ')[1])).toEqual(expected)
    await runAt(at('2026-11-13T09:00'))
    expect((await listSlots()).at(-1)).toBe('2026-11-13T09:00Z WAITING')
  })

  it('thousands of slots are recorded, and the latest is paid', async () => {
    const {apply, runAt, listSlots} = await stage()
    await apply([want('rent', {cron: '* * * * *'})], monday)
    await runAt(at('2026-11-10T00:00'))
    const slots = await listSlots()
    expect(slots).toHaveLength(720)
    expect(slots.filter((slot) => slot.endsWith('WAITING'))).toEqual(['2026-11-10T00:00Z WAITING'])
  })
})

describe('a schedule that changes', () => {
  it('pays slots that were handed out as they were, and the next as it is', async () => {
    const {apply, runAt, readRows} = await stage()
    await apply([want('rent')], monday)
    await runAt(at('2026-11-10T09:00'))
    await apply([want('rent', {amount: '3'})], at('2026-11-10T09:01'))
    await runAt(at('2026-11-11T09:00'))
    expect((await readRows()).map(({slot, amount}) => [slot, amount])).toEqual([
      ['2026-11-10T09:00:00.000Z', '2.50'],
      ['2026-11-11T09:00:00.000Z', '3'],
    ])
  })

  it('hands out first what had come before, with the old amount and the new policy', async () => {
    const {apply, listSlots, readRows} = await stage()
    await apply([want('rent', {missed: 'latest'})], monday)
    await apply([want('rent', {missed: 'all', amount: '3', cron: '0 8 * * *'})], at('2026-11-11T10:00'))
    expect(await listSlots()).toEqual(['2026-11-10T09:00Z WAITING', '2026-11-11T09:00Z WAITING'])
    expect((await readRows()).map(({amount}) => amount)).toEqual(['2.50', '2.50'])
  })

  it('owes nothing from before its new time was written', async () => {
    const {apply, runAt, listSlots} = await stage()
    await apply([want('rent', {missed: 'all'})], monday)
    await runAt(at('2026-11-10T09:00'))
    await apply([want('rent', {missed: 'all', cron: '0 10 * * *'})], at('2026-11-10T12:00'))
    await runAt(at('2026-11-11T11:00'))
    expect(await listSlots()).toEqual(['2026-11-10T09:00Z WAITING', '2026-11-11T10:00Z WAITING'])
  })

  it('pays nothing of the time in which it was paused', async () => {
    const {apply, runAt, listSlots} = await stage()
    await apply([want('rent', {missed: 'all', isPaused: true})], monday)
    await runAt(at('2026-11-10T10:00'))
    await apply([want('rent', {missed: 'all'})], at('2026-11-11T10:00'))
    await runAt(at('2026-11-12T10:00'))
    expect(await listSlots()).toEqual([
      '2026-11-10T09:00Z PAUSED',
      '2026-11-11T09:00Z PAUSED',
      '2026-11-12T09:00Z WAITING',
    ])
  })

  it('pays nothing after it was deleted, and keeps what was handed out', async () => {
    const {apply, runAt, listSlots, listRuns} = await stage()
    await apply([want('rent', {missed: 'all'})], monday)
    await runAt(at('2026-11-10T09:00'))
    await apply([], at('2026-11-11T10:00'), true)
    await runAt(at('2026-11-20T10:00'))
    expect(await listSlots()).toEqual(['2026-11-10T09:00Z WAITING', '2026-11-11T09:00Z DELETED'])
    // One of the same name begins anew.
    await apply([want('rent', {missed: 'all'})], at('2026-11-20T10:00'))
    await runAt(at('2026-11-21T10:00'))
    expect((await listRuns('rent')).map(({slot}) => slot)).toEqual([
      '2026-11-21T09:00Z',
      '2026-11-11T09:00Z',
      '2026-11-10T09:00Z',
    ])
  })

  it('is not changed by a plan that is out of date, and neither is anything else of the plan', async () => {
    const {apply, plan, runner, database, serviceId} = await stage()
    await apply([want('rent')], monday)
    const [update, create] = [
      await plan([want('other'), want('rent', {amount: '3'})], monday),
      await plan([want('new')], monday),
    ]
    await apply([want('rent', {amount: '4'}), want('new')], monday)
    for (const steps of [update, create]) {
      const error = await applyPlan(runner, steps, monday).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(SvcError)
      expect(error).toMatchObject({error: 'SCHEDULE_CHANGED', kind: 'usage'})
    }
    const schedules = await listSchedules(database, serviceId)
    expect(schedules.map(({name, digest}) => [name, digest])).toEqual([
      ['new', 'new 2.50'],
      ['rent', 'rent 4'],
    ])
  })

  it.each(cuttingFaults)('is changed once if the commit is lost (%s)', async (fault) => {
    const {apply, plan, serviceId, database: own} = await stage()
    await apply([want('rent'), want('old')], monday)
    const steps = await plan([want('rent', {amount: '3'}), want('new')], monday, true)
    const proxy = await PostgresProxy.start(getAddress())
    const {database} = await openFleet({text: proxy.address})
    const boss = await openBoss(database)
    let isArmed = false
    proxy.plan(fault, (sql) => {
      isArmed ||= /(insert into|update) svc\.schedules/.test(sql)
      return isArmed && /^commit$/i.test(sql)
    })
    await applyPlan({boss, database, serviceId}, steps, monday)
    expect(proxy.pendingFaults).toBe(0)
    await proxy.settled()
    await boss.stop({graceful: false})
    await database.close()
    const schedules = await listSchedules(own, serviceId)
    expect(schedules.map(({name, digest, revision}) => [name, digest, revision])).toEqual([
      ['new', 'new 2.50', 1],
      ['rent', 'rent 3', 2],
    ])
  })
})

describe('the scheduler of a worker', () => {
  it('hands out what has come, and again when pg-boss says that a minute has', async () => {
    const {apply, runner, boss, listSlots} = await stage()
    const before = new Date(Date.now() - 3_600_000)
    await apply([want('rent', {cron: '* * * * *'})], before)
    const handedOut: string[] = []
    const onSlot = (_: unknown, {slot}: {slot: Date}) => handedOut.push(slot.toISOString())
    const scheduler = await startScheduler({...runner, onSlot}, (error) => {
      throw error
    })
    const first = (await listSlots()).length
    expect(first).toBeGreaterThanOrEqual(59)
    expect(handedOut).toHaveLength(first)
    const [minute] = await runSql(
      getAddress(),
      `select name, cron, timezone from svc_jobs.schedule where name like 'minute.%'`,
    )
    expect(minute).toMatchObject({cron: '* * * * *', timezone: 'UTC'})
    // What pg-boss's own scheduler sends every minute. Two that wait are one.
    await apply([want('other', {cron: '* * * * *'})], before)
    const name = String(minute?.['name'])
    await boss.send(name, {})
    await expect.poll(async () => (await listSlots('other')).length).toBeGreaterThanOrEqual(59)
    await scheduler.close()
  })
})
