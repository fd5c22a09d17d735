// svc rules get: on a terminal, in a pipe, as JSON, and rejected.
import {describe, expect, it} from 'vitest'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {answered, serveRules} from '../../rules/rule-service.ts'
import {bankAch, sandbox, wallet, withPayroll} from './payroll.ts'

const get = ['rules', 'get']

describe('svc rules get', () => {
  it('shows all of a rule on a terminal', async () => {
    const {home, rule} = await withPayroll(['--developer-fee', '1.50', '--developer-fee-type', 'USD'])
    const screen = onTerminal(home, [...get, rule.id, ...sandbox])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(new RegExp(`^ID +${rule.id}\nNAME +Payroll\nTRIGGER +0 9 \\* \\* 1-5\n`))
    expect(screen.text()).toMatch(/AMOUNT +100.00 USDC\n/)
    expect(screen.text()).toMatch(new RegExp(`FROM +${wallet} SOLANA USDC\nTO +${bankAch} ACH USD\n`))
    expect(screen.text()).toMatch(/DEVELOPER FEE +1.50 USD\n/)
    expect(screen.text()).toMatch(/DOES +At 09:00, Monday through Friday \(0 9 \* \* 1-5, UTC\), moves/)
    expect(screen.text().match(/\w{3} \d{4}-\d\d-\d\d 09:00 UTC\n/g)).toHaveLength(5)
    expect(screen.text()).not.toContain('{')
  })

  it('shows unknown fields after the known ones, plain in a pipe', async () => {
    const service = await serveRules({rules: [answered('rule/1')]})
    const {code, out} = await run(freshHome(), [...get, 'rule/1'], {env: service.env})
    expect(code).toBe(0)
    expect(service.requests[0]?.path).toBe('/automation-rules/rule%2F1')
    expect(out).toMatch(/OTHER FIELDS +\{"memo":"kept by the service"\}\n/)
    expect(out).toMatch(/riskTier +gold\n/)
  })

  it('prints the service’s own object as JSON', async () => {
    const service = await serveRules({rules: [answered('rule-1')]})
    const {out} = await run(freshHome(), [...get, 'rule-1', '--json'], {env: service.env})
    expect(json(out)).toEqual(answered('rule-1'))
  })

  it.each(['', '  ', '..'])('rejects the id "%s" before anything is sent', async (id) => {
    const service = await serveRules()
    const {code, out} = await run(freshHome(), [...get, id], {env: service.env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(service.requests).toEqual([])
  })

  it('exits with 5 if there is no such rule', async () => {
    const {code, out, err} = await run(freshHome(), [...get, 'rule_none', ...sandbox, '--json'])
    expect({code, out}).toEqual({code: 5, out: ''})
    expect(json(err)).toMatchObject({error: 'NOT_FOUND', exitCode: 5})
  })
})
