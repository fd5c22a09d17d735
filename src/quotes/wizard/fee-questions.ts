// The questions about sums of money that quotes and rules share: how much, and the developer fee.
import {isZeroAmount} from '../../validation/money.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {toText} from '../../cli/output/view.ts'
import {getValue, withoutValue} from '../../cli/wizard/body-paths.ts'
import type {Question} from '../../cli/wizard/steps.ts'

export const amountHint = 'digits and a point, such as 120.50'

export interface FeePaths {
  // Where the fee stands in the body.
  path: string
  // Where the currency that leaves stands.
  currency: string
}

// A fee in dollars is one in the source currency where that is the dollar, so it is not asked in which.
export function buildFeeQuestions(body: Body, {path, currency}: FeePaths, hint?: string): Question[] {
  const label = toText(getValue(body, currency))
  const amount: Question = {
    path: `${path}.developerFeeAmount`,
    label: 'Developer fee',
    hint: hint ?? 'what the service deducts for you',
    kind: 'text',
    isRequired: false,
    afterAnswer: (next) =>
      getValue(next, `${path}.developerFeeAmount`) === undefined ? withoutValue(next, path) : next,
  }
  const type: Question = {
    path: `${path}.developerFeeType`,
    label: 'In which currency is the fee?',
    kind: 'one-of',
    isRequired: true,
    choices: [
      {name: `${label || 'The one that leaves'}, as what leaves`, value: 'SOURCE_CURRENCY'},
      {name: 'USD', value: 'USD'},
    ],
  }
  const present = getValue(body, amount.path)
  const isAsked = present !== undefined && !isZeroAmount(toText(present)) && label !== 'USD'
  return isAsked ? [amount, type] : [amount]
}
