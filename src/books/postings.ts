// Turns a completed payment into double-entry postings that sum to zero exactly, in every currency.
import {hash} from 'node:crypto'
import {Big} from 'big.js'
import {z} from 'zod'
import {readDataFile} from '../cli/body/input-file.ts'
import {badUsage} from '../errors.ts'
import {lookUp} from '../values/records.ts'
import {type CompletedPayment, getBookDecimals} from './figures.ts'

type PostingKind =
  | 'source'
  | 'destination'
  | 'serviceFee'
  | 'developerFee'
  // Less than the smallest unit of the currency that arrived.
  | 'rounding'
  // More than rounding explains: the amounts do not follow from the rate.
  | 'exchangeDifference'

export interface Posting {
  kind: PostingKind
  // The payment account, of a source and a destination.
  accountId?: string
  // Whether payments of the journal were made from a destination.
  isOwn?: boolean
  // Positive is a debit, negative a credit.
  amount: Big
  currency: string
  // The price that one unit was exchanged for.
  price?: {amount: Big; currency: string}
}

// A difference below this is rounding.
const getSmallestUnit = (currency: string) => new Big(`1e-${getBookDecimals(currency)}`)

// The price is given per unit of the currency that left: amount times rate is exact, a division
// would have to be rounded.
export function createPostings(payment: CompletedPayment): Posting[] {
  const {source, destination} = payment
  const [amount, received, rate] = [new Big(source.amount), new Big(destination.amount), new Big(payment.rate)]
  const [svcFee, developerFee] = [new Big(payment.svcFee), new Big(payment.developerFee)]
  const fees = svcFee.plus(developerFee)
  const net = amount.minus(fees)

  const isExchanged = source.currency !== destination.currency
  const netReceived = isExchanged ? net.times(rate) : net

  const from = {kind: 'source', accountId: source.accountId, currency: source.currency} as const
  const left: Posting[] = isExchanged
    ? [
        {...from, amount: net.neg(), price: {amount: rate, currency: destination.currency}},
        {...from, amount: fees.neg()},
      ]
    : [{...from, amount: amount.neg()}]

  const difference = netReceived.minus(received)
  const isRounding = difference.abs().lt(getSmallestUnit(destination.currency))

  return [
    ...left,
    {kind: 'serviceFee' as const, amount: svcFee, currency: source.currency},
    {kind: 'developerFee' as const, amount: developerFee, currency: source.currency},
    {
      kind: 'destination' as const,
      accountId: destination.accountId,
      isOwn: destination.isOwn === true,
      amount: received,
      currency: destination.currency,
    },
    {
      kind: isRounding ? ('rounding' as const) : ('exchangeDifference' as const),
      amount: difference,
      currency: destination.currency,
    },
  ].filter((posting) => !posting.amount.eq('0'))
}

export const hasExchangeDifference = (postings: readonly Posting[]): boolean =>
  postings.some(({kind}) => kind === 'exchangeDifference')

// The names that accounts and currencies have in hledger and beancount. The rules of beancount are
// the stricter ones, so a name that it accepts is valid in both.
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

// The whole id, so that no two accounts share a name. An id in capital letters is another one than
// in small letters.
function nameAccountPart(id: string): string {
  const part = `A-${id.replace(/[^A-Za-z0-9-]/g, '-')}`
  return part === `A-${id}` ? part : `${part}-${digest(id)}`
}

// Names of accounts, unless a file says otherwise.
const accountDefaults: Readonly<Record<Exclude<PostingKind, 'source' | 'destination'>, string>> = {
  serviceFee: 'Expenses:Svc:ServiceFee',
  developerFee: 'Expenses:Svc:DeveloperFee',
  rounding: 'Expenses:Svc:Rounding',
  exchangeDifference: 'Expenses:Svc:ExchangeDifference',
}

// Account names by the kind of the posting, or by the id of the payment account.
export type AccountNames = z.output<typeof namesFile>

// An account that pays is an asset, and one that is paid an expense, unless it is one of those that
// pay.
export function nameAccount({kind, accountId = '', isOwn}: Posting, names: AccountNames = {}): string {
  if (kind !== 'source' && kind !== 'destination') return names[kind] ?? accountDefaults[kind]
  return (
    lookUp(names.accounts ?? {}, accountId) ??
    `${kind === 'source' || isOwn ? 'Assets' : 'Expenses'}:Svc:${nameAccountPart(accountId)}`
  )
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

const accountName = z.string().refine(isAccountName, 'is not a name of an account')

const namesFile = z.strictObject({
  accounts: z.record(z.string(), accountName).optional(),
  serviceFee: accountName.optional(),
  developerFee: accountName.optional(),
  rounding: accountName.optional(),
  exchangeDifference: accountName.optional(),
})

// Reads the file that says what the accounts are called in somebody's own books.
export async function readAccountNames(file: string): Promise<AccountNames> {
  const content: unknown = await readDataFile(file)
  const {data, error} = namesFile.safeParse(content)
  if (data) return data
  const [{path, message} = {path: [], message: ''}] = error.issues
  throw badUsage(
    `--accounts ${file}: ${[...path, message].join(' ')}`,
    'A name is written like Expenses:Bank:Fees: it begins with Assets, Liabilities, Equity, Income or Expenses, and each part with a capital or a digit',
  )
}
