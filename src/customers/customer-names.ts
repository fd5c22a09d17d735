// The names of customers, for tables that would otherwise show their ids.
import type {Client} from '../client/client.ts'
import {walkPages} from '../client/paging.ts'
import type {Column, View} from '../cli/output/view.ts'
import {isUuid} from '../contract/ids.ts'
import type {LooseCustomer} from '../contract/loose.ts'
import {SvcError} from '../errors.ts'

// The names are a convenience: a longer list is not read for them, and a failure leaves the ids.
const customersReadMax = 500

// How to connect for what is only a convenience, such as names: one attempt, not for long, and without a word about what the
// service answers.
export const briefReads = {
  retriesReads: false,
  requestTimeoutMs: 5000,
  onContractViolation: () => {},
  onOtherShape: () => {},
}

interface Owned {
  readonly customerId?: unknown
}

class CustomerNames {
  readonly #names = new Map<string, string>()
  // A sorted table asks twice: before it is sorted, and before it is rendered.
  readonly #asked = new Set<string>()
  readonly #connect: () => Promise<Client>

  // Connects only if a table needs names.
  constructor(connect: () => Promise<Client>) {
    this.#connect = connect
  }

  get(customerId: unknown): string | undefined {
    return typeof customerId === 'string' ? this.#names.get(customerId.toLowerCase()) : undefined
  }

  // Reads the names of the customers of these items, as far as one short read finds them.
  async read(items: readonly Owned[]): Promise<void> {
    const ids = items.map(({customerId}) => (typeof customerId === 'string' ? customerId.toLowerCase() : ''))
    const wanted = new Set(ids.filter((id) => isUuid(id) && !this.#asked.has(id)))
    const [only] = wanted
    if (only === undefined) return
    for (const id of wanted) this.#asked.add(id)
    try {
      const client = await this.#connect()
      if (wanted.size === 1) this.#add(await client.customers.get({customerId: only}), only)
      else await this.#readList(client, wanted)
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
    }
  }

  async #readList(client: Client, wanted: Set<string>): Promise<void> {
    const pages = walkPages((page) => client.customers.list(page), 'customers', {limit: customersReadMax})
    for await (const {items} of pages) {
      for (const customer of items as LooseCustomer[]) this.#add(customer)
      if ([...wanted].every((id) => this.#names.has(id))) return
    }
  }

  #add({customerId, name}: LooseCustomer, knownId?: string): void {
    const id = typeof customerId === 'string' ? customerId.toLowerCase() : knownId
    if (id !== undefined && typeof name === 'string' && name.trim() !== '') this.#names.set(id, name)
  }
}

export const customerColumn = 'customer'

// The column of the name, which shows the id while the name is not known, and the column of the id itself.
export const createCustomerColumns = <T extends Owned>(rank: number, onRequest?: true): Array<Column<T>> => [
  {
    name: customerColumn,
    header: 'CUSTOMER',
    value: ({customerId}) => customerId,
    rank,
    widthGood: 24,
    widthMin: 12,
    isId: true,
    isTableOnly: true,
    ...(onRequest && {onRequest}),
  },
  {
    name: 'customerId',
    // In CSV, which has no names.
    short: customerColumn,
    header: 'CUSTOMER ID',
    value: ({customerId}) => customerId,
    rank,
    isId: true,
    onRequest: true,
  },
]

// The view with names in its column of customers. They are read before the table is rendered, if it has that column.
export function withCustomerNames<T extends Owned>(view: View<T>, connect: () => Promise<Client>): View<T> {
  const names = new CustomerNames(connect)
  const showName = (column: Column<T>): Column<T> =>
    column.name === customerColumn ? {...column, value: ({customerId}) => names.get(customerId) ?? customerId} : column
  return {
    ...view,
    columns: view.columns.map(showName),
    async prepareTable(items, columns) {
      if (columns.some(({name}) => name === customerColumn)) await names.read(items)
    },
  }
}
