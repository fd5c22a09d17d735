// A heap of tasks: the one that is due first, and was queued first, is on top.
import type {TaskPayloads} from './task-payloads.ts'

export type TaskKind = keyof TaskPayloads

// The place of a task in the order in which tasks run.
export interface TaskPosition {
  due: number
  seq: number
}

export interface QueuedTask extends TaskPosition {
  kind: TaskKind
  payload: TaskPayloads[TaskKind]
}

export const isBefore = (one: TaskPosition, other: TaskPosition): boolean =>
  one.due < other.due || (one.due === other.due && one.seq < other.seq)

export class TaskHeap {
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
