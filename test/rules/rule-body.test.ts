import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {ruleCreate} from '../../src/contract/rules.ts'
import {type RuleFlags, readNewRuleBody, validateRule} from '../../src/rules/rule-body.ts'
import {customerId} from '../support/service.ts'
import {temporaryFolder} from '../support/svc.ts'
import {configuration} from './rule-service.ts'

const whole: RuleFlags = {
  name: 'Payroll',
  customer: customerId(1),
  from: 'wallet-1',
  'from-currency': 'USDC',
  'from-method': 'BASE',
  to: 'bank-1',
  'to-currency': 'USD',
  'to-method': 'ACH',
  amount: '100.00',
  cron: '0 9 * * 1-5',
}

const now = Date.parse('2026-11-15T12:00:00Z')
const {amount: _, ...withoutAmount} = whole

function fileOf(text: string): string {
  const file = path.join(temporaryFolder(), 'rule.yaml')
  fs.writeFileSync(file, text)
  return file
}

async function problemsWith(flags: RuleFlags): Promise<string[]> {
  const body = await readNewRuleBody(flags)
  return validateRule(ruleCreate, body, now).map((problem) => `${problem.path} ${problem.message}`)
}

describe('the body of a new rule', () => {
  it('is built from the flags', async () => {
    expect(await readNewRuleBody(whole)).toEqual(configuration())
    expect(await problemsWith(whole)).toEqual([])
  })

  it('leaves out a fee of 0', async () => {
    expect(await readNewRuleBody({...whole, 'developer-fee': '0.0'})).toEqual(configuration())
  })

  it('takes the whole trigger from the flags if the file has the other type', async () => {
    const file = fileOf(JSON.stringify(configuration({id: 'rule-1', createdAt: '2026-11-01T12:00:00Z'})))
    expect(await readNewRuleBody({file, threshold: '500'})).toEqual(
      configuration({trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '500'}}),
    )
  })
})

describe('the problem of a rule', () => {
  it.each<[RuleFlags, string]>([
    [{...withoutAmount, percent: '0'}, 'transactionTemplate.amount.value should be more than 0'],
    [
      {...whole, cron: '0 9 * *'},
      'trigger.cronSchedule must be a cron expression of five fields, such as "0 9 * * 1-5"',
    ],
    [
      {...whole, set: ['trigger.type=THRESHOLD_BASED', 'trigger.thresholdAmount=5']},
      'trigger.cronSchedule belongs to a trigger of type TIME_BASED, and this one has another type',
    ],
    [{...whole, set: ['id=rule-1']}, 'id is not a field of the interface'],
  ])('is found in %j', async (flags, problem) => {
    expect(await problemsWith(flags)).toEqual([problem])
  })

  it('is none for 100 percent', async () => {
    expect(await problemsWith({...withoutAmount, percent: '100'})).toEqual([])
  })
})
