// Writes the books as a journal of hledger or a file of beancount: declared accounts and
// currencies, one entry for each completed payment with its ids as tags or metadata, and what is
// left out as comments.
import type {Parties} from '../accounts/parties.ts'
import {cleanText} from '../cli/output/clean.ts'
import {orderBy} from '../values/order.ts'
import {type Books, describeOmitted, describePeriod, toPeriodFields} from './books.ts'
import {type CompletedPayment, describePayee, encodeText, formatFigure, getBookDecimals, toDay} from './figures.ts'
import {type AccountNames, type Posting, createPostings, nameAccount, nameCurrency, quoteCurrency} from './postings.ts'

export interface LedgerOptions {
  names: AccountNames
  // Whether accounts and currencies are declared.
  isDeclaring: boolean
  // The parties behind the ids of customers and payment accounts. Books without them have ids
  // alone.
  parties?: Parties | undefined
}

// A comma ends a tag, a semicolon begins a comment, and a bar separates payee and note.
const unsafeInTag = /[^A-Za-z0-9 ._~@/+#=:\-!?&'*]/gu
// Words of people, and names, in any script. hledger then needs a locale with UTF-8.
const unsafeInWords = /[^\p{L}\p{M}\p{N} ._~@/+#=:\-!?&'*…“”]/gu
// A colon would begin a tag, and one that is called date would move a posting.
const unsafeInComment = /[^\p{L}\p{M}\p{N} ._~@/+#=\-!?&'*…“”]/gu
const unsafeInDescription = /[^A-Za-z0-9 ._~@/+#=:\-!?&']/gu

const toSymbol = (currency: string) => quoteCurrency(nameCurrency(currency))

type NameCurrency = (currency: string) => string

// Postings are alike in both programs, apart from the indent and the quotes around a currency.
function formatPostings(
  payment: CompletedPayment,
  {names, parties}: LedgerOptions,
  indent: string,
  name: NameCurrency,
): string {
  const lines = createPostings(payment).map((posting) => {
    const {amount, currency, price} = posting
    const holder = describeHolder(payment, posting, parties)
    const priceText = price && ` @ ${price.amount.toFixed()} ${name(price.currency)}`
    return `${indent}${nameAccount(posting, names)}  ${formatFigure(amount, currency)} ${name(currency)}${priceText ?? ''}${holder && ` ; ${holder}`}\n`
  })
  return lines.join('')
}

// The holder of an account, as a comment. The account itself is called by its id, which does not
// change as a name does.
const describeHolder = ({customerId}: CompletedPayment, {accountId}: Posting, parties: Parties | undefined): string =>
  encodeText(cleanText(parties?.describeAccount(customerId, accountId) ?? '').replaceAll(', ', ' - '), unsafeInComment)

function formatTags(payment: CompletedPayment, parties: Parties | undefined): string {
  const tags = [['key', payment.key] as const, ...listPaymentFields(payment)]
  const words = listWords(payment, parties)
  return [
    ...tags.map(([name, value]) => `    ; ${name}:${encodeText(value, unsafeInTag)}\n`),
    ...words.map(([name, value]) => `    ; ${name}:${encodeText(cleanText(value), unsafeInWords)}\n`),
  ].join('')
}

function formatHledgerEntry(payment: CompletedPayment, options: LedgerOptions): string {
  const title = encodeText(payment.key, unsafeInDescription)
  return `\n${toDay(payment.completedAt)} * ${title}\n${formatTags(payment, options.parties)}${formatPostings(payment, options, '    ', toSymbol)}`
}

// The lines with which both programs begin.
function describeBooks({period}: Books): string {
  return [
    `; Payments of svc that were completed ${describePeriod(toPeriodFields(period))}`,
    '; Days are those of UTC. Amounts are exact; what rounding took is posted to an account of its own.',
    '',
  ].join('\n')
}

function* describeLeftOut(books: Books, parties?: Parties): Generator<string> {
  const {omitted, foreign} = books
  if (omitted.length > 0) yield '\n; Not posted:\n'
  for (const each of omitted) yield `; ${cleanText(describeOmitted(each, parties))}\n`
  if (foreign > 0) yield `\n; Completed in this time, without a payment in this journal, not posted: ${foreign}\n`
}

export function* writeHledger(books: Books, options: LedgerOptions): Generator<string> {
  const {isDeclaring} = options
  yield describeBooks(books)
  yield '\ndecimal-mark .\n'
  if (isDeclaring) {
    const {accounts, currencies} = collectDeclarations(books, options)
    for (const currency of currencies) {
      const decimals = getBookDecimals(currency)
      yield `commodity 1000.${'0'.repeat(decimals)} ${toSymbol(currency)}\n`
    }
    for (const {name, holder} of accounts) yield `account ${name}${holder && `  ; ${holder}`}\n`
  }
  for (const payment of books.completed) yield formatHledgerEntry(payment, options)
  yield* describeLeftOut(books, options.parties)
}

// A quote and a backslash alone have a meaning in a string of beancount.
const quoteForBeancount = (text: string) => `"${cleanText(text.toWellFormed()).replace(/[\\"]/g, String.raw`\$&`)}"`

function formatMetadata(payment: CompletedPayment, parties: Parties | undefined): string {
  return [...listPaymentFields(payment), ...listWords(payment, parties)]
    .map(([name, value]) => `  ${name}: ${quoteForBeancount(value)}\n`)
    .join('')
}

function formatBeancountEntry(payment: CompletedPayment, options: LedgerOptions): string {
  const head = `${toDay(payment.completedAt)} * "svc" ${quoteForBeancount(payment.key)}`
  return `\n${head}\n${formatMetadata(payment, options.parties)}${formatPostings(payment, options, '  ', nameCurrency)}`
}

export function* writeBeancount(books: Books, options: LedgerOptions): Generator<string> {
  const {isDeclaring} = options
  yield describeBooks(books)
  if (isDeclaring) {
    const {accounts, currencies} = collectDeclarations(books, options)
    const [first] = accounts.map(({firstDay}) => firstDay).toSorted()
    yield '\n'
    for (const currency of currencies) yield `${first} commodity ${nameCurrency(currency)}\n`
    for (const {name, firstDay, paymentAccountId, holder} of accounts) {
      yield `${firstDay} open ${name}\n`
      if (paymentAccountId !== undefined) yield `  payment-account: ${quoteForBeancount(paymentAccountId)}\n`
      if (holder) yield `  name: ${quoteForBeancount(holder)}\n`
    }
  }
  for (const payment of books.completed) yield formatBeancountEntry(payment, options)
  yield* describeLeftOut(books, options.parties)
}

// Declarations of a ledger, before its entries: every account with the day on which it is first
// used, and every currency.
interface DeclaredAccount {
  name: string
  firstDay: string
  paymentAccountId?: string | undefined
  // The name that people know, or empty.
  holder: string
}

interface Declarations {
  accounts: DeclaredAccount[]
  currencies: string[]
}

function collectDeclarations(books: Books, {names, parties}: Pick<LedgerOptions, 'names' | 'parties'>): Declarations {
  const accounts = new Map<string, DeclaredAccount>()
  const currencies = new Set<string>()
  for (const payment of books.completed) {
    const firstDay = toDay(payment.completedAt)
    for (const posting of createPostings(payment)) {
      const name = nameAccount(posting, names)
      currencies.add(posting.currency)
      if (accounts.has(name)) continue
      const holder = describeHolder(payment, posting, parties)
      accounts.set(name, {name, firstDay, paymentAccountId: posting.accountId, holder})
    }
  }
  return {
    accounts: [...accounts.values()].toSorted(orderBy(({name}) => [name])),
    currencies: [...currencies].toSorted(),
  }
}

// Words that a person wrote, and the names that people know.
const listWords = (payment: CompletedPayment, parties: Parties | undefined): Array<readonly [string, string]> =>
  Object.entries({
    note: payment.note,
    'customer-name': parties?.nameCustomer(payment.customerId),
    // A comma would end a tag of hledger.
    'paid-to': describePayee(payment, parties).replaceAll(', ', ' - '),
  }).flatMap(([name, value]) => (value ? [[name, value] as const] : []))

// Fields of a payment beside its postings, by names that hledger and beancount both allow.
function listPaymentFields(payment: CompletedPayment): Array<readonly [name: string, value: string]> {
  const fields = {
    transaction: payment.transactionId,
    customer: payment.customerId,
    quote: payment.quoteId,
    completed: payment.completedAt,
    'source-method': payment.source.method,
    'source-reference': payment.source.referenceId,
    'destination-method': payment.destination.method,
    'destination-reference': payment.destination.referenceId,
  }
  return Object.entries(fields).flatMap(([name, value]) => (value ? [[name, value] as const] : []))
}

// A file for --accounts with every payment account of the books, as it is called and who is behind
// it, for somebody to change.
export function* writeAccounts(books: Books, {names, parties}: LedgerOptions): Generator<string> {
  const seen = new Set<string>()
  for (const payment of books.completed) {
    for (const posting of createPostings(payment)) {
      const {accountId} = posting
      if (accountId === undefined || seen.has(accountId)) continue
      if (seen.size === 0) yield 'accounts:\n'
      seen.add(accountId)
      const holder = describeHolder(payment, posting, parties)
      yield `  ${JSON.stringify(accountId)}: ${nameAccount(posting, names)}${holder && ` # ${holder}`}\n`
    }
  }
  if (seen.size === 0) yield 'accounts: {}\n'
}
