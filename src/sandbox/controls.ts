// Everything that whoever runs a sandbox can do with it, room by room: svc sandbox and the console do it this way.
import {type CustomerStatus, customerStatuses} from '../contract/customers.ts'
import {ControlRefused} from './control-refused.ts'
import {type VerificationControls, verificationControls} from './customers/controls.ts'
import {customerCounts} from './customers/customer-store.ts'
import {type FaultControls, faultControls} from './faults/controls.ts'
import {type RequestControls, requestControls} from './log/controls.ts'
import {type MoneyControls, moneyControls} from './money/controls.ts'
import {operate} from './operation.ts'
import {addDemoCustomers, furnish} from './seed/seed.ts'
import {type SnapshotControls, snapshotControls} from './snapshots/controls.ts'
import type {Database} from './store/database.ts'
import {allOrganizations, type Organization} from './store/organizations.ts'
import {schemaVersion, tables} from './store/schema.ts'
import {type Beginning, countBeginning, settingsOf} from './store/settings.ts'
import {type ClockStatus, clockStatus} from './time/clock.ts'
import {type ClockControls, clockControls} from './time/controls.ts'
import {queueStatus} from './time/queue.ts'
import type {House, Turn} from './request-context.ts'
import {type WebhookControls, webhookControls} from './webhooks/controls.ts'

export interface SandboxStatus {
  file: string
  schemaVersion: number
  seedGiven: boolean
  clock: ClockStatus
  customers: Record<CustomerStatus, number>
  queue: {waiting: number; nextDue?: string}
  organizations: Organization[]
}

export interface Controls {
  status(): SandboxStatus
  // Adds demo customers: the next ones in number, the same on every machine.
  seedCustomers(count: number): {added: number}
  // Begins anew, in one transaction. The API key stays unless a seed is given; the clock shows wall time unless frozen.
  reset(beginning?: Beginning): void
  clock: ClockControls
  snapshots: SnapshotControls
  verification: VerificationControls
  faults: FaultControls
  money: MoneyControls
  requests: RequestControls
  webhooks: WebhookControls
}

function statusOf({database}: Turn): SandboxStatus {
  const counts = customerCounts(database)
  return {
    file: database.file,
    schemaVersion,
    seedGiven: settingsOf(database).seedGiven === 1,
    clock: clockStatus(database),
    customers: Object.fromEntries(customerStatuses.map((status) => [status, counts[status] ?? 0])) as Record<
      CustomerStatus,
      number
    >,
    queue: queueStatus(database),
    organizations: allOrganizations(database),
  }
}

function seedCustomers(turn: Turn, count: number) {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new ControlRefused('The number of customers must be a whole number')
  addDemoCustomers(turn, count)
  return {added: count}
}

function reset(database: Database, beginning: Beginning) {
  database.transact(() => {
    const {apiKey, beginnings} = settingsOf(database)
    for (const table of tables) database.run(`delete from ${table}`)
    furnish(database, beginning, apiKey)
    countBeginning(database, beginnings)
  })
}

export const controlsOf = (house: House): Controls => ({
  status: () => operate(house, statusOf),
  seedCustomers: (count) => operate(house, (turn) => seedCustomers(turn, count)),
  reset: (beginning = {}) => reset(house.database, beginning),
  clock: clockControls(house),
  snapshots: snapshotControls(house),
  verification: verificationControls(house),
  faults: faultControls(house),
  money: moneyControls(house),
  requests: requestControls(house),
  webhooks: webhookControls(house),
})
