// The fields of a quote as a record: amount, rate, fees, received amount and expiry.
import type {z} from 'zod'
import {createPayeeColumn} from '../accounts/name-columns.ts'
import type {LooseObject, LooseQuote} from '../contract/loose.ts'
import type {quoteCreate} from '../contract/quotes.ts'
import {formatClock} from '../values/time.ts'
import {type Column, type View, createColumn, formatMoney, toText} from '../cli/output/view.ts'
import {describeArrival, normalizeAmount} from '../values/money.ts'

// The request, which the service's reply does not repeat.
export interface QuoteRequest {
  body: LooseObject<z.input<typeof quoteCreate>>
  // How long the quote is still valid.
  lifeMs: number
}

// Two lines, because an account id is too long to fit beside the amount.
const describeSide = (amount: unknown, currency: unknown, method: unknown, account: string): string[] => [
  toText(formatMoney(amount, currency)),
  [toText(method) && `by ${toText(method)}`, account].filter(Boolean).join(' '),
]

const describeSource = ({source}: QuoteRequest['body'], amount: unknown) =>
  describeSide(
    amount,
    source?.sourceCurrency,
    source?.sourcePaymentMethod,
    `from ${toText(source?.sourcePaymentAccountId)}`,
  )

// What arrives by a quote, or `unknown` if the service does not say it.
export function describeQuotedArrival(
  {destinationAmount}: LooseQuote,
  {destination, guaranteeQuote}: QuoteRequest['body'],
  unknown: string,
): string {
  const money = toText(formatMoney(destinationAmount, destination?.destinationCurrency))
  const isGuaranteed = guaranteeQuote === true
  return money === '' && !isGuaranteed ? unknown : describeArrival(money || unknown, isGuaranteed)
}

const describeDestination = ({destination}: QuoteRequest['body'], amount: unknown) =>
  describeSide(
    amount,
    destination?.destinationCurrency,
    destination?.destinationPaymentMethod,
    `to ${toText(destination?.destinationPaymentAccountId)}`,
  )

// Fees are in the source currency. Their value in USD is added if it differs.
function formatFee({fees}: LooseQuote, name: 'svcFee' | 'developerFee'): string {
  const [amount, usdAmount] = [toText(fees?.[name]?.feeAmount), toText(fees?.[name]?.feeUSDAmount)]
  const text = toText(formatMoney(amount, fees?.feeCurrency))
  const usdText = `${usdAmount} USD`
  const isZero = normalizeAmount(amount) === '0' && normalizeAmount(usdAmount) === '0'
  return !usdAmount || text === usdText || isZero ? text : `${text} (${usdText})`
}

const createFeeColumn = (name: 'svcFee' | 'developerFee', header: string): Column<LooseQuote> =>
  createColumn(name, 1, {
    header,
    value: ({fees}) => fees?.[name]?.feeAmount,
    format: (_, quote) => formatFee(quote, name),
  })

const formatUtc = (time: unknown) =>
  typeof time === 'string' ? time.replace(/^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.\d+)?[Zz]$/, '$1 $2 UTC') : time

export const createQuoteView = ({body, lifeMs}: QuoteRequest = {body: {}, lifeMs: 0}): View<LooseQuote> => ({
  singular: 'quote',
  plural: 'quotes',
  covers: ['fees'],
  columns: [
    createColumn('sourceAmount', 1, {
      header: 'YOU PAY',
      value: () => body.source?.sourceAmount,
      format: (amount) => describeSource(body, amount),
    }),
    createColumn('estimatedExchangeRate', 1, {
      short: 'rate',
      header: 'RATE',
      format: (rate) =>
        toText(rate) === ''
          ? undefined
          : `1 ${toText(body.source?.sourceCurrency)} = ${toText(formatMoney(rate, body.destination?.destinationCurrency))}`,
    }),
    createFeeColumn('svcFee', 'SERVICE FEE'),
    createFeeColumn('developerFee', 'DEVELOPER FEE'),
    createColumn('destinationAmount', 1, {
      header: 'ARRIVES',
      format: (amount, quote) => {
        const [, ...account] = describeDestination(body, amount)
        const unknown = 'an amount that the service does not say'
        return [describeQuotedArrival(quote, body, unknown), ...account]
      },
    }),
    // Its id stands below what arrives.
    createPayeeColumn(1),
    createColumn('expiresAt', 1, {
      short: 'expires',
      header: 'VALID UNTIL',
      // Without a time of the service, the interface's five minutes count (docs/assumptions.md, M17).
      format: (time) =>
        [toText(formatUtc(time)) || 'a time that the service does not say', `for ${formatClock(lifeMs)}`].join(', '),
    }),
    createColumn('quoteId', 0, {short: 'id', header: 'QUOTE'}),
  ],
})
