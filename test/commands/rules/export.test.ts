// svc rules export: on a terminal, in a pipe, as JSON, and rejected; and applied again without changes.
import {describe, expect, it} from 'vitest'
import {parse} from 'yaml'
import {reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'
import {ada, apply, bo, existing, payout, sandbox} from '../../rules/samples.ts'

const currency = (label: string) => ({label, chain: 'SOLANA', contractAddress: 'x', currencyDecimals: 6})

const replied = (id: string, name: string, customerId: string, more = {}) => {
  const rule = payout(name, {...ada, customerId})
  return {
    ...rule,
    id,
    transactionTemplate: {
      ...rule.transactionTemplate,
      source: {...rule.transactionTemplate.source, sourceCurrency: currency('USDC')},
      destination: {...rule.transactionTemplate.destination, destinationCurrency: {label: 'USD'}},
    },
    createdAt: '2026-11-01T12:00:00Z',
    ...more,
  }
}

describe('svc rules export', () => {
  it('can be applied unchanged, and then nothing changes', async () => {
    const home = freshHome()
    const sweep = payout('Sweep', bo, {trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '9000000'}})
    const names = ['yes', '0100', ': # "odd" \u202e name', '👩‍👩‍👧‍👦 Rent', 'a\u200Db', '=', 'two\nlines']
    await apply(home, [...names.map((name) => payout(name)), sweep])
    const before = await existing(home)
    for (const format of ['table', 'json', 'yaml']) {
      const {out} = await sandbox(home, ['rules', 'export', '-o', format])
      const applied = await sandbox(home, ['rules', 'apply', '-f', '-', '--prune', '--yes'], out)
      expect(applied).toEqual({code: 0, out: '', err: '8 rules, nothing to change.\n'})
    }
    expect(await existing(home)).toEqual(before)
  })

  it('exports only the rules of a customer or an account, and warns that they are not all', async () => {
    const home = freshHome()
    await apply(home, [payout('Weekly'), payout('Other', bo)])
    const [ofCustomer, ofAccount] = await Promise.all([
      sandbox(home, ['rules', 'export', '--customer', ada.customerId]),
      sandbox(home, ['rules', 'export', '--from', bo.wallet]),
    ])
    expect(parse(ofCustomer.out)).toMatchObject({rules: [{name: 'Weekly'}]})
    expect(ofCustomer.out).toContain(`# All automation rules of customer ${ada.customerId},`)
    expect(parse(ofAccount.out)).toMatchObject({rules: [{name: 'Other'}]})
    expect(ofAccount.out).toContain('Do not apply this file with --prune')
  })

  it('has the same order whatever that of the service: customer, name, id', async () => {
    const rules = [
      replied('r3', 'b', bo.customerId),
      replied('r2', 'b', ada.customerId),
      replied('r1', 'b', ada.customerId),
      replied('r4', 'B', ada.customerId),
    ]
    const orders = [rules, rules.toReversed()]
    const service = await serve((_, response, count) => reply(response, 200, {automationRules: orders[count - 1]}))
    const [one, other] = [
      await run(freshHome(), ['rules', 'export'], {env: service.env}),
      await run(freshHome(), ['rules', 'export'], {env: service.env}),
    ]
    expect([...one.out.matchAll(/id: (r\d)/g)].map(([, id]) => id)).toEqual(['r3', 'r4', 'r1', 'r2'])
    expect(other.out).toBe(one.out)
  })
})
