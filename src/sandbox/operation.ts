// Runs operations on the sandbox. Tasks that are due run first, then the operation itself, in one transaction.
import {readNow} from './time/clock.ts'
import {isTaskDue, runDue, runDueWithin} from './time/queue.ts'
import {tasks} from './tasks.ts'
import type {SandboxEnvironment, RequestContext} from './request-context.ts'

// The due tasks have their own transaction: they stay done even if the operation fails.
export function runOperation<T>(environment: SandboxEnvironment, work: (context: RequestContext) => T): T {
  runDue(environment, tasks)
  return environment.database.transact(() => work({...environment, now: readNow(environment.database)}))
}

interface Job {
  work: (context: RequestContext) => unknown
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
}

// Operations of the same moment share one transaction, and so one wait for the disk. Each is committed or undone by itself,
// and none is answered before the transaction was committed.
export function createBatchRunner(environment: SandboxEnvironment) {
  const {database} = environment
  let waiting: Job[] = []
  const runJob = ({work}: Job) => {
    const now = readNow(database)
    if (isTaskDue(database, now)) database.savepoint(() => runDueWithin(environment, tasks, now))
    try {
      return {value: database.savepoint(() => work({...environment, now}))}
    } catch (error) {
      return {error}
    }
  }
  const runBatch = () => {
    const jobs = waiting
    waiting = []
    try {
      runDue(environment, tasks)
      const outcomes = database.transact(() => jobs.map(runJob))
      for (const [index, outcome] of outcomes.entries()) {
        if ('error' in outcome) jobs[index]?.reject(outcome.error)
        else jobs[index]?.resolve(outcome.value)
      }
    } catch (error) {
      for (const {reject} of jobs) reject(error)
    }
  }
  return (work: Job['work']): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (waiting.push({work, resolve, reject}) === 1) setImmediate(runBatch)
    })
}

export const runDueTasks = (environment: SandboxEnvironment) => runDue(environment, tasks)

// Moves the clock, and runs the tasks that become due.
export function moveClock(environment: SandboxEnvironment, move: (context: RequestContext) => void) {
  runOperation(environment, move)
  runDue(environment, tasks)
}
