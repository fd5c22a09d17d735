// What the operator of a sandbox can do with it, module by module. `svc sandbox` and the console both use this.
import {type CustomerStatus, customerStatuses} from '../../contract/vocabulary.ts'
import type {Result} from '../../sandbox-results.ts'
import {createAccessToken} from '../http/credential.ts'
import {addDemoCustomers, initializeSandbox} from '../seed/seed.ts'
import {verificationControls} from '../service/customers/controls.ts'
import {countCustomersByStatus} from '../service/customers/customer-store.ts'
import type {Behaviours} from '../service/faults/behaviour-table.ts'
import {readBehaviours, resetBehaviours, setBehaviours} from '../service/faults/behaviours.ts'
import {addFault, clearFaults, listFaults} from '../service/faults/faults.ts'
import {createRequestControls} from '../service/log/controls.ts'
import {moneyControls, sumWallets} from '../service/money/controls.ts'
import {advanceSlice, bindControls, run, runDueTasks} from '../service/run.ts'
import type {RequestContext, SandboxEnvironment} from '../service/request-context.ts'
import {webhookControls} from '../service/webhooks/controls.ts'
import type {Database} from '../store/database.ts'
import {sandboxFormat, tableNames} from '../store/schema.ts'
import {
  type InitialSettings,
  incrementGeneration,
  listOrganizations,
  readApiKey,
  readIdentity,
  readSettings,
} from '../store/settings.ts'
import {listSnapshots, loadImage, readImage, restoreSnapshot, saveSnapshot} from '../store/snapshots.ts'
import {checkAdvance, freezeClock, readClockStatus, readNow, runClock} from '../time/clock.ts'
import {type ClockMove, finishAtOnce} from '../time/clock-move.ts'
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
  const newKey = database.transact(() => {
    const {apiKey, generation} = readSettings(database)
    for (const table of tableNames) database.run(`delete from ${table}`)
    initializeSandbox(database, initialSettings, apiKey)
    incrementGeneration(database, generation)
    const {apiKey: later} = readSettings(database)
    return later === apiKey ? undefined : later
  })
  database.emptyLog()
  return newKey
}

const stateControls = {
  status: readStatus,
  // Adds the next demo customers, which are the same on every machine.
  seedCustomers,
}

const faultControls = {
  add: addFault,
  // Clears all faults or the named one, and returns them.
  clear: clearFaults,
  setBehaviours: ({database}: RequestContext, changes: Partial<Behaviours>) => setBehaviours(database, changes),
  resetBehaviours: ({database}: RequestContext) => resetBehaviours(database),
}

export const createControls = (environment: SandboxEnvironment) => ({
  ...bindControls(environment, stateControls),
  // Starts over, in one transaction. The API key stays unless a seed is given. The clock shows real time unless frozen.
  reset: (initialSettings: InitialSettings = {}) => reset(environment.database, initialSettings),
  // A JWT that is accepted like the API key until it expires on the virtual clock.
  issueToken: (lifetimeMs: number) =>
    createAccessToken(readApiKey(environment.database), readNow(environment.database), lifetimeMs),
  clock: createClockControls(environment),
  snapshots: createSnapshotControls(environment),
  verification: bindControls(environment, verificationControls),
  faults: {
    ...bindControls(environment, faultControls),
    list: () => listFaults(environment.database),
    behaviours: () => readBehaviours(environment.database),
  },
  money: bindControls(environment, moneyControls),
  requests: createRequestControls(environment),
  webhooks: bindControls(environment, webhookControls),
})

export type Controls = ReturnType<typeof createControls>
export type SandboxStatus = ReturnType<Controls['status']>

// A sandbox that is not idle after this many steps creates new tasks forever, which is a bug.
const stepsMax = 1_000_000

// How far a move has come, and what it has run.
type Moved = Required<Pick<Result<'Clock'>, 'movedMs' | 'tasksRun'>>

const addMoves = (first: Moved, second: Moved): Moved => ({
  movedMs: first.movedMs + second.movedMs,
  tasksRun: first.tasksRun + second.tasksRun,
})

// A move of the clock carries out everything that becomes due by the time that it comes to.
function createClockControls(environment: SandboxEnvironment) {
  const {database} = environment
  const status = () => readClockStatus(database)

  function* pass(ms: number): Generator<undefined, Moved> {
    const identity = readIdentity(database)
    let [slice, tasksRun] = [advanceSlice(environment, ms), 0]
    while (slice.leftMs !== undefined) {
      tasksRun += slice.count
      yield
      if (readIdentity(database) !== identity)
        throw new ControlError('The sandbox was reset or restored while its clock moved, so it was not moved on')
      slice = advanceSlice(environment, slice.leftMs)
    }
    return {movedMs: ms, tasksRun: tasksRun + slice.count}
  }
  const passUntil = (due: number) => pass(Math.max(0, Math.ceil(due - readNow(database))))

  const moves = {
    *advance(ms: number): ClockMove {
      checkAdvance(database, ms)
      const moved = yield* pass(ms)
      return {...status(), ...moved}
    },
    // Advances to the next task. Without one, the clock does not move.
    *toNext(): ClockMove {
      const overdue = yield* pass(0)
      const due = findNextDue(database, 'everything')
      const moved = due === undefined ? overdue : addMoves(overdue, yield* passUntil(due))
      return {...status(), ...moved}
    },
    // Advances from task to task until only rules and webhook attempts are left, which would never end.
    *untilIdle(): ClockMove {
      let moved = yield* pass(0)
      for (let step = 0; step < stepsMax; step++) {
        const due = findNextDue(database, 'foreground')
        if (due === undefined) return {...status(), ...moved}
        moved = addMoves(moved, yield* passUntil(due))
        yield
      }
      throw new ControlError('The sandbox does not become idle: its tasks keep creating new ones')
    },
    *freeze(at?: Date): ClockMove {
      const moved = yield* pass(run(environment, () => freezeClock(database, at)))
      return {...status(), ...moved}
    },
  }
  return {
    status,
    moves,
    advance: (ms: number) => finishAtOnce(moves.advance(ms)),
    toNext: () => finishAtOnce(moves.toNext()),
    untilIdle: () => finishAtOnce(moves.untilIdle()),
    freeze: (at?: Date) => finishAtOnce(moves.freeze(at)),
    run() {
      run(environment, () => runClock(database))
      return status()
    },
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
