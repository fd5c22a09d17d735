// Runs operations on the sandbox. Tasks that are due run first, then the operation itself, in one transaction.
import {ServiceError} from '../http/service-error.ts'
import {type RequestContext, type SandboxEnvironment, openContexts} from './request-context.ts'
import {type Tasks, isTaskDue, runDue, runDueWithin} from '../time/queue.ts'
import type {LateCommit} from '../time/tasks.ts'
import {loadVerificationChecks} from './customers/endpoints.ts'
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

// A task cannot await what its request needs, so that is loaded before tasks run.
export async function loadLateHandlers({database}: SandboxEnvironment): Promise<void> {
  if (database.one("select 1 from queue where kind = 'request.commit' limit 1")) await loadVerificationChecks()
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

// The tasks that are due run in the same transaction. They stay done even if an operation fails. Undefined if more were due than
// one transaction may run.
function runWrites(environment: SandboxEnvironment, jobs: readonly Job[]): Outcome[] | undefined {
  const {database} = environment
  return database.transact(() => {
    const openContext = openContexts(environment)
    if (!runDueWithin(openContext, tasks, openContext())) return undefined
    return jobs.map(({work}) => {
      const context = openContext()
      // What an earlier job has queued for this instant.
      while (!runDueWithin(openContext, tasks, context));
      return attempt(() => database.savepoint(() => work(context)))
    })
  })
}

// Undefined if it has to be called again.
const runJobs = (environment: SandboxEnvironment, jobs: readonly Job[]): Outcome[] | undefined =>
  (jobs.every(({isRead}) => isRead) ? runReads(environment, jobs) : undefined) ?? runWrites(environment, jobs)

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
