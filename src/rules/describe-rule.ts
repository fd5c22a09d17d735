// Describes an automation rule in one sentence: when it fires, what it moves, from where to where, and for which fee.
import {type LooseRule, getCurrencyLabel, readCode} from '../contract/loose.ts'
import {fiatMethods} from '../contract/payment-methods.ts'
import {toText} from '../cli/output/view.ts'
import {findCurrencyDecimals, formatAmount} from '../values/currencies.ts'
import {isZeroAmount} from '../values/money.ts'
import {describeSchedule} from './describe-schedule.ts'

const toTextOr = (value: unknown, fallback: string) => toText(value).trim() || fallback

// An amount with its currency, such as 100.00 USDC.
export function describeAmount(amount: unknown, currency: unknown, decimals?: number): string {
  const label = toTextOr(currency, '')
  const text = formatAmount(toTextOr(amount, 'an unknown amount'), decimals ?? findCurrencyDecimals(label))
  return label === '' ? text : `${text} ${label}`
}

const isFiat = (method: unknown) => (fiatMethods as readonly string[]).includes(readCode(method))

const getSourceCurrency = ({transactionTemplate}: LooseRule) =>
  getCurrencyLabel(transactionTemplate?.source?.sourceCurrency)

const describeWallet = ({transactionTemplate}: LooseRule) =>
  `wallet ${toTextOr(transactionTemplate?.source?.sourcePaymentAccountId, '(not named)')}`

// Starts with a capital and has no full stop, such as: Every weekday at 09:00 UTC
function describeTrigger(rule: LooseRule): string {
  const {cronSchedule, thresholdAmount} = rule.trigger ?? {}
  const type = readCode(rule.trigger?.type)
  if (type === 'TIME_BASED') return typeof cronSchedule === 'string' ? describeSchedule(cronSchedule) : 'On no schedule'
  if (type === 'THRESHOLD_BASED') {
    return `When ${describeWallet(rule)} holds ${describeAmount(thresholdAmount, getSourceCurrency(rule))} or more`
  }
  return `On a trigger of the type ${toTextOr(rule.trigger?.type, '(not named)')}`
}

function describeRuleAmount(rule: LooseRule): string {
  const {type: statedType, value} = rule.transactionTemplate?.amount ?? {}
  const type = readCode(statedType)
  const currency = getSourceCurrency(rule)
  if (type === 'FLAT') return describeAmount(value, currency)
  const label = toTextOr(currency, '')
  if (type === 'PCT') return `${toTextOr(value, 'an unknown')} % of the ${label === '' ? '' : `${label} `}balance`
  return `an amount of the type ${toTextOr(statedType, '(not named)')}`
}

const describeMethod = (method: unknown) =>
  isFiat(method) ? ` by ${toTextOr(method, '')}` : ` on ${toTextOr(method, 'no network')}`

function describeFee(rule: LooseRule): string {
  const {developerFeeType, developerFeeAmount} = rule.transactionTemplate?.developerFee ?? {}
  if (developerFeeAmount === undefined || isZeroAmount(toText(developerFeeAmount))) return ''
  const currency = readCode(developerFeeType) === 'SOURCE_CURRENCY' ? getSourceCurrency(rule) : developerFeeType
  return `; developer fee ${describeAmount(developerFeeAmount, currency)}`
}

// Such as: moves 100.00 USDC on BASE from wallet W to bank account B, arriving as USD by ACH
function describeMovement(rule: LooseRule, from: string): string {
  const {source, destination} = rule.transactionTemplate ?? {}
  const {destinationPaymentAccountId, destinationPaymentMethod, destinationCurrency} = destination ?? {}
  const to = isFiat(destinationPaymentMethod) ? 'bank account' : 'wallet'
  const currency = toTextOr(getCurrencyLabel(destinationCurrency), 'an unknown currency')
  return [
    `moves ${describeRuleAmount(rule)}${describeMethod(source?.sourcePaymentMethod)} from ${from}`,
    ` to ${to} ${toTextOr(destinationPaymentAccountId, '(not named)')}`,
    `, arriving as ${currency}${describeMethod(destinationPaymentMethod)}`,
    describeFee(rule),
  ].join('')
}

// Never throws, whatever the rule lacks. A threshold trigger already names the wallet.
export function describeRule(rule: LooseRule): string {
  const from = readCode(rule.trigger?.type) === 'THRESHOLD_BASED' ? 'it' : describeWallet(rule)
  return `${describeTrigger(rule)}, ${describeMovement(rule, from)}.`
}
