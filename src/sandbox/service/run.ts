// Runs work on the sandbox: due tasks first, each at the instant at which it was due, then the work, in one transaction.
import {ServiceError} from '../http/service-error.ts'
import {ControlError} from '../operations/control-error.ts'
import {advanceClock} from '../time/clock.ts'
import {type Tasks, isTaskDue, runDueWithin} from '../time/queue.ts'
import type {LateCommit} from '../time/tasks.ts'
import {deactivate, decideReview, startReview} from './customers/verification.ts'
import {getHandler} from './handlers.ts'
import {moneyTasks} from './money/settlement.ts'
import {type RequestContext, type SandboxEnvironment, openContexts} from './request-context.ts'
import {fireOnSchedule, fireOnThreshold} from './rules/firing.ts'

type Work<T> = (context: RequestContext) => T

interface Job {
  work: Work<unknown>
  // Whether it writes nothing.
  isRead: boolean
}

type Outcome = {value: unknown} | {error: unknown}

function attempt(work: () => unknown): Outcome {
  try {
    return {value: work()}
  } catch (error) {
    return {error}
  }
}

// Undefined if tasks are due, which have to run first.
function runReads(environment: SandboxEnvironment, jobs: readonly Job[]): Outcome[] | undefined {
  const {database} = environment
  return database.read(() => {
    const context = openContexts(environment)()
    return isTaskDue(database, context.now) ? undefined : jobs.map(({work}) => attempt(() => work(context)))
  })
}

// The tasks stay done even if a job fails. Undefined if more were due than one transaction may run.
function runWrites(environment: SandboxEnvironment, jobs: readonly Job[]): Outcome[] | undefined {
  const {database} = environment
  return database.transact(() => {
    const openContext = openContexts(environment)
    const outcomes: Outcome[] = []
    for (const {work} of jobs) {
      const context = openContext()
      // What is due when the batch begins, and what an earlier job has queued for this instant.
      while (runDueWithin(openContext, tasks, context).reached !== undefined)
        if (outcomes.length === 0) return undefined
      outcomes.push(attempt(() => database.savepoint(() => work(context))))
    }
    return outcomes
  })
}

function runJobs(environment: SandboxEnvironment, jobs: readonly Job[]): Outcome[] {
  let outcomes = jobs.every(({isRead}) => isRead) ? runReads(environment, jobs) : undefined
  while (!outcomes) outcomes = runWrites(environment, jobs)
  return outcomes
}

export function run<T>(environment: SandboxEnvironment, work: Work<T>, isRead = false): T {
  const [outcome] = runJobs(environment, [{work, isRead}])
  if (!outcome || 'error' in outcome) throw outcome?.error
  return outcome.value as T
}

export const runDueTasks = (environment: SandboxEnvironment) => run(environment, () => undefined, true)

// Moves the clock over the tasks that one transaction may run, in that transaction, so that nothing
// is left to be done at once if this is never continued. Returns how many tasks ran, and how much
// of the time is left unless all of it has passed.
export function advanceSlice(environment: SandboxEnvironment, ms: number): {count: number; leftMs?: number} {
  const {database} = environment
  return database.transact(() => {
    const openContext = openContexts(environment)
    const {now} = openContext()
    const {count, reached} = runDueWithin(openContext, tasks, {database, now: now + ms})
    const passedMs = reached === undefined ? ms : Math.max(0, Math.floor(reached) - now)
    advanceClock(database, passedMs)
    return {count, ...(reached !== undefined && {leftMs: ms - passedMs})}
  })
}

type Controls = Readonly<Record<string, (context: RequestContext, ...values: never[]) => unknown>>

type Bound<C extends Controls> = {
  [K in keyof C]: C[K] extends (context: RequestContext, ...values: infer Values) => infer T
    ? (...values: Values) => T
    : never
}

// Makes each function run on the sandbox. An error of the service's interface becomes one for the person who runs the sandbox.
export function bindControls<C extends Controls>(environment: SandboxEnvironment, controls: C): Bound<C> {
  const bind =
    (control: Controls[string]) =>
    (...values: never[]) => {
      try {
        return run(environment, (context) => control(context, ...values))
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        throw new ControlError(error.message, {notFound: error.error === 'NOT_FOUND'})
      }
    }
  return Object.fromEntries(Object.entries(controls).map(([name, control]) => [name, bind(control)])) as Bound<C>
}

interface WaitingJob extends Job {
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

// Requests of the same moment share one transaction, and so one wait for the disk. Each is committed or undone by itself,
// and none is answered before the transaction was committed.
export function createBatchRunner(environment: SandboxEnvironment) {
  let waiting: WaitingJob[] = []
  const runBatch = () => {
    const jobs = waiting
    waiting = []
    try {
      for (const [index, outcome] of runJobs(environment, jobs).entries()) {
        if ('error' in outcome) jobs[index]?.reject(outcome.error)
        else jobs[index]?.resolve(outcome.value)
      }
    } catch (error) {
      for (const {reject} of jobs) reject(error)
    }
  }
  return <T>(work: Work<T>, isRead = false): Promise<T> =>
    new Promise<unknown>((resolve, reject) => {
      if (waiting.push({work, isRead, resolve, reject}) === 1) setImmediate(runBatch)
    }) as Promise<T>
}

// Carries out a request some time after it was answered, as a service does whose gateway gave up before its queue. Nobody receives
// the reply, nor the error if the service rejects the request.
function commitLate(context: RequestContext, {endpoint, input}: LateCommit) {
  const handler = getHandler(endpoint)
  try {
    context.database.savepoint(() => handler(context, input))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
}

const tasks: Tasks = {
  'verification.start': startReview,
  'verification.decide': decideReview,
  'verification.deactivate': deactivate,
  ...moneyTasks,
  'request.commit': commitLate,
  'rule.fire': fireOnSchedule,
  'rule.cross': fireOnThreshold,
}
