// Files of rules: every accepted form and spelling, and every problem that is reported.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {SvcError} from '../../../src/errors.ts'
import {readRuleFile} from '../../../src/rules/rule-file.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {ada, atTime, ofAmount, payout} from './samples.ts'

function read(text: string) {
  const file = path.join(temporaryFolder(), 'rules.yaml')
  fs.writeFileSync(file, text)
  return readRuleFile(file)
}

async function readRejected(text: string): Promise<SvcError> {
  const error: unknown = await read(text).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof SvcError)) throw new Error(`not rejected: ${String(error)}`)
  expect(error.exitCode).toBe(2)
  return error
}

const one = payout('Weekly')
const wanted = {configuration: one, id: undefined}

describe('a file of rules', () => {
  it.each([
    ['rules under their key', {rules: [one]}],
    ['a bare list', [one]],
    ['a list as the service sends it', {automationRules: [one], total: 1}],
    ['a single rule', one],
  ])('may contain %s', async (_, data) => {
    expect(await read(JSON.stringify(data))).toEqual([wanted])
  })

  it('keeps unquoted YAML numbers digit by digit', async () => {
    const text = `
- id: 0017
  name: 2024
  customerId: ${ada.customerId}
  transactionTemplate:
    source: {sourcePaymentAccountId: 12, sourcePaymentMethod: SOLANA, sourceCurrency: USDC}
    destination: {destinationPaymentAccountId: 1e5, destinationPaymentMethod: ACH, destinationCurrency: USD}
    amount: {type: FLAT, value: 100.10}
    developerFee: {developerFeeType: USD, developerFeeAmount: 0.10}
  trigger: {type: THRESHOLD_BASED, thresholdAmount: 12345678901234567890.123456}
`
    const [rule] = await read(text)
    expect(rule).toMatchObject({
      id: '0017',
      configuration: {
        name: '2024',
        transactionTemplate: {
          source: {sourcePaymentAccountId: '12'},
          destination: {destinationPaymentAccountId: '1e5'},
          amount: {value: '100.10'},
          developerFee: {developerFeeAmount: '0.10'},
        },
        trigger: {thresholdAmount: '12345678901234567890.123456'},
      },
    })
  })

  it.each([['rules: []'], ['[]'], ['{"automationRules": []}']])('may be empty: %j', async (text) => {
    expect(await read(text)).toEqual([])
  })

  it.each([
    ['', 'There is nothing in'],
    ['# only a comment\n', 'There are no rules in'],
    ['rules: {a: 1}', 'There are no rules in'],
    ['rules: []\nversion: 2', 'has version beside its rules'],
    ['rules: [', 'neither JSON nor YAML'],
  ])('is rejected if it has no rules: %j', async (text, why) => {
    expect((await readRejected(text)).message).toContain(why)
  })

  it('is rejected with all problems at once, each with its path', async () => {
    const {source} = one.transactionTemplate
    const error = await readRejected(
      JSON.stringify({
        rules: [
          one,
          {
            ...one,
            name: '',
            customerId: 'acme',
            colour: 'red',
            trigger: {type: 'TIME_BASED', cronSchedule: '0 9 31 2 *'},
          },
          {...ofAmount(one, '0.00'), name: 'b', trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '0'}},
          {...ofAmount(one, 100), name: 'c', trigger: {type: 'HOURLY'}},
          {...one, name: 'd', transactionTemplate: {source, amount: {type: 'PCT', value: '101'}}, trigger: {}},
          {...atTime(one, 'every day at noon ok'), name: 'e'},
          'f',
        ],
      }),
    )
    expect(error.problems).toEqual([
      'rules[1].name must not be empty (found "")',
      'rules[1].customerId must be a UUID (found "acme")',
      'rules[1].colour is not a field of the interface (found "red")',
      'rules[1].trigger.cronSchedule never fires (found "0 9 31 2 *")',
      'rules[2].transactionTemplate.amount.value should be more than 0 (found "0.00")',
      'rules[2].trigger.thresholdAmount should be more than 0 (found "0")',
      'rules[3].transactionTemplate.amount.value must be a decimal number in quotes, such as "120.50" (found 100)',
      'rules[3].trigger.type must be one of THRESHOLD_BASED, TIME_BASED (found "HOURLY")',
      'rules[4].transactionTemplate.destination is required',
      'rules[4].transactionTemplate.amount.value must be a percentage from 0 to 100 (found "101")',
      'rules[4].trigger.type is required: one of THRESHOLD_BASED, TIME_BASED',
      'rules[5].trigger.cronSchedule is not a valid cron expression of five fields, such as "0 9 * * 1-5": its minute cannot be "every", its hour cannot be "day", its day of the month cannot be "at", its month cannot be "noon", its day of the week cannot be "ok" (found "every day at noon ok")',
      'rules[6] must be an object (found "f")',
    ])
    expect(error.hint).toBe('Nothing was sent')
  })

  it.each([
    ['the same id', {id: 'r1'}, {id: 'r1', name: 'Other'}, 'rules[1].id is also the id of rules[0]'],
    ['the same customer and name', {}, {}, 'rules[1].name is also the name of rules[0], for the same customer'],
    [
      'the same customer in another case, and only one id',
      {id: 'r1'},
      {customerId: ada.customerId.toUpperCase()},
      'rules[1].name is also the name of rules[0], for the same customer',
    ],
  ])('is rejected if two of its rules have %s', async (_, first, second, why) => {
    const rules = [first, second].map((more) => ({...one, ...more}))
    expect((await readRejected(JSON.stringify(rules))).message).toContain(why)
  })
})
