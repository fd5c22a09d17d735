import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {describeRule} from '../../../src/rules/describe-rule.ts'
import {toConfiguration} from '../../../src/rules/rule-configuration.ts'
import {configuration} from './rule-service.ts'
import {seed} from '../../support/seed.ts'

const withTemplate = (template: object, more: Record<string, unknown> = {}) =>
  toConfiguration({
    ...configuration(more),
    transactionTemplate: {...configuration().transactionTemplate, ...template},
  })

describe('the description of a rule', () => {
  it('includes the threshold, the percentage and the fee', () => {
    const rule = withTemplate(
      {
        amount: {type: 'PCT', value: '25'},
        developerFee: {developerFeeType: 'SOURCE_CURRENCY', developerFeeAmount: '1'},
        destination: {
          destinationPaymentAccountId: 'X',
          destinationPaymentMethod: 'POLYGON',
          destinationCurrency: 'USDC',
        },
      },
      {trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '500'}},
    )
    expect(describeRule(rule)).toBe(
      'When the wallet holds 500 USDC or more, moves 25 % of the balance from wallet-1 BASE USDC to X POLYGON USDC; developer fee 1 USDC.',
    )
  })

  it('exists whatever a service sends', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (source, amount, trigger) => {
        const rule = {
          name: 1,
          transactionTemplate: {source, amount, destination: amount, developerFee: source},
          trigger,
        }
        expect(describeRule(toConfiguration(rule))).toMatch(/\.$/)
      }),
      {seed},
    )
  })
})
