// Runs operations on the sandbox. Tasks that are due run first, then the operation itself, in one transaction.
import {ServiceError} from '../http/service-error.ts'
import {type OpenContext, type RequestContext, type SandboxEnvironment, openContexts} from './request-context.ts'
import {HalfWrittenError} from '../store/database.ts'
import {type Tasks, isTaskDue, runDue, runDueWithin} from '../time/queue.ts'
import type {LateCommit} from '../time/pending-queue.ts'
import {deactivate, decideReview, startReview} from './customers/verification.ts'
import {handlers} from './handlers.ts'
import {moneyTasks} from './money/settlement.ts'
import {fireOnSchedule, fireOnThreshold} from './rules/firing.ts'

// Carries out a request some time after it was answered, as a service does whose gateway gave up before its queue.
type AnyHandler = (context: RequestContext, input: unknown) => unknown

// Nobody receives the reply, nor the error if the service rejects the request.
function commitLate(context: RequestContext, {endpoint, input}: LateCommit) {
  const handler = handlers[endpoint] as AnyHandler
  try {
    context.database.savepoint(() => handler(context, input))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
  }
}

// The due tasks have their own transaction: they stay done even if the operation fails.
export function runOperation<T>(environment: SandboxEnvironment, work: (context: RequestContext) => T): T {
  runDue(environment, tasks)
  return environment.database.transact(() => work(openContexts(environment)()))
}

interface Job {
  work: (context: RequestContext) => unknown
  // Whether it writes nothing.
  isRead: boolean
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

type Outcome = {value: unknown} | {error: unknown}

function attempt(work: () => unknown): Outcome {
  try {
    return {value: work()}
  } catch (error) {
    if (error instanceof HalfWrittenError) throw error
    return {error}
  }
}

// Runs a part of a transaction so that it is kept or undone by itself.
type Isolate = (work: () => unknown) => unknown

// Undefined if tasks are due, which have to run first.
function runReads(environment: SandboxEnvironment, jobs: readonly Job[]): Outcome[] | undefined {
  const {database} = environment
  return database.read(() => {
    const context = openContexts(environment)()
    return isTaskDue(database, context.now) ? undefined : jobs.map(({work}) => attempt(() => work(context)))
  })
}

// The tasks that are due run in the same transaction. They stay done even if an operation fails.
function runWrites(environment: SandboxEnvironment, jobs: readonly Job[], isolate: Isolate): Outcome[] | undefined {
  const {database} = environment
  const runTasks = (openContext: OpenContext, context: RequestContext) => runDueWithin(openContext, tasks, context)
  return database.transact(() => {
    const openContext = openContexts(environment)
    const first = openContext()
    const [only, ...others] = jobs
    // Alone, it is undone with the whole transaction if it fails.
    if (only && others.length === 0 && !isTaskDue(database, first.now)) return [{value: only.work(first)}]
    if (!runTasks(openContext, first)) return undefined
    return jobs.map(({work}, index) => {
      const context = index === 0 ? first : openContext()
      // What an earlier job has queued for this instant.
      if (index > 0) while (!runTasks(openContext, context));
      return attempt(() => isolate(() => work(context)))
    })
  })
}

// Few operations fail after they have written something, so savepoints are only used once one has.
function runWritesOnce(environment: SandboxEnvironment, jobs: readonly Job[]): Outcome[] | undefined {
  const {database} = environment
  try {
    return runWrites(environment, jobs, (work) => database.attempt(work))
  } catch (error) {
    if (!(error instanceof HalfWrittenError)) throw error
    return runWrites(environment, jobs, (work) => database.savepoint(work))
  }
}

// Undefined if more tasks were due than one transaction may run: it is called again.
const runJobs = (environment: SandboxEnvironment, jobs: readonly Job[]): Outcome[] | undefined =>
  (jobs.every(({isRead}) => isRead) ? runReads(environment, jobs) : undefined) ?? runWritesOnce(environment, jobs)

// Operations of the same moment share one transaction, and so one wait for the disk. Each is committed or undone by itself,
// and none is answered before the transaction was committed.
export function createBatchRunner(environment: SandboxEnvironment) {
  let waiting: Job[] = []
  const runBatch = () => {
    const jobs = waiting
    waiting = []
    try {
      let outcomes: Outcome[] | undefined
      while (!outcomes) outcomes = runJobs(environment, jobs)
      for (const [index, outcome] of outcomes.entries()) {
        if ('error' in outcome) jobs[index]?.reject(outcome.error)
        else jobs[index]?.resolve(outcome.value)
      }
    } catch (error) {
      for (const {reject} of jobs) reject(error)
    }
  }
  return (work: Job['work'], isRead = false): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (waiting.push({work, isRead, resolve, reject}) === 1) setImmediate(runBatch)
    })
}

export const runDueTasks = (environment: SandboxEnvironment) => runDue(environment, tasks)

// Moves the clock, and runs the tasks that become due.
export function moveClock(environment: SandboxEnvironment, move: (context: RequestContext) => void) {
  runOperation(environment, move)
  runDue(environment, tasks)
}

// Which function runs which kind of task.
const tasks: Tasks = {
  'verification.start': startReview,
  'verification.decide': decideReview,
  'verification.deactivate': deactivate,
  ...moneyTasks,
  'request.commit': commitLate,
  'rule.fire': fireOnSchedule,
  'rule.cross': fireOnThreshold,
}
