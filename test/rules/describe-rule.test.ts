import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {describeRule} from '../../src/rules/describe-rule.ts'
import {toConfiguration} from '../../src/rules/rule-configuration.ts'
import {configuration} from './rule-service.ts'

const withTemplate = (template: object, more: Record<string, unknown> = {}) =>
  toConfiguration({
    ...configuration(more),
    transactionTemplate: {...configuration().transactionTemplate, ...template},
  })

describe('the description of a rule', () => {
  it('includes schedule, amount, accounts and fee', () => {
    const rule = withTemplate({developerFee: {developerFeeType: 'SOURCE_CURRENCY', developerFeeAmount: '1'}})
    expect(describeRule(rule)).toBe(
      'At 09:00, Monday through Friday (0 9 * * 1-5, UTC), moves 100.00 USDC from wallet-1 BASE USDC to bank-1 ACH USD; developer fee 1 USDC.',
    )
  })

  it('includes the threshold and the percentage', () => {
    const rule = withTemplate(
      {
        amount: {type: 'PCT', value: '25'},
        destination: {
          destinationPaymentAccountId: 'X',
          destinationPaymentMethod: 'POLYGON',
          destinationCurrency: 'USDC',
        },
      },
      {trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '500'}},
    )
    expect(describeRule(rule)).toBe(
      'When the wallet holds 500 USDC or more, moves 25 % of the balance from wallet-1 BASE USDC to X POLYGON USDC.',
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
    )
  })
})
