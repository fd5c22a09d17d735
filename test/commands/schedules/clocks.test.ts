// Slots are handed out only if the clocks of the database, of the machine and of the service agree, on a real PostgreSQL.
import {afterEach, describe, expect, it, vi} from 'vitest'
import {useFleet} from '../../support/fleet.ts'
import {runSql} from '../../support/postgres.ts'
import {startSvc} from '../../support/running.ts'
import {type PaymentService, servePayments} from '../../support/scripted-service.ts'
import {type Home, json, run} from '../../support/svc.ts'
import {createRow, writePayroll} from '../payouts/payroll.ts'
import {createSchedule, sleepFor, writeSchedules} from './schedule-files.ts'

const {freshHost, getAddress} = useFleet()
const weekMs = 7 * 86_400_000

// The clocks of this machine and of the service are a week behind, so that of the database is a week ahead of both.
const shiftClocks = () => void vi.useFakeTimers({toFake: ['Date'], now: Date.now() - weekMs, shouldAdvanceTime: true})

afterEach(() => vi.useRealTimers())

const work = (home: Home, {env}: PaymentService) =>
  run(home, ['payouts', 'work', '--until-idle', '--yes', '--listen', 'off'], {env})

async function apply(home: Home, {env}: PaymentService, schedule: object) {
  return run(home, ['schedules', 'apply', '-f', writeSchedules(home, [schedule]), '--yes', '--quiet'], {env})
}

const listRuns = async (home: Home, {env}: PaymentService) =>
  json((await run(home, ['schedules', 'runs', '--json'], {env})).out)['runs'] as unknown[]

describe('a database whose clock is a week ahead', () => {
  it.each(['all', 'latest', 'skip'])(
    'hands out and skips no slot with missed: %s, and the rest is paid',
    async (missed) => {
      const [home, service] = [freshHost(), await servePayments()]
      expect((await apply(home, service, createSchedule(`ahead-${missed}`, {missed}))).code).toBe(0)
      const file = writePayroll(home, [createRow(`other-${missed}`, {amount: '7'})])
      expect((await run(home, ['payouts', 'submit', file, '--yes'], {env: service.env})).code).toBe(0)
      shiftClocks()
      const {code, err} = await work(home, service)
      expect(code).toBe(0)
      expect(
        err.match(/No slot is handed out: the clock of the database is 7 d\S* .*ahead of that of this machine/g),
      ).toHaveLength(1)
      expect(service.transactions).toHaveLength(1)
      vi.useRealTimers()
      expect(await listRuns(home, service)).toEqual([])
      await work(home, service)
      expect(await listRuns(home, service)).toEqual([])
    },
  )

  it('applies no change, and says why', async () => {
    const [home, service] = [freshHost(), await servePayments()]
    shiftClocks()
    const {code, err} = await apply(home, service, createSchedule('ahead-change'))
    expect(code).toBe(10)
    expect(err).toContain('the clock of the database is 7 d')
  })
})

describe('a service whose clock is behind those of the database and the machine', () => {
  it('gets no slot if it is more than two minutes, and none in its own future if it is less', async () => {
    const [home, service] = [freshHost(), await servePayments()]
    expect((await apply(home, service, createSchedule('behind'))).code).toBe(0)
    service.behaviour.dateSkewMs = -weekMs
    await sleepFor(getAddress(), '1 day', 'behind')
    expect((await work(home, service)).err).toContain('that of the service')
    expect(await listRuns(home, service)).toEqual([])
    // The next slot came with this minute by the database, and comes in half a minute by the service.
    const sinceMs = Date.now() % 60_000
    service.behaviour.dateSkewMs = -sinceMs - 30_000
    const cron = `${new Date().getUTCMinutes()} * * * *`
    await runSql(
      getAddress(),
      `update svc.schedules set cron = '${cron}', decided_until = date_trunc('milliseconds', now() - interval '5 minutes'), next_at = date_trunc('minute', now()) where name = 'behind'`,
    )
    await work(home, service)
    expect(await listRuns(home, service)).toEqual([])
    service.behaviour.dateSkewMs = 0
    expect(await work(home, service)).toMatchObject({code: 0})
    expect(service.transactions).toHaveLength(1)
  })

  it('is not sent a slot that was handed out before its clock went back, until the slot has come', async () => {
    const [home, service] = [freshHost(), await servePayments()]
    expect((await apply(home, service, createSchedule('went-back'))).code).toBe(0)
    await sleepFor(getAddress(), '1 day', 'went-back')
    const quote = service.script({at: 'POST /quotes', before: new Promise(() => {})})
    const flags = ['payouts', 'work', '--yes', '--listen', 'off', '--log', 'json']
    const first = startSvc(home, flags, service.env)
    await quote.reached
    first.stop('SIGKILL')
    await first.ended
    await runSql(getAddress(), `update svc_jobs.job set state = 'retry' where state = 'active'`)
    service.behaviour.dateSkewMs = -weekMs
    const second = startSvc(home, flags, service.env)
    await second.waitFor('SLOT_AHEAD')
    second.stop('SIGTERM')
    expect((await second.ended).code).toBe(0)
    expect(service.requestsTo('POST /transactions')).toHaveLength(0)
    expect(await listRuns(home, service)).toMatchObject([{state: 'WAITING'}])
    service.behaviour.dateSkewMs = 0
    expect(await work(home, service)).toMatchObject({code: 0})
    expect(service.transactions).toHaveLength(1)
  })

  it('is asked for its time, and hands out the slots that have come if it agrees', async () => {
    const [home, service] = [freshHost(), await servePayments()]
    expect((await apply(home, service, createSchedule('agrees'))).code).toBe(0)
    await sleepFor(getAddress(), '1 day', 'agrees')
    service.requests.length = 0
    expect(await work(home, service)).toMatchObject({code: 0})
    expect(service.requests[0]).toMatchObject({method: 'GET', path: '/customers'})
    expect(service.transactions).toHaveLength(1)
  })
})
