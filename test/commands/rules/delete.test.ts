// svc rules delete: on a terminal, in a pipe, as JSON, rejected, and with lost replies.
import {describe, expect, it} from 'vitest'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {answered, serveRules} from '../../rules/rule-service.ts'
import {fault, rulesIn, sandbox, withPayroll} from './payroll.ts'
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

  it('does not let the name of a rule add a line to the question', async () => {
    const service = await serveRules({rules: [answered('rule-1', {name: 'Harmless"\n  from nobody\u001b[2J'})]})
    const screen = onTerminal(freshHome(), [...remove, 'rule-1'], {env: service.env, cols: 200})
    await screen.waitFor('live)?')
    expect(screen.text()).not.toMatch(/^[ │]*from nobody/m)
    expect(screen.raw()).not.toContain('\u001b[2J')
    screen.type('n\r')
    expect(await screen.ended).toBe(130)
    expect(service.writes).toEqual([])
  })

  it('keeps the rule after a no, and after Ctrl-C', async () => {
    const {home, rule} = await withPayroll()
    for (const keys of ['\r', '\u0003']) {
      const screen = onTerminal(home, [...remove, rule.id, ...sandbox])
      await screen.waitFor('Delete the rule')
      screen.type(keys)
      expect(await screen.ended).toBe(130)
    }
    expect(await rulesIn(home)).toEqual([rule])
  })

  it('asks nothing in a script in the sandbox, and says what it deleted', async () => {
    const {home, rule} = await withPayroll()
    const {code, out, err} = await run(home, [...remove, rule.id, ...sandbox])
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toMatch(/^Deleted the rule “Payroll”\. /)
    expect(await run(home, [...remove, rule.id, ...sandbox])).toMatchObject({code: 5, out: ''})
  })

  it('prints the deleted rule as JSON, from which it can be created again', async () => {
    const {home, rule} = await withPayroll()
    const {out} = await run(home, [...remove, rule.id, ...sandbox, '--json'])
    expect(json(out)).toEqual(rule)
    const again = await run(home, ['rules', 'create', ...sandbox, '-f', '-', '--json'], {input: out})
    expect(json(again.out)).toMatchObject({name: 'Payroll', transactionTemplate: rule.transactionTemplate})
  })

  it('requires --yes from a script on live, before it reads anything', async () => {
    const service = await serveRules({rules: [answered('rule-1')]})
    const {code, out, err} = await run(freshHome(), [...remove, 'rule-1'], {env: service.env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain('--yes')
    expect(service.requests).toEqual([])
    expect(await run(freshHome(), [...remove, 'rule-1', '--yes'], {env: service.env})).toMatchObject({code: 0})
    expect(service.rules).toEqual([])
  })

  it('takes the rule out of what waits in the sandbox', async () => {
    const {home, rule} = await withPayroll()
    const readQueue = async () => json((await run(home, ['sandbox', 'status', '--json'])).out)['queue']
    const waiting = (await readQueue()) as {waiting: number}
    await run(home, [...remove, rule.id, ...sandbox])
    expect(await readQueue()).toMatchObject({waiting: waiting.waiting - 1})
  })

  it.each(['', ' '])('rejects the id "%s", and sends nothing', async (id) => {
    const service = await serveRules({rules: [answered('rule-1')]})
    const {code} = await run(freshHome(), [...remove, id, '--yes'], {env: service.env})
    expect({code, asked: service.requests}).toEqual({code: 2, asked: []})
  })

  it('checks the rule if the reply was lost, and prints the deleted rule', async () => {
    const {home, rule} = await withPayroll()
    await fault(home, 'DELETE', 'lose')
    const {code, out, err} = await run(home, [...remove, rule.id, ...sandbox, '--json'])
    expect({code, out: json(out)}).toEqual({code: 0, out: rule})
    expect(err).toBe('The reply was lost; checking what the service has.\n')
  })

  it('checks the rule if the reply is empty, and does not call it lost', async () => {
    const service = await serveRules({rules: [answered('rule-1')], isSilent: true})
    const {code, err} = await run(freshHome(), [...remove, 'rule-1', '--yes'], {env: service.env})
    expect(code).toBe(0)
    expect(err).toContain('The service answered 204, without the rule; checking what it has.\n')
    expect(err).not.toContain('lost')
  })

  it('exits with 7 if the request was lost and the rule still exists', async () => {
    const {home, rule} = await withPayroll()
    await fault(home, 'DELETE', 'reset')
    const {code, out, err} = await run(home, [...remove, rule.id, ...sandbox, '--quiet'])
    expect({code, out}).toEqual({code: 7, out: ''})
    expect(err).toContain('the rule still exists')
  })
})
