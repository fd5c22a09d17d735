// Writes of rules happen once, also if replies are lost, late or ambiguous.
import {describe, expect, it} from 'vitest'
import {ruleCreate, ruleUpdate} from '../../src/contract/rules.ts'
import {type RuleConfiguration, toConfiguration} from '../../src/rules/rule-configuration.ts'
import {createRuleOnce, deleteRule, updateRule} from '../../src/rules/writes.ts'
import {createTestClient, captureError} from '../client/raw-service.ts'
import {answered, configuration, serveRules} from './rule-service.ts'

const wanted = configuration() as unknown as RuleConfiguration
// The test service lags by no more than the test says, so short pauses are enough.
const shortPauses = {pausesMs: [0, 5, 5]}
const other = answered('rule-other', {name: 'Other'})

describe('creating a rule', () => {
  it('sends a valid body once, if no equal rule exists', async () => {
    const service = await serveRules({rules: [other]})
    const created = await createRuleOnce(createTestClient(service.url), wanted)
    expect(created).toMatchObject({rule: {id: 'rule-new'}, adopted: false, sent: true})
    expect(service.writes).toHaveLength(1)
    const body: unknown = JSON.parse(service.writes[0]?.body ?? '')
    expect(ruleCreate.parse(body)).toEqual(body)
    expect(service.requests[0]?.query.get('customerId')).toBe(wanted.customerId)
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

  it('returns other equal rules, since each of them pays', async () => {
    const service = await serveRules({rules: [answered('rule-1'), answered('rule-2')]})
    expect(await createRuleOnce(createTestClient(service.url), wanted)).toMatchObject({
      rule: {id: 'rule-1'},
      twins: [{id: 'rule-2'}],
    })
    expect(service.writes).toEqual([])
  })

  it('does not list the rules if the caller has them', async () => {
    const service = await serveRules()
    await createRuleOnce(createTestClient(service.url), wanted, {existing: []})
    expect(service.requests.map(({method}) => method)).toEqual(['POST'])
  })

  it('adopts the created rule if the reply was lost and the list lags', async () => {
    const service = await serveRules({rules: [other], lose: 'after', lag: 2})
    let lostReplies = 0
    const created = await createRuleOnce(createTestClient(service.url), wanted, {
      ...shortPauses,
      onLostReply: () => lostReplies++,
    })
    expect(created).toMatchObject({rule: {id: 'rule-new'}, adopted: true, sent: true})
    expect({lostReplies, writes: service.writes.length, rules: service.rules.length}).toEqual({
      lostReplies: 1,
      writes: 1,
      rules: 2,
    })
  })

  it('adopts no rule that existed before', async () => {
    const stale = answered('rule-1')
    const service = await serveRules({rules: [stale], lose: 'before'})
    const failure = await captureError(
      createRuleOnce(createTestClient(service.url), wanted, {
        ...shortPauses,
        existing: [{...other, id: 'rule-1'}],
      }),
    )
    expect(failure).toMatchObject({exitCode: 7})
  })

  it('stays unknown if no new rule appears, and advises to run the command again', async () => {
    const service = await serveRules({lose: 'before'})
    const failure = await captureError(createRuleOnce(createTestClient(service.url), wanted, shortPauses))
    expect(failure).toMatchObject({exitCode: 7, error: 'OUTCOME_UNKNOWN'})
    expect(failure.message).toContain('no such rule is listed so far')
    expect(failure.hint).toContain('Run the command again in a minute')
    expect(service.writes).toHaveLength(1)
  })

  it('stops if several new rules are equal, and names them', async () => {
    const service = await serveRules({lose: 'after', made: [answered('rule-a'), answered('rule-b')]})
    const failure = await captureError(createRuleOnce(createTestClient(service.url), wanted, shortPauses))
    expect(failure).toMatchObject({exitCode: 7})
    expect(failure.message).toContain('rule-a, rule-b')
    expect(failure.hint).toContain('svc rules delete')
  })

  it('stays unknown if the rules cannot be listed afterwards', async () => {
    const service = await serveRules({lose: 'after', readsThen: 403})
    const failure = await captureError(createRuleOnce(createTestClient(service.url), wanted, shortPauses))
    expect(failure).toMatchObject({exitCode: 7})
    expect(failure.message).toContain('could not be listed either')
  })

  it('sends nothing if the rules cannot be listed before', async () => {
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

  it('sends the complete configuration with its id', async () => {
    const service = await serveRules({rules: [answered('rule-1')]})
    expect(await updateRule(createTestClient(service.url), 'rule-1', changed, shortPauses)).toMatchObject({
      id: 'rule-1',
    })
    const body: unknown = JSON.parse(service.writes[0]?.body ?? '')
    expect(ruleUpdate.parse(body)).toEqual({id: 'rule-1', ...changed})
  })

  it('succeeds if the reply was lost and the rule changes late', async () => {
    const service = await serveRules({rules: [answered('rule-1')], lose: 'after', lag: 1})
    expect(await updateRule(createTestClient(service.url), 'rule-1', changed, shortPauses)).toMatchObject({
      transactionTemplate: {amount: {type: 'PCT', value: '25'}},
    })
    expect(service.writes).toHaveLength(1)
  })

  it('is unknown if the reply was lost and the rule has not changed', async () => {
    const service = await serveRules({rules: [answered('rule-1')], lose: 'before'})
    const failure = await captureError(updateRule(createTestClient(service.url), 'rule-1', changed, shortPauses))
    expect(failure).toMatchObject({exitCode: 7})
    expect(failure.message).toContain('has not changed so far')
    expect(failure.hint).toContain('svc rules get rule-1')
  })
})

describe('deleting a rule', () => {
  it('returns the deleted rule', async () => {
    const service = await serveRules({rules: [answered('rule-1')]})
    expect(await deleteRule(createTestClient(service.url), 'rule-1', shortPauses)).toEqual(answered('rule-1'))
    expect(service.rules).toEqual([])
  })

  it('returns the rule as it was read before if the reply was lost', async () => {
    const service = await serveRules({rules: [answered('rule-1')], lose: 'after', lag: 1})
    expect(await deleteRule(createTestClient(service.url), 'rule-1', shortPauses)).toEqual(answered('rule-1'))
    expect(service.writes).toHaveLength(1)
  })

  it('is unknown if the reply was lost and the rule still exists', async () => {
    const service = await serveRules({rules: [answered('rule-1')], lose: 'before'})
    const failure = await captureError(deleteRule(createTestClient(service.url), 'rule-1', shortPauses))
    expect(failure).toMatchObject({exitCode: 7})
    expect(failure.message).toContain('the rule still exists')
  })
})
