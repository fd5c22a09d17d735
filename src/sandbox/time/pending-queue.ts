// The kinds of tasks, and those that are due, in memory while writes are deferred. A task that is queued and runs meanwhile is never written.
import type {EndpointName} from '../../contract/endpoints.ts'
import type {AddressMismatch} from '../../values/verification-data.ts'
import type {Magic} from '../service/customers/magic-values.ts'
import {type Database, type PendingWrites, parseStored} from '../store/database.ts'

// What a submission brings to its own review besides the data, which later reviews use as well.
export interface ReviewInput {
  magic?: readonly Magic[]
  // Values that do not fit the country of the address. They are found when the data arrives, while the country lists are loaded.
  mismatches?: readonly AddressMismatch[]
}

interface Review extends ReviewInput {
  customerId: string
  // Reviews of a customer are numbered from one.
  review: number
}

interface TransactionTask {
  transactionId: string
}

// `svc sandbox faults set --transaction-outcome` chose how it ends.
export interface TransactionEnd extends TransactionTask {
  as: 'FAILED' | 'CANCELLED' | 'EXPIRED'
}

// The endpoint and the validated input of a request that was answered before it is carried out.
export interface LateCommit {
  endpoint: EndpointName
  input: unknown
}

// Every kind of task, with its payload.
export interface TaskPayloads {
  'verification.start': {customerId: string} & ReviewInput
  'verification.decide': Review
  'verification.deactivate': {customerId: string; review: number}
  'transaction.process': TransactionTask
  'transaction.fund': TransactionTask
  'transaction.expire': TransactionTask
  'transaction.settle': TransactionTask
  'transaction.end': TransactionEnd
  'request.commit': LateCommit
  'rule.fire': {ruleId: string}
  'rule.cross': {ruleId: string}
  // An attempt takes time, so only a running server makes it, outside any transaction (see webhooks/delivery.ts).
  'webhook.attempt': {deliveryId: string; endpointId: string}
}

export type TaskKind = keyof TaskPayloads

// Tasks that only read and write through stores that can defer their writes. Any other task reads what it likes, so everything
// is written before it runs.
const deferrableKinds: ReadonlySet<TaskKind> = new Set<TaskKind>([
  'rule.fire',
  'rule.cross',
  'transaction.process',
  'transaction.fund',
  'transaction.expire',
  'transaction.settle',
  'transaction.end',
])

export const isDeferrable = (kind: TaskKind) => deferrableKinds.has(kind)

// The next steps of a transaction. An outcome that was chosen for it is not one.
const stepKinds: ReadonlySet<TaskKind> = new Set<TaskKind>([
  'transaction.process',
  'transaction.fund',
  'transaction.expire',
  'transaction.settle',
])

// A step and the times between which it is due.
export interface QueuedStep {
  kind: 'transaction.process' | 'transaction.fund' | 'transaction.expire' | 'transaction.settle'
  earliest: number
  latest: number
}

const deleteStep = 'delete from queue where due between ? and ? and kind = ? and payload = ?'

function deleteStoredSteps(database: Database, transactionId: string, steps: readonly QueuedStep[]) {
  const payload = JSON.stringify({transactionId})
  for (const {kind, earliest, latest} of steps) database.run(deleteStep, earliest, latest, kind, payload)
}

const insertTask = 'insert into queue (seq, due, kind, payload) values (?, ?, ?, ?)'
const selectNextSeq = 'select coalesce(max(seq), 0) + 1 as seq from queue'
const selectDue = `
  select seq, due, kind, payload from queue indexed by queueToRun
  where kind <> 'webhook.attempt' and due <= ? order by due, seq limit ? + 0`
const deleteUntil = `
  delete from queue indexed by queueToRun where kind <> 'webhook.attempt' and (due, seq) <= (?, ?)`

// Few at first, because often only a few are due.
const readCountMin = 16
const readCountMax = 4_096

// The place of a task in the order in which tasks run.
interface TaskPosition {
  due: number
  seq: number
}

interface QueuedTask extends TaskPosition {
  kind: TaskKind
  payload: TaskPayloads[TaskKind]
}

const isBefore = (one: TaskPosition, other: TaskPosition): boolean =>
  one.due < other.due || (one.due === other.due && one.seq < other.seq)

// The task that is due first, and was queued first, is on top.
class TaskHeap {
  readonly #tasks: QueuedTask[] = []

  get first(): QueuedTask | undefined {
    return this.#tasks[0]
  }

  // Every task, in no order.
  get all(): readonly QueuedTask[] {
    return this.#tasks
  }

  push(task: QueuedTask) {
    const tasks = this.#tasks
    let at = tasks.push(task) - 1
    while (at > 0) {
      const parentAt = (at - 1) >> 1
      const parent = tasks[parentAt] as QueuedTask
      if (!isBefore(task, parent)) break
      tasks[at] = parent
      at = parentAt
    }
    tasks[at] = task
  }

  removeFirst() {
    const last = this.#tasks.pop()
    if (last && this.#tasks.length > 0) this.#sink(last)
  }

  // Puts a task on top, and moves it down to its place.
  #sink(task: QueuedTask) {
    const tasks = this.#tasks
    let at = 0
    for (;;) {
      let childAt = at * 2 + 1
      let child = tasks[childAt]
      const other = tasks[childAt + 1]
      if (child && other && isBefore(other, child)) {
        child = other
        childAt++
      }
      if (!child || !isBefore(child, task)) break
      tasks[at] = child
      at = childAt
    }
    tasks[at] = task
  }
}

interface TaskRow extends TaskPosition {
  kind: TaskKind
  payload: string
}

class PendingQueue implements PendingWrites {
  readonly #database: Database
  readonly #heap = new TaskHeap()
  // The steps of these transactions that were queued before a number are deleted.
  readonly #deletedBefore = new Map<string, number>()
  #nextSeq: number
  #readCount = readCountMin
  // Tasks up to here are in memory, so that the first of them is the next one to run.
  #read: TaskPosition = {due: Number.NEGATIVE_INFINITY, seq: 0}
  #isWhollyRead = false

  constructor(database: Database) {
    this.#database = database
    this.#nextSeq = database.only<{seq: number}>(selectNextSeq).seq
  }

  add(kind: TaskKind, payload: TaskPayloads[TaskKind], due: number) {
    this.#heap.push({seq: this.#nextSeq++, due, kind, payload})
  }

  deleteSteps(transactionId: string, steps: readonly QueuedStep[]) {
    this.#deletedBefore.set(transactionId, this.#nextSeq)
    deleteStoredSteps(this.#database, transactionId, steps)
  }

  // Takes the next task. Undefined if none is due, or if the next one cannot be deferred.
  takeDue(until: number): QueuedTask | undefined {
    for (;;) {
      const {first} = this.#heap
      if (first && first.due <= until && (this.#isWhollyRead || !isBefore(this.#read, first))) {
        this.#heap.removeFirst()
        if (!this.#isDeleted(first)) return first
      } else if (!this.#readMore(until)) {
        return undefined
      }
    }
  }

  write() {
    const left = this.#heap.all.filter((task) => !this.#isDeleted(task)).toSorted((a, b) => a.seq - b.seq)
    for (const {seq, due, kind, payload} of left) {
      this.#database.run(insertTask, seq, due, kind, JSON.stringify(payload))
    }
  }

  #isDeleted({kind, payload, seq}: QueuedTask): boolean {
    if (this.#deletedBefore.size === 0 || !stepKinds.has(kind)) return false
    return seq < (this.#deletedBefore.get((payload as {transactionId: string}).transactionId) ?? 0)
  }

  // Moves the next stored tasks into memory, up to one that cannot be deferred. Returns whether there may be another to take.
  #readMore(until: number): boolean {
    if (this.#isWhollyRead) return false
    const rows = this.#database.all<TaskRow>(selectDue, until, this.#readCount)
    const end = rows.findIndex(({kind}) => !isDeferrable(kind))
    const taken = end === -1 ? rows : rows.slice(0, end)
    for (const {seq, due, kind, payload} of taken) {
      this.#heap.push({seq, due, kind, payload: parseStored<QueuedTask['payload']>(payload)})
    }
    const last = taken.at(-1)
    if (last) this.#database.run(deleteUntil, last.due, last.seq)
    const before = this.#read
    const blocking = rows[end]
    if (blocking) this.#read = {due: blocking.due, seq: blocking.seq}
    else if (rows.length < this.#readCount) this.#isWhollyRead = true
    else if (last) this.#read = {due: last.due, seq: last.seq}
    this.#readCount = Math.min(this.#readCount * 2, readCountMax)
    return this.#isWhollyRead || isBefore(before, this.#read)
  }
}

export const createPendingQueue = (database: Database) => new PendingQueue(database)

// Removes the queued next steps of a transaction.
export function deleteSteps(database: Database, transactionId: string, steps: readonly QueuedStep[]) {
  const pending = database.getDeferred(createPendingQueue)
  if (pending) pending.deleteSteps(transactionId, steps)
  else deleteStoredSteps(database, transactionId, steps)
}
