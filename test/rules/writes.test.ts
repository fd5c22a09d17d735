// Writes of rules that are never done twice, with answers that are lost, late and ambiguous.
import {describe, expect, it} from 'vitest'
import {ruleCreate, ruleUpdate} from '../../src/contract/rules.ts'
import {type RuleConfiguration, toConfiguration} from '../../src/rules/rule-configuration.ts'
import {createRuleOnce, deleteRule, updateRule} from '../../src/rules/writes.ts'
import {createTestClient, captureError} from '../client/raw-service.ts'
import {answered, configuration, serveRules} from './rule-service.ts'

const wanted = configuration() as unknown as RuleConfiguration
// A service on this machine lags by no more than a test says.
const quickly = {pausesMs: [0, 5, 5]}
const other = answered('rule-other', {name: 'Other'})

describe('creating a rule', () => {
  it('sends a strict body once, where no equal rule is there', async () => {
    const service = await serveRules({rules: [other]})
    const created = await createRuleOnce(createTestClient(service.url), wanted)
    expect(created).toMatchObject({rule: {id: 'rule-new'}, adopted: false, sent: true})
    expect(service.writes).toHaveLength(1)
    const body: unknown = JSON.parse(service.writes[0]?.body ?? '')
    expect(ruleCreate.parse(body)).toEqual(body)
    expect(service.asked[0]?.query.get('customerId')).toBe(wanted.customerId)
  })

  it('adopts an equal rule, in whatever spelling, and sends nothing', async () => {
    const service = await serveRules({rules: [other, answered('rule-1')]})
    expect(await createRuleOnce(createTestClient(service.url), wanted)).toMatchObject({
      rule: {id: 'rule-1'},
      adopted: true,
      sent: false,
      twins: [],
    })
    expect(service.writes).toEqual([])
  })

  it('says which other rules are equal as well, since each of them pays', async () => {
    const service = await serveRules({rules: [answered('rule-1'), answered('rule-2')]})
    expect(await createRuleOnce(createTestClient(service.url), wanted)).toMatchObject({
      rule: {id: 'rule-1'},
      twins: [{id: 'rule-2'}],
    })
    expect(service.writes).toEqual([])
  })

  it('does not list where the caller has the rules already', async () => {
    const service = await serveRules()
    await createRuleOnce(createTestClient(service.url), wanted, {existing: []})
    expect(service.asked.map(({method}) => method)).toEqual(['POST'])
  })

  it('adopts the rule that it made, when the answer was lost and the list lags', async () => {
    const service = await serveRules({rules: [other], lose: 'after', lag: 2})
    let settling = 0
    const created = await createRuleOnce(createTestClient(service.url), wanted, {
      ...quickly,
      onLostReply: () => settling++,
    })
    expect(created).toMatchObject({rule: {id: 'rule-new'}, adopted: true, sent: true})
    expect({settling, writes: service.writes.length, rules: service.rules.length}).toEqual({
      settling: 1,
      writes: 1,
      rules: 2,
    })
  })

  it('adopts no rule that was there before', async () => {
    const stale = answered('rule-1')
    const service = await serveRules({rules: [stale], lose: 'before'})
    const failure = await captureError(
      createRuleOnce(createTestClient(service.url), wanted, {
        ...quickly,
        existing: [{...other, id: 'rule-1'} as never],
      }),
    )
    expect(failure).toMatchObject({exitCode: 7})
  })

  it('stays unknown where no new rule appears, and says that it may be run again', async () => {
    const service = await serveRules({lose: 'before'})
    const failure = await captureError(createRuleOnce(createTestClient(service.url), wanted, quickly))
    expect(failure).toMatchObject({exitCode: 7, error: 'OUTCOME_UNKNOWN'})
    expect(failure.message).toContain('no such rule is listed so far')
    expect(failure.hint).toContain('Run it again in a minute')
    expect(service.writes).toHaveLength(1)
  })

  it('stops where several new rules are equal, and names them', async () => {
    const service = await serveRules({lose: 'after', made: [answered('rule-a'), answered('rule-b')]})
    const failure = await captureError(createRuleOnce(createTestClient(service.url), wanted, quickly))
    expect(failure).toMatchObject({exitCode: 7})
    expect(failure.message).toContain('rule-a, rule-b')
    expect(failure.hint).toContain('svc rules delete')
  })

  it('stays unknown where the rules cannot be listed afterwards', async () => {
    const service = await serveRules({lose: 'after', readsThen: 403})
    const failure = await captureError(createRuleOnce(createTestClient(service.url), wanted, quickly))
    expect(failure).toMatchObject({exitCode: 7})
    expect(failure.message).toContain('could not be listed either')
  })

  it('sends nothing where the rules cannot be listed before', async () => {
    const service = await serveRules()
    const failure = await captureError(createRuleOnce(createTestClient(`${service.url}/nowhere`), wanted, {}))
    expect(failure.exitCode).not.toBe(7)
    expect(service.writes).toEqual([])
  })
})

describe('updating a rule', () => {
  const changed = toConfiguration({
    ...wanted,
    transactionTemplate: {...wanted.transactionTemplate, amount: {type: 'PCT', value: '25'}},
  })

  it('sends the complete configuration with its id, strictly', async () => {
    const service = await serveRules({rules: [answered('rule-1')]})
    expect(await updateRule(createTestClient(service.url), 'rule-1', changed, quickly)).toMatchObject({id: 'rule-1'})
    const body: unknown = JSON.parse(service.writes[0]?.body ?? '')
    expect(ruleUpdate.parse(body)).toEqual({id: 'rule-1', ...changed})
  })

  it('is done when the answer was lost and the rule is as it was wanted, if late', async () => {
    const service = await serveRules({rules: [answered('rule-1')], lose: 'after', lag: 1})
    expect(await updateRule(createTestClient(service.url), 'rule-1', changed, quickly)).toMatchObject({
      transactionTemplate: {amount: {type: 'PCT', value: '25'}},
    })
    expect(service.writes).toHaveLength(1)
  })

  it('is unknown when the answer was lost and the rule is as it was', async () => {
    const service = await serveRules({rules: [answered('rule-1')], lose: 'before'})
    const failure = await captureError(updateRule(createTestClient(service.url), 'rule-1', changed, quickly))
    expect(failure).toMatchObject({exitCode: 7})
    expect(failure.message).toContain('not changed so far')
    expect(failure.hint).toContain('svc rules get rule-1')
  })
})

describe('deleting a rule', () => {
  it('returns the rule that is gone', async () => {
    const service = await serveRules({rules: [answered('rule-1')]})
    expect(await deleteRule(createTestClient(service.url), 'rule-1', quickly)).toEqual(answered('rule-1'))
    expect(service.rules).toEqual([])
  })

  it('returns it as it was read before, when the answer was lost', async () => {
    const service = await serveRules({rules: [answered('rule-1')], lose: 'after', lag: 1})
    expect(await deleteRule(createTestClient(service.url), 'rule-1', quickly)).toEqual(answered('rule-1'))
    expect(service.writes).toHaveLength(1)
  })

  it('is unknown when the answer was lost and the rule is still there', async () => {
    const service = await serveRules({rules: [answered('rule-1')], lose: 'before'})
    const failure = await captureError(deleteRule(createTestClient(service.url), 'rule-1', quickly))
    expect(failure).toMatchObject({exitCode: 7})
    expect(failure.message).toContain('still there')
  })
})
