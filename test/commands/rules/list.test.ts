// svc rules list and get.
import {describe, expect, it} from 'vitest'
import {customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {answered, serveRules} from '../../rules/rule-service.ts'
import {onTerminal} from '../../support/terminal.ts'
import {bankAch, sandbox, wallet, withPayroll} from './payroll.ts'

const list = ['rules', 'list']

describe('svc rules list', () => {
  it('prints the complete list of the service as JSON', async () => {
    const rules = Array.from({length: 130}, (_, index) => answered(`rule-${index}`))
    const service = await serve((_, response) => reply(response, 200, {automationRules: rules}))
    const {code, out, err} = await run(freshHome(), [...list, '--json'], {env: service.env})
    expect({code, out: json(out)}).toEqual({code: 0, out: {automationRules: rules}})
    // The service breaks the contract, which causes only a warning.
    expect(err).toContain('breaks the interface')
    expect([...(service.requests[0]?.query ?? [])]).toEqual([])
  })

  it('lets the service filter by customer and by account, and itself by type and time', async () => {
    const timed = answered('rule-1')
    const later = answered('rule-2', {createdAt: '2026-11-10T00:00:00Z'})
    const threshold = answered('rule-3', {trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '5'}})
    const undated = answered('rule-4', {createdAt: null, trigger: null})
    const service = await serveRules({rules: [timed, later, threshold, undated]})
    const ids = async (...flags: string[]) => {
      const {out} = await run(freshHome(), [...list, '--json', '--quiet', ...flags], {env: service.env})
      return (json(out)['automationRules'] as Array<{id: string}>).map(({id}) => id)
    }
    expect(await ids('--customer', customerId(1), '--from', 'a&b')).toHaveLength(4)
    expect(service.requests[0]?.query.get('customerId')).toBe(customerId(1))
    expect(service.requests[0]?.query.get('sourcePaymentAccountId')).toBe('a&b')
    expect(await ids('--type', 'THRESHOLD_BASED')).toEqual(['rule-3'])
    expect(await ids('--since', '2026-11-05')).toEqual(['rule-2'])
    expect(await ids('--since', '2026-11-01T13:00:00+01:00')).toHaveLength(3)
  })
})

it('svc rules get shows all of a rule on a terminal', async () => {
  const {home, rule} = await withPayroll(['--developer-fee', '1.50', '--developer-fee-type', 'USD'])
  const screen = onTerminal(home, ['rules', 'get', rule.id, ...sandbox])
  expect(await screen.ended).toBe(0)
  expect(screen.text()).toMatch(new RegExp(`^ID +${rule.id}\nNAME +Payroll\nTRIGGER +0 9 \\* \\* 1-5\n`))
  expect(screen.text()).toMatch(/AMOUNT +100.00 USDC\n/)
  expect(screen.text()).toMatch(new RegExp(`FROM +${wallet} SOLANA USDC\nTO +${bankAch} ACH USD\n`))
  expect(screen.text()).toMatch(/DEVELOPER FEE +1.50 USD\n/)
  expect(screen.text()).toMatch(/DOES +At 09:00, Monday through Friday \(0 9 \* \* 1-5, UTC\), moves/)
  expect(screen.text().match(/\w{3} \d{4}-\d\d-\d\d 09:00 UTC\n/g)).toHaveLength(5)
  expect(screen.text()).not.toContain('{')
})
