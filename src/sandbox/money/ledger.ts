// A double-entry ledger in minor units. Its invariants are checked before every commit that changes it.
import type {Database} from '../store/database.ts'
import type {BalanceChange} from '../rules/thresholds.ts'
import type {RequestContext} from '../request-context.ts'
import {toDecimalText} from './currencies.ts'

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

const checkName = 'ledger'

const selectBalance = 'select amount from balances where holder = ? and currency = ?'

export const readBalance = (database: Database, holder: string, currency: string): bigint =>
  BigInt(database.one<{amount: string}>(selectBalance, holder, currency)?.amount ?? '0')

const selectNextEntry = 'select coalesce(max(entry), 0) + 1 as entry from entries'

function registerCheck(database: Database) {
  if (database.hasCheck(checkName)) return
  const {entry: first} = database.one<{entry: number}>(selectNextEntry) as {entry: number}
  database.beforeCommit(checkName, () => checkEntriesFrom(database, first))
}

// Writes one posting and returns the changed wallet balances. The caller passes them on when its own work is done.
export function postEntries(
  {database, now}: Pick<RequestContext, 'database' | 'now'>,
  cause: string,
  entries: readonly Entry[],
) {
  registerCheck(database)
  const posting = database.insert('insert into postings (postedAt, cause) values (?, ?)', now, cause)
  const changes: BalanceChange[] = []
  for (const {holder, currency, amount} of entries) {
    if (amount === 0n) continue
    const before = readBalance(database, holder, currency)
    const after = before + amount
    database.run(
      'insert into entries (posting, holder, currency, amount, balance) values (?, ?, ?, ?, ?)',
      posting,
      holder,
      currency,
      String(amount),
      String(after),
    )
    database.run(
      'insert or replace into balances (holder, currency, amount) values (?, ?, ?)',
      holder,
      currency,
      String(after),
    )
    if (holder.startsWith(walletPrefix)) {
      changes.push({
        accountId: holder.slice(walletPrefix.length),
        currency,
        before: toDecimalText(before, currency),
        after: toDecimalText(after, currency),
      })
    }
  }
  return changes
}

const toKey = ({holder, currency}: {holder: string; currency: string}) => `${holder} ${currency}`

// Checks entries in order: each posting sums to zero in each currency, and each balance follows from the previous one.
class LedgerChecker {
  readonly balances = new Map<string, {holder: string; currency: string; balance: bigint}>()
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
    this.balances.set(key, {holder: row.holder, currency: row.currency, balance: before + amount})
  }

  finish(database: Database) {
    this.#endPosting()
    for (const {holder, currency, balance} of this.balances.values()) {
      const stored = readBalance(database, holder, currency)
      if (stored !== balance) {
        throw new LedgerBreach(
          `The balance of ${holder} in ${currency} is ${stored}, but its entries sum to ${balance}`,
        )
      }
      if (balance < 0n && holder.startsWith(walletPrefix)) {
        throw new LedgerBreach(`The balance of ${holder} in ${currency} would be ${balance}`)
      }
    }
  }

  #endPosting() {
    for (const [currency, sum] of this.#sums) {
      if (sum !== 0n) throw new LedgerBreach(`Posting ${this.#posting} sums to ${sum} in ${currency}`)
    }
    this.#sums.clear()
  }
}

const columns = 'entry, posting, holder, currency, amount, balance'
const selectLastBalance = `
  select balance from entries where holder = ? and currency = ? and entry < ? order by entry desc limit 1`

// Checks only the entries that this transaction added. Earlier entries were checked when they were added.
function checkEntriesFrom(database: Database, first: number) {
  const checker = new LedgerChecker()
  const balanceBefore = ({holder, currency}: EntryRow) =>
    BigInt(database.one<{balance: string}>(selectLastBalance, holder, currency, first)?.balance ?? '0')
  for (const row of database.all<EntryRow>(`select ${columns} from entries where entry >= ? order by entry`, first)) {
    checker.check(row, balanceBefore)
  }
  checker.finish(database)
}

const entriesPerRead = 50_000

// Checks the whole ledger from its first entry.
export function verifyLedger(database: Database): {entries: number; balances: number} {
  const checker = new LedgerChecker()
  let entries = 0
  for (let last = 0; ;) {
    const rows = database.all<EntryRow>(
      `select ${columns} from entries where entry > ? order by entry limit ?`,
      last,
      entriesPerRead,
    )
    for (const row of rows) checker.check(row, () => 0n)
    entries += rows.length
    last = rows.at(-1)?.entry ?? last
    if (rows.length < entriesPerRead) break
  }
  checker.finish(database)
  const stored = database.all<{holder: string; currency: string}>('select holder, currency from balances')
  const stray = stored.find((row) => !checker.balances.has(toKey(row)))
  if (stray) throw new LedgerBreach(`The balance of ${toKey(stray)} has no entries`)
  return {entries, balances: stored.length}
}
