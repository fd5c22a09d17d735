// Reads a customer again from the service when an event tells of it: the event is a hint, the service is the truth.
import {SvcError} from '../errors.ts'
import {saveCustomerState} from './customer-states.ts'
import type {JsonObject} from './event.ts'
import type {EventStore} from './store.ts'
import type {GroupWriter} from './group-writer.ts'

export interface FetchResult {
  // The event that led to it.
  id: string
  customerId: string
  fetched?: JsonObject
  failure?: string
}

export class Refetcher {
  readonly #read: (customerId: string) => Promise<JsonObject>
  readonly #store: EventStore
  readonly #writer: GroupWriter
  readonly #tell: (fetched: FetchResult) => void
  // By customer: many events of one are answered by one read that begins after the last of them.
  readonly #wanted = new Map<string, string>()
  #work: Promise<void> | undefined
  #isEnding = false

  constructor(
    read: (customerId: string) => Promise<JsonObject>,
    store: EventStore,
    writer: GroupWriter,
    report: (fetched: FetchResult) => void,
  ) {
    this.#read = read
    this.#store = store
    this.#writer = writer
    this.#tell = report
  }

  request(customerId: string, eventId: string): void {
    this.#wanted.set(customerId, eventId)
    this.#work ??= this.#run().finally(() => (this.#work = undefined))
  }

  async stop(): Promise<void> {
    this.#isEnding = true
    await this.#work
  }

  async #run(): Promise<void> {
    for (let next = this.#next(); next && !this.#isEnding; next = this.#next()) {
      const [customerId, id] = next
      this.#tell({id, customerId, ...(await this.#fetched(customerId, id))})
    }
  }

  #next(): [string, string] | undefined {
    const [next] = this.#wanted
    if (next) this.#wanted.delete(next[0])
    return next
  }

  async #fetched(customerId: string, eventId: string): Promise<Pick<FetchResult, 'fetched' | 'failure'>> {
    try {
      const state = await this.#read(customerId)
      const seen = {customerId, state, isTrusted: true, isFetched: true, eventAt: undefined, eventId}
      await this.#writer.write(() => saveCustomerState(this.#store, seen))
      return {fetched: state}
    } catch (error) {
      return {failure: error instanceof SvcError ? error.message : String(error)}
    }
  }
}
