// How the transactions of a list of payments ended. The journal knows only bad endings, and only those that svc has seen, so for a
// person at a terminal the rest is read from the service, which says it as of that moment.
import {readPayeeIds, withPartyNames} from '../../accounts/name-columns.ts'
import type {Column, View} from '../../cli/output/view.ts'
import type {Client} from '../../client/client.ts'
import {walkPages} from '../../client/paging.ts'
import {isUuid} from '../../contract/ids.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {countNoun} from '../../values/text.ts'
import {formatUtcTime} from '../../values/time.ts'
import type {JournalEntry} from './entries.ts'
import {outcomeColumn} from './journal-view.ts'

// Of more customers, and further back in their lists, nothing is read.
const customersReadMax = 50
const transactionsReadMax = 500
const concurrentReads = 4

type Outcomes = Map<string, string>

// The payments whose transaction the journal does not know the end of, by customer.
function groupOpen(entries: readonly JournalEntry[]): Map<string, Set<string>> {
  const open = new Map<string, Set<string>>()
  for (const {customerId, transactionId, ended} of entries) {
    if (transactionId === undefined || ended !== undefined || !customerId || !isUuid(customerId)) continue
    const ids = open.get(customerId) ?? new Set()
    open.set(customerId, ids.add(transactionId.toLowerCase()))
  }
  return open
}

async function readCustomer(client: Client, customerId: string, wanted: Set<string>, found: Outcomes): Promise<void> {
  const pages = walkPages((page) => client.transactions.list({customerId, ...page}), 'transactions', {
    limit: transactionsReadMax,
  })
  let left = wanted.size
  for await (const {items} of pages) {
    for (const {transactionId, transactionStatus} of items as LooseTransaction[]) {
      const id = String(transactionId).toLowerCase()
      if (!wanted.has(id) || typeof transactionStatus !== 'string') continue
      found.set(id, transactionStatus)
      left--
    }
    if (left <= 0) return
  }
}

interface OutcomeSettings {
  connect: () => Promise<Client>
  notice: (text: string) => void
}

class OutcomeReader {
  readonly #connect: () => Promise<Client>
  readonly #found: Outcomes = new Map()
  #asked = new Set<string>()
  #readAtMs: number | undefined
  #hasFailed = false

  constructor(connect: () => Promise<Client>) {
    this.#connect = connect
  }

  get({transactionId}: Pick<JournalEntry, 'transactionId'>): string | undefined {
    return transactionId === undefined ? undefined : this.#found.get(transactionId.toLowerCase())
  }

  // A sorted table asks twice, and reads once.
  async read(entries: readonly JournalEntry[]): Promise<void> {
    const open = groupOpen(entries)
    const ids = new Set([...open.values()].flatMap((each) => [...each]))
    if (ids.size === 0 || ids.isSubsetOf(this.#asked)) return
    this.#asked = ids
    try {
      const client = await this.#connect()
      const left = [...open].slice(0, customersReadMax).values()
      const work = async () => {
        for (const [customerId, wanted] of left) await readCustomer(client, customerId, wanted, this.#found)
      }
      await Promise.all(Array.from({length: concurrentReads}, work))
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      this.#hasFailed = true
    }
    this.#readAtMs = Date.now()
  }

  // Where the column comes from, and as of when.
  describe(): string | undefined {
    if (this.#readAtMs === undefined) return undefined
    const missing = this.#asked.size - this.#found.size
    if (this.#found.size === 0 && this.#hasFailed) {
      return 'The service could not be read, so OUTCOME is what the journal knows: only that a transaction ended badly.'
    }
    const rest = missing > 0 ? `; of ${countNoun(missing, 'payment')} nothing was found there` : ''
    return `OUTCOME is what the service said at ${formatUtcTime(this.#readAtMs)}${rest}.`
  }
}

// What a person at a terminal sees of the journal beside what is in it: names, unless they are not wanted, and outcomes.
export function addFromService<T extends JournalEntry>(
  view: View<T>,
  {hasNames, ...settings}: OutcomeSettings & {hasNames: boolean},
): View<T> {
  return withOutcomes(hasNames ? withPartyNames(view, {...settings, readPayee: readPayeeIds}) : view, settings)
}

// The view with outcomes as the service says them, which a table reads before it is rendered, if it has that column.
function withOutcomes<T extends JournalEntry>(view: View<T>, {connect, notice}: OutcomeSettings): View<T> {
  const reader = new OutcomeReader(connect)
  const isOutcome = ({name}: Column<T>) => name === outcomeColumn
  const show = (column: Column<T>): Column<T> => {
    const {onRequest: _, isPartOfAnother: _part, format: _format, ...shown} = column
    if (isOutcome(column)) return {...shown, value: (entry) => entry.ended ?? reader.get(entry)}
    // The state no longer has to say it.
    return column.name === 'state' ? shown : column
  }
  let told: string | undefined
  return {
    ...view,
    columns: view.columns.map(show),
    async prepareTable(items, columns) {
      await view.prepareTable?.(items, columns)
      if (!columns.some(isOutcome)) return
      await reader.read(items)
      const text = reader.describe()
      if (text !== undefined && text !== told) notice(text)
      told = text
    },
  }
}
