// The questions about the developer fee, which quotes and rules share.
import {isZeroAmount} from '../../values/money.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {toText} from '../../cli/output/view.ts'
import {getValue, withoutValue} from '../../cli/wizard/body-paths.ts'
import type {Question} from '../../cli/wizard/steps.ts'

export const amountHint = 'digits and a point, such as 120.50'

// A comma may separate thousands, so it is not taken for the decimal point.
export const explainAmount = (typed: string): string | undefined =>
  /^[\d.]*\d,\d[\d.,]*$/.test(typed) ? 'It is written with a point and no comma, such as 120.50' : undefined

const amountWithCurrency = /^([\d.]+)\s*([a-z]{3,10})$/i

// The currency that is asked for may be typed with the amount.
export function stripCurrency(typed: string, currency: string): string {
  const [, amount = typed, code = ''] = amountWithCurrency.exec(typed) ?? []
  return code.toUpperCase() === currency.toUpperCase() ? amount : typed
}

// A quote takes the amount that leaves. The interface has no way to ask for the one that arrives.
export function explainOtherCurrency(typed: string, currency: string, arriving: string): string | undefined {
  const [, amount = '', code = ''] = amountWithCurrency.exec(typed) ?? []
  if (amount === '' || code.toUpperCase() === currency.toUpperCase()) return undefined
  const leaves = `It is the amount that leaves, in ${currency}; what arrives is shown before you pay`
  if (code.toUpperCase() !== arriving.toUpperCase()) return leaves
  return `${leaves}. At least ${amount} ${arriving}: --min-received ${amount} stops the payment if it would be less`
}

export interface FeePaths {
  // The path of the fee in the body.
  path: string
  // The path of the source currency.
  currency: string
}

const describeFee = (currency: string) =>
  `your own fee in ${currency === '' ? 'the source currency' : currency}${currency === 'USD' ? '' : ' or USD'}; the service deducts it for you from the amount paid, so less arrives`

// If the source currency is USD, both fee types mean USD, so the type is not asked for.
export function buildFeeQuestions(body: Body, {path, currency}: FeePaths, hint?: string): Question[] {
  const label = toText(getValue(body, currency))
  const amount: Question = {
    path: `${path}.developerFeeAmount`,
    label: 'Developer fee',
    hint: hint ?? describeFee(label),
    kind: 'text',
    isRequired: false,
    explainText: (_, typed) => explainAmount(typed),
    afterAnswer: (next) =>
      getValue(next, `${path}.developerFeeAmount`) === undefined ? withoutValue(next, path) : next,
  }
  const type: Question = {
    path: `${path}.developerFeeType`,
    label: 'In which currency is the fee?',
    kind: 'one-of',
    isRequired: true,
    choices: [
      {name: label ? `${label}, the source currency` : 'The source currency', value: 'SOURCE_CURRENCY'},
      {name: 'USD', value: 'USD'},
    ],
  }
  const fee = getValue(body, amount.path)
  const needsType = fee !== undefined && !isZeroAmount(toText(fee)) && label !== 'USD'
  return needsType ? [amount, type] : [amount]
}
