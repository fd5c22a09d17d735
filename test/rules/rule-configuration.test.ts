// Rules in the form of requests, and when two of them are equal.
import {describe, expect, it} from 'vitest'
import {parseJson} from '../../src/values/json.ts'
import {ruleCreate} from '../../src/contract/rules.ts'
import {
  type RuleConfiguration,
  applyChanges,
  toConfiguration,
  diffRules,
  isChangeable,
  isSameRule,
} from '../../src/rules/rule-configuration.ts'
import {answered, configuration} from './rule-service.ts'

const wanted = (more = {}) => configuration(more) as unknown as RuleConfiguration
const bank = configuration().transactionTemplate.destination
const template = (more: object) => ({transactionTemplate: {...configuration().transactionTemplate, ...more}})

describe('the configuration of a rule that the service sent', () => {
  it('is a valid request: currency labels, no nulls, no unknown fields', () => {
    const form = toConfiguration(answered('rule-1'))
    expect(ruleCreate.parse(form)).toEqual(form)
    expect(form).toEqual(wanted(template({amount: {type: 'FLAT', value: '100.000000'}})))
  })

  it.each([
    ['100.0', '100'],
    ['"1E+2"', '100'],
    ['"00100.50"', '00100.50'],
    ['12345678901234567890.5', '12345678901234567890.5'],
  ])('converts an amount sent as %s to the decimal string %s', (came, text) => {
    const form = toConfiguration(configuration(template({amount: {type: 'FLAT', value: parseJson(came)}})))
    expect(form.transactionTemplate.amount.value).toBe(text)
    expect(ruleCreate.safeParse(form).success).toBe(true)
  })

  it.each([null, {}, {developerFeeType: null, developerFeeAmount: null}])('has no fee if it was %j', (developerFee) => {
    expect(toConfiguration(configuration(template({developerFee}))).transactionTemplate).not.toHaveProperty(
      'developerFee',
    )
  })

  it('does not throw if fields are missing', () => {
    expect(() => toConfiguration({id: 'rule-1', transactionTemplate: null, trigger: 7})).not.toThrow()
    expect(() => toConfiguration(null)).not.toThrow()
  })
})

describe('two rules', () => {
  it.each([
    ['an amount with more zeros', template({amount: {type: 'FLAT', value: '100.0000'}})],
    ['a schedule with other spaces', {trigger: {type: 'TIME_BASED', cronSchedule: ' 0 9  * * 1-5 '}}],
    ['a fee of 0', template({developerFee: {developerFeeType: 'USD', developerFeeAmount: '0.00'}})],
    [
      'codes in small letters',
      template({destination: {...bank, destinationPaymentMethod: 'ach', destinationCurrency: 'usd'}}),
    ],
    ['a UUID in capitals', {customerId: '0000000A-0000-4000-8000-000000000001'}],
  ])('are equal with %s', (_, more) => {
    const id = {customerId: '0000000a-0000-4000-8000-000000000001'}
    expect(isSameRule(wanted(id), wanted({...id, ...more}))).toBe(true)
  })

  it.each([
    ['name', {name: 'payroll'}],
    ['transactionTemplate.amount.value', template({amount: {type: 'FLAT', value: '100.01'}})],
    ['transactionTemplate.amount.type', template({amount: {type: 'PCT', value: '100'}})],
    ['trigger.cronSchedule', {trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * 1-6'}}],
    [
      'transactionTemplate.destination.destinationPaymentAccountId',
      template({destination: {...bank, destinationPaymentAccountId: 'BANK-1'}}),
    ],
  ])('differ in %s', (path, more) => {
    expect(diffRules(wanted(), wanted(more)).map((difference) => difference.path)).toEqual([path])
  })

  it('keep the spelling of what is equal when one becomes the other', () => {
    const before = wanted({trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '500.00'}})
    const after = wanted({
      ...template({amount: {type: 'PCT', value: '5'}}),
      trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '500'},
    })
    expect(applyChanges(before, diffRules(before, after))).toEqual({
      ...before,
      transactionTemplate: after.transactionTemplate,
    })
  })
})

it.each([
  ['transactionTemplate.amount.value', true],
  ['transactionTemplate.developerFee', true],
  ['transactionTemplate.destination.destinationCurrency', true],
  ['transactionTemplate.amounts', false],
  ['transactionTemplate.source.sourceCurrency', false],
  ['trigger.cronSchedule', false],
  ['name', false],
])('the service can change %s: %s', (path, can) => {
  expect(isChangeable(path)).toBe(can)
})
