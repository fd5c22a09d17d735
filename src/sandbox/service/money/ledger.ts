// A double-entry ledger. Its invariants are checked with every posting, before the transaction that has it is committed.
import type {Big} from 'big.js'
import {type Database, parseStored} from '../../store/database.ts'
import type {BalanceChange} from '../rules/rule-store.ts'
import type {RequestContext} from '../request-context.ts'
import {Decimal} from './currencies.ts'

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
  amount: Big
}

// Thrown before the commit, so that the request is rolled back.
export class LedgerBreach extends Error {
  override name = 'LedgerBreach'
}

// An entry as its posting stores it: holder, currency, amount, and the balance after it.
type StoredEntry = readonly [holder: string, currency: string, amount: string, balance: string]

interface Balance {
  holder: string
  currency: string
  amount: Big
  // Zero if there was none.
  lastPosting: number
}

const zero = new Decimal('0')

const getKey = (holder: string, currency: string) => `${holder} ${currency}`

const selectBalance = 'select amount from balances where holder = ? and currency = ?'
const selectWithLastPosting = `
  select balances.amount, postings.entries from balances left join postings on postings.posting = balances.lastPosting
  where balances.holder = ? and balances.currency = ?`

export const readBalance = (database: Database, holder: string, currency: string): Big =>
  new Decimal(database.one<{amount: string}>(selectBalance, holder, currency)?.amount ?? '0')

const insertPosting = 'insert into postings (postedAt, cause, entries) values (?, ?, ?)'
const replaceBalance = 'insert or replace into balances (holder, currency, amount, lastPosting) values (?, ?, ?, ?)'

const parseEntries = (text: string) => parseStored<StoredEntry[]>(text)

// The stored balance must be that of its last entry.
function readCheckedBalance(database: Database, holder: string, currency: string): Balance {
  const stored = database.one<{amount: string; entries: string | null}>(selectWithLastPosting, holder, currency)
  const last = parseEntries(stored?.entries ?? '[]').findLast((entry) => entry[0] === holder && entry[1] === currency)
  const amount = stored?.amount ?? '0'
  checkStored({holder, currency, amount}, last?.[3] ?? '0')
  return {holder, currency, amount: new Decimal(amount), lastPosting: 0}
}

function checkStored({holder, currency, amount}: {holder: string; currency: string; amount: string}, sum: string) {
  if (amount === sum) return
  throw new LedgerBreach(`The balance of ${holder} in ${currency} is ${amount}, but its entries sum to ${sum}`)
}

// Adds the entries of one posting to their balances. They sum to zero in each currency, and leave no wallet below zero.
function addEntries(
  cause: string,
  entries: readonly Entry[],
  getBalance: (holder: string, currency: string) => Balance,
): StoredEntry[] {
  const sums = new Map<string, Big>()
  const changed = new Set<Balance>()
  const stored = entries.map(({holder, currency, amount}): StoredEntry => {
    const balance = getBalance(holder, currency)
    balance.amount = balance.amount.plus(amount)
    changed.add(balance)
    sums.set(currency, (sums.get(currency) ?? zero).plus(amount))
    return [holder, currency, amount.toFixed(), balance.amount.toFixed()]
  })
  for (const [currency, sum] of sums) {
    if (!sum.eq(zero)) throw new LedgerBreach(`The posting "${cause}" sums to ${sum.toFixed()} in ${currency}`)
  }
  for (const {holder, currency, amount} of changed) {
    if (amount.lt(zero) && holder.startsWith(walletPrefix)) {
      throw new LedgerBreach(`The balance of ${holder} in ${currency} would be ${amount.toFixed()}`)
    }
  }
  return stored
}

// Adds one posting and returns the changed wallet balances. The caller passes them on when its own work is done.
export function postEntries(
  {database, now}: Pick<RequestContext, 'database' | 'now'>,
  cause: string,
  given: readonly Entry[],
): BalanceChange[] {
  const entries = given.filter(({amount}) => !amount.eq(zero))
  const balances = new Map<string, Balance & {before: Big}>()
  const stored = addEntries(cause, entries, (holder, currency) => {
    const key = getKey(holder, currency)
    const known = balances.get(key)
    if (known) return known
    const read = readCheckedBalance(database, holder, currency)
    const balance = {...read, before: read.amount}
    balances.set(key, balance)
    return balance
  })
  const posting = database.insert(insertPosting, now, cause, JSON.stringify(stored))
  return [...balances.values()].flatMap(({holder, currency, before, amount: after}) => {
    database.run(replaceBalance, holder, currency, after.toFixed(), posting)
    return holder.startsWith(walletPrefix)
      ? [{accountId: holder.slice(walletPrefix.length), currency, before, after}]
      : []
  })
}

const postingsPerRead = 10_000

const selectPostings = 'select posting, cause, entries from postings where posting > ? order by posting limit ? + 0'

// Adds all postings up again, from the first one.
function replayPostings(database: Database, balances: Map<string, Balance>): number {
  let count = 0
  for (let last = 0; ;) {
    const rows = database.all<{posting: number; cause: string; entries: string}>(selectPostings, last, postingsPerRead)
    for (const {posting, cause, entries: text} of rows) {
      const entries = parseEntries(text).map(([holder, currency, amount]) => ({
        holder,
        currency,
        amount: new Decimal(amount),
      }))
      const added = addEntries(cause, entries, (holder, currency) => {
        const key = getKey(holder, currency)
        const balance = balances.get(key) ?? {holder, currency, amount: zero, lastPosting: 0}
        balances.set(key, balance)
        balance.lastPosting = posting
        return balance
      })
      if (JSON.stringify(added) !== text)
        throw new LedgerBreach(`Posting ${posting} does not follow from those before it`)
      count += entries.length
      last = posting
    }
    if (rows.length < postingsPerRead) return count
  }
}

// Checks the whole ledger from its first entry.
export function verifyLedger(database: Database): {entries: number; balances: number} {
  const balances = new Map<string, Balance>()
  const entries = replayPostings(database, balances)
  const stored = database.all<{holder: string; currency: string; amount: string; lastPosting: number}>(
    'select holder, currency, amount, lastPosting from balances',
  )
  for (const row of stored) {
    const {holder, currency, lastPosting} = row
    const balance = balances.get(getKey(holder, currency))
    if (balance?.lastPosting !== lastPosting) {
      throw new LedgerBreach(`The balance of ${holder} in ${currency} has no entries`)
    }
    checkStored(row, balance.amount.toFixed())
  }
  if (stored.length < balances.size) throw new LedgerBreach('There are entries without a balance')
  return {entries, balances: stored.length}
}
