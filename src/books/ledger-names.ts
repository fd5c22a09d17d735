// The names that accounts and currencies have in hledger and beancount. The rules of beancount are the stricter ones, so a name
// that it accepts is valid in both.
import {hash} from 'node:crypto'
import type {Posting, PostingKind} from './postings.ts'

const suffixLength = 8

// Tells apart what would get the same name.
const digest = (text: string) => hash('sha256', text).slice(0, suffixLength)

// Begins with a capital or a digit, and goes on with letters, digits and dashes.
const accountPart = /^[A-Z0-9][A-Za-z0-9-]*$/
const accountRoots = new Set(['Assets', 'Liabilities', 'Equity', 'Income', 'Expenses'])

export function isAccountName(name: string): boolean {
  const [root = '', ...parts] = name.split(':')
  return accountRoots.has(root) && parts.length > 0 && parts.every((part) => accountPart.test(part))
}

// The whole id, so that no two accounts share a name. An id in capital letters is another one than in small letters.
function nameAccountPart(id: string): string {
  const part = `A-${id.replace(/[^A-Za-z0-9-]/g, '-')}`
  return part === `A-${id}` ? part : `${part}-${digest(id)}`
}

// What the accounts are called unless a file says otherwise.
export const accountDefaults: Readonly<Record<Exclude<PostingKind, 'source' | 'destination'>, string>> = {
  serviceFee: 'Expenses:Svc:ServiceFee',
  developerFee: 'Expenses:Svc:DeveloperFee',
  rounding: 'Expenses:Svc:Rounding',
  exchangeDifference: 'Expenses:Svc:ExchangeDifference',
}

export interface AccountNames extends Partial<typeof accountDefaults> {
  // By the id of the payment account.
  accounts?: Readonly<Record<string, string>> | undefined
}

export function nameAccount({kind, accountId = ''}: Posting, names: AccountNames = {}): string {
  if (kind !== 'source' && kind !== 'destination') return names[kind] ?? accountDefaults[kind]
  const given = names.accounts
  const own = given && Object.hasOwn(given, accountId) ? given[accountId] : undefined
  return own ?? `Assets:Svc:${nameAccountPart(accountId)}`
}

// Letters alone need no quotes in hledger, and beancount accepts up to 24 characters.
const plainCurrency = /^[A-Z]{2,24}$/
const currencyCharsMax = 24

export function nameCurrency(label: string): string {
  if (plainCurrency.test(label)) return label
  const ending = `-${digest(label).toUpperCase()}`
  const part = label.toUpperCase().replace(/[^A-Z0-9]/g, '-')
  return `X${part}`.slice(0, currencyCharsMax - ending.length) + ending
}

// A name with other characters than letters stands in quotes.
export const quoteCurrency = (name: string) => (plainCurrency.test(name) ? name : `"${name}"`)
