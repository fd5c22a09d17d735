// The task queue. Everything that waits in the sandbox is a row in it, ordered by due time and then by sequence.
import type {OpenContext, RequestContext} from '../service/request-context.ts'
import {type Database, parseStored} from '../store/database.ts'
import {readNow} from './clock.ts'
import type {TaskKind, TaskPayloads} from './tasks.ts'

// Only a running server takes these tasks; a request never does.
type ServerKind = 'webhook.attempt'
export type Tasks = {[K in Exclude<TaskKind, ServerKind>]: (context: RequestContext, payload: TaskPayloads[K]) => void}

interface TaskRow {
  seq: number
  due: number
  kind: TaskKind
  payload: string
}

// After this many tasks the transaction ends, so that a long advance of the clock does not block
// others.
const tasksPerTransactionMax = 1_000

export function enqueue<K extends TaskKind>(
  {database, now: earliest}: Pick<RequestContext, 'database' | 'now'>,
  kind: K,
  payload: TaskPayloads[K],
  due: number,
) {
  const text = JSON.stringify(payload)
  database.run('insert into queue (due, kind, payload) values (?, ?, ?)', Math.max(due, earliest), kind, text)
}

const deleteStep = "delete from queue where kind <> 'webhook.attempt' and payload = ?"

// Removes the queued next steps of a transaction. It reads the whole queue: few transactions end early, and an index would cost each one.
export const deleteSteps = (database: Database, transactionId: string): void =>
  database.run(deleteStep, JSON.stringify({transactionId}))

// The index has no webhook attempts: any number of them may be due while no server runs.
const firstDue = `
  select seq, due, kind, payload from queue indexed by queueToRun
  where kind <> 'webhook.attempt' and due <= ? order by due, seq limit 1`

const findFirstDue = (database: Database, until: number) => database.one<TaskRow>(firstDue, until)

const insertFailure = 'insert into failedTasks (kind, due, message) values (?, ?, ?)'

// A task that throws is an error of the sandbox. What it wrote is undone, and it is not tried again: it would keep every later
// task from running.
function runTask(tasks: Tasks, context: RequestContext, {kind, due, payload}: TaskRow) {
  const {database} = context
  // enqueue() stored the payload, and its types guarantee that it belongs to the kind.
  const task = tasks[kind as keyof Tasks] as (context: RequestContext, payload: unknown) => void
  try {
    database.savepoint(() => task(context, JSON.parse(payload)))
  } catch (error) {
    database.run(insertFailure, kind, due, error instanceof Error ? error.message : String(error))
  }
}

export const isTaskDue = (database: Database, now: number): boolean => findFirstDue(database, now) !== undefined

// Runs due tasks inside the caller's transaction, as many as one may have. Returns how many ran,
// and when the last of them was due unless none is left.
export function runDueWithin(
  openContext: OpenContext,
  tasks: Tasks,
  {database, now: until}: Pick<RequestContext, 'database' | 'now'>,
): {count: number; reached?: number} {
  let reached = until
  for (let count = 0; count < tasksPerTransactionMax; count++) {
    const row = findFirstDue(database, until)
    if (!row) return {count}
    database.run('delete from queue where seq = ?', row.seq)
    runTask(tasks, openContext(row.due), row)
    reached = row.due
  }
  return {count: tasksPerTransactionMax, reached}
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

interface QueueStatus {
  waiting: number
  nextDue?: string
  // How many tasks threw an error and were skipped, and the last of them.
  failed: number
  lastFailure?: string
}

export function readQueueStatus(database: Database): QueueStatus {
  const {waiting} = database.only<{waiting: number}>('select count(*) as waiting from queue')
  const {failed} = database.only<{failed: number}>('select count(*) as failed from failedTasks')
  const next = findNextDue(database, 'everything')
  const last = database.one<{kind: string; message: string}>(
    'select kind, message from failedTasks order by seq desc limit 1',
  )
  return {
    waiting,
    ...(next !== undefined && {nextDue: new Date(next).toISOString()}),
    failed,
    ...(last && {lastFailure: `${last.kind}: ${last.message}`}),
  }
}
