// The task queue. Everything that waits in the sandbox is a row in it, ordered by due time and then by sequence.
import {
  type OpenContext,
  type RequestContext,
  type SandboxEnvironment,
  openContexts,
} from '../service/request-context.ts'
import {type Database, parseStored} from '../store/database.ts'
import {readNow} from './clock.ts'
import {type TaskKind, type TaskPayloads, createPendingQueue, isDeferrable} from './pending-queue.ts'

// Only a running server takes these tasks; a request never does.
type ServerKind = 'webhook.attempt'
export type Tasks = {[K in Exclude<TaskKind, ServerKind>]: (context: RequestContext, payload: TaskPayloads[K]) => void}

interface TaskRow {
  due: number
  kind: TaskKind
  payload: string
}

// After this many tasks the transaction ends, so that a long advance of the clock does not block other processes.
const tasksPerTransactionMax = 40_000

// After this many deferred tasks, rows that do not change any more are written, so that memory does not grow with their number.
const tasksPerWrite = 1_000

// How many deferred tasks take as long as one that is not.
const undeferredTaskWeight = 40

export function enqueue<K extends TaskKind>(
  {database, now: earliest}: Pick<RequestContext, 'database' | 'now'>,
  kind: K,
  payload: TaskPayloads[K],
  due: number,
) {
  const dueOrNow = Math.max(due, earliest)
  const pending = database.getDeferred(createPendingQueue)
  if (pending) pending.add(kind, payload, dueOrNow)
  else {
    const text = JSON.stringify(payload)
    database.run('insert into queue (due, kind, payload) values (?, ?, ?)', dueOrNow, kind, text)
  }
}

// The index has no webhook attempts: any number of them may be due while no server runs.
const firstDue = `
  select seq, due, kind, payload from queue indexed by queueToRun
  where kind <> 'webhook.attempt' and due <= ? order by due, seq limit 1`

const findFirstDue = (database: Database, until: number) => database.one<TaskRow & {seq: number}>(firstDue, until)

// enqueue() stored the payload, and its types guarantee that it belongs to the kind.
function runTask(tasks: Tasks, kind: TaskKind, context: RequestContext, payload: unknown) {
  const task = tasks[kind as keyof Tasks] as (context: RequestContext, payload: unknown) => void
  task(context, payload)
}

// Returns how many tasks ran.
function runDeferrable(
  openContext: OpenContext,
  tasks: Tasks,
  {database, now: until}: RequestContext,
  countMax: number,
) {
  return database.deferWrites(() => {
    for (let count = 0; count < countMax; count++) {
      if (count % tasksPerWrite === tasksPerWrite - 1) database.writeFinished()
      const task = database.getDeferred(createPendingQueue)?.takeDue(until)
      if (!task) return count
      runTask(tasks, task.kind, openContext(task.due), task.payload)
    }
    return countMax
  })
}

export const isTaskDue = (database: Database, now: number): boolean => findFirstDue(database, now) !== undefined

// Runs due tasks inside the caller's transaction, as many as one may have. Returns whether none is left.
export function runDueWithin(openContext: OpenContext, tasks: Tasks, context: RequestContext): boolean {
  const {database, now: until} = context
  let left = tasksPerTransactionMax
  while (left > 0) {
    const row = findFirstDue(database, until)
    if (!row) return true
    if (isDeferrable(row.kind)) {
      left -= runDeferrable(openContext, tasks, context, left)
    } else {
      database.run('delete from queue where seq = ?', row.seq)
      runTask(tasks, row.kind, openContext(row.due), JSON.parse(row.payload))
      left -= undeferredTaskWeight
    }
  }
  return false
}

// Runs due tasks, each at the instant at which it was due, including those that become due by running them.
export function runDue(environment: SandboxEnvironment, tasks: Tasks) {
  const {database} = environment
  while (isTaskDue(database, readNow(database))) {
    database.transact(() => {
      const openContext = openContexts(environment)
      runDueWithin(openContext, tasks, openContext())
    })
  }
}

// Tasks that repeat forever or need a running server. A sandbox counts as idle if only these are waiting.
const backgroundKinds: readonly string[] = ['rule.fire', 'webhook.attempt']

// An overdue attempt waits for a server, not for the clock.
const anyDue = "select min(due) as due from queue where kind <> 'webhook.attempt' or due > ?"
const foregroundDue = `
  select min(due) as due from queue where kind not in (${backgroundKinds.map((kind) => `'${kind}'`).join(', ')})`

export function findNextDue(database: Database, among: 'everything' | 'foreground'): number | undefined {
  const row =
    among === 'everything'
      ? database.one<{due: number | null}>(anyDue, readNow(database))
      : database.one<{due: number | null}>(foregroundDue)
  return row?.due ?? undefined
}

export interface WaitingTask {
  due: number
  kind: TaskKind
  payload: Readonly<Record<string, unknown>>
}

// In the order in which they are due.
export const listWaitingTasks = (database: Database, count: number): WaitingTask[] =>
  database
    .all<TaskRow>('select due, kind, payload from queue order by due, seq limit ? + 0', count)
    .map(({due, kind, payload}) => ({due, kind, payload: parseStored<WaitingTask['payload']>(payload)}))

export function readQueueStatus(database: Database): {waiting: number; nextDue?: string} {
  const waiting = database.one<{count: number}>('select count(*) as count from queue')?.count ?? 0
  const next = findNextDue(database, 'everything')
  return {waiting, ...(next !== undefined && {nextDue: new Date(next).toISOString()})}
}
