// svc rules delete: on a terminal, in a pipe, as JSON, rejected, and with lost replies.
import {describe, expect, it} from 'vitest'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {answered, serveRules} from '../../rules/rule-service.ts'
import {rulesIn, sandbox, withPayroll} from './payroll.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const remove = ['rules', 'delete']

describe('svc rules delete', () => {
  it('shows the rule and asks, also in the sandbox, and deletes after a yes', async () => {
    const {home, rule} = await withPayroll()
    const screen = onTerminal(home, [...remove, rule.id, ...sandbox], {cols: 200})
    await screen.waitFor('Delete the rule “Payroll”?')
    expect(screen.text()).toMatch(/^┌─ Delete a rule permanently in the embedded sandbox ─+┐\n│ Rule +Payroll +│\n/)
    for (const shown of [
      /│ Fires +by itself, at 09:00, Monday through Friday /,
      /│ Customer +Zoë Ångström +│\n/,
      /│ From +Service wallet \S+, USDC on SOLANA +│\n/,
      /│ To +Prairie Mutual Bank \*{4}\d{4}, USD by ACH +│\n/,
      /│ Amount +100.00 USDC each time it fires +│\n/,
    ]) {
      expect(screen.text()).toMatch(shown)
    }
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toContain('Deleted the rule “Payroll”. It pays nothing any more.\n')
    expect(screen.text()).not.toMatch(/^NAME/m)
    expect(await rulesIn(home)).toEqual([])
  })

  it('prints the deleted rule as JSON, from which it can be created again', async () => {
    const {home, rule} = await withPayroll()
    const {out} = await run(home, [...remove, rule.id, ...sandbox, '--json'])
    expect(json(out)).toEqual(rule)
    const again = await run(home, ['rules', 'create', ...sandbox, '-f', '-', '--json'], {input: out})
    expect(json(again.out)).toMatchObject({name: 'Payroll', transactionTemplate: rule.transactionTemplate})
  })

  it('checks the rule if the reply is empty, and does not call it lost', async () => {
    const service = await serveRules({rules: [answered('rule-1')], isSilent: true})
    const {code, err} = await run(freshHome(), [...remove, 'rule-1', '--yes'], {env: service.env})
    expect(code).toBe(0)
    expect(err).toContain('The service answered 204, without the rule; checking what it has.\n')
    expect(err).not.toContain('lost')
  })
})
