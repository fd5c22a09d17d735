// The task queue. Everything that waits in the sandbox is a row in it, ordered by due time and then by sequence.
import {type OpenContext, openContexts} from '../open-contexts.ts'
import {readNow} from './clock.ts'
import type {TaskPayloads} from './task-payloads.ts'
import type {Database} from '../store/database.ts'
import type {SandboxEnvironment, RequestContext} from '../request-context.ts'

export type TaskKind = keyof TaskPayloads

// Only a running server takes these tasks; a request never does.
type ServerKind = 'webhook.attempt'
export type Tasks = {[K in Exclude<TaskKind, ServerKind>]: (context: RequestContext, payload: TaskPayloads[K]) => void}

interface TaskRow {
  due: number
  kind: TaskKind
  payload: string
}

// After this many tasks the transaction ends, so that a long advance of the clock does not block other processes.
const tasksPerTransactionMax = 1_000

export function enqueue<K extends TaskKind>(
  {database, now: earliest}: Pick<RequestContext, 'database' | 'now'>,
  kind: K,
  payload: TaskPayloads[K],
  due: number,
) {
  database.run(
    'insert into queue (due, kind, payload) values (?, ?, ?)',
    Math.max(due, earliest),
    kind,
    JSON.stringify(payload),
  )
}

// The index has no webhook attempts: any number of them may be due while no server runs.
const firstDue = `
  select seq, due, kind, payload from queue indexed by queueToRun
  where kind <> 'webhook.attempt' and due <= ? order by due, seq limit 1`

function runFirstDue(openContext: OpenContext, tasks: Tasks, database: Database, until: number): boolean {
  const row = database.one<TaskRow & {seq: number}>(firstDue, until)
  if (!row) return false
  database.run('delete from queue where seq = ?', row.seq)
  // enqueue() wrote the row, and its types guarantee that the payload belongs to the kind.
  const task = tasks[row.kind as keyof Tasks] as (context: RequestContext, payload: unknown) => void
  task(openContext(row.due), JSON.parse(row.payload))
  return true
}

export const isTaskDue = (database: Database, now: number): boolean => database.one(firstDue, now) !== undefined

// Runs due tasks inside the caller's transaction, as many as one may have. Returns whether none is left.
export function runDueWithin(openContext: OpenContext, tasks: Tasks, {database, now: until}: RequestContext): boolean {
  for (let count = 0; count < tasksPerTransactionMax; count++) {
    if (!runFirstDue(openContext, tasks, database, until)) return true
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
    .all<TaskRow>('select due, kind, payload from queue order by due, seq limit ?', count)
    .map(({due, kind, payload}) => ({due, kind, payload: JSON.parse(payload) as WaitingTask['payload']}))

export function readQueueStatus(database: Database): {waiting: number; nextDue?: string} {
  const waiting = database.one<{count: number}>('select count(*) as count from queue')?.count ?? 0
  const next = findNextDue(database, 'everything')
  return {waiting, ...(next !== undefined && {nextDue: new Date(next).toISOString()})}
}
