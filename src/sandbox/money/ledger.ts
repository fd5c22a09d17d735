// A double-entry ledger in minor units. Its invariants are checked before every commit that changes it.
import type {Database, PendingWrites} from '../store/database.ts'
import type {BalanceChange} from '../rules/thresholds.ts'
import type {RequestContext} from '../request-context.ts'

// A wallet belongs to a customer, and its balance is never negative. The other holders are the service's own books:
// the outside world by rail, money in transit, the pool in which currencies are exchanged, and earned fees.
export const holders = {
  wallet: (accountId: string) => `wallet:${accountId.toLowerCase()}`,
  outside: (method: string) => `outside:${method}`,
  transit: (method: string) => `transit:${method}`,
  pool: 'pool',
  svcFees: 'fees:service',
  developerFees: 'fees:developer',
} as const

const walletPrefix = holders.wallet('')

export interface Entry {
  holder: string
  currency: string
  amount: bigint
}

// Thrown before the commit, so that the request is rolled back.
export class LedgerBreach extends Error {
  override name = 'LedgerBreach'
}

interface EntryRow {
  entry: number
  posting: number
  holder: string
  currency: string
  amount: string
  balance: string
}

interface StoredBalance {
  amount: string
  // The balance after the last entry.
  balance: string | null
}

const selectBalance = 'select amount from balances where holder = ? and currency = ?'
const selectWithLastEntry = `
  select balances.amount, entries.balance from balances left join entries on entries.entry = balances.lastEntry
  where balances.holder = ? and balances.currency = ?`

export const readBalance = (database: Database, holder: string, currency: string): bigint =>
  database.getPending(createPendingLedger)?.find(holder, currency).amount ??
  BigInt(database.one<{amount: string}>(selectBalance, holder, currency)?.amount ?? '0')

interface PendingBalance {
  holder: string
  currency: string
  amount: bigint
  stored: StoredBalance | undefined
  lastEntry: number
}

interface Posting {
  postedAt: number
  cause: string
  entries: readonly {state: PendingBalance; amount: string; balance: string}[]
}

const insertPosting = 'insert into postings (postedAt, cause) values (?, ?)'
const insertEntry = 'insert into entries (posting, holder, currency, amount, balance) values (?, ?, ?, ?, ?)'
const replaceBalance = 'insert or replace into balances (holder, currency, amount, lastEntry) values (?, ?, ?, ?)'

// The postings of a transaction. Balances are read once, and everything is checked when it is written.
class PendingLedger implements PendingWrites {
  readonly #database: Database
  readonly #balances = new Map<string, PendingBalance>()
  readonly #postings: Posting[] = []

  constructor(database: Database) {
    this.#database = database
  }

  find(holder: string, currency: string): PendingBalance {
    const key = toKey({holder, currency})
    const known = this.#balances.get(key)
    if (known) return known
    const stored = this.#database.one<StoredBalance>(selectWithLastEntry, holder, currency)
    const state = {holder, currency, amount: BigInt(stored?.amount ?? '0'), stored, lastEntry: 0}
    this.#balances.set(key, state)
    return state
  }

  add(posting: Posting) {
    this.#postings.push(posting)
  }

  write() {
    if (this.#postings.length === 0) return
    const checker = new LedgerChecker()
    for (const {postedAt, cause, entries} of this.#postings) {
      const posting = this.#database.insert(insertPosting, postedAt, cause)
      for (const {state, amount, balance} of entries) {
        const {holder, currency, stored} = state
        const entry = this.#database.insert(insertEntry, posting, holder, currency, amount, balance)
        state.lastEntry = entry
        checker.check({entry, posting, holder, currency, amount, balance}, () => BigInt(stored?.balance ?? '0'))
      }
    }
    const written = [...this.#balances.values()].filter(({lastEntry}) => lastEntry > 0)
    checker.finish(written)
    for (const {holder, currency, amount, lastEntry} of written) {
      this.#database.run(replaceBalance, holder, currency, String(amount), lastEntry)
    }
  }
}

const createPendingLedger = (database: Database) => new PendingLedger(database)

function getPendingLedger(database: Database): PendingLedger {
  const pending = database.getPending(createPendingLedger)
  if (!pending) throw new Error('Entries are only posted in a transaction')
  return pending
}

// Adds one posting and returns the changed wallet balances. The caller passes them on when its own work is done.
export function postEntries(
  {database, now}: Pick<RequestContext, 'database' | 'now'>,
  cause: string,
  entries: readonly Entry[],
): BalanceChange[] {
  const ledger = getPendingLedger(database)
  const changes: BalanceChange[] = []
  const rows = []
  for (const {holder, currency, amount} of entries) {
    if (amount === 0n) continue
    const state = ledger.find(holder, currency)
    const before = state.amount
    state.amount = before + amount
    rows.push({state, amount: String(amount), balance: String(state.amount)})
    if (holder.startsWith(walletPrefix)) {
      changes.push({accountId: holder.slice(walletPrefix.length), currency, before, after: state.amount})
    }
  }
  ledger.add({postedAt: now, cause, entries: rows})
  return changes
}

const toKey = ({holder, currency}: {holder: string; currency: string}) => `${holder} ${currency}`

// Checks entries in order: each posting sums to zero in each currency, and each balance follows from the previous one.
class LedgerChecker {
  readonly balances = new Map<string, {balance: bigint; lastEntry: number}>()
  readonly #sums = new Map<string, bigint>()
  #posting = 0

  // `balanceBefore` is called once per holder and currency, for the first entry.
  check(row: EntryRow, balanceBefore: (row: EntryRow) => bigint) {
    if (row.posting !== this.#posting) this.#endPosting()
    this.#posting = row.posting
    const amount = BigInt(row.amount)
    this.#sums.set(row.currency, (this.#sums.get(row.currency) ?? 0n) + amount)
    const key = toKey(row)
    const before = this.balances.get(key)?.balance ?? balanceBefore(row)
    if (before + amount !== BigInt(row.balance)) {
      throw new LedgerBreach(`Entry ${row.entry} says that ${key} is ${row.balance}, after ${before} and ${amount}`)
    }
    this.balances.set(key, {balance: before + amount, lastEntry: row.entry})
  }

  // Compares with the balances that are stored, or will be.
  finish(stored: readonly {holder: string; currency: string; amount: bigint; lastEntry: number}[]) {
    this.#endPosting()
    for (const {holder, currency, amount, lastEntry} of stored) {
      const found = this.balances.get(toKey({holder, currency}))
      if (!found) throw new LedgerBreach(`The balance of ${holder} in ${currency} has no entries`)
      if (found.balance !== amount || found.lastEntry !== lastEntry) {
        throw new LedgerBreach(
          `The balance of ${holder} in ${currency} is ${amount}, but its entries sum to ${found.balance}`,
        )
      }
      if (amount < 0n && holder.startsWith(walletPrefix)) {
        throw new LedgerBreach(`The balance of ${holder} in ${currency} would be ${amount}`)
      }
    }
    if (stored.length < this.balances.size) throw new LedgerBreach('There are entries without a balance')
  }

  #endPosting() {
    for (const [currency, sum] of this.#sums) {
      if (sum !== 0n) throw new LedgerBreach(`Posting ${this.#posting} sums to ${sum} in ${currency}`)
    }
    this.#sums.clear()
  }
}

const columns = 'entry, posting, holder, currency, amount, balance'
const entriesPerRead = 50_000

// Checks the whole ledger from its first entry.
export function verifyLedger(database: Database): {entries: number; balances: number} {
  const checker = new LedgerChecker()
  let entries = 0
  for (let last = 0; ;) {
    const rows = database.all<EntryRow>(
      `select ${columns} from entries where entry > ? order by entry limit ? + 0`,
      last,
      entriesPerRead,
    )
    for (const row of rows) checker.check(row, () => 0n)
    entries += rows.length
    last = rows.at(-1)?.entry ?? last
    if (rows.length < entriesPerRead) break
  }
  const stored = database.all<{holder: string; currency: string; amount: string; lastEntry: number}>(
    'select holder, currency, amount, lastEntry from balances',
  )
  checker.finish(stored.map((row) => ({...row, amount: BigInt(row.amount)})))
  return {entries, balances: stored.length}
}
