// A quote as a record that can be read aloud: what is paid, at which rate and for which fees, what arrives, and until when.
import {normalizeAmount} from '../validation/money.ts'
import {formatClock} from '../cli/flags/durations.ts'
import {type Column, type View, toText} from '../cli/output/view.ts'
import {type Item, formatMoney, getPath} from '../cli/output/format-values.ts'

// What was asked for, which the service's answer does not repeat, and how long it lasts.
export interface QuoteRequest {
  body: Item
  lifeMs: number
}

// In two lines: how much, and by which way. An account's id is too long to stand beside the sum.
function describeSide(body: Item, name: 'source' | 'destination', amount: unknown, word: 'from' | 'to'): string[] {
  const part = (field: string) => toText(getPath(body, name, `${name}${field}`))
  const way = [part('PaymentMethod') && `by ${part('PaymentMethod')}`, `${word} ${part('PaymentAccountId')}`]
  return [toText(formatMoney(amount, part('Currency'))), way.filter(Boolean).join(' ')]
}

// Fees are in the source currency, with their worth in dollars beside them where that says something else.
function formatFee(quote: Item, name: 'svcFee' | 'developerFee'): unknown {
  const [amount, dollars] = ['feeAmount', 'feeUSDAmount'].map((field) => toText(getPath(quote, 'fees', name, field)))
  const currency = getPath(quote, 'fees', 'feeCurrency')
  const own = toText(formatMoney(amount, currency))
  const inDollars = `${dollars} USD`
  const isSaid =
    !dollars || own === inDollars || (normalizeAmount(amount ?? '') === '0' && normalizeAmount(dollars) === '0')
  return isSaid ? own : `${own} (${inDollars})`
}

const createFeeColumn = (name: 'svcFee' | 'developerFee', header: string): Column<Item> => ({
  name,
  header,
  value: (quote) => getPath(quote, 'fees', name, 'feeAmount'),
  format: (_, quote) => formatFee(quote, name),
  rank: 1,
})

const formatUtc = (time: unknown) =>
  typeof time === 'string' ? time.replace(/^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.\d+)?[Zz]$/, '$1 $2 UTC') : time

export const createQuoteView = ({body, lifeMs}: QuoteRequest = {body: {}, lifeMs: 0}): View<Item> => ({
  singular: 'quote',
  plural: 'quotes',
  covers: ['fees'],
  columns: [
    {
      name: 'sourceAmount',
      header: 'YOU PAY',
      value: () => getPath(body, 'source', 'sourceAmount'),
      format: (amount) => describeSide(body, 'source', amount, 'from'),
      rank: 1,
    },
    {
      name: 'estimatedExchangeRate',
      short: 'rate',
      header: 'RATE',
      value: (quote) => quote['estimatedExchangeRate'],
      format: (rate) => {
        const [from, to] = [
          getPath(body, 'source', 'sourceCurrency'),
          getPath(body, 'destination', 'destinationCurrency'),
        ]
        return rate === undefined ? rate : `1 ${toText(from)} = ${toText(formatMoney(rate, to))}`
      },
      rank: 1,
    },
    createFeeColumn('svcFee', 'SERVICE FEE'),
    createFeeColumn('developerFee', 'DEVELOPER FEE'),
    {
      name: 'destinationAmount',
      header: 'ARRIVES',
      value: (quote) => quote['destinationAmount'],
      format: (amount) => {
        const [arrives = '', ...way] = describeSide(body, 'destination', amount, 'to')
        return [body['guaranteeQuote'] === true ? `${arrives}, guaranteed` : arrives, ...way]
      },
      rank: 1,
    },
    {
      name: 'expiresAt',
      short: 'expires',
      header: 'VALID UNTIL',
      value: (quote) => quote['expiresAt'],
      format: (time) => (time === undefined ? time : `${toText(formatUtc(time))}, for ${formatClock(lifeMs)}`),
      rank: 1,
    },
    {name: 'quoteId', short: 'id', header: 'QUOTE', value: (quote) => quote['quoteId'], rank: 0},
  ],
})
