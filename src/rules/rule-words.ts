// An automation rule in words: when it fires, what it moves, from where to where, and for which fee.
import {findCurrencyDecimals, formatAmount} from '../validation/currencies.ts'
import {isZeroAmount} from '../validation/money.ts'
import {fiatMethods} from '../contract/methods.ts'
import {toText} from '../cli/output/view.ts'
import type {RuleConfiguration} from './rule-form.ts'
import {scheduleWords} from './schedule-words.ts'

// A rule may come from any service, so every value may be missing or be of another kind.
type Loose<T> = T extends object ? {[K in keyof T]?: Loose<T[K]>} | undefined : T | undefined
type Rule = Loose<RuleConfiguration>
type Template = NonNullable<Rule>['transactionTemplate']

const told = (value: unknown, otherwise: string) => toText(value).trim() || otherwise

// An amount with its currency, as people read it: 100.00 USDC.
export function sumWords(amount: unknown, currency: unknown, decimals?: number): string {
  const label = told(currency, '')
  const text = formatAmount(told(amount, 'an unknown amount'), decimals ?? findCurrencyDecimals(label))
  return label === '' ? text : `${text} ${label}`
}

const isFiat = (method: unknown) => (fiatMethods as readonly unknown[]).includes(method)

const sourceOf = (rule: Rule) => rule?.transactionTemplate?.source

const wallet = (rule: Rule) => `wallet ${told(sourceOf(rule)?.sourcePaymentAccountId, '(not named)')}`

// When it fires, with a capital and without a full stop: Every weekday at 09:00 UTC.
function triggerWords(rule: Rule): string {
  const {type, cronSchedule, thresholdAmount} = (rule?.trigger ?? {}) as Readonly<Record<string, unknown>>
  if (type === 'TIME_BASED') return typeof cronSchedule === 'string' ? scheduleWords(cronSchedule) : 'On no schedule'
  if (type === 'THRESHOLD_BASED') {
    return `When ${wallet(rule)} holds ${sumWords(thresholdAmount, sourceOf(rule)?.sourceCurrency)} or more`
  }
  return `On a trigger of the kind ${told(type, '(not named)')}`
}

// What it moves each time: a sum, or a share of the balance.
function amountWords(rule: Rule): string {
  const {type, value} = (rule?.transactionTemplate?.amount ?? {}) as Readonly<Record<string, unknown>>
  const currency = sourceOf(rule)?.sourceCurrency
  if (type === 'FLAT') return sumWords(value, currency)
  const label = told(currency, '')
  if (type === 'PCT') return `${told(value, 'an unknown')} % of the ${label === '' ? '' : `${label} `}balance`
  return `an amount of the kind ${told(type, '(not named)')}`
}

const onNetwork = (method: unknown) =>
  isFiat(method) ? ` by ${told(method, '')}` : ` on ${told(method, 'no network')}`

function feeWords(template: Template): string {
  const {developerFeeType, developerFeeAmount} = template?.developerFee ?? {}
  if (developerFeeAmount === undefined || isZeroAmount(toText(developerFeeAmount))) return ''
  const currency = developerFeeType === 'SOURCE_CURRENCY' ? template?.source?.sourceCurrency : developerFeeType
  return `; developer fee ${sumWords(developerFeeAmount, currency)}`
}

// What it does when it fires: moves 100.00 USDC on BASE from wallet W to bank account B, arriving as USD by ACH.
function movementWords(rule: Rule, from = wallet(rule)): string {
  const template = rule?.transactionTemplate
  const {destinationPaymentAccountId, destinationPaymentMethod, destinationCurrency} = template?.destination ?? {}
  const to = isFiat(destinationPaymentMethod) ? 'bank account' : 'wallet'
  return [
    `moves ${amountWords(rule)}${onNetwork(template?.source?.sourcePaymentMethod)} from ${from}`,
    ` to ${to} ${told(destinationPaymentAccountId, '(not named)')}`,
    `, arriving as ${told(destinationCurrency, 'an unknown currency')}${onNetwork(destinationPaymentMethod)}`,
    feeWords(template),
  ].join('')
}

// The whole rule as one sentence. It takes any configuration, and never throws. A threshold has named the wallet already.
export const ruleWords = (rule: Rule): string =>
  `${triggerWords(rule)}, ${rule?.trigger?.type === 'THRESHOLD_BASED' ? movementWords(rule, 'it') : movementWords(rule)}.`
