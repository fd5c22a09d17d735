// Commits the writes of one moment in one transaction, so that they share one wait for the disk.
import type {EventStore} from './store.ts'

type Job = {work: () => unknown; resolve: (result: never) => void; reject: (error: unknown) => void}

export class GroupWriter {
  readonly #store: EventStore
  #jobs: Job[] = []
  #timer: NodeJS.Immediate | undefined

  constructor(store: EventStore) {
    this.#store = store
  }

  // Resolves when the work is on disk. If the transaction fails, nothing of it was written, and all its callers are rejected.
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#jobs.push({work, resolve, reject})
      this.#timer ??= setImmediate(() => this.flush())
    })
  }

  flush(): void {
    if (this.#timer) clearImmediate(this.#timer)
    this.#timer = undefined
    const jobs = this.#jobs
    this.#jobs = []
    if (jobs.length === 0) return
    try {
      const results = this.#store.transact(() => jobs.map(({work}) => work()))
      for (const [index, {resolve}] of jobs.entries()) resolve(results[index] as never)
    } catch (error) {
      for (const {reject} of jobs) reject(error)
    }
  }
}
