// What a person sees before a quote is paid: who pays whom, the amount, the fees and what arrives.
import {type Party, buildAccountRow, buildCustomerRow} from '../accounts/parties.ts'
import {formatClock} from '../values/time.ts'
import type {Box, BoxRow} from '../cli/output/box.ts'
import {formatMoney, toText} from '../cli/output/view.ts'
import {type LooseQuote, getCurrencyLabel} from '../contract/loose.ts'
import {addAmounts, describeHighFees, isZeroAmount, normalizeAmount} from '../values/money.ts'
import {type QuoteRequest, describeQuotedArrival} from './view.ts'

interface Price extends QuoteRequest {
  quote: LooseQuote
}

const notSaid = 'not said by the service'

const describeMoney = (amount: unknown, currency: unknown) => toText(formatMoney(amount, currency)) || notSaid

// Amounts that stand below each other have their decimal points in one column, and their currencies in another.
function alignMoney(texts: readonly string[]): string[] {
  const parts = texts.map((text) => /^(?<whole>\D*\d+)(?<fraction>\.\d+)?(?<rest>.*)$/.exec(text)?.groups)
  const wholeWidth = Math.max(...parts.map((groups) => groups?.['whole']?.length ?? 0))
  const fractionWidth = Math.max(...parts.map((groups) => groups?.['fraction']?.length ?? 0))
  return texts.map((text, index) => {
    const groups = parts[index]
    if (!groups) return text
    const {whole = '', fraction = '', rest = ''} = groups
    return `${whole.padStart(wholeWidth)}${fraction.padEnd(fractionWidth)}${rest}`.trimEnd()
  })
}

// The service's fee and the developer's, which are both in the source currency.
function addFees({fees}: LooseQuote): {amount: unknown; remark: string} {
  const [service, developer] = [toText(fees?.svcFee?.feeAmount), toText(fees?.developerFee?.feeAmount)]
  if (developer === '' || isZeroAmount(developer)) return {amount: service, remark: ''}
  return {
    amount: addAmounts([service, developer]) ?? '',
    remark: `(service ${service || 'not said'}, your own ${developer})`,
  }
}

export const buildRow = (label: string, text: string, tone?: 'bold' | 'dim'): BoxRow => ({label, lines: [{text, tone}]})

function buildPriceRows({body, quote}: Pick<Price, 'body' | 'quote'>): BoxRow[] {
  const {source, destination} = body
  const fee = addFees(quote)
  const feeCurrency = getCurrencyLabel(quote.fees?.feeCurrency) ?? source?.sourceCurrency
  const rate = toText(quote.estimatedExchangeRate)
  const isExchange = source?.sourceCurrency !== destination?.destinationCurrency || normalizeAmount(rate) !== '1'
  const rateText =
    rate && isExchange
      ? `at 1 ${toText(source?.sourceCurrency)} = ${toText(formatMoney(rate, destination?.destinationCurrency))}`
      : ''
  const addRemark = (text: string, remark: string) => [text, remark].filter(Boolean).join('  ')
  const [amount = '', fees = '', arrives = ''] = alignMoney([
    describeMoney(source?.sourceAmount, source?.sourceCurrency),
    addRemark(describeMoney(fee.amount, feeCurrency), fee.remark),
    addRemark(describeQuotedArrival(quote, body, notSaid), rateText),
  ])
  return [buildRow('Amount', amount, 'bold'), buildRow('Fee', fees), buildRow('Arrives', arrives, 'bold')]
}

export function buildRouteRows(party: Party, {source, destination}: QuoteRequest['body']): BoxRow[] {
  return [
    buildCustomerRow(party),
    buildAccountRow('From', party, {
      accountId: source?.sourcePaymentAccountId,
      currency: source?.sourceCurrency,
      method: source?.sourcePaymentMethod,
    }),
    buildAccountRow('To', party, {
      accountId: destination?.destinationPaymentAccountId,
      currency: destination?.destinationCurrency,
      method: destination?.destinationPaymentMethod,
    }),
  ]
}

interface PriceRemarks {
  key?: string | undefined
  sandboxRemark?: string | undefined
  // The share of fees that nobody set a limit for.
  highFees?: string | undefined
}

export const buildPriceBox = (
  title: {title: string; isLive: boolean},
  party: Party,
  {body, lifeMs, quote}: Price,
  {key, sandboxRemark, highFees}: PriceRemarks = {},
): Box => ({
  ...title,
  groups: [
    buildRouteRows(party, body),
    [
      ...buildPriceRows({body, quote}),
      ...(highFees === undefined ? [] : [buildRow('High fees', describeHighFees(highFees), 'bold')]),
    ],
    [
      ...(key === undefined ? [] : [buildRow('Key', key)]),
      {label: 'Quote', lines: [{text: toText(quote.quoteId)}, {text: `valid for ${formatClock(lifeMs)}`, tone: 'dim'}]},
      ...(sandboxRemark === undefined ? [] : [buildRow('Sandbox', sandboxRemark)]),
    ],
  ],
})
