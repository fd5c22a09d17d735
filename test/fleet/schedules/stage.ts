// Schedules of a service of their own on a real PostgreSQL, at times that the test chooses.
import {onTestFinished} from 'vitest'
import {openBoss} from '../../../src/fleet/batches/queue.ts'
import {openFleet} from '../../../src/fleet/batches/open-fleet.ts'
import {applyPlan} from '../../../src/fleet/schedules/apply-plan.ts'
import {planChanges} from '../../../src/fleet/schedules/plan.ts'
import {type SlotRunner, runDueSlots} from '../../../src/fleet/schedules/run-slots.ts'
import {type Run, listRuns} from '../../../src/fleet/schedules/runs.ts'
import type {WantedSchedule} from '../../../src/fleet/schedules/schedule-rows.ts'
import type {ScheduleTerms} from '../../../src/fleet/schedules/schedule.ts'
import {openJournal} from '../../../src/payments/journal/open-journal.ts'
import type {PaymentContent} from '../../../src/payments/protocol/payment.ts'
import type {PayoutRow} from '../../../src/payouts/file/rows.ts'
import {createPlan} from '../../commands/schedules/schedule-files.ts'
import {runSql} from '../../support/postgres.ts'

export const at = (text: string) => new Date(`${text}Z`)

const createRow = (line: number, key: string, amount: string): PayoutRow => ({
  line,
  key,
  content: createPlan(amount) as PaymentContent,
  limits: {},
  isGuaranteed: false,
})

// A payment of so much, every day at nine in UTC unless told otherwise.
export function want(name: string, {amount = '2.50', ...more}: Partial<ScheduleTerms> & {amount?: string} = {}) {
  const terms: ScheduleTerms = {
    name,
    kind: 'pay',
    cron: '0 9 * * *',
    zone: 'UTC',
    missed: 'latest',
    isPaused: false,
    allowsDuplicates: false,
    digest: `${name} ${amount}`,
    rowCount: 1,
    sums: [{currency: 'USDC', amount}],
    ...more,
  }
  return {label: 'schedules[0]', terms, rows: [createRow(1, name, amount)]} satisfies WantedSchedule
}

export function wantFile(name: string, keys: readonly string[], more: Partial<ScheduleTerms> = {}): WantedSchedule {
  const wanted = want(name, {kind: 'payouts', file: 'payroll.csv', rowCount: keys.length, digest: keys.join(), ...more})
  return {...wanted, rows: keys.map((key, index) => createRow(index + 2, key, `${index + 1}`))}
}

let services = 0

export async function prepareSchedules(address: string) {
  services += 1
  const serviceId = `service-${services}`
  async function openRunner(boss?: SlotRunner['boss']): Promise<SlotRunner> {
    const {database} = await openFleet({text: address})
    const own = boss ?? (await openBoss(database))
    onTestFinished(async () => {
      if (!boss) await own.stop({graceful: false})
      await database.close()
    })
    return {boss: own, database, serviceId}
  }
  const runner = await openRunner()
  const {database} = runner
  const journal = await openJournal({text: address}, {isOnlyRead: true})
  onTestFinished(() => journal.close())
  const fleet = {database, journal, serviceId, formerIds: []}
  return {
    ...runner,
    runner,
    openRunner,
    plan: (wanted: readonly WantedSchedule[], now: Date, prune = false) =>
      planChanges(database, wanted, {serviceId, prune, now}),
    apply: async (wanted: readonly WantedSchedule[], now: Date, prune = false) =>
      applyPlan(runner, await planChanges(database, wanted, {serviceId, prune, now}), now),
    runAt: (now: Date, other: SlotRunner = runner) => runDueSlots(other, now),
    // Oldest first: the slot and what was decided about it.
    listSlots: async (name?: string): Promise<string[]> => {
      const runs = await listRuns(fleet, {name, limit: 10_000})
      return runs.toReversed().map(({slot, state, skippedBecause}) => `${slot} ${skippedBecause ?? state}`)
    },
    listRuns: (name?: string): Promise<Run[]> => listRuns(fleet, {name, limit: 10_000}),
    readRows: () =>
      runSql(
        address,
        `select r.key, r.template, r.slot, r.content->'source'->>'sourceAmount' as amount, b.name as batch,
          (select count(*)::integer from svc_jobs.job j where j.name = 'batch.' || b.id) as jobs
        from svc.batches b join svc.batch_rows r on r.batch_id = b.id where b.service_id = '${serviceId}'
        order by r.slot, r.line`,
      ),
  }
}
