// Reads what svc writes for hledger and beancount, and adds it up exactly: a check of our own, for machines that have neither.
import {Big} from 'big.js'

interface LedgerPosting {
  account: string
  amount: Big
  currency: string
  weight: Big
  weightCurrency: string
}

export interface LedgerEntry {
  day: string
  title: string
  postings: LedgerPosting[]
}

const head = /^(\d{4}-\d\d-\d\d) \* (.*)$/
const posting =
  /^ {2,4}([A-Z]\w+(?::[A-Z0-9][A-Za-z0-9-]*)+) {2}(-?\d+(?:\.\d+)?) ("?[A-Z0-9-]+"?)(?: (@@?) (\d+(?:\.\d+)?) ("?[A-Z0-9-]+"?))?(?: ;.*)?$/
const other =
  /^(?:;.*| {2,4};.*| {2}[a-z][a-z-]*: ".*"|decimal-mark \.|commodity .*|account .*|\d{4}-\d\d-\d\d (?:open|commodity) .*|)$/

export function readLedger(text: string): LedgerEntry[] {
  const entries: LedgerEntry[] = []
  for (const line of text.split('\n')) {
    const [, day, title = ''] = head.exec(line) ?? []
    if (day !== undefined) {
      entries.push({day, title, postings: []})
      continue
    }
    const [, account, amountText = '', currency = '', at, price = '', priceCurrency = ''] = posting.exec(line) ?? []
    if (account === undefined) {
      if (!other.test(line)) throw new Error(`cannot read the line: ${line}`)
      continue
    }
    const amount = new Big(amountText)
    const weight =
      at === undefined ? amount : at === '@' ? amount.times(price) : new Big(price).times(amount.lt('0') ? '-1' : '1')
    entries.at(-1)?.postings.push({account, amount, currency, weight, weightCurrency: priceCurrency || currency})
  }
  return entries
}

// Sums by a text, as decimal text without those that are zero.
export function sumBy<T>(
  items: Iterable<T>,
  name: (item: T) => string,
  read: (item: T) => Big,
): Record<string, string> {
  const sums = new Map<string, Big>()
  for (const item of items) sums.set(name(item), (sums.get(name(item)) ?? new Big('0')).plus(read(item)))
  return Object.fromEntries(
    [...sums]
      .filter(([, sum]) => !sum.eq('0'))
      .toSorted(([one], [another]) => (one < another ? -1 : 1))
      .map(([key, sum]) => [key, sum.toFixed()]),
  )
}

// What does not sum to zero, entry by entry.
export const findUnbalanced = (entries: readonly LedgerEntry[]): LedgerEntry[] =>
  entries.filter(
    ({postings}) =>
      Object.keys(
        sumBy(
          postings,
          (one) => one.weightCurrency,
          (one) => one.weight,
        ),
      ).length > 0,
  )

// By account and currency.
export const addUpAccounts = (entries: readonly LedgerEntry[]): Record<string, string> =>
  sumBy(
    entries.flatMap(({postings}) => postings),
    ({account, currency}) => `${account} ${currency}`,
    ({amount}) => amount,
  )
