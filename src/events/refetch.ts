// Reads a customer from the service after an event about it. An event may be late or forged; the service's reply is current.
import {SvcError} from '../errors.ts'
import {saveCustomerState} from './record.ts'
import type {LooseCustomer} from '../contract/loose.ts'
import type {EventStore, GroupWriter} from './store.ts'

export interface FetchResult {
  // The event that caused the read.
  id: string
  customerId: string
  fetched?: LooseCustomer
  failure?: string
}

export class Refetcher {
  readonly #read: (customerId: string) => Promise<LooseCustomer>
  readonly #store: EventStore
  readonly #writer: GroupWriter
  readonly #report: (result: FetchResult) => void
  // The last event of each customer. One read that starts after it covers all earlier events of the same customer.
  readonly #pending = new Map<string, string>()
  #work: Promise<void> | undefined
  #isEnding = false

  constructor(
    read: (customerId: string) => Promise<LooseCustomer>,
    store: EventStore,
    writer: GroupWriter,
    report: (result: FetchResult) => void,
  ) {
    this.#read = read
    this.#store = store
    this.#writer = writer
    this.#report = report
  }

  request(customerId: string, eventId: string): void {
    this.#pending.set(customerId, eventId)
    this.#work ??= this.#run().finally(() => (this.#work = undefined))
  }

  async stop(): Promise<void> {
    this.#isEnding = true
    await this.#work
  }

  async #run(): Promise<void> {
    for (let next = this.#next(); next && !this.#isEnding; next = this.#next()) {
      const [customerId, id] = next
      this.#report({id, customerId, ...(await this.#fetch(customerId, id))})
    }
  }

  #next(): [string, string] | undefined {
    const [next] = this.#pending
    if (next) this.#pending.delete(next[0])
    return next
  }

  async #fetch(customerId: string, eventId: string): Promise<Pick<FetchResult, 'fetched' | 'failure'>> {
    try {
      const state = await this.#read(customerId)
      const update = {customerId, state, isTrusted: true, isFetched: true, eventAt: undefined, eventId}
      await this.#writer.write(() => saveCustomerState(this.#store, update))
      return {fetched: state}
    } catch (error) {
      return {failure: error instanceof SvcError ? error.message : String(error)}
    }
  }
}
