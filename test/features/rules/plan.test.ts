// Plans for files of rules: how rules are matched and compared, and which steps follow.
import {describe, expect, it} from 'vitest'
import {type ExistingRule, planChanges, toPlanError, toPlanRow} from '../../../src/rules/apply/plan.ts'
import type {WantedRule} from '../../../src/rules/rule-file.ts'
import {type SampleRule, ada, atTime, bo, ofAmount, payout} from './samples.ts'

const weekly = payout('Weekly')
const known = {...weekly, id: 'r1'}
const twin = {...ofAmount(known, '7'), id: 'r2'}
const extra = {...payout('Extra'), id: 'r9'}

function plan(
  file: readonly SampleRule[],
  service: readonly SampleRule[],
  options: {replace?: true; prune?: true} = {},
) {
  return planChanges(
    file.map(({id, ...configuration}) => ({id, configuration})) as unknown as WantedRule[],
    service as unknown as ExistingRule[],
    {replace: false, prune: false, ...options},
  )
}

const {source, destination} = weekly.transactionTemplate
const {developerFee: _, ...withoutFee} = weekly.transactionTemplate
const withFee = (rule: SampleRule, developerFeeAmount: string): SampleRule => ({
  ...rule,
  transactionTemplate: {...withoutFee, developerFee: {developerFeeType: 'USD', developerFeeAmount}},
})
const toAccount = (rule: SampleRule, destinationPaymentAccountId: string): SampleRule => ({
  ...rule,
  transactionTemplate: {...rule.transactionTemplate, destination: {...destination, destinationPaymentAccountId}},
})

describe('a plan', () => {
  it.each<[string, SampleRule[], SampleRule[], {replace?: true; prune?: true}, string[]]>([
    ['creates what the service does not have', [weekly], [], {}, ['create Weekly']],
    ['removes a fee', [{...weekly, transactionTemplate: withoutFee}], [known], {}, ['update r1 Weekly']],
    [
      'takes a fee of 0 for none',
      [withFee(weekly, '0.00')],
      [{...known, transactionTemplate: withoutFee}],
      {},
      ['unchanged r1 Weekly'],
    ],
    ['reads the digits of a number', [weekly], [ofAmount(known, JSON.rawJSON('1001E-1'))], {}, ['unchanged r1 Weekly']],
    [
      'keeps to the case of what is no UUID',
      [toAccount(weekly, 'a')],
      [toAccount(known, 'A')],
      {},
      ['update r1 Weekly'],
    ],
    ['matches by id first: a name is fixed', [{...payout('Monthly'), id: 'r1'}], [known], {}, ['refused r1 Monthly']],
    ['replaces what is fixed', [{...payout('Monthly'), id: 'r1'}], [known], {replace: true}, ['replace r1 Monthly']],
    ['matches by customer and name', [{...weekly, id: 'gone'}], [known], {}, ['unchanged r1 Weekly']],
    ['keeps to a customer', [{...known, customerId: bo.customerId}], [known], {}, ['refused r1 Weekly']],
    ['refuses a name of several', [weekly], [known, twin], {replace: true}, ['refused Weekly']],
    [
      'tells the same names apart by id',
      [known, twin],
      [known, twin],
      {},
      ['unchanged r1 Weekly', 'unchanged r2 Weekly'],
    ],
    ['refuses the same names without them', [known, twin], [], {}, ['refused Weekly', 'refused Weekly']],
    ['leaves others', [weekly], [known, extra], {}, ['unchanged r1 Weekly']],
    [
      'deletes others with --prune',
      [weekly],
      [known, extra],
      {prune: true},
      ['unchanged r1 Weekly', 'delete r9 Extra'],
    ],
  ])('%s', (_name, file, service, options, steps) => {
    const brief = plan(file, service, options).map(({action, id, name}) => [action, id, name].filter(Boolean).join(' '))
    expect(brief).toEqual(steps)
  })

  it('updates changed fields, and sends the others as the service spells them', () => {
    const respelled: SampleRule = {
      ...weekly,
      customerId: ada.customerId.toUpperCase(),
      transactionTemplate: {
        source: {...source, sourceCurrency: 'usdc'},
        destination: {...destination, destinationCurrency: 'usd'},
        amount: {type: 'FLAT', value: '0120.500'},
        developerFee: {developerFeeType: 'USD', developerFeeAmount: '1.00'},
      },
      trigger: {type: 'TIME_BASED', cronSchedule: ' 0  9 * * 1 '},
    }
    const [step] = plan([respelled], [known])
    expect(step && toPlanRow(step)).toEqual({
      action: 'update',
      id: 'r1',
      name: 'Weekly',
      customerId: ada.customerId.toUpperCase(),
      changes: [{path: 'transactionTemplate.amount.value', from: '100.10', to: '0120.500'}],
    })
    expect(step?.configuration).toEqual(ofAmount(weekly, '0120.500'))
  })

  it('lists every fixed difference with both values, and advises --replace', () => {
    const other = {...payout('Other', bo), id: 'r2'}
    const ofBalance = {...other, trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '5'}}
    const error = toPlanError(plan([atTime(weekly, '0 9 * * 2'), ofBalance], [known, other]))
    expect(error).toMatchObject({error: 'RULE_FIELD_FIXED', exitCode: 3})
    expect(error?.hint).toContain('--replace')
    expect(error?.problems).toEqual([
      '"Weekly" (r1): trigger.cronSchedule from 0 9 * * 1 to 0 9 * * 2',
      '"Other" (r2): trigger.type from TIME_BASED to THRESHOLD_BASED',
      '"Other" (r2): trigger.cronSchedule from 0 9 * * 1 to nothing',
      '"Other" (r2): trigger.thresholdAmount from nothing to 5',
    ])
  })

  const odd = {...known, transactionTemplate: {...withoutFee, source: {...source, sourcePaymentMethod: 'TRON'}}}

  it.each([
    ['several have its name', plan([weekly], [known, twin]), 'r1, r2'],
    ['it cannot be sent back', plan([ofAmount(odd, '7')], [odd]), 'sourcePaymentMethod'],
    ['its successor is not valid', plan([{...known, name: ''}], [known], {replace: true}), 'name'],
  ])('refuses a rule before anything is deleted, and says why: %s', (_why, steps, reason) => {
    expect(toPlanError(steps)).toMatchObject({exitCode: 3, error: 'RULE_REFUSED'})
    expect(toPlanError(steps)?.problems?.[0]).toContain(reason)
  })
})
