// Lets pg-boss's scheduler wake one worker of the fleet every minute, which then hands out the slots that have come. pg-boss knows
// nothing of single schedules: a minute that nobody saw is made up for by the next one, since the slots that are owed follow from
// the last slot in the database.
import {createHash} from 'node:crypto'
import type {PgBoss} from 'pg-boss'
import {type SlotRunner, runDueSlots} from './run-slots.ts'

const everyMinute = '* * * * *'
const pollSeconds = 2
// Nobody needs a minute that has passed.
const keptSeconds = 300

// At most one job waits, however long no worker of the service runs.
const queueOptions = {policy: 'short', retentionSeconds: keptSeconds, deleteAfterSeconds: keptSeconds} as const

// A queue's name has few characters, and the id of a service may have any.
const getMinuteQueue = (serviceId: string) =>
  `minute.${createHash('sha256').update(serviceId).digest('hex').slice(0, 16)}`

export interface Scheduler {
  // Waits for what is under way.
  close(): Promise<void>
}

// Slots that have come already are handed out before it returns. `report` gets what failed; the next minute tries again.
export async function startScheduler(runner: SlotRunner, report: (error: unknown) => void): Promise<Scheduler> {
  const {boss, serviceId} = runner
  const queue = getMinuteQueue(serviceId)
  const run = () => runDueSlots(runner).catch(report)
  await run()
  await boss.createQueue(queue, queueOptions)
  await boss.schedule(queue, everyMinute)
  await boss.work(queue, {pollingIntervalSeconds: pollSeconds}, run)
  return {close: () => closeQueue(boss, queue).catch(report)}
}

const closeQueue = (boss: PgBoss, queue: string) => boss.offWork(queue, {wait: true})
