// Plans for files of rules: how rules are matched and compared, and which steps follow.
import {describe, expect, it} from 'vitest'
import {type ExistingRules, planChanges, toPlanError, toPlanRow} from '../../../src/rules/apply/plan.ts'
import type {WantedRule} from '../../../src/rules/rule-file.ts'
import {type SampleRule, ada, atTime, bo, ofAmount, payout} from '../samples.ts'

const noOptions = {replace: false, prune: false}

const has = (...rules: SampleRule[]): ExistingRules =>
  ({
    byId: new Map(rules.map((rule) => [rule.id, rule])),
    ofCustomers: rules,
    unknownIds: [],
  }) as unknown as ExistingRules

const wants = (...rules: SampleRule[]) =>
  rules.map(({id, ...configuration}) => ({id, configuration})) as unknown as WantedRule[]

const weekly = payout('Weekly')
const known = {...weekly, id: 'r1'}

const brief = (steps: ReturnType<typeof planChanges>) => steps.map(({action, id, name}) => [action, id, name].join(' '))

describe('a plan', () => {
  it('creates what the service does not have, and lists all of its fields', () => {
    const [step] = planChanges(wants(weekly), has(), noOptions)
    expect(step).toMatchObject({action: 'create', name: 'Weekly', customerId: ada.customerId, configuration: weekly})
    expect(step?.id).toBeUndefined()
    expect(step?.changes).toContainEqual({path: 'transactionTemplate.amount.value', to: '100.10'})
  })

  const {source, destination} = weekly.transactionTemplate
  const respelled: SampleRule = {
    ...weekly,
    customerId: ada.customerId.toUpperCase(),
    transactionTemplate: {
      source: {...source, sourceCurrency: 'usdc'},
      destination: {...destination, destinationCurrency: 'usd'},
      amount: {type: 'FLAT', value: '0100.100'},
      developerFee: {developerFeeType: 'USD', developerFeeAmount: '1.00'},
    },
    trigger: {type: 'TIME_BASED', cronSchedule: ' 0  9 * * 1 '},
  }

  it('updates changed fields, and sends the others as the service spells them', () => {
    const [step] = planChanges(wants(ofAmount(respelled, '120.50')), has(known), noOptions)
    expect(step && toPlanRow(step)).toEqual({
      action: 'update',
      id: 'r1',
      name: 'Weekly',
      customerId: ada.customerId.toUpperCase(),
      changes: [{path: 'transactionTemplate.amount.value', from: '100.10', to: '120.50'}],
    })
    expect(step?.configuration).toEqual(ofAmount(weekly, '120.50'))
  })

  it('removes a developer fee that the file does not have', () => {
    const {developerFee: _, ...template} = weekly.transactionTemplate
    const [step] = planChanges(wants({...weekly, transactionTemplate: template}), has(known), noOptions)
    expect(step).toMatchObject({action: 'update'})
    expect(step?.configuration).toEqual({...weekly, transactionTemplate: template})
  })

  it('matches by id first, so a new name is a change of a fixed field', () => {
    const renamed = {...payout('Monthly'), id: 'r1'}
    const steps = planChanges(wants(renamed), has(known), noOptions)
    expect(steps).toMatchObject([
      {action: 'refused', id: 'r1', changes: [{path: 'name', from: 'Weekly', to: 'Monthly'}]},
    ])
    expect(brief(planChanges(wants(renamed), has(known), {...noOptions, replace: true}))).toEqual([
      'replace r1 Monthly',
    ])
  })

  it('matches an id that the service does not have by customer and name', () => {
    expect(brief(planChanges(wants({...weekly, id: 'gone'}), has(known), noOptions))).toEqual(['unchanged r1 Weekly'])
  })

  it('treats another customer as a change of a fixed field', () => {
    const moved = {...weekly, id: 'r1', customerId: bo.customerId}
    const [step] = planChanges(wants(moved), has(known), noOptions)
    expect(step?.changes).toEqual([{path: 'customerId', from: ada.customerId, to: bo.customerId}])
    expect(step?.action).toBe('refused')
  })

  it('refuses a name that several rules have, and names their ids', () => {
    const steps = planChanges(wants(weekly), has(known, {...known, id: 'r2'}), {replace: true, prune: true})
    expect(toPlanError(steps)).toMatchObject({exitCode: 3, error: 'RULE_REFUSED'})
    expect(toPlanError(steps)?.problems?.[0]).toContain('r1, r2')
  })

  it('tells rules with the same name apart by their ids', () => {
    const twins = [known, {...ofAmount(known, '7'), id: 'r2'}]
    expect(brief(planChanges(wants(...twins), has(...twins), noOptions))).toEqual([
      'unchanged r1 Weekly',
      'unchanged r2 Weekly',
    ])
  })

  it('refuses rules with the same name if the service has none of their ids', () => {
    const steps = planChanges(wants({...weekly, id: 'a'}, {...weekly, id: 'b'}), has(), noOptions)
    expect(steps.map(({action}) => action)).toEqual(['refused', 'refused'])
  })

  it('lists every fixed difference with both values, and advises --replace', () => {
    const other = {...payout('Other', bo), id: 'r2'}
    const steps = planChanges(
      wants(atTime(weekly, '0 9 * * 2'), {...other, trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '5'}}),
      has(known, other),
      noOptions,
    )
    const error = toPlanError(steps)
    expect(error).toMatchObject({error: 'RULE_FIELD_FIXED', exitCode: 3})
    expect(error?.hint).toContain('--replace')
    expect(error?.problems).toEqual([
      '"Weekly" (r1): trigger.cronSchedule from 0 9 * * 1 to 0 9 * * 2',
      '"Other" (r2): trigger.type from TIME_BASED to THRESHOLD_BASED',
      '"Other" (r2): trigger.cronSchedule from 0 9 * * 1 to nothing',
      '"Other" (r2): trigger.thresholdAmount from nothing to 5',
    ])
  })

  it('deletes rules that the file does not have, only with --prune', () => {
    const extra = {...payout('Extra'), id: 'r9'}
    expect(brief(planChanges(wants(weekly), has(known, extra), noOptions))).toEqual(['unchanged r1 Weekly'])
    const steps = planChanges(wants(weekly), has(known, extra), {...noOptions, prune: true})
    expect(brief(steps)).toEqual(['unchanged r1 Weekly', 'delete r9 Extra'])
  })

  it('refuses to update a rule that cannot be sent back', () => {
    const odd = {
      ...known,
      transactionTemplate: {...known.transactionTemplate, source: {...source, sourcePaymentMethod: 'TRON'}},
    }
    const wanted = {...ofAmount(odd, '7')}
    const [step] = planChanges(wants(wanted), has(odd), noOptions)
    expect(step).toMatchObject({action: 'refused', reason: expect.stringContaining('sourcePaymentMethod') as string})
  })

  it('validates the new rule before it plans to delete the old one', () => {
    const wrong = {...atTime(weekly, '0 9 * * 2'), name: ''}
    const steps = planChanges(wants({...wrong, id: 'r1'}), has(known), {...noOptions, replace: true})
    expect(steps).toMatchObject([{action: 'refused', reason: expect.stringContaining('name') as string}])
  })
})
