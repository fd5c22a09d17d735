// An automation rule in words: when it fires, what it moves, from where to where, and for which fee.
import {findCurrencyDecimals, formatAmount} from '../validation/currencies.ts'
import {isZeroAmount} from '../validation/money.ts'
import {fiatMethods} from '../contract/methods.ts'
import {toText} from '../cli/output/view.ts'
import type {RuleConfiguration} from './rule-configuration.ts'
import {describeSchedule} from './describe-schedule.ts'

// A rule may come from any service, so every value may be missing or be of another kind.
type Loose<T> = T extends object ? {[K in keyof T]?: Loose<T[K]>} | undefined : T | undefined
type Rule = Loose<RuleConfiguration>
type Template = NonNullable<Rule>['transactionTemplate']

const toTextOr = (value: unknown, otherwise: string) => toText(value).trim() || otherwise

// An amount with its currency, as people read it: 100.00 USDC.
export function describeAmount(amount: unknown, currency: unknown, decimals?: number): string {
  const label = toTextOr(currency, '')
  const text = formatAmount(toTextOr(amount, 'an unknown amount'), decimals ?? findCurrencyDecimals(label))
  return label === '' ? text : `${text} ${label}`
}

const isFiat = (method: unknown) => (fiatMethods as readonly unknown[]).includes(method)

const getSource = (rule: Rule) => rule?.transactionTemplate?.source

const describeWallet = (rule: Rule) => `wallet ${toTextOr(getSource(rule)?.sourcePaymentAccountId, '(not named)')}`

// When it fires, with a capital and without a full stop: Every weekday at 09:00 UTC.
function describeTrigger(rule: Rule): string {
  const {type, cronSchedule, thresholdAmount} = (rule?.trigger ?? {}) as Readonly<Record<string, unknown>>
  if (type === 'TIME_BASED') return typeof cronSchedule === 'string' ? describeSchedule(cronSchedule) : 'On no schedule'
  if (type === 'THRESHOLD_BASED') {
    return `When ${describeWallet(rule)} holds ${describeAmount(thresholdAmount, getSource(rule)?.sourceCurrency)} or more`
  }
  return `On a trigger of the kind ${toTextOr(type, '(not named)')}`
}

// What it moves each time: a sum, or a share of the balance.
function describeRuleAmount(rule: Rule): string {
  const {type, value} = (rule?.transactionTemplate?.amount ?? {}) as Readonly<Record<string, unknown>>
  const currency = getSource(rule)?.sourceCurrency
  if (type === 'FLAT') return describeAmount(value, currency)
  const label = toTextOr(currency, '')
  if (type === 'PCT') return `${toTextOr(value, 'an unknown')} % of the ${label === '' ? '' : `${label} `}balance`
  return `an amount of the kind ${toTextOr(type, '(not named)')}`
}

const describeMethod = (method: unknown) =>
  isFiat(method) ? ` by ${toTextOr(method, '')}` : ` on ${toTextOr(method, 'no network')}`

function describeFee(template: Template): string {
  const {developerFeeType, developerFeeAmount} = template?.developerFee ?? {}
  if (developerFeeAmount === undefined || isZeroAmount(toText(developerFeeAmount))) return ''
  const currency = developerFeeType === 'SOURCE_CURRENCY' ? template?.source?.sourceCurrency : developerFeeType
  return `; developer fee ${describeAmount(developerFeeAmount, currency)}`
}

// What it does when it fires: moves 100.00 USDC on BASE from wallet W to bank account B, arriving as USD by ACH.
function describeMovement(rule: Rule, from = describeWallet(rule)): string {
  const template = rule?.transactionTemplate
  const {destinationPaymentAccountId, destinationPaymentMethod, destinationCurrency} = template?.destination ?? {}
  const to = isFiat(destinationPaymentMethod) ? 'bank account' : 'wallet'
  return [
    `moves ${describeRuleAmount(rule)}${describeMethod(template?.source?.sourcePaymentMethod)} from ${from}`,
    ` to ${to} ${toTextOr(destinationPaymentAccountId, '(not named)')}`,
    `, arriving as ${toTextOr(destinationCurrency, 'an unknown currency')}${describeMethod(destinationPaymentMethod)}`,
    describeFee(template),
  ].join('')
}

// The whole rule as one sentence. It takes any configuration, and never throws. A threshold has named the wallet already.
export const describeRule = (rule: Rule): string =>
  `${describeTrigger(rule)}, ${rule?.trigger?.type === 'THRESHOLD_BASED' ? describeMovement(rule, 'it') : describeMovement(rule)}.`
