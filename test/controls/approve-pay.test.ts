// Four eyes for a single payment, and everything else that could move money beside it.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {createTeam, requireApprovals} from '../support/approvals.ts'
import {payment, writePlan} from '../support/payments.ts'
import {json} from '../support/svc.ts'
import {seeded} from '../support/transactions.ts'

const plan = 'rent.yaml'

describe('svc pay where another has to approve', () => {
  it('refuses flags alone with 10, and pays a file that was approved', async () => {
    const team = createTeam()
    await requireApprovals(team, team.carol, {approvals: 1})
    const refused = await team.run(team.carol, payment('rent-1', '5'))
    expect(refused.code).toBe(10)
    expect(refused.err).toContain('only a file can be approved')
    writePlan(path.join(team.folder, plan), 'rent-1', '5', {maxFee: '3'})
    const early = await team.run(team.carol, ['pay', '-f', plan])
    expect([early.code, early.err]).toEqual([10, expect.stringContaining('rent.yaml needs 1 approval')])
    const {err} = await team.approve(team.alice, plan)
    expect(err).toMatch(/Amount +5\.00 USDC/)
    expect(err).toMatch(/Max fee +3\.00 USDC/)
    const other = await team.run(team.carol, ['pay', '-f', plan, '--amount', '6'])
    expect([other.code, other.err]).toEqual([10, expect.stringContaining('it is for other content')])
    const paid = await team.run(team.carol, ['pay', '-f', plan, '--json'])
    expect(paid.code).toBe(0)
    const shown = json((await team.run(team.carol, ['journal', 'show', 'rent-1', '--json'])).out)
    const used = (shown['history'] as Array<{detail?: Record<string, unknown>}>).find(
      ({detail}) => detail?.['kind'] === 'APPROVAL_USED',
    )
    expect(used?.detail?.['data']).toMatchObject({approvals: [{signer: 'alice@example.com'}]})
    const table = await team.run(team.carol, ['journal', 'show', 'rent-1'])
    expect(table.out).toMatch(/DECISION +APPROVAL_USED by \S+ on \S+, signed by alice@example\.com\n/)
  })

  it('reports a payment that was made, also once its approval no longer counts, and makes no other', async () => {
    const team = createTeam()
    await requireApprovals(team, team.carol, {approvals: 1})
    writePlan(path.join(team.folder, plan), 'rent-1', '5')
    await team.approve(team.alice, plan)
    const paid = json((await team.run(team.carol, ['pay', '-f', plan, '--json'])).out)
    expect((await team.approve(team.alice, plan, '--withdraw')).code).toBe(0)
    const again = await team.run(team.carol, ['pay', '-f', plan, '--json'])
    expect([again.code, json(again.out)['transactionId']]).toEqual([0, paid['transactionId']])
    const other = await team.run(team.carol, ['pay', '-f', plan, '--key', 'rent-2', '--json'])
    expect([other.code, other.out]).toEqual([10, ''])
  })

  it('pays by flags up to the sum that the policy names', async () => {
    const team = createTeam()
    await requireApprovals(team, team.carol, {approvals: 1, above: '5'})
    expect((await team.run(team.carol, payment('small', '5.00'))).code).toBe(0)
    expect((await team.run(team.carol, payment('large', '5.01'))).code).toBe(10)
  })

  it('refuses with 10 what nobody could approve', async () => {
    const team = createTeam()
    await requireApprovals(team, team.carol, {approvals: 1, above: '1000'})
    const body = path.join(team.folder, 'body.json')
    fs.writeFileSync(body, '{"quoteId": "quote_1"}')
    const transaction = await team.run(team.carol, ['api', 'POST', '/transactions', '-f', body, '--yes'])
    expect([transaction.code, transaction.err]).toEqual([10, expect.stringContaining('cannot be approved')])
    const byQuote = await team.run(team.carol, ['transactions', 'create', '--quote', 'quote_1', '--yes'])
    expect([byQuote.code, byQuote.err]).toEqual([10, expect.stringContaining('`svc approve FILE -p sandbox`')])
    const flags = ['--name', 'x', '--customer', seeded.customer, '--percent', '1', '--threshold', '10']
    const route = ['--from', seeded.wallet, '--from-currency', 'USDC', '--from-method', 'SOLANA']
    const to = ['--to', seeded.externalWallet, '--to-currency', 'USDC', '--to-method', 'SOLANA']
    const rule = await team.run(team.carol, ['rules', 'create', ...flags, ...route, ...to, '--yes'])
    expect([rule.code, rule.err]).toEqual([10, expect.stringContaining('`svc rules apply -f`')])
  })
})
