// What the operator of a sandbox can do with it, module by module. `svc sandbox` and the console both use this.
import {type CustomerStatus, customerStatuses} from '../../contract/vocabulary.ts'
import {createAccessToken} from '../http/credential.ts'
import {addDemoCustomers, initializeSandbox} from '../seed/seed.ts'
import {createVerificationControls} from '../service/customers/controls.ts'
import {countCustomersByStatus} from '../service/customers/customer-store.ts'
import type {Behaviours} from '../service/faults/behaviour-table.ts'
import {readBehaviours, resetBehaviours, setBehaviours} from '../service/faults/behaviours.ts'
import {type NewFault, addFault, clearFaults, listFaults} from '../service/faults/faults.ts'
import {createRequestControls} from '../service/log/controls.ts'
import {createMoneyControls, sumWallets} from '../service/money/controls.ts'
import {moveClock, runDueTasks, runOperation} from '../service/operation.ts'
import type {RequestContext, SandboxEnvironment} from '../service/request-context.ts'
import {createWebhookControls} from '../service/webhooks/controls.ts'
import type {Database} from '../store/database.ts'
import {sandboxFormat, tableNames} from '../store/schema.ts'
import {
  type InitialSettings,
  incrementGeneration,
  listOrganizations,
  readApiKey,
  readSettings,
} from '../store/settings.ts'
import {listSnapshots, loadImage, readImage, restoreSnapshot, saveSnapshot} from '../store/snapshots.ts'
import {advanceClock, freezeClock, readClockStatus, readNow, runClock} from '../time/clock.ts'
import {findNextDue, readQueueStatus} from '../time/queue.ts'
import {ControlError} from './control-error.ts'

function readStatus({database}: RequestContext) {
  const counts = countCustomersByStatus(database)
  return {
    file: database.file,
    schemaVersion: sandboxFormat.schemaVersion,
    seedGiven: readSettings(database).seedGiven === 1,
    clock: readClockStatus(database),
    customers: Object.fromEntries(customerStatuses.map((status) => [status, counts[status] ?? 0])) as Record<
      CustomerStatus,
      number
    >,
    balances: sumWallets(database),
    queue: readQueueStatus(database),
    organizations: listOrganizations(database),
  }
}

function seedCustomers(context: RequestContext, count: number) {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new ControlError('The number of customers must be a whole number')
  addDemoCustomers(context, count)
  return {added: count}
}

// Returns the new API key, if a seed has changed it.
function reset(database: Database, initialSettings: InitialSettings): string | undefined {
  return database.transact(() => {
    const {apiKey, generation} = readSettings(database)
    for (const table of tableNames) database.run(`delete from ${table}`)
    initializeSandbox(database, initialSettings, apiKey)
    incrementGeneration(database, generation)
    const {apiKey: later} = readSettings(database)
    return later === apiKey ? undefined : later
  })
}

const createFaultControls = (environment: SandboxEnvironment) => ({
  add: (fault: NewFault) => runOperation(environment, (context) => addFault(context, fault)),
  list: () => listFaults(environment.database),
  // Clears all faults or the named one, and returns them.
  clear: (faultId?: string) => runOperation(environment, (context) => clearFaults(context, faultId)),
  behaviours: () => readBehaviours(environment.database),
  setBehaviours: (changes: Partial<Behaviours>) =>
    runOperation(environment, ({database}) => setBehaviours(database, changes)),
  resetBehaviours: () => runOperation(environment, ({database}) => resetBehaviours(database)),
})

export const createControls = (environment: SandboxEnvironment) => ({
  status: () => runOperation(environment, readStatus),
  // Adds the next demo customers, which are the same on every machine.
  seedCustomers: (count: number) => runOperation(environment, (context) => seedCustomers(context, count)),
  // Starts over, in one transaction. The API key stays unless a seed is given. The clock shows real time unless frozen.
  reset: (initialSettings: InitialSettings = {}) => reset(environment.database, initialSettings),
  // A JWT that is accepted like the API key until it expires on the virtual clock.
  issueToken: (lifetimeMs: number) =>
    createAccessToken(readApiKey(environment.database), readNow(environment.database), lifetimeMs),
  clock: createClockControls(environment),
  snapshots: createSnapshotControls(environment),
  verification: createVerificationControls(environment),
  faults: createFaultControls(environment),
  money: createMoneyControls(environment),
  requests: createRequestControls(environment),
  webhooks: createWebhookControls(environment),
})

export type Controls = ReturnType<typeof createControls>
export type SandboxStatus = ReturnType<Controls['status']>

// A sandbox that is not idle after this many steps creates new tasks forever, which is a bug.
const stepsMax = 1_000_000

function createClockControls(environment: SandboxEnvironment) {
  const {database} = environment
  const status = () => readClockStatus(database)
  const moveAndReadStatus = (move: () => void) => {
    moveClock(environment, move)
    return status()
  }
  const advanceTo = (due: number) =>
    moveAndReadStatus(() => advanceClock(database, Math.max(0, Math.ceil(due - readNow(database)))))
  return {
    status,
    advance: (ms: number) => moveAndReadStatus(() => advanceClock(database, ms)),
    // Advances to the next task. Without one, the clock does not move.
    toNext() {
      runDueTasks(environment)
      const due = findNextDue(database, 'everything')
      return due === undefined ? status() : advanceTo(due)
    },
    // Advances from task to task until only rules and webhook attempts are left, which would never end.
    untilIdle() {
      runDueTasks(environment)
      for (let step = 0; step < stepsMax; step++) {
        const due = findNextDue(database, 'foreground')
        if (due === undefined) return status()
        advanceTo(due)
      }
      throw new ControlError('The sandbox does not become idle: its tasks keep creating new ones')
    },
    freeze: (at?: Date) => moveAndReadStatus(() => freezeClock(database, at)),
    run: () => moveAndReadStatus(() => runClock(database)),
  }
}

// Due tasks run first, so that a snapshot holds the state that a request would have seen.
const createSnapshotControls = (environment: SandboxEnvironment) => ({
  save(name: string) {
    runDueTasks(environment)
    return saveSnapshot(environment.database, name)
  },
  restore: (name: string) => restoreSnapshot(environment.database, name),
  list: () => listSnapshots(environment.database),
  // Everything as bytes, to keep it in memory or to carry it elsewhere.
  read() {
    runDueTasks(environment)
    return readImage(environment.database)
  },
  // Replaces everything with what was read.
  load: (image: Uint8Array) => loadImage(environment.database, image),
})
