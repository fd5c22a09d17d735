// A double-entry ledger in minor units. Its invariants are checked before every commit that changes it.
import type {SQLInputValue} from 'node:sqlite'
import {type Database, type PendingWrites, parseStored} from '../../store/database.ts'
import {memoizeByText} from '../../store/caches.ts'
import type {BalanceChange} from '../rules/rule-store.ts'
import type {RequestContext} from '../request-context.ts'

// A wallet belongs to a customer, and its balance is never negative. The other holders are the service's own books:
// the outside world by rail, money in transit, the pool in which currencies are exchanged, and earned fees.
export const holders = {
  wallet: memoizeByText((accountId) => `wallet:${accountId.toLowerCase()}`),
  outside: memoizeByText((method) => `outside:${method}`),
  transit: memoizeByText((method) => `transit:${method}`),
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

// An entry as its posting stores it: holder, currency, amount, and the balance after it.
type StoredEntry = readonly [holder: string, currency: string, amount: string, balance: string]

interface StoredBalance {
  amount: string
  // The entries of its last posting.
  entries: string | null
}

const selectBalance = 'select amount from balances where holder = ? and currency = ?'
const selectWithLastPosting = `
  select balances.amount, postings.entries from balances left join postings on postings.posting = balances.lastPosting
  where balances.holder = ? and balances.currency = ?`

export const readBalance = (database: Database, holder: string, currency: string): bigint =>
  database.getPending(createPendingLedger)?.find(holder, currency).amount ??
  BigInt(database.one<{amount: string}>(selectBalance, holder, currency)?.amount ?? '0')

interface PendingBalance extends CheckedBalance {
  amount: bigint
  // How the JSON text of each of its entries begins.
  entryStart: string
}

interface PendingEntry {
  state: PendingBalance
  amount: bigint
  balance: bigint
}

interface Posting {
  postedAt: number
  cause: string
  entries: readonly PendingEntry[]
}

// Postings are inserted several at a time, which takes two thirds of the time, because their table has no index.
const insertPostings = [10, 1].map((count) => ({
  count,
  sql: `insert into postings (postedAt, cause, entries) values ${Array(count).fill('(?, ?, ?)').join(', ')}`,
}))
const replaceBalance = 'insert or replace into balances (holder, currency, amount, lastPosting) values (?, ?, ?, ?)'

function serializeEntries(entries: readonly PendingEntry[]): string {
  let text = ''
  for (const {state, amount, balance} of entries) {
    text += `${text === '' ? '[' : ','}${state.entryStart}${amount}","${balance}"]`
  }
  return text === '' ? '[]' : `${text}]`
}

const parseEntries = (text: string) => parseStored<StoredEntry[]>(text)

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
      for (const state of ofHolder.values()) if (state.lastPosting > 0) this.#writeBalance(state)
    }
  }

  writeFinished() {
    const postings = this.#postings
    let done = 0
    for (const {count, sql} of insertPostings) {
      for (; done + count <= postings.length; done += count) this.#insertPostings(sql, done, done + count)
    }
    this.#postings = []
  }

  // SQLite numbers the rows of one statement in their order.
  #insertPostings(sql: string, start: number, end: number) {
    const values: SQLInputValue[] = []
    for (let at = start; at < end; at++) {
      const {postedAt, cause, entries} = this.#postings[at] as Posting
      values.push(postedAt, cause, serializeEntries(entries))
    }
    const last = this.#database.insert(sql, ...values)
    for (let at = start; at < end; at++) this.#check(last - end + 1 + at, this.#postings[at] as Posting)
  }

  #check(posting: number, {entries}: Posting) {
    for (const {state, amount, balance} of entries) this.#checker.check(posting, state, amount, balance)
    this.#checker.endPosting(posting)
  }

  #read(holder: string, currency: string): PendingBalance {
    const stored = this.#database.one<StoredBalance>(selectWithLastPosting, holder, currency)
    const last = parseEntries(stored?.entries ?? '[]').findLast((entry) => entry[0] === holder && entry[1] === currency)
    return {
      holder,
      currency,
      amount: BigInt(stored?.amount ?? '0'),
      checked: BigInt(last?.[3] ?? '0'),
      lastPosting: 0,
      entryStart: `[${JSON.stringify(holder)},${JSON.stringify(currency)},"`,
    }
  }

  #writeBalance(state: PendingBalance) {
    checkBalance(state.amount, state)
    this.#database.run(replaceBalance, state.holder, state.currency, String(state.amount), state.lastPosting)
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
    const balance = before + amount
    state.amount = balance
    rows.push({state, amount, balance})
    if (holder.startsWith(walletPrefix)) {
      changes.push({accountId: holder.slice(walletPrefix.length), currency, before, after: balance})
    }
  }
  ledger.add({postedAt: now, cause, entries: rows})
  return changes
}

interface CheckedBalance {
  holder: string
  currency: string
  // What the entries up to the last one sum to.
  checked: bigint
  // Zero if there was none.
  lastPosting: number
}

// Checks entries in order: each posting sums to zero in each currency, and each balance follows from the previous one.
class LedgerChecker {
  readonly #sums: {currency: string; sum: bigint}[] = []

  check(posting: number, state: CheckedBalance, amount: bigint, balance: bigint) {
    const {holder, currency, checked: before} = state
    this.#add(currency, amount)
    if (before + amount !== balance) {
      throw new LedgerBreach(
        `Posting ${posting} says that ${holder} ${currency} is ${balance}, after ${before} and ${amount}`,
      )
    }
    state.checked = balance
    state.lastPosting = posting
  }

  endPosting(posting: number) {
    for (const {currency, sum} of this.#sums) {
      if (sum !== 0n) throw new LedgerBreach(`Posting ${posting} sums to ${sum} in ${currency}`)
    }
    this.#sums.length = 0
  }

  #add(currency: string, value: bigint) {
    for (const known of this.#sums) {
      if (known.currency !== currency) continue
      known.sum += value
      return
    }
    this.#sums.push({currency, sum: value})
  }
}

// Compares a balance that is stored, or will be, with its entries.
function checkBalance(amount: bigint, {holder, currency, checked}: CheckedBalance) {
  if (amount !== checked) {
    throw new LedgerBreach(`The balance of ${holder} in ${currency} is ${amount}, but its entries sum to ${checked}`)
  }
  if (amount < 0n && holder.startsWith(walletPrefix)) {
    throw new LedgerBreach(`The balance of ${holder} in ${currency} would be ${amount}`)
  }
}

const postingsPerRead = 10_000

const selectPostings = 'select posting, entries from postings where posting > ? order by posting limit ? + 0'

function checkPostings(database: Database, states: Map<string, CheckedBalance>): number {
  const checker = new LedgerChecker()
  let count = 0
  for (let last = 0; ;) {
    const rows = database.all<{posting: number; entries: string}>(selectPostings, last, postingsPerRead)
    for (const {posting, entries} of rows) {
      for (const [holder, currency, amount, balance] of parseEntries(entries)) {
        const key = `${holder} ${currency}`
        const state = states.get(key) ?? {holder, currency, checked: 0n, lastPosting: 0}
        states.set(key, state)
        checker.check(posting, state, BigInt(amount), BigInt(balance))
        count++
      }
      checker.endPosting(posting)
      last = posting
    }
    if (rows.length < postingsPerRead) return count
  }
}

// Checks the whole ledger from its first entry.
export function verifyLedger(database: Database): {entries: number; balances: number} {
  const states = new Map<string, CheckedBalance>()
  const entries = checkPostings(database, states)
  const stored = database.all<{holder: string; currency: string; amount: string; lastPosting: number}>(
    'select holder, currency, amount, lastPosting from balances',
  )
  for (const {holder, currency, amount, lastPosting} of stored) {
    const state = states.get(`${holder} ${currency}`)
    if (state?.lastPosting !== lastPosting) {
      throw new LedgerBreach(`The balance of ${holder} in ${currency} has no entries`)
    }
    checkBalance(BigInt(amount), state)
  }
  if (stored.length < states.size) throw new LedgerBreach('There are entries without a balance')
  return {entries, balances: stored.length}
}
