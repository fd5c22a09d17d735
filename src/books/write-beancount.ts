// Writes the books as a file of beancount: opened accounts and commodities, one entry for each completed payment with its ids as
// metadata, and what is left out as comments.
import {cleanText} from '../cli/output/clean.ts'
import type {Books} from './books.ts'
import {collectDeclarations} from './declarations.ts'
import type {CompletedPayment} from './figures.ts'
import {formatFigure, toDay} from './format-figures.ts'
import {type AccountNames, nameAccount, nameCurrency} from './ledger-names.ts'
import {listPaymentFields} from './payment-fields.ts'
import {type Posting, createPostings} from './postings.ts'
import {type LedgerOptions, describeBooks, describeLeftOut} from './write-hledger.ts'

// Only these two have a meaning in a string of beancount.
const quote = (text: string) => `"${cleanText(text.toWellFormed()).replace(/[\\"]/g, String.raw`\$&`)}"`

function formatPosting(posting: Posting, names: AccountNames): string {
  const {amount, currency, price} = posting
  const money = `${formatFigure(amount, currency)} ${nameCurrency(currency)}`
  const priceText = price && ` ${price.isTotal ? '@@' : '@'} ${price.amount.toFixed()} ${nameCurrency(price.currency)}`
  return `  ${nameAccount(posting, names)}  ${money}${priceText ?? ''}\n`
}

function formatMetadata(payment: CompletedPayment): string {
  return listPaymentFields(payment)
    .map(([name, value]) => `  ${name}: ${quote(value)}\n`)
    .join('')
}

function formatEntry(payment: CompletedPayment, names: AccountNames): string {
  const postings = createPostings(payment).map((posting) => formatPosting(posting, names))
  const head = `${toDay(payment.completedAt)} * "svc" ${quote(payment.key)}`
  return `\n${head}\n${formatMetadata(payment)}${postings.join('')}`
}

export function* writeBeancount(books: Books, {names, isDeclaring}: LedgerOptions): Generator<string> {
  yield describeBooks(books)
  if (isDeclaring) {
    const {accounts, currencies} = collectDeclarations(books, names)
    const [first] = accounts.map(({firstDay}) => firstDay).toSorted()
    yield '\n'
    for (const currency of currencies) yield `${first} commodity ${nameCurrency(currency)}\n`
    for (const {name, firstDay, paymentAccountId} of accounts) {
      yield `${firstDay} open ${name}\n`
      if (paymentAccountId !== undefined) yield `  payment-account: ${quote(paymentAccountId)}\n`
    }
  }
  for (const payment of books.walkCompleted()) yield formatEntry(payment, names)
  yield* describeLeftOut(books)
}
