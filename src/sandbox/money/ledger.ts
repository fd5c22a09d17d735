// A double-entry ledger in minor units. Its invariants are checked before every commit that changes it.
import type {SQLInputValue} from 'node:sqlite'
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
  // Both numbers are known when it is written.
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

interface PendingBalance extends CheckedBalance {
  holder: string
  currency: string
  amount: bigint
}

interface PendingEntry extends EntryRow {
  state: PendingBalance
}

interface Posting {
  postedAt: number
  cause: string
  entries: readonly PendingEntry[]
}

const insertPosting = 'insert into postings (postedAt, cause) values (?, ?)'

// Entries are inserted several at a time, which takes two thirds of the time, because their table has no index.
const insertEntries = [20, 5, 2, 1].map((count) => ({
  count,
  sql: `insert into entries (posting, holder, currency, amount, balance) values ${Array(count).fill('(?, ?, ?, ?, ?)').join(', ')}`,
}))
const replaceBalance = 'insert or replace into balances (holder, currency, amount, lastEntry) values (?, ?, ?, ?)'

// The postings of a transaction. Balances are read once, and everything is checked when it is written.
class PendingLedger implements PendingWrites {
  readonly #database: Database
  readonly #balances = new Map<string, Map<string, PendingBalance>>()
  readonly #checker = new LedgerChecker()
  #postings: Posting[] = []

  constructor(database: Database) {
    this.#database = database
  }

  find(holder: string, currency: string): PendingBalance {
    let ofHolder = this.#balances.get(holder)
    if (!ofHolder) {
      ofHolder = new Map()
      this.#balances.set(holder, ofHolder)
    }
    let state = ofHolder.get(currency)
    if (!state) {
      state = this.#read(holder, currency)
      ofHolder.set(currency, state)
    }
    return state
  }

  add(posting: Posting) {
    this.#postings.push(posting)
  }

  write() {
    this.writeFinished()
    for (const ofHolder of this.#balances.values()) {
      for (const state of ofHolder.values()) if (state.lastEntry > 0) this.#writeBalance(state)
    }
  }

  writeFinished() {
    const rows: PendingEntry[] = []
    for (const {postedAt, cause, entries} of this.#postings) {
      const posting = this.#database.insert(insertPosting, postedAt, cause)
      for (const row of entries) {
        row.posting = posting
        rows.push(row)
      }
    }
    let done = 0
    for (const {count, sql} of insertEntries) {
      for (; done + count <= rows.length; done += count) this.#insertEntries(sql, rows, done, done + count)
    }
    this.#checker.endPosting()
    this.#postings = []
  }

  // SQLite numbers the rows of one statement in their order.
  #insertEntries(sql: string, rows: readonly PendingEntry[], start: number, end: number) {
    const values: SQLInputValue[] = []
    for (let at = start; at < end; at++) {
      const {posting, holder, currency, amount, balance} = rows[at] as PendingEntry
      values.push(posting, holder, currency, amount, balance)
    }
    const last = this.#database.insert(sql, ...values)
    for (let at = start; at < end; at++) {
      const row = rows[at] as PendingEntry
      row.entry = last - end + 1 + at
      this.#checker.check(row, row.state)
    }
  }

  #read(holder: string, currency: string): PendingBalance {
    const stored = this.#database.one<StoredBalance>(selectWithLastEntry, holder, currency)
    return {
      holder,
      currency,
      amount: BigInt(stored?.amount ?? '0'),
      checked: BigInt(stored?.balance ?? '0'),
      lastEntry: 0,
    }
  }

  #writeBalance(state: PendingBalance) {
    checkBalance(state, state)
    this.#database.run(replaceBalance, state.holder, state.currency, String(state.amount), state.lastEntry)
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
  const rows: PendingEntry[] = []
  for (const {holder, currency, amount} of entries) {
    if (amount === 0n) continue
    const state = ledger.find(holder, currency)
    const before = state.amount
    state.amount = before + amount
    rows.push({entry: 0, posting: 0, holder, currency, amount: String(amount), balance: String(state.amount), state})
    if (holder.startsWith(walletPrefix)) {
      changes.push({accountId: holder.slice(walletPrefix.length), currency, before, after: state.amount})
    }
  }
  ledger.add({postedAt: now, cause, entries: rows})
  return changes
}

interface CheckedBalance {
  // What the entries up to the last one sum to.
  checked: bigint
  // Zero if there was none.
  lastEntry: number
}

// Checks entries in order: each posting sums to zero in each currency, and each balance follows from the previous one.
class LedgerChecker {
  readonly #sums: {currency: string; sum: bigint}[] = []
  #posting = 0

  check({entry, posting, holder, currency, amount, balance}: EntryRow, state: CheckedBalance) {
    if (posting !== this.#posting) this.endPosting()
    this.#posting = posting
    const value = BigInt(amount)
    this.#add(currency, value)
    const {checked: before} = state
    if (before + value !== BigInt(balance)) {
      throw new LedgerBreach(
        `Entry ${entry} says that ${holder} ${currency} is ${balance}, after ${before} and ${amount}`,
      )
    }
    state.checked = before + value
    state.lastEntry = entry
  }

  endPosting() {
    for (const {currency, sum} of this.#sums) {
      if (sum !== 0n) throw new LedgerBreach(`Posting ${this.#posting} sums to ${sum} in ${currency}`)
    }
    this.#sums.length = 0
  }

  #add(currency: string, value: bigint) {
    const known = this.#sums.find((one) => one.currency === currency)
    if (known) known.sum += value
    else this.#sums.push({currency, sum: value})
  }
}

// Compares a balance that is stored, or will be, with its entries.
function checkBalance(
  {holder, currency, amount}: {holder: string; currency: string; amount: bigint},
  {checked}: CheckedBalance,
) {
  if (amount !== checked) {
    throw new LedgerBreach(`The balance of ${holder} in ${currency} is ${amount}, but its entries sum to ${checked}`)
  }
  if (amount < 0n && holder.startsWith(walletPrefix)) {
    throw new LedgerBreach(`The balance of ${holder} in ${currency} would be ${amount}`)
  }
}

const columns = 'entry, posting, holder, currency, amount, balance'
const entriesPerRead = 50_000

const toKey = ({holder, currency}: {holder: string; currency: string}) => `${holder} ${currency}`

function checkEntries(database: Database, states: Map<string, CheckedBalance>): number {
  const checker = new LedgerChecker()
  let count = 0
  for (let last = 0; ;) {
    const rows = database.all<EntryRow>(
      `select ${columns} from entries where entry > ? order by entry limit ? + 0`,
      last,
      entriesPerRead,
    )
    for (const row of rows) {
      const state = states.get(toKey(row)) ?? {checked: 0n, lastEntry: 0}
      states.set(toKey(row), state)
      checker.check(row, state)
    }
    count += rows.length
    last = rows.at(-1)?.entry ?? last
    if (rows.length < entriesPerRead) break
  }
  checker.endPosting()
  return count
}

// Checks the whole ledger from its first entry.
export function verifyLedger(database: Database): {entries: number; balances: number} {
  const states = new Map<string, CheckedBalance>()
  const entries = checkEntries(database, states)
  const stored = database.all<{holder: string; currency: string; amount: string; lastEntry: number}>(
    'select holder, currency, amount, lastEntry from balances',
  )
  for (const row of stored) {
    const state = states.get(toKey(row))
    if (state?.lastEntry !== row.lastEntry) throw new LedgerBreach(`The balance of ${toKey(row)} has no entries`)
    checkBalance({...row, amount: BigInt(row.amount)}, state)
  }
  if (stored.length < states.size) throw new LedgerBreach('There are entries without a balance')
  return {entries, balances: stored.length}
}
