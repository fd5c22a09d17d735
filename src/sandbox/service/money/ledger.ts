// A double-entry ledger in minor units. Its invariants are checked with every posting, before the transaction that has it is committed.
import {type Database, parseStored} from '../../store/database.ts'
import type {BalanceChange} from '../rules/rule-store.ts'
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
  BigInt(database.one<{amount: string}>(selectBalance, holder, currency)?.amount ?? '0')

const insertPosting = 'insert into postings (postedAt, cause, entries) values (?, ?, ?)'
const replaceBalance = 'insert or replace into balances (holder, currency, amount, lastPosting) values (?, ?, ?, ?)'

const parseEntries = (text: string) => parseStored<StoredEntry[]>(text)

interface PostedBalance extends CheckedBalance {
  amount: bigint
}

function readPostedBalance(database: Database, holder: string, currency: string): PostedBalance {
  const stored = database.one<StoredBalance>(selectWithLastPosting, holder, currency)
  const last = parseEntries(stored?.entries ?? '[]').findLast((entry) => entry[0] === holder && entry[1] === currency)
  const [amount, checked] = [BigInt(stored?.amount ?? '0'), BigInt(last?.[3] ?? '0')]
  return {holder, currency, amount, checked, lastPosting: 0}
}

// Adds one posting and returns the changed wallet balances. The caller passes them on when its own work is done.
export function postEntries(
  {database, now}: Pick<RequestContext, 'database' | 'now'>,
  cause: string,
  entries: readonly Entry[],
): BalanceChange[] {
  const changes: BalanceChange[] = []
  const balances = new Map<string, PostedBalance>()
  const rows: {state: PostedBalance; amount: bigint; balance: bigint}[] = []
  for (const {holder, currency, amount} of entries) {
    if (amount === 0n) continue
    const key = `${holder} ${currency}`
    const state = balances.get(key) ?? readPostedBalance(database, holder, currency)
    balances.set(key, state)
    const before = state.amount
    state.amount += amount
    rows.push({state, amount, balance: state.amount})
    if (holder.startsWith(walletPrefix)) {
      changes.push({accountId: holder.slice(walletPrefix.length), currency, before, after: state.amount})
    }
  }
  const stored = rows.map(({state: {holder, currency}, amount, balance}): StoredEntry => [
    holder,
    currency,
    String(amount),
    String(balance),
  ])
  const posting = database.insert(insertPosting, now, cause, JSON.stringify(stored))
  const checker = new LedgerChecker()
  for (const {state, amount, balance} of rows) checker.check(posting, state, amount, balance)
  checker.endPosting(posting)
  for (const state of balances.values()) {
    checkBalance(state.amount, state)
    database.run(replaceBalance, state.holder, state.currency, String(state.amount), state.lastPosting)
  }
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
  readonly #sums = new Map<string, bigint>()

  check(posting: number, state: CheckedBalance, amount: bigint, balance: bigint) {
    const {holder, currency, checked: before} = state
    this.#sums.set(currency, (this.#sums.get(currency) ?? 0n) + amount)
    if (before + amount !== balance) {
      throw new LedgerBreach(
        `Posting ${posting} says that ${holder} ${currency} is ${balance}, after ${before} and ${amount}`,
      )
    }
    state.checked = balance
    state.lastPosting = posting
  }

  endPosting(posting: number) {
    for (const [currency, sum] of this.#sums) {
      if (sum !== 0n) throw new LedgerBreach(`Posting ${posting} sums to ${sum} in ${currency}`)
    }
    this.#sums.clear()
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
