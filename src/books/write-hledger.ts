// Writes the books as a journal of hledger: declared accounts and currencies, one entry for
// each completed payment with its ids as tags, and what is left out as comments.
import {cleanText} from '../cli/output/clean.ts'
import type {Books} from './books.ts'
import {collectDeclarations} from './declarations.ts'
import type {CompletedPayment} from './figures.ts'
import {encodeText, formatFigure, getBookDecimals, toDay} from './format-figures.ts'
import {type AccountNames, nameAccount, nameCurrency, quoteCurrency} from './ledger-names.ts'
import {describeOmitted} from './omitted.ts'
import {describePeriod} from './period.ts'
import {listPaymentFields} from './payment-fields.ts'
import {type Posting, createPostings} from './postings.ts'

export interface LedgerOptions {
  names: AccountNames
  // Whether accounts and currencies are declared.
  isDeclaring: boolean
}

// A comma ends a tag, a semicolon begins a comment, and a bar separates payee and note.
const unsafeInTag = /[^A-Za-z0-9 ._~@/+#=:\-!?&'*]/gu
const unsafeInDescription = /[^A-Za-z0-9 ._~@/+#=:\-!?&']/gu

const toSymbol = (currency: string) => quoteCurrency(nameCurrency(currency))

const withSymbol = (figure: string, currency: string) => `${figure} ${toSymbol(currency)}`

function formatPosting(posting: Posting, names: AccountNames): string {
  const {amount, currency, price} = posting
  const money = withSymbol(formatFigure(amount, currency), currency)
  const priceText = price && ` ${price.isTotal ? '@@' : '@'} ${withSymbol(price.amount.toFixed(), price.currency)}`
  return `    ${nameAccount(posting, names)}  ${money}${priceText ?? ''}\n`
}

function formatTags(payment: CompletedPayment): string {
  const tags = [['key', payment.key] as const, ...listPaymentFields(payment)]
  return tags.map(([name, value]) => `    ; ${name}:${encodeText(value, unsafeInTag)}\n`).join('')
}

function formatEntry(payment: CompletedPayment, names: AccountNames): string {
  const title = encodeText(payment.key, unsafeInDescription)
  const postings = createPostings(payment).map((posting) => formatPosting(posting, names))
  return `\n${toDay(payment.completedAt)} * ${title}\n${formatTags(payment)}${postings.join('')}`
}

// The lines with which both programs begin.
export function describeBooks({period}: Books): string {
  return [
    `; Payments of svc that were completed ${describePeriod(period)}`,
    '; Days are those of UTC. Amounts are exact; what rounding took is posted to an account of its own.',
    '',
  ].join('\n')
}

export function* describeLeftOut(books: Books): Generator<string> {
  let isFirst = true
  for (const omitted of books.walkOmitted()) {
    if (isFirst) yield '\n; Not posted:\n'
    isFirst = false
    yield `; ${cleanText(describeOmitted(omitted))}\n`
  }
  const {foreign} = books.counts
  if (foreign > 0) yield `\n; Completed in this time, but not made by svc and not posted: ${foreign}\n`
}

export function* writeHledger(books: Books, {names, isDeclaring}: LedgerOptions): Generator<string> {
  yield describeBooks(books)
  yield '\ndecimal-mark .\n'
  if (isDeclaring) {
    const {accounts, currencies} = collectDeclarations(books, names)
    for (const currency of currencies) {
      const decimals = getBookDecimals(currency)
      yield `commodity ${withSymbol(`1000.${'0'.repeat(decimals)}`, currency)}\n`
    }
    for (const {name} of accounts) yield `account ${name}\n`
  }
  for (const payment of books.walkCompleted()) yield formatEntry(payment, names)
  yield* describeLeftOut(books)
}
