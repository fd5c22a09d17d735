// Writes the books as JSON lines: one object for each completed payment with its postings, and one for each that is left out.
import {toJsonLine} from '../cli/output/formats.ts'
import type {Books} from './books.ts'
import {formatFigure, toDay} from './format-figures.ts'
import {type AccountNames, nameAccount} from './ledger-names.ts'
import {type Posting, createPostings} from './postings.ts'

function toFields(posting: Posting, names: AccountNames) {
  const {kind, accountId, amount, currency, price} = posting
  return {
    kind,
    account: nameAccount(posting, names),
    ...(accountId !== undefined && {paymentAccountId: accountId}),
    amount: formatFigure(amount, currency),
    currency,
    ...(price && {
      [price.isTotal ? 'totalPrice' : 'price']: price.amount.toFixed(),
      priceCurrency: price.currency,
    }),
  }
}

export function* writeJsonLines(books: Books, names: AccountNames): Generator<string> {
  for (const payment of books.walkCompleted()) {
    const {fromQuote, ...figures} = payment
    yield toJsonLine({
      posted: true,
      date: toDay(payment.completedAt),
      ...figures,
      ...(fromQuote.length > 0 && {fromQuote}),
      postings: createPostings(payment).map((posting) => toFields(posting, names)),
    })
  }
  for (const omitted of books.walkOmitted()) yield toJsonLine({posted: false, ...omitted})
}
