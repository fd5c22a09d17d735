// Configurations of rules: a fixed one, and arbitrary valid ones for fast-check.
import * as fc from 'fast-check'
import {cryptoMethods, developerFeeTypes, fiatMethods} from '../../src/contract/vocabulary.ts'
import {type RuleConfiguration, toConfiguration} from '../../src/rules/rule-configuration.ts'
import {configuration} from './rule-service.ts'
import {anySchedule} from './schedules.ts'

type Template = RuleConfiguration['transactionTemplate']

export const withTemplate = (template: Partial<Template>, more: Partial<RuleConfiguration> = {}): RuleConfiguration =>
  toConfiguration({
    ...configuration(),
    ...more,
    transactionTemplate: {...configuration().transactionTemplate, ...template},
  })

const digits = (max: number) => fc.stringMatching(new RegExp(`^\\d{1,${max}}$`))
const amount = fc.oneof(
  digits(30),
  fc.tuple(digits(12), digits(18)).map(([whole, fraction]) => `${whole}.${fraction}`),
)
const text = fc.string({minLength: 1})
const method = fc.constantFrom(...cryptoMethods, ...fiatMethods)
const label = fc.oneof(fc.constantFrom('USDC', 'USDT', 'USD', 'EUR', 'JPY', 'KWD'), text)

export const anyConfiguration: fc.Arbitrary<RuleConfiguration> = fc.record({
  name: text,
  customerId: fc.uuid(),
  transactionTemplate: fc.record(
    {
      source: fc.record({sourcePaymentAccountId: text, sourcePaymentMethod: method, sourceCurrency: label}),
      destination: fc.record({
        destinationPaymentAccountId: text,
        destinationPaymentMethod: method,
        destinationCurrency: label,
      }),
      amount: fc.oneof(
        fc.record({type: fc.constant('FLAT' as const), value: amount}),
        fc.record({type: fc.constant('PCT' as const), value: fc.integer({min: 0, max: 100}).map(String)}),
      ),
      developerFee: fc.record({
        developerFeeType: fc.constantFrom(...developerFeeTypes),
        developerFeeAmount: amount,
      }),
    },
    {requiredKeys: ['source', 'destination', 'amount']},
  ),
  trigger: fc.oneof(
    fc.record({type: fc.constant('TIME_BASED' as const), cronSchedule: anySchedule}),
    fc.record({type: fc.constant('THRESHOLD_BASED' as const), thresholdAmount: amount}),
  ),
})
