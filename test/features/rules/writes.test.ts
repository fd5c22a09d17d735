// Writes of rules happen once, also if replies are lost, late or ambiguous.
import {afterEach, beforeEach, describe, expect, it, vi} from 'vitest'
import type {Client} from '../../../src/client/client.ts'
import {ruleCreate, ruleUpdate} from '../../../src/contract/rules.ts'
import {type RuleConfiguration, toConfiguration} from '../../../src/rules/rule-configuration.ts'
import {createRuleOnce, deleteRule, updateRule} from '../../../src/rules/writes.ts'
import {createTestClient, captureError} from '../../client/raw-service.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {type Script, answered, configuration, serveRules} from './rule-service.ts'

// Of the notes of what was sent.
beforeEach(() => void vi.stubEnv('SVC_STATE_DIR', temporaryFolder()))
afterEach(() => void vi.unstubAllEnvs())

const wanted = configuration() as unknown as RuleConfiguration
const changed = toConfiguration({
  ...wanted,
  transactionTemplate: {...wanted.transactionTemplate, amount: {type: 'PCT', value: '25'}},
})
// The test service lags by no more than the test says, so short pauses are enough.
const shortPauses = {pausesMs: [0, 5, 5]}
const other = answered('rule-other', {name: 'Other'})
const one = [answered('rule-1')]

const writes = {
  create: (client: Client) => createRuleOnce(client, wanted, {...shortPauses, service: 'test'}),
  update: (client: Client) => updateRule(client, 'rule-1', changed, shortPauses),
  delete: (client: Client) => deleteRule(client, 'rule-1', answered('rule-1'), shortPauses),
}

const percent = {transactionTemplate: {amount: {type: 'PCT', value: '25'}}}

describe('a write', () => {
  it.each<[keyof typeof writes, string, Script, object, number]>([
    ['create', 'is sent once if no equal rule exists', {rules: [other]}, {rule: {id: 'rule-new'}, adopted: false}, 1],
    ['create', 'is not sent if an equal rule exists', {rules: [other, ...one]}, {rule: {id: 'rule-1'}, sent: false}, 0],
    ['create', 'names other equal rules', {rules: [...one, answered('rule-2')]}, {twins: [{id: 'rule-2'}]}, 0],
    ['create', 'is adopted late', {lose: 'after', lag: 2}, {rule: {id: 'rule-new'}, adopted: true, sent: true}, 1],
    ['update', 'is sent with the whole rule', {rules: one}, percent, 1],
    ['update', 'shows late', {rules: one, lose: 'after', lag: 1}, percent, 1],
    ['delete', 'returns the rule', {rules: one}, answered('rule-1'), 1],
    ['delete', 'returns it although the reply is empty', {rules: one, isSilent: true}, answered('rule-1'), 1],
    ['delete', 'returns it as it was before', {rules: one, lose: 'after', lag: 1}, answered('rule-1'), 1],
  ])('that would %s %s: %j', async (name, _, script, result, count) => {
    const service = await serveRules(script)
    expect(await writes[name](createTestClient(service.url))).toMatchObject(result)
    expect(service.writes).toHaveLength(count)
    for (const {method, body} of service.writes) {
      const schema = {POST: ruleCreate, PUT: ruleUpdate}[method]
      if (schema) expect(schema.parse(JSON.parse(body))).toEqual(JSON.parse(body))
    }
  })

  it.each<[keyof typeof writes, Script, string, string]>([
    ['create', {lose: 'before'}, 'no such rule is listed so far', 'Run the command again in a minute'],
    ['create', {lose: 'after', made: [answered('rule-a'), answered('rule-b')]}, 'rule-a, rule-b', 'svc rules delete'],
    ['create', {lose: 'after', readsThen: 403}, 'could not be listed either', 'Run the command again'],
    ['update', {rules: one, lose: 'before'}, 'has not changed so far', 'svc rules get rule-1'],
    ['update', {rules: one, isDeaf: true}, 'without the new values; the rule', 'svc rules get rule-1'],
    ['delete', {rules: one, lose: 'before'}, 'the rule still exists', 'svc rules get rule-1'],
  ])('that would %s stays unknown, and says what to do: %j', async (name, script, message, hint) => {
    const service = await serveRules(script)
    const failure = await captureError(writes[name](createTestClient(service.url)))
    expect(failure).toMatchObject({exitCode: 7, error: script.isDeaf ? 'RULE_UNCHANGED' : 'OUTCOME_UNKNOWN'})
    expect(failure.message).toContain(message)
    expect(failure.hint).toContain(hint)
    expect(service.writes).toHaveLength(1)
  })

  it('is not sent if the rules cannot be listed before', async () => {
    const service = await serveRules()
    const failure = await captureError(
      createRuleOnce(createTestClient(`${service.url}/nowhere`), wanted, {service: 'test'}),
    )
    expect(failure.exitCode).not.toBe(7)
    expect(service.writes).toEqual([])
  })
})
