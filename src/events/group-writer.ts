// Writes into the store in groups: what arrives while the disk is busy is committed together, and told so together.
import type {EventStore} from './store.ts'

type Job = {work: () => unknown; resolve: (result: never) => void; reject: (error: unknown) => void}

export class GroupWriter {
  readonly #store: EventStore
  #jobs: Job[] = []
  #timer: NodeJS.Immediate | undefined

  constructor(store: EventStore) {
    this.#store = store
  }

  // Resolves when the work is on the disk. If the group fails, nothing of it was done, and everybody in it is told.
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
